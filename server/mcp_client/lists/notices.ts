// Whether the tools of a server have changed since they were listed, as the server says.
import { Client } from "@modelcontextprotocol/client";
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import { mcpSettingsOf } from "../settings.ts";
import { openTransport } from "../transport.ts";
import { makeWire, type ServerAddress } from "../wire.ts";
import type { ListedTools } from "./list.ts";
import { recallVerdict } from "./verdicts.ts";

export interface ToolNotices {
  haveChanged(): boolean;
  /** They are about to be listed. */
  forget(): void;
  /** Where the list is good for long, changes are listened to, unless they are already. */
  listen(listed: ListedTools): void;
  close(): Promise<void>;
}

/** What comes over the connection of `client`, and over another one, so that what is asked is not disturbed. */
export function hearOfTools(world: World, address: ServerAddress, client: Client): ToolNotices {
  let haveChanged = false;
  let isOver = false;
  let listening: Client | undefined;
  const onChanged = () => void (haveChanged = true);
  const hear = (heard: Client) =>
    heard.setNotificationHandler("notifications/tools/list_changed", onChanged);
  const end = async () => {
    const ended = listening;
    listening = undefined;
    await ended?.close().catch(() => {});
  };
  hear(client);
  return {
    haveChanged: () => haveChanged,
    forget: () => void (haveChanged = false),
    listen: ({ ttlMs = 0 }) => {
      const tells = client.getServerCapabilities()?.tools?.listChanged === true;
      const isModern = client.getProtocolEra() === "modern";
      if (ttlMs <= limits.unheardMsMax || !tells || !isModern || listening || isOver) return;
      listening = new Client({ name: "plinth", version: world.server.version });
      hear(listening);
      // A server that cannot be listened to is asked for its list when that is old.
      void untilClosed(world, address, listening)
        .catch(() => {})
        .finally(end);
    },
    close: () => {
      isOver = true;
      return end();
    },
  };
}

async function untilClosed(world: World, address: ServerAddress, client: Client): Promise<void> {
  const prior = recallVerdict(world, address);
  if (prior?.kind !== "modern") return;
  const { transport } = openTransport(address.url, makeWire(world, address, limits.oneStreamMs));
  const timeout = mcpSettingsOf(world).connectMs;
  await client.connect(transport, { timeout, prior });
  const { closed } = await client.listen({ toolsListChanged: true }, { timeout });
  await closed;
}
