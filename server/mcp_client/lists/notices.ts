// Whether the tools of a server have changed, heard over a connection of its own: what is asked over the other one is
// not disturbed.
import { Client } from "@modelcontextprotocol/client";
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import { mcpSettingsOf } from "../settings.ts";
import { openTransport } from "../transport.ts";
import { makeWire, type ServerAddress } from "../wire.ts";
import { recallVerdict } from "./verdicts.ts";

export interface Notices {
  /** Unless it is listened already. */
  listen(): void;
  close(): Promise<void>;
}

export function makeNotices(world: World, address: ServerAddress, onChanged: () => void): Notices {
  let open: Client | undefined;
  let isOver = false;
  const listen = async (client: Client) => {
    const prior = recallVerdict(world, address);
    if (prior?.kind !== "modern") return;
    client.setNotificationHandler("notifications/tools/list_changed", onChanged);
    const { transport } = openTransport(address.url, makeWire(world, address, limits.noticesMs));
    const timeout = mcpSettingsOf(world).connectMs;
    await client.connect(transport, { timeout, prior });
    const { closed } = await client.listen({ toolsListChanged: true }, { timeout });
    await closed;
  };
  const end = async () => {
    const client = open;
    open = undefined;
    await client?.close().catch(() => {});
  };
  return {
    listen: () => {
      if (open !== undefined || isOver) return;
      open = new Client({ name: "plinth", version: world.server.version });
      // A server that cannot be listened to is asked for its list when that is old.
      void listen(open)
        .catch(() => {})
        .finally(end);
    },
    close: async () => {
      isOver = true;
      await end();
    },
  };
}
