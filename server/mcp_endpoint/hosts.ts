// Which names `/mcp` may be asked by: a page of another site whose name was pointed at this machine gets nothing.
import type { IncomingHttpHeaders } from "node:http";
import { Type, type Static } from "typebox";
import { forbidden } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { worded } from "../../kernel/http/validate/patterns.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const hostName = worded(
  "^[a-z0-9.:\\[\\]-]+$",
  "must be a host name in small letters, without a port",
);

const EndpointSection = Type.Object(
  {
    hosts: Type.Optional(
      Type.Array(Type.String({ ...hostName, maxLength: 255 }), {
        maxItems: limits.hostsMax,
      }),
    ),
  },
  { additionalProperties: false },
);

export const endpointSection = defineSection({
  name: "mcp_endpoint",
  describe: "By which host names MCP clients may reach /mcp, beside public_url and loopback names.",
  schema: EndpointSection,
  fallback: {},
});

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** Rule MCE3. */
export function expectOwnHost(world: World, { host, origin }: IncomingHttpHeaders): void {
  const given = (world.sections?.["mcp_endpoint"] ?? {}) as Static<typeof EndpointSection>;
  const own = [new URL(world.publicUrl).hostname, ...loopback, ...(given.hosts ?? [])];
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
