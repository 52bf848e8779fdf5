// Takes in, shows and deletes files.
import { type Failure, invalid, notFound } from "../../kernel/base/failure.ts";
import type { Actor, Context } from "../../kernel/context.ts";
import type { Form, FormFile } from "../../kernel/http/input/multipart.ts";
import {
  unknownPageId,
  idWindow,
  makeCursors,
  pageSize,
  toIdPage,
} from "../../kernel/http/pages.ts";
import { actorOf } from "../audit/module.ts";
import { limits } from "./limits.ts";
import { present } from "./present.ts";
import * as queries from "./queries.ts";
import type { FileMetadata, FileQuery } from "./schema.ts";
import {
  recordFileEvent,
  release,
  removeBlob,
  storeFile,
  tellFile,
  type Label,
} from "./bytes/store.ts";
import { workspaceOf } from "../workspaces/module.ts";

export async function uploadFile(context: Context, form: Form): Promise<FileMetadata> {
  const files = form.files[Symbol.asyncIterator]();
  const { value: file, done } = await files.next();
  if (done === true) throw invalid("file: is missing; send the file in the form field file.");
  try {
    expiryOf(form);
    const row = await storeFile(context, actorOf(context), {
      organizationId: context.who.organizationId,
      workspaceId: workspaceOf(context),
      content: file.content as AsyncIterable<Buffer>,
      bytesMin: Math.max(0, Number(context.headers["content-length"] ?? 0) - slackBytes),
      label: () => labelOf(form, files, file),
    });
    return present(row);
  } finally {
    await files.return?.();
  }
}

const slackBytes = limits.formOverheadBytes;

/** The form has to end well: fields may stand after the file. */
async function labelOf(form: Form, files: AsyncIterator<FormFile>, file: FormFile): Promise<Label> {
  const { done } = await files.next();
  if (done !== true) throw invalid("file: is given twice; upload one file at a time.");
  return {
    filename: file.filename,
    declaredType: file.type,
    expiresInSeconds: expiryOf(form),
    downloadable: false,
    scope: null,
  };
}

function expiryOf({ fields }: Form): number | null {
  const text = fields["expires_in_seconds"];
  if (text === undefined) return null;
  const { expirySecondsMin: min, expirySecondsMax: max } = limits;
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (seconds >= min && seconds <= max) return seconds;
  throw invalid(`expires_in_seconds: must be a whole number from ${min} to ${max}.`);
}

export async function retrieveFile(context: Context, id: string): Promise<FileMetadata> {
  return present(await findFile(context, id));
}

export async function listFiles(context: Context, query: FileQuery) {
  const { db } = context;
  const workspaceId = workspaceOf(context);
  const scopeId = query.scope_id ?? null;
  if (query.ids !== undefined) {
    const found = await queries.findFiles(db, workspaceId, distinctIds(query), scopeId);
    return { ...toIdPage(found.map(present), { rows: found.length + 1 }), next_page: null };
  }
  const from = positionOf(context, query);
  const window = idWindow(from, { itemsMax: limits.pageItemsMax });
  const { after = null, before = null, rows } = window;
  // A cursor leads on, whatever has become of the file that it was made of.
  const pageId = query.after_id ?? query.before_id;
  if (pageId !== undefined && (await queries.findFiles(db, workspaceId, [pageId])).length === 0)
    throw unknownPageId(window, "a file");
  const found = await queries.listFiles(db, workspaceId, { scopeId, after, before, rows });
  const page = toIdPage(found.map(present), window);
  const isMore = before === null && page.has_more && page.last_id !== null;
  return { ...page, next_page: isMore ? cursorsOf(context).write(page.last_id ?? "") : null };
}

function distinctIds(query: FileQuery): string[] {
  const { ids = [], limit, page, after_id, before_id } = query;
  const others = Object.entries({ limit, page, after_id, before_id });
  const [other] = others.find(([, value]) => value !== undefined) ?? [];
  if (other !== undefined)
    throw invalid(`ids, ${other}: give one of them; a list of ids is always one page.`);
  const distinct = [...new Set(ids)];
  if (distinct.length > limits.idsMax)
    throw invalid(`ids: has ${distinct.length} different ids; at most ${limits.idsMax} are taken.`);
  return distinct;
}

/** A cursor is the id that its page ended with. */
function positionOf(context: Context, query: FileQuery) {
  const { page, after_id, before_id, limit } = query;
  if (page !== undefined && (after_id ?? before_id) !== undefined)
    throw invalid("page, after_id, before_id: give one of them.");
  pageSize(limit, { itemsMax: limits.pageItemsMax });
  const after = page === undefined ? after_id : cursorsOf(context).read(page);
  return {
    ...(limit !== undefined && { limit }),
    ...(after !== undefined && { after_id: after }),
    ...(before_id !== undefined && { before_id }),
  };
}

function cursorsOf(context: Context) {
  const cursors = makeCursors(context.secrets);
  const tenant = workspaceOf(context);
  return {
    write: (lastId: string) => cursors.write("files", tenant, lastId),
    read: (page: string) => cursors.read("files", tenant, page) as string,
  };
}

/** The bytes go with the last file that has them, when the transaction stands. */
export async function deleteFile(context: Context, id: string) {
  const { db, who } = context;
  const workspaceId = workspaceOf(context);
  const unused = await db.tx(async (tx) => {
    const gone = await queries.deleteFile(tx, workspaceId, id);
    if (gone === undefined) throw noFile(id);
    await recordFileEvent(tx, context, actorOf(context), gone.organizationId, "file.deleted", id);
    tellFile(tx, context, workspaceId, id);
    return release(tx, gone);
  });
  if (unused !== undefined) await removeBlob(context, who.organizationId, unused);
  return { id, type: "file_deleted" as const };
}

export async function findFile(actor: Actor, id: string): Promise<queries.FileRow> {
  const row = await queries.findFile(actor.db, workspaceOf(actor), id);
  if (row === undefined) throw noFile(id);
  return row;
}

export const noFile = (id: string): Failure => notFound("file", id);

export const isExpired = ({ expiresAt }: Pick<queries.FileRow, "expiresAt">, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now;
