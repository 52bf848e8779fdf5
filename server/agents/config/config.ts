// A configuration made whole: what a request says of it is checked, and everything else has its default.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { invalid } from "../../../kernel/base/failure.ts";
import { patchedMetadata } from "../../../kernel/base/metadata.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import { resolveSkills } from "../../skills/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import { completeModel, expectTakesTools } from "./model.ts";
import { completeMultiagent, type MultiagentOwner } from "./multiagent.ts";
import type { AgentConfig, AgentSkill, ConfigInput, McpServer, SkillsInput } from "./schema.ts";
import { completeTools, expectServersUsed } from "./tools.ts";

/** In whose name, and for which agent. */
export type ConfigScope = MultiagentOwner;

/**
 * Of a new agent where `before` is null; else `before` with what `given` names in place of its own. What is not named
 * is not looked at again: a model that has been retired since stays, and so does a member that has been archived.
 */
export async function completeConfig(
  scope: ConfigScope,
  given: ConfigInput,
  before: AgentConfig | null,
): Promise<AgentConfig> {
  const { actor, on } = scope;
  const name = given.name === undefined ? before?.name : nameOf(given.name);
  const model =
    given.model === undefined
      ? before?.model
      : await completeModel(actor, on, given.model, before?.model);
  assert(name !== undefined && model !== undefined, "a new agent has a name and a model");
  const system = systemOf(given);
  const tools =
    given.tools === undefined ? (before?.tools ?? []) : completeTools(given.tools ?? []);
  const servers =
    given.mcp_servers === undefined
      ? (before?.mcp_servers ?? [])
      : completeServers(given.mcp_servers ?? []);
  expectServersUsed(tools, servers);
  if (tools.length > 0 && (given.tools !== undefined || given.model !== undefined))
    expectTakesTools(actor, model.id);
  const config: AgentConfig = {
    name,
    description:
      given.description === undefined ? (before?.description ?? null) : textOf(given.description),
    model,
    system: system === undefined ? (before?.system ?? null) : system,
    tools,
    mcp_servers: servers,
    skills:
      given.skills === undefined
        ? (before?.skills ?? [])
        : await completeSkills(scope, given.skills ?? []),
    metadata: patchedMetadata(before?.metadata ?? {}, given.metadata),
    multiagent: await multiagentOf(scope, given.multiagent, before),
    execution_identity: (given.execution_identity === undefined
      ? before?.execution_identity
      : given.execution_identity) ?? { type: "service_account" },
  };
  // As it will be read again: -0 becomes 0, and so on.
  return parseExactly(JSON.stringify(config)) as AgentConfig;
}

/** Rule AGT7. */
export const isSameConfig = (one: AgentConfig, other: AgentConfig): boolean =>
  isDeepStrictEqual(one, other);

const nameOf = (name: string) => cleanName("name", name, limits.nameCharactersMax);

/** Nothing is the same as null: both say that there is no text. */
const textOf = (text: string | null): string | null => (text === "" ? null : text);

/** Rule AGT10: two names for one text. */
function systemOf({ system, system_prompt: prompt }: ConfigInput): string | null | undefined {
  const [one, other] = [system, prompt].map((text) => (text === undefined ? text : textOf(text)));
  if (one !== undefined && other !== undefined && one !== other)
    throw invalid("system_prompt: is another name of system, which says something else; send one.");
  return one === undefined ? other : one;
}

/** Rules AGT15 and AGT16. */
export function completeServers(servers: readonly McpServer[]): McpServer[] {
  const names = servers.map(({ name }) => name);
  for (const [index, { name, url }] of servers.entries()) {
    if (names.indexOf(name) !== index)
      throw invalid(
        `mcp_servers.${index}.name: ${JSON.stringify(name)} is the name of mcp_servers.${names.indexOf(name)} too; give it another.`,
      );
    expectAddress(url, `mcp_servers.${index}.url`);
  }
  return [...servers];
}

function expectAddress(url: string, path: string): void {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw invalid(`${path}: must be an address such as https://mcp.example.com/mcp.`);
  if (address.username !== "" || address.password !== "")
    throw invalid(
      `${path}: must not hold a user name or a password, which everyone would read who reads the agent; keep it in a vault.`,
    );
  if (url.includes("#"))
    throw invalid(
      `${path}: must not have a part behind #, which never reaches a server: leave it out.`,
    );
}

/** Rule AGT25. */
export async function completeSkills(
  { actor, on }: ConfigScope,
  refs: SkillsInput,
): Promise<AgentSkill[]> {
  const keys = refs.map(({ type, skill_id }) => `${type} ${skill_id}`);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (twice !== -1)
    throw invalid(
      `skills.${twice}.skill_id: ${JSON.stringify(refs[twice]?.skill_id)} is named twice; name each skill once.`,
    );
  if (refs.length === 0) return [];
  const resolved = await resolveSkills(on, workspaceOf(actor), refs);
  return resolved.map(({ type, skill_id, version }) => ({ type, skill_id, version }));
}

async function multiagentOf(
  scope: ConfigScope,
  given: ConfigInput["multiagent"],
  before: AgentConfig | null,
) {
  if (given === null) return null;
  const kept = before?.multiagent ?? null;
  return given === undefined ? kept : completeMultiagent(scope, given, kept);
}
