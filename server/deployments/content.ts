// What a deployment is made of: a new one from what was sent, and an old one with what was sent laid over it.
import { isDeepStrictEqual } from "node:util";
import { parseExactly } from "../../kernel/base/exact-json.ts";
import { Failure, invalid, notFound } from "../../kernel/base/failure.ts";
import { expectMetadata, patchedMetadata } from "../../kernel/base/metadata.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Actor } from "../../kernel/context.ts";
import { checkTimeZone, nextCron, parseCron } from "../../kernel/cron/cron.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { findAgentVersion } from "../agents/module.ts";
import { findEnvironment, type EnvironmentRow } from "../environments/module.ts";
import { expectOpening, nanoOf } from "../sessions/module.ts";
import { expectSessionVaults } from "../vaults/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import { limits } from "./limits.ts";
import type { DeploymentRow } from "./queries.ts";
import type {
  AgentInput,
  CreateDeployment,
  Resources,
  ScheduleInput,
  UpdateDeployment,
} from "./schema.ts";

type Content = Pick<
  DeploymentRow,
  | "name"
  | "description"
  | "agentId"
  | "agentVersion"
  | "environmentId"
  | "initialEvents"
  | "resources"
  | "tokens"
  | "vaultIds"
  | "cron"
  | "timeZone"
  | "budgetNano"
  | "metadata"
>;

export async function newContent(
  tx: Tx,
  actor: Actor,
  id: string,
  body: CreateDeployment,
): Promise<Content> {
  const { id: agentId, version } = await pinned(tx, actor, body.agent);
  const environment = await usableEnvironment(tx, actor, body.environment_id);
  const { initial_events: events, resources, metadata } = body;
  await expectOpening(tx, actor, {
    environmentType: environment.config.type,
    events,
    resources: resources ?? [],
  });
  expectBeginning(events);
  await expectSessionVaults(tx, workspaceOf(actor), body.vault_ids ?? []);
  return {
    name: nameOf(body.name),
    description: body.description || null,
    agentId,
    agentVersion: version,
    environmentId: environment.id,
    initialEvents: events,
    ...withoutTokens(actor, id, resources ?? [], () => undefined),
    vaultIds: body.vault_ids ?? [],
    ...scheduleOf(actor, body.schedule ?? null),
    budgetNano: body.budget == null ? null : nanoOf(body.budget),
    metadata: expectMetadata(metadata ?? {}),
  };
}

/** What is not named stays, and is not judged again. */
export async function changedContent<Row extends DeploymentRow>(
  tx: Tx,
  actor: Actor,
  row: Row,
  body: UpdateDeployment,
): Promise<Row> {
  const next: Row = { ...row };
  if (body.name !== undefined) next.name = nameOf(body.name);
  if (body.description !== undefined) next.description = body.description || null;
  if (body.agent !== undefined && !isPinned(row, body.agent)) {
    const { id, version } = await pinned(tx, actor, body.agent);
    Object.assign(next, { agentId: id, agentVersion: version });
  }
  if (body.environment_id !== undefined && body.environment_id !== row.environmentId)
    next.environmentId = (await usableEnvironment(tx, actor, body.environment_id)).id;
  await layOpening(tx, actor, next, body);
  if (body.vault_ids !== undefined && !isDeepStrictEqual(body.vault_ids ?? [], row.vaultIds)) {
    next.vaultIds = body.vault_ids ?? [];
    await expectSessionVaults(tx, workspaceOf(actor), next.vaultIds);
  }
  const { schedule } = body;
  if (schedule !== undefined && !isSchedule(row, schedule))
    Object.assign(next, scheduleOf(actor, schedule));
  if (body.budget !== undefined)
    next.budgetNano = body.budget === null ? null : nanoOf(body.budget);
  next.metadata = patchedMetadata(row.metadata, body.metadata);
  return next;
}

async function layOpening(
  tx: Tx,
  actor: Actor,
  next: DeploymentRow,
  { initial_events: events, resources }: UpdateDeployment,
): Promise<void> {
  const newEvents = isDeepStrictEqual(events, next.initialEvents) ? undefined : events;
  const named = resources === undefined ? undefined : (resources ?? []);
  const newResources = isDeepStrictEqual(named, next.resources) ? undefined : named;
  if (newEvents === undefined && newResources === undefined) return;
  const environment = await findEnvironment(tx, workspaceOf(actor), next.environmentId);
  await expectOpening(tx, actor, {
    environmentType: environment?.config.type ?? "cloud",
    events: newEvents,
    resources: newResources,
  });
  if (newEvents !== undefined) {
    expectBeginning(newEvents);
    next.initialEvents = newEvents;
  }
  if (newResources === undefined) return;
  const laid = withoutTokens(actor, next.id, newResources, keptTokens(actor, next));
  const [before, after] = [next.tokens, laid.tokens].map((tokens) =>
    tokensOf(actor, { id: next.id, tokens }),
  );
  next.resources = laid.resources;
  // Encrypted anew they would look like others.
  if (!isDeepStrictEqual(before, after)) next.tokens = laid.tokens;
}

