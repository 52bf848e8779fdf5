// The agents that an agent may work with: each found, of one version, and without agents of its own.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { findMembers } from "../queries.ts";
import { usableModel } from "./model.ts";
import type {
  KeptMember,
  KeptMembers,
  KeptMultiagent,
  MemberInput,
  MembersInput,
  Multiagent,
  Multiagent20261001Input,
  MultiagentInput,
  RosterEntryInput,
} from "./schema-multiagent.ts";

/** Whose members these are. */
export interface MultiagentOwner {
  actor: Actor;
  on: Queryable;
  /** Null while it is being created: no request can name it then. */
  agentId: string | null;
}

type Kept20261001 = Extract<KeptMultiagent, { type: "multiagent_20261001" }>;

export async function completeMultiagent(
  owner: MultiagentOwner,
  given: MultiagentInput,
  before: KeptMultiagent | null,
): Promise<KeptMultiagent> {
  if (given.type === "coordinator")
    return {
      type: "coordinator",
      agents: await completeRoster(owner, given.agents, "multiagent.agents"),
    };
  return merge(owner, given, before?.type === given.type ? before : undefined);
}

/** Rule AGT29: level by level into what is there. What is not named stays; null is the default. */
async function merge(
  owner: MultiagentOwner,
  given: Multiagent20261001Input,
  before: Kept20261001 | undefined,
): Promise<Kept20261001> {
  const { advisor } = given;
  if (advisor?.type === "enabled")
    usableModel(owner.actor, advisor.model, "multiagent.advisor.model");
  return {
    type: given.type,
    subagents: await mergeMembers(owner, "subagents", given.subagents, before?.subagents),
    workflows: await mergeMembers(owner, "workflows", given.workflows, before?.workflows),
    advisor: (advisor === undefined ? before?.advisor : advisor) ?? { type: "disabled" },
  };
}

async function mergeMembers(
  owner: MultiagentOwner,
  field: "subagents" | "workflows",
  given: MembersInput | null | undefined,
  before: KeptMembers | undefined,
): Promise<KeptMembers> {
  if (given === undefined && before !== undefined) return before;
  if (given?.type === "disabled") return given;
  const stored = given != null && before?.type === "enabled" ? before : undefined;
  const { inline_agents: inline, predefined_agents: members } = given ?? {};
  const path = `multiagent.${field}`;
  const merged: KeptMembers = {
    type: "enabled",
    inline_agents: (inline === undefined ? stored?.inline_agents : inline) ?? { type: "enabled" },
    predefined_agents:
      members === undefined
        ? (stored?.predefined_agents ?? [])
        : await completeMembers(owner, members ?? [], `${path}.predefined_agents`),
  };
  if (merged.inline_agents.type === "disabled" && merged.predefined_agents.length === 0)
    throw invalid(
      `${path}.predefined_agents: must name an agent where inline_agents are disabled; name one, or disable ${field}.`,
    );
  return merged;
}

/** An advisor is a model: it is asked, and is no agent. */
async function completeRoster(
  owner: MultiagentOwner,
  given: readonly RosterEntryInput[],
  path: string,
) {
  const isAdvisor = (entry: RosterEntryInput) =>
    typeof entry === "object" && entry.type === "advisor";
  const models = given.map((entry) =>
    isAdvisor(entry) ? (entry as { model: string }).model : null,
  );
  for (const [index, model] of models.entries()) {
    if (model === null) continue;
    usableModel(owner.actor, model, `${path}.${index}.model`);
    if (models.indexOf(model) !== index)
      throw invalid(`${path}.${index}.model: ${model} is an advisor already; name it once.`);
  }
  const places = given.flatMap((entry, index) => (isAdvisor(entry) ? [] : [index]));
  const members = await completeMembers(
    owner,
    places.map((index) => given[index] as MemberInput),
    path,
    places,
  );
  return models.map((model, index) =>
    model === null
      ? (members[places.indexOf(index)] as KeptMember)
      : { type: "advisor" as const, model },
  );
}

/** Rules AGT26 to AGT28. `places` are where in the request's list they stand. */
async function completeMembers(
  { actor, on, agentId }: MultiagentOwner,
  given: readonly MemberInput[],
  path: string,
  places: readonly number[] = given.map((_, index) => index),
): Promise<KeptMember[]> {
  const wanted = given.map((entry) => wantedOf(entry, agentId));
  for (const [index, { id }] of wanted.entries())
    if (wanted.findIndex((other) => other.id === id) !== index)
      throw invalid(
        `${path}.${places[index]}: ${id === null ? "the agent itself" : id} is named twice; name each agent once.`,
      );
  const others = wanted.flatMap(({ id, version }) => (id === null ? [] : [{ id, version }]));
  const rows = others.length === 0 ? [] : await findMembers(on, workspaceOf(actor), others);
  return wanted.map(({ id, version }, index): KeptMember => {
    if (id === null) return { type: "self" };
    const row = rows.find((found) => found.id === id);
    const at = `${path}.${places[index]}`;
    if (row === undefined)
      throw invalid(`${at}: there is no agent ${id} in this workspace; name another.`);
    if (row.archivedAt !== null) throw invalid(`${at}: the agent ${id} is archived; name another.`);
    if (row.version === null)
      throw invalid(`${at}: the agent ${id} has no version ${version}; leave the version out.`);
    if (row.hasMembers)
      throw invalid(
        `${at}: version ${row.version} of the agent ${id} has multiagent itself; name an agent, or a version, without.`,
      );
    return { type: "agent", id, version: row.version };
  });
}

/** An id of null is the agent itself, of whatever version: what an agent is, it is at the version that is asked for. */
function wantedOf(entry: MemberInput, agentId: string | null) {
  if (typeof entry === "object" && entry.type === "self") return { id: null, version: null };
  const { id, version } = typeof entry === "string" ? { id: entry, version: null } : entry;
  return id === agentId ? { id: null, version: null } : { id, version: version ?? null };
}

/** As it is shown: the agent itself has the version that it is shown at. */
export function shownMultiagent(
  kept: KeptMultiagent,
  self: { id: string; version: number },
): Multiagent {
  const shown = <E extends { type: string }>(entry: E) =>
    entry.type === "self"
      ? { type: "agent" as const, ...self }
      : (entry as Exclude<E, { type: "self" }>);
  if (kept.type === "coordinator") return { ...kept, agents: kept.agents.map(shown) };
  const membersOf = (members: KeptMembers) =>
    members.type === "disabled"
      ? members
      : { ...members, predefined_agents: members.predefined_agents.map(shown) };
  return {
    ...kept,
    subagents: membersOf(kept.subagents),
    workflows: membersOf(kept.workflows),
  };
}
