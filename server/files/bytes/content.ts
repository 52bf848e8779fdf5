// Gives out the bytes of files.
import type { Readable } from "node:stream";
import { Failure, invalid } from "../../../kernel/base/failure.ts";
import type { Actor, Context, World } from "../../../kernel/context.ts";
import { ranged } from "../../../kernel/http/output/ranges.ts";
import type { Reply } from "../../../kernel/http/output/reply.ts";
import { blobKey } from "./blob-keys.ts";
import type { FileRow } from "../queries.ts";
import { findFile, isExpired, noFile } from "../service.ts";

export async function downloadFile(context: Context, id: string): Promise<Reply> {
  const file = await findFile(context, id);
  expectUnexpired(context, file);
  if (!file.downloadable)
    throw invalid(
      `The file ${id} was uploaded, and what was uploaded is not handed out: only files that a tool made are.`,
      { code: "file_not_downloadable" },
    );
  return reply(context, file);
}

/** For the console, where people also see what they uploaded. */
export async function showContent(context: Context, id: string): Promise<Reply> {
  const file = await findFile(context, id);
  expectUnexpired(context, file);
  return reply(context, file);
}

/** The uploader said what it is: no browser may open it as a page of this server. */
function reply(context: Context, file: FileRow): Promise<Reply> {
  const { id, bytes, mimeType, filename } = file;
  return ranged(
    (range) => openContent(context, file, range),
    {
      bytes,
      type: mimeType,
      etag: `"${id}"`,
      headers: {
        "content-disposition": attachment(filename),
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
        "cache-control": "private, no-store",
      },
    },
    context.headers,
  );
}

export function expectUnexpired({ clock }: Pick<World, "clock">, file: FileRow): void {
  if (isExpired(file, clock.now()) || file.blobId === null)
    throw new Failure(
      "not_found_error",
      `The file ${file.id} expired at ${file.expiresAt?.toISOString()}: its content is gone.`,
      { code: "file_expired" },
    );
}

/** It may have been deleted since its row was read: then there is no such file. Else its bytes are lost. */
export async function openContent(
  actor: Actor,
  { id, organizationId, blobId }: FileRow,
  range?: { start: number; end: number },
): Promise<Readable> {
  try {
    return await actor.blobs.read(blobKey(organizationId, blobId ?? ""), range);
  } catch (error) {
    if (!(error instanceof Failure && error.status === 404)) throw error;
    if ((await findFile(actor, id)).blobId !== blobId) throw noFile(id);
    throw new Failure(
      "not_found_error",
      `The content of the file ${id} is lost: the database was started without the files that hold it. Upload it again.`,
      { code: "content_lost" },
    );
  }
}

/** RFC 6266: the name in ASCII for clients that know no better, and as it is. */
function attachment(filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
