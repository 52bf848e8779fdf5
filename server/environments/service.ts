// Creates, shows, lists, changes, archives and deletes environments.
import { isDeepStrictEqual } from "node:util";
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import { withoutTold } from "../../kernel/http/input/told-fields.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { verdictsOf } from "../keys/module.ts";
import { workspaceEvent } from "../webhooks/module.ts";
import { lockOrganization, workspaceOf } from "../workspaces/module.ts";
import { changedConfig, newConfig } from "./config.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type {
  CreateEnvironment,
  Environment,
  EnvironmentQuery,
  UpdateEnvironment,
} from "./schema.ts";

export async function createEnvironment(
  context: Context,
  body: CreateEnvironment,
): Promise<Environment> {
  const { db, ids, clock, who } = context;
  const workspaceId = workspaceOf(context);
  expectScope(body);
  const now = clock.now();
  const row: queries.EnvironmentRow = {
    id: ids.next("env_"),
    name: nameOf(body.name),
    description: body.description ?? null,
    config: newConfig(context, body.config),
    metadata: metadataOf({}, body.metadata),
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
  };
  const { organizationId } = who;
  await db.tx(async (tx) => {
    // A concurrent creation waits for this one, and then counts its environment too.
    await lockOrganization(tx, organizationId);
    const environments = await queries.countEnvironments(tx, workspaceId);
    if (environments >= limits.environmentsPerWorkspace)
      throw invalid(
        `The workspace has ${environments} environments, and ${limits.environmentsPerWorkspace} are allowed. Delete some first.`,
        { code: "environment_limit_exceeded" },
      );
    await queries.insertEnvironment(tx, workspaceId, { ...row, organizationId });
    await recordEvent(tx, context, "created", row.id);
  });
  return present(row);
}

export async function retrieveEnvironment(context: Context, id: string): Promise<Environment> {
  const row = await queries.findEnvironment(context.db, workspaceOf(context), id);
  if (row === undefined) throw notFound("environment", id);
  return present(row);
}

export async function listEnvironments(context: Context, query: EnvironmentQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("environments", workspaceId, query.page) as string | undefined;
  const rows = await queries.listEnvironments(db, workspaceId, {
    includesArchived: query.include_archived ?? false,
    before: before ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write("environments", workspaceId, id));
  return { ...page, data: page.data.map(present) };
}

/** What is not named stays, and so does `updated_at` where nothing changes. */
export async function updateEnvironment(
  context: Context,
  id: string,
  body: UpdateEnvironment,
): Promise<Environment> {
  const { db, clock } = context;
  expectScope(body);
  return db.tx(async (tx) => {
    const row = await lockOpenEnvironment(tx, context, id);
    const { name, description, config, metadata } = withoutTold(id, body);
    const changed: queries.EnvironmentRow = {
      ...row,
      name: name == null ? row.name : nameOf(name),
      description: description === undefined ? row.description : description,
      config: changedConfig(context, row.config, config),
      metadata: metadataOf(row.metadata, metadata),
    };
    if (isDeepStrictEqual(changed, row)) return present(row);
    const next = { ...changed, updatedAt: later(row, clock.now()) };
    await queries.setEnvironment(tx, workspaceOf(context), next);
    await recordEvent(tx, context, "updated", id);
    return present(next);
  });
}

/** A second time it changes nothing. */
export async function archiveEnvironment(context: Context, id: string): Promise<Environment> {
  const { db, clock } = context;
  return db.tx(async (tx) => {
    const row = await lockEnvironment(tx, context, id);
    if (row.archivedAt !== null) return present(row);
    const at = later(row, clock.now());
    const next = { ...row, updatedAt: at, archivedAt: at };
    await queries.setEnvironment(tx, workspaceOf(context), next);
    await recordEvent(tx, context, "archived", id);
    return present(next);
  });
}

/** Its keys are dead in every process within a second. */
export async function deleteEnvironment(context: Context, id: string) {
  await context.db.tx(async (tx) => {
    await lockEnvironment(tx, context, id);
    await queries.deleteEnvironment(tx, workspaceOf(context), id);
    await verdictsOf(context).revoke(tx);
    await recordEvent(tx, context, "deleted", id);
  });
  return { id, type: "environment_deleted" as const };
}

export async function lockEnvironment(
  tx: Tx,
  context: Context,
  id: string,
): Promise<queries.EnvironmentRow> {
  const row = await queries.lockEnvironment(tx, workspaceOf(context), id);
  if (row === undefined) throw notFound("environment", id);
  return row;
}

export async function lockOpenEnvironment(
  tx: Tx,
  context: Context,
  id: string,
): Promise<queries.EnvironmentRow> {
  const row = await lockEnvironment(tx, context, id);
  if (row.archivedAt === null) return row;
  throw invalid(`The environment ${id} is archived: it is changed no more. Make another one.`, {
    code: "environment_archived",
  });
}

const nameOf = (name: string) => cleanName("name", name, limits.nameCharactersMax);

function expectScope({ scope }: Pick<CreateEnvironment, "scope">): void {
  if (scope === "account")
    throw invalid(
      "scope: must be organization, or be left out: an environment is seen by every caller of its workspace.",
    );
}

/** Rule ENV3: an empty text takes a key away, as null does. Every problem is named at once. */
export function metadataOf(
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>> | null | undefined,
): Record<string, string> {
  const pairs = Object.entries({ ...before, ...change }).filter(
    (pair): pair is [string, string] => pair[1] !== null && pair[1] !== "",
  );
  const lengthOf = (text: string) => Array.from(text).length;
  const { metadataPairsMax, metadataKeyCharactersMax, metadataValueCharactersMax } = limits;
  const problems = pairs.flatMap(([key, value]) => [
    ...(key === "" || lengthOf(key) > metadataKeyCharactersMax
      ? [`metadata: each key must have 1 to ${metadataKeyCharactersMax} characters`]
      : []),
    ...(lengthOf(value) > metadataValueCharactersMax
      ? [`metadata.${key}: must have at most ${metadataValueCharactersMax} characters`]
      : []),
  ]);
  if (pairs.length > metadataPairsMax)
    problems.push(
      `metadata: must have at most ${metadataPairsMax} keys; it would have ${pairs.length}. Set a key to null to remove it`,
    );
  if (problems.length > 0)
    throw invalid(`${[...new Set(problems)].join("; ")}.`, { code: "invalid_metadata" });
  return Object.fromEntries(pairs);
}

/** Another process may have a clock that runs ahead of this one's. */
const later = ({ updatedAt }: queries.EnvironmentRow, now: Date) =>
  now < updatedAt ? updatedAt : now;

async function recordEvent(
  tx: Tx,
  context: Context,
  verb: "created" | "updated" | "archived" | "deleted",
  id: string,
): Promise<void> {
  const action = `environment.${verb}` as const;
  await recordByCaller(tx, context, { action, target: { type: "environment", id } });
  await workspaceEvent(tx, context, { workspaceId: workspaceOf(context), type: action, id });
}

const present = (row: queries.EnvironmentRow): Environment => ({
  id: row.id,
  type: "environment",
  name: row.name,
  description: row.description,
  config: row.config,
  metadata: row.metadata,
  scope: "organization",
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  archived_at: row.archivedAt?.toISOString() ?? null,
});
