// The setting mcp_bridges: older MCP servers that this server offers to callers of its workspaces.
import { Type, type Static } from "typebox";
import { ExitError } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { usageExitCode, type Loaded } from "../../kernel/settings/load.ts";
import { limits } from "./limits.ts";

const bridgeName = worded(
  "^[a-z0-9][a-z0-9-]{0,62}$",
  "must be a name of small letters, digits and -, up to 63",
);
const headerName = worded("^[A-Za-z0-9-]+$", "must be the name of a header");
const variableName = worded("^[A-Za-z_][A-Za-z0-9_]*$", "must be the name of a variable");
const absolute = worded("^/[^\\0]*$", "must be an absolute path");
const host = worded("^[^/:\\s]+$", "must be the name of a host, such as api.example.com");
const address = worded("^https?://[^/]", "must be an address with http or https");

const Bridge = Type.Object(
  {
    url: Type.Optional(Type.String({ ...address, maxLength: 2_048 })),
    /** Sent with each request, such as the token of the server behind. */
    headers: Type.Optional(
      Type.Record(Type.String(headerName), Type.String({ maxLength: 8_192 }), {
        maxProperties: limits.headersMax,
      }),
    ),
    /** A program and its arguments, in place of an address: it runs in sandboxes. */
    command: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 8_192 }), {
        minItems: 1,
        maxItems: limits.wordsMax,
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String(variableName), Type.String({ maxLength: 8_192 }), {
        maxProperties: limits.variablesMax,
      }),
    ),
    /** Directories of the server's machine that the command finds below `/mnt`. */
    folders: Type.Optional(
      Type.Array(Type.String(absolute), { maxItems: limits.foldersMax, uniqueItems: true }),
    ),
    /** What the command may reach; all of the internet where it is not named. */
    hosts: Type.Optional(Type.Array(Type.String(host), { maxItems: limits.hostsMax })),
    /** Whose keys may use it; all where it is not named. */
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

/** What goes with an address, and what with a command. */
export function readBridges({
  section,
}: Pick<Loaded<unknown>, "section">): Static<typeof BridgesSection> {
  const bridges = section(bridgesSection);
  for (const [name, bridge] of Object.entries(bridges)) {
    const { url, command, headers, ...rest } = bridge;
    if ((url === undefined) === (command === undefined))
      throw fault(name, "must have an url or a command, and not both");
    if (command !== undefined && headers !== undefined)
      throw fault(`${name}.headers`, "goes with an url");
    const ofCommand = (["env", "folders", "hosts"] as const).find((each) => rest[each]);
    if (url !== undefined && ofCommand !== undefined)
      throw fault(`${name}.${ofCommand}`, "goes with a command");
  }
  return bridges;
}

const fault = (where: string, words: string) =>
  new ExitError(`mcp_bridges.${where} ${words}.`, usageExitCode);

export function bridgeSettings({ sections }: Pick<World, "sections">, of: string) {
  const given = (sections?.["mcp_bridges"] ?? {}) as Static<typeof BridgesSection>;
  return Object.hasOwn(given, of) ? given[of] : undefined;
}