const nameOf = (name: string) => cleanName("name", name, limits.nameCharactersMax);

const isPinned = (row: DeploymentRow, agent: AgentInput): boolean =>
  typeof agent === "object" && agent.id === row.agentId && agent.version === row.agentVersion;

const isSchedule = (row: DeploymentRow, schedule: ScheduleInput | null): boolean =>
  schedule !== null && schedule.expression === row.cron && schedule.timezone === row.timeZone;

/** The version that is named, or the one that is the newest now: a later one changes nothing here. */
async function pinned(tx: Tx, actor: Actor, agent: AgentInput) {
  const { id, version = null } = typeof agent === "string" ? { id: agent } : agent;
  const workspaceId = workspaceOf(actor);
  const found = await findAgentVersion(tx, workspaceId, { id, version });
  if (found === undefined) {
    const newest = await findAgentVersion(tx, workspaceId, { id });
    throw newest === undefined
      ? notFound("agent", id)
      : notFound(`version ${version} of the agent`, `${id}, whose newest is ${newest.version}`);
  }
  if (found.archivedAt !== null)
    throw invalid(`agent: the agent ${id} is archived, and is not deployed. Name another one.`, {
      code: "agent_archived",
    });
  return found;
}

async function usableEnvironment(tx: Tx, actor: Actor, id: string): Promise<EnvironmentRow> {
  const environment = await findEnvironment(tx, workspaceOf(actor), id);
  if (environment === undefined) throw notFound("environment", id);
  if (environment.archivedAt !== null)
    throw invalid(
      `environment_id: the environment ${id} is archived, and no session begins in it. Name another one.`,
      { code: "environment_archived" },
    );
  return environment;
}

function expectBeginning(events: readonly { type: string }[]): void {
  if (events.some(({ type }) => type === "user.message" || type === "user.define_outcome")) return;
  throw invalid(
    "initial_events: must hold a user.message or a user.define_outcome, with which the session begins to work.",
  );
}

/** A cron expression that no day fulfils is a mistake. */
function scheduleOf(
  { clock }: Pick<Actor, "clock">,
  schedule: ScheduleInput | null,
): Pick<Content, "cron" | "timeZone"> {
  if (schedule === null) return { cron: null, timeZone: null };
  const expression = schedule.expression.trim().replaceAll(/\s+/g, " ");
  const { timezone } = schedule;
  const cron = inField("schedule.expression", () => parseCron(expression));
  inField("schedule.timezone", () => checkTimeZone(timezone));
  if (nextCron(cron, timezone, clock.now()) === undefined)
    throw invalid(
      `schedule.expression: "${expression}" never fires: no year has such a day in such a month.`,
    );
  return { cron: expression, timeZone: timezone };
}

function inField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) throw invalid(`${field}: ${error.message}`, { cause: error });
    throw error;
  }
}

type KeptToken = (shown: { url: string }) => string | undefined;

/** The tokens of repositories are kept apart; a repository that is sent again without one keeps its own. */
function withoutTokens(
  { secrets }: Pick<Actor, "secrets">,
  id: string,
  resources: Resources,
  kept: KeptToken,
): Pick<Content, "resources" | "tokens"> {
  const tokens: Record<number, string> = {};
  const shown = resources.map((resource, index) => {
    if (resource.type !== "github_repository") return resource;
    const { authorization_token: given, ...rest } = resource;
    const token = given === undefined ? kept(rest) : given;
    if (token != null) tokens[index] = token;
    return rest;
  });
  const isAny = Object.keys(tokens).length > 0;
  return {
    resources: shown,
    tokens: isAny ? secrets.encrypt(JSON.stringify(tokens), tokensContext(id)) : null,
  };
}

export const tokensContext = (id: string) => `tokens of a deployment ${id}`;

function tokensOf(
  { secrets }: Pick<Actor, "secrets">,
  { id, tokens }: Pick<DeploymentRow, "id" | "tokens">,
) {
  return (
    tokens === null ? {} : parseExactly(secrets.decrypt(tokens, tokensContext(id)).toString())
  ) as Record<number, string>;
}

/** The token of the same repository, or of the only one of its address. */
function keptTokens(actor: Pick<Actor, "secrets">, row: DeploymentRow): KeptToken {
  const tokens = tokensOf(actor, row);
  return (wanted) => {
    const same = row.resources.findIndex((one) => isDeepStrictEqual(one, wanted));
    if (same >= 0) return tokens[same];
    const ofUrl = [...row.resources.keys()].filter(
      (at) => row.resources[at]?.["url"] === wanted.url,
    );
    return ofUrl.length === 1 ? tokens[ofUrl[0] ?? -1] : undefined;
  };
}

/** As a session is to be given them. */
export function wholeResources(actor: Pick<Actor, "secrets">, row: DeploymentRow): Resources {
  const tokens = tokensOf(actor, row);
  return row.resources.map((resource, index) => {
    const token = tokens[index];
    return token === undefined ? resource : { ...resource, authorization_token: token };
  }) as Resources;
}
