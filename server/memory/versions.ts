// Shows and redacts versions.
import type { Context } from "../../kernel/context.ts";
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { actorOf as auditActorOf, record } from "../audit/module.ts";
import type { Author } from "./memories/apply.ts";
import { vacuumJob } from "./jobs.ts";
import { pageMaxOf } from "./memories/service.ts";
import { actorOf, authorOf } from "./authors.ts";
import * as queries from "./memories/queries.ts";
import { lockWorkspace } from "./memories/queries-write.ts";
import { lockVersion, redact } from "./stores/queries.ts";
import type { MemoryVersion, RedactVersion, VersionQuery, ViewQuery } from "./schema.ts";
import { expectStore } from "./stores/service.ts";
import { workspaceOf } from "../workspaces/module.ts";

interface VersionParams {
  memory_store_id: string;
  memory_version_id: string;
}

export async function retrieveVersion(
  context: Context,
  { memory_store_id: storeId, memory_version_id: id }: VersionParams,
  { view = "full" }: ViewQuery,
  on: Queryable = context.db,
): Promise<MemoryVersion> {
  const row = await queries.findVersion(on, workspaceOf(context), storeId, id, view);
  if (row !== undefined) return presentVersion(row);
  await expectStore(context, storeId, on);
  throw notFound("memory version", id);
}

export async function listVersions(context: Context, storeId: string, query: VersionQuery) {
  const { db, secrets } = context;
  const { view = "basic" } = query;
  const size = pageSize(query.limit, { itemsMax: pageMaxOf(view) });
  const cursors = makeCursors(secrets);
  const list = `memory versions of ${storeId}`;
  const tenant = workspaceOf(context);
  const before = cursors.read(list, tenant, query.page) as { at: string; seq: number } | undefined;
  const rows = await queries.listVersions(db, tenant, storeId, {
    memoryId: query.memory_id ?? null,
    operation: query.operation ?? null,
    author: authorIn(query),
    from: dateOf(query.created_at?.gte),
    to: dateOf(query.created_at?.lte),
    before: before ?? null,
    rows: size + 1,
    view,
  });
  if (rows === undefined) throw notFound("memory store", storeId);
  const page = toCursorPage(rows, size, (last) =>
    cursors.write(list, tenant, { at: last.createdAt.toISOString(), seq: last.seq }),
  );
  return { ...page, data: page.data.map(presentVersion) };
}

export const dateOf = (text: string | undefined) => (text === undefined ? null : new Date(text));

/** A version has one author. */
function authorIn(query: VersionQuery): Author | null {
  const authors = [
    { type: "api", id: query.api_key_id },
    { type: "session", id: query.session_id },
    { type: "service_account", id: query.service_account_id },
    { type: "user", id: query.user_id },
  ] as const;
  const named = authors.filter(({ id }) => id !== undefined);
  if (named.length > 1)
    throw invalid(
      "api_key_id, session_id, service_account_id, user_id: give one of them; a version has one author.",
    );
  const [only] = named;
  return only?.id === undefined ? null : { type: only.type, id: only.id };
}

/** Rule MEM20. A second time it changes nothing. */
export async function redactVersion(
  context: Context,
  params: VersionParams,
  { reason }: RedactVersion,
): Promise<MemoryVersion> {
  const { db, clock } = context;
  const { memory_store_id: storeId, memory_version_id: id } = params;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    // Under this lock no write makes it a head, or another one.
    await lockWorkspace(tx, workspaceId);
    const found = await lockVersion(tx, workspaceId, storeId, id);
    if (found === undefined || found.isRedacted) return retrieveVersion(context, params, {}, tx);
    if (found.isHead)
      throw invalid(
        `The version ${id} is the head of a live memory: write a new version of it or delete the memory, then redact this one.`,
        { code: "memory_version_is_head", headers: { "x-should-retry": "false" } },
      );
    const at = new Date(Math.max(clock.now().getTime(), found.createdAt.getTime()));
    await redact(tx, workspaceId, {
      id,
      storeId,
      at,
      author: authorOf(context),
      reason: reason ?? null,
    });
    await record(tx, context, auditActorOf(context), {
      organizationId: context.who.organizationId,
      action: "memory_version.redacted",
      target: { type: "memory_version", id },
      details: { memory_store_id: storeId },
    });
    await enqueue(tx, context, vacuumJob);
    return retrieveVersion(context, params, {}, tx);
  });
}

export function presentVersion(row: queries.VersionRow): MemoryVersion {
  return {
    id: row.id,
    type: "memory_version",
    memory_store_id: row.storeId,
    memory_id: row.memoryId,
    operation: row.operation,
    path: row.path,
    content: row.content,
    content_sha256: row.sha256,
    content_size_bytes: row.bytes,
    created_at: row.createdAt.toISOString(),
    created_by: actorOf(row.actorType, row.actorId),
    redacted_at: row.redactedAt?.toISOString() ?? null,
    redacted_by: actorOf(row.redactedByType, row.redactedById),
    redaction_reason: row.reason,
    imported_at: row.importedAt?.toISOString() ?? null,
    imported_by: actorOf(row.importedByType, row.importedById),
  };
}
