// Which names `/mcp` may be asked by: a page of another site whose name was pointed at this machine gets nothing.
import type { IncomingHttpHeaders } from "node:http";
import { forbidden } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { hostsOf } from "./settings.ts";

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** Rule MCE3. */
export function expectOwnHost(world: World, { host, origin }: IncomingHttpHeaders): void {
  const own = [new URL(world.publicUrl).hostname, ...loopback, ...hostsOf(world)];
  const isOwn = (address: string) =>
    URL.canParse(address) && own.includes(new URL(address).hostname);
  if (!isOwn(`http://${host ?? ""}`))
    throw forbidden(
      "The Host header names another server. Ask by the public address of this one, or have the setting mcp_endpoint.hosts name it.",
    );
  if (origin !== undefined && !isOwn(origin))
    throw forbidden(
      "The Origin header names another site: pages of other sites may not use /mcp. The setting mcp_endpoint.hosts can name it.",
    );
}
