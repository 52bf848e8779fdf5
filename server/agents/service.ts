// Creates, shows, lists, changes and archives agents.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../kernel/context.ts";
import { conflict, invalid, notFound } from "../../kernel/base/failure.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import { withoutTold } from "../../kernel/http/input/told-fields.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { workspaceEvent } from "../webhooks/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import { completeConfig, isSameConfig } from "./config/config.ts";
import type { AgentConfig, ConfigInput } from "./config/schema.ts";
import { limits } from "./limits.ts";
import { presentAgent } from "./present.ts";
import * as queries from "./queries.ts";
import type {
  Agent,
  AgentQuery,
  AgentVersionQuery,
  CreateAgent,
  UpdateAgent,
  VersionsQuery,
} from "./schema.ts";

export async function createAgent(context: Context, body: CreateAgent): Promise<Agent> {
  const { db, ids, clock, who } = context;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    const config = await completeConfig({ actor: context, on: tx, agentId: null }, body, null);
    const count = await queries.countOpenAgents(tx, workspaceId);
    if (count >= limits.agentsPerWorkspace)
      throw invalid(
        `This workspace has ${count} agents, and may have ${limits.agentsPerWorkspace}: archive one.`,
        { code: "agent_limit_exceeded" },
      );
    const [id, createdAt] = [ids.next("agent_"), clock.now()];
    await queries.insertAgent(tx, workspaceId, {
      id,
      organizationId: who.organizationId,
      createdAt,
    });
    await addVersion(tx, context, { id, version: 1, config, at: createdAt });
    await recordAgentEvent(tx, context, "created", { id, version: 1, config });
    return presentAgent(await expectVersion(context, id, {}, tx), context.dialect);
  });
}

const addVersion = (
  tx: Tx,
  context: Context,
  { config, ...version }: Omit<queries.NewVersion, "config"> & { config: AgentConfig },
) =>
  queries.insertVersion(tx, workspaceOf(context), { ...version, config: JSON.stringify(config) });

export async function retrieveAgent(
  context: Context,
  id: string,
  query: AgentVersionQuery,
): Promise<Agent> {
  return presentAgent(await expectVersion(context, id, query), context.dialect);
}

async function expectVersion(
  context: Context,
  id: string,
  { version }: AgentVersionQuery,
  on: Pick<Tx, "query"> = context.db,
): Promise<queries.AgentVersion> {
  const workspaceId = workspaceOf(context);
  const found = await queries.findAgentVersion(on, workspaceId, { id, version: version ?? null });
  if (found !== undefined) return found;
  const agent = await queries.findAgentVersion(on, workspaceId, { id });
  throw agent === undefined
    ? notFound("agent", id)
    : notFound(`version ${version} of the agent`, `${id}, whose newest is ${agent.version}`);
}

/** What is not named stays as the newest version has it, also where another update came in between. */
export async function updateAgent(context: Context, id: string, body: UpdateAgent): Promise<Agent> {
  const { db, clock } = context;
  const { version: meant } = body;
  return db.tx(async (tx) => {
    const head = await lockAgent(tx, context, id);
    if (head.archivedAt !== null)
      throw invalid(`The agent ${id} is archived: it is changed no more. Make another one.`, {
        code: "agent_archived",
      });
    if (meant !== undefined && meant !== head.version) throw stale(id, meant, head.version);
    const newest = await expectVersion(context, id, {}, tx);
    const scope = { actor: context, on: tx, agentId: id };
    const given = changesIn(withoutTold(id, body), presentAgent(newest, context.dialect));
    const config = await completeConfig(scope, given, newest.config);
    if (isSameConfig(config, newest.config)) return presentAgent(newest, context.dialect);
    const version = head.version + 1;
    // The process that made the version before may have a clock that runs ahead of this one's.
    const at = new Date(Math.max(clock.now().getTime(), newest.updatedAt.getTime()));
    await addVersion(tx, context, { id, version, config, at });
    const changed = fieldsOf(config).filter(
      (field) => !isSameConfig({ ...newest.config, [field]: config[field] }, newest.config),
    );
    await recordAgentEvent(tx, context, "updated", { id, version, config }, { changed });
    return presentAgent(await expectVersion(context, id, {}, tx), context.dialect);
  });
}

