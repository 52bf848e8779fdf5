// The setting mcp_bridges: older MCP servers that this server offers to callers of its workspaces.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { worded } from "../../kernel/http/validate/patterns.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const bridgeName = worded(
  "^[a-z0-9][a-z0-9-]{0,62}$",
  "must be a name of small letters, digits and -, up to 63",
);
const headerName = worded("^[A-Za-z0-9-]+$", "must be the name of a header");
const address = worded("^https?://[^/]", "must be an address with http or https");

const Bridge = Type.Object(
  {
    url: Type.String({ ...address, maxLength: 2_048 }),
    /** Sent with each request, such as the token of the server behind. */
    headers: Type.Optional(
      Type.Record(Type.String(headerName), Type.String({ maxLength: 8_192 }), {
        maxProperties: limits.headersMax,
      }),
    ),
    /** All where it is not named. */
    workspaces: Type.Optional(Type.Array(Type.String(), { maxItems: limits.workspacesMax })),
    sessions_max: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.sessionsMaxMost })),
  },
  { additionalProperties: false },
);
export type BridgeSettings = Static<typeof Bridge>;

const BridgesSection = Type.Record(Type.String(bridgeName), Bridge, {
  additionalProperties: false,
  maxProperties: limits.bridgesMax,
});

export const bridgesSection = defineSection({
  name: "mcp_bridges",
  describe:
    "MCP servers of older revisions, by name, each at /mcp/bridges/NAME for callers with a key of a workspace.",
  schema: BridgesSection,
  fallback: {},
});

export function bridgeSettings({ sections }: Pick<World, "sections">, of: string) {
  const given = (sections?.["mcp_bridges"] ?? {}) as Static<typeof BridgesSection>;
  return Object.hasOwn(given, of) ? given[of] : undefined;
}
