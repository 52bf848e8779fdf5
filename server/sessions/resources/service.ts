// Lists, adds, shows and takes away what a session is given.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import { lockOpenSession, expectSession, recordSessionEvent } from "../named-session.ts";
import { completeResources, type CompleteResource } from "./complete.ts";
import * as queries from "./queries.ts";
import type { FileInput, FileResource, ResourceQuery, SessionResource } from "./schema.ts";

export async function addResources(
  tx: Tx,
  context: Pick<Context, "ids" | "secrets">,
  { sessionId, at }: { sessionId: string; at: Date },
  complete: readonly CompleteResource[],
): Promise<queries.ResourceRow[]> {
  const { ids, secrets } = context;
  const rows: queries.ResourceRow[] = [];
  for (const { type, shown, secret } of complete) {
    const id = ids.next("sesrsc_");
    const row = { id, sessionId, type, shown, createdAt: at, updatedAt: at };
    const encrypted = secret === null ? null : secrets.encrypt(secret, secretOf(id));
    await queries.insertResource(tx, { ...row, secret: encrypted });
    rows.push(row);
  }
  return rows;
}

/** What the encryption of a token is bound to. */
export const secretOf = (id: string) => `a token of a repository ${id}`;

/** A memory store has no id of its own and no times: the newer client knows it by its store. */
export function presentResource(row: queries.ResourceRow): SessionResource {
  const shown = { type: row.type, ...row.shown };
  const times = {
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
  return (
    row.type === "memory_store" ? shown : { id: row.id, ...shown, ...times }
  ) as SessionResource;
}

export async function listResources(context: Context, sessionId: string, query: ResourceQuery) {
  const { db, secrets } = context;
  await expectSession(context, sessionId);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const [list, tenant] = [`resources of ${sessionId}`, workspaceOf(context)];
  const after = cursors.read(list, tenant, query.page) as string | undefined;
  const rows = await queries.listResources(db, [sessionId], {
    rows: size + 1,
    ...(after !== undefined && { after }),
  });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write(list, tenant, id));
  return { ...page, data: page.data.map(presentResource) };
}

export async function retrieveResource(context: Context, sessionId: string, id: string) {
  await expectSession(context, sessionId);
  return presentResource(await expectResource(context.db, sessionId, id));
}

async function expectResource(on: Pick<Tx, "query">, sessionId: string, id: string) {
  const row = await queries.findResource(on, sessionId, id);
  // What has no id on the wire is not found by the one that it has here.
  if (row === undefined || row.type === "memory_store") throw notFound("session resource", id);
  return row;
}

/** Only files come to a session that has begun: stores and repositories are named when it is made. */
export async function addFile(context: Context, sessionId: string, file: FileInput) {
  const { db, clock } = context;
  return db.tx(async (tx) => {
    await lockOpenSession(tx, context, sessionId);
    const before = await queries.listResources(tx, [sessionId]);
    if (before.length >= limits.resourcesMax)
      throw invalid(
        `The session has ${before.length} resources, and may have ${limits.resourcesMax}: take one away.`,
      );
    const taken = before.map(({ shown }) => String(shown["mount_path"]));
    const complete = await completeResources(context, tx, [file], { prefix: () => "", taken });
    const [row] = await addResources(tx, context, { sessionId, at: clock.now() }, complete);
    if (row === undefined) throw new Error("a file that was added has its row");
    await recordSessionEvent(tx, context, "resource_added", sessionId);
    return presentResource(row) as FileResource;
  });
}

export async function rotateToken(context: Context, sessionId: string, id: string, token: string) {
  const { db, clock, secrets } = context;
  return db.tx(async (tx) => {
    await lockOpenSession(tx, context, sessionId);
    const row = await expectResource(tx, sessionId, id);
    if (row.type !== "github_repository")
      throw invalid(`authorization_token: only a repository has one, and ${id} is a file.`);
    const secret = secrets.encrypt(token, secretOf(id));
    await queries.setSecret(tx, sessionId, id, { secret, at: clock.now() });
    await recordSessionEvent(tx, context, "resource_updated", sessionId);
    return presentResource({ ...row, updatedAt: clock.now() });
  });
}

export async function deleteResource(context: Context, sessionId: string, id: string) {
  await context.db.tx(async (tx) => {
    await lockOpenSession(tx, context, sessionId);
    await expectResource(tx, sessionId, id);
    await queries.deleteResource(tx, sessionId, id);
    await recordSessionEvent(tx, context, "resource_deleted", sessionId);
  });
  return { id, type: "session_resource_deleted" as const };
}