/**
 * Who sends back what was read names all of it, and changes little: a model that was retired since is not judged again,
 * and of two names for one text the one counts that says something else.
 */
function changesIn(body: ConfigInput, shown: Agent): ConfigInput {
  const kept: Record<string, unknown> = shown;
  return Object.fromEntries(
    Object.entries(body).filter(([field, value]) => !isDeepStrictEqual(value, kept[field])),
  );
}

const fieldsOf = (config: AgentConfig) => Object.keys(config) as (keyof AgentConfig)[];

const stale = (id: string, meant: number, current: number) =>
  conflict(
    `version: the agent ${id} is at version ${current} by now, not ${meant}; read it again and say the change anew, or leave version out.`,
    { code: "agent_version_conflict", details: { current_version: current } },
  );

async function lockAgent(tx: Tx, context: Context, id: string): Promise<queries.AgentHead> {
  const head = await queries.lockAgent(tx, workspaceOf(context), id);
  if (head === undefined) throw notFound("agent", id);
  return head;
}

/** A second time it changes nothing. */
export async function archiveAgent(context: Context, id: string): Promise<Agent> {
  const { db, clock } = context;
  return db.tx(async (tx) => {
    const { archivedAt } = await lockAgent(tx, context, id);
    if (archivedAt === null) {
      await queries.setArchived(tx, workspaceOf(context), id, clock.now());
      await recordAgentEvent(tx, context, "archived", await expectVersion(context, id, {}, tx));
    }
    return presentAgent(await expectVersion(context, id, {}, tx), context.dialect);
  });
}

export async function listAgents(context: Context, query: AgentQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("agents", workspaceId, query.page) as string | undefined;
  const { gte, lte } = query.created_at ?? {};
  const rows = await queries.listAgents(db, workspaceId, {
    includesArchived: query.include_archived ?? false,
    from: gte === undefined ? null : new Date(gte),
    to: lte === undefined ? null : new Date(lte),
    before: before ?? null,
    rows: size + 1,
  });
  return pageOf(context, rows, size, ({ id }) => cursors.write("agents", workspaceId, id));
}

export async function listVersions(context: Context, id: string, query: VersionsQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const list = `versions of ${id}`;
  const before = cursors.read(list, workspaceId, query.page) as number | undefined;
  const filter = { id, before: before ?? null, rows: size + 1 };
  const rows = await queries.listVersions(db, workspaceId, filter);
  // No agent is without a version: what has none to show is another workspace's, or the cursor's was the first.
  if (rows.length === 0) await expectVersion(context, id, {});
  return pageOf(context, rows, size, ({ version }) => cursors.write(list, workspaceId, version));
}

/** Rule AGT34: as many as were asked for, or as fit. */
async function pageOf(
  context: Context,
  rows: readonly queries.ListedVersion[],
  size: number,
  cursorOf: (last: queries.ListedVersion) => string,
) {
  let bytes = 0;
  const tooMuch = rows.findIndex((row, at) => (bytes += row.bytes) > limits.pageBytesMax && at > 0);
  const fitting = tooMuch === -1 ? size : Math.min(size, tooMuch);
  const { data, next_page } = toCursorPage(rows, fitting, cursorOf);
  const loaded = await queries.loadVersions(context.db, workspaceOf(context), data);
  const agents = data.map(({ id, version }) => {
    const found = loaded.find((each) => each.id === id && each.version === version);
    assert(found !== undefined, "a version goes with nothing");
    return presentAgent(found, context.dialect);
  });
  return { data: agents, next_page };
}

const recordAgentEvent = async (
  tx: Tx,
  context: Context,
  verb: "created" | "updated" | "archived",
  { id, version, config }: Pick<queries.AgentVersion, "id" | "version" | "config">,
  more: { changed?: readonly string[] } = {},
) => {
  await recordByCaller(tx, context, {
    action: `agent.${verb}`,
    target: { type: "agent", id },
    details: { name: config.name, version, ...more },
  });
  const workspaceId = workspaceOf(context);
  await workspaceEvent(tx, context, { workspaceId, type: `agent.${verb}`, id });
};
