// A file as callers see it.
import type { FileRow } from "./queries.ts";
import type { FileMetadata } from "./schema.ts";

export const present = (row: FileRow): FileMetadata => ({
  id: row.id,
  type: "file",
  filename: row.filename,
  mime_type: row.mimeType,
  size_bytes: row.bytes,
  created_at: row.createdAt.toISOString(),
  downloadable: row.downloadable,
  expires_at: row.expiresAt?.toISOString() ?? null,
  scope: row.scopeType === null ? null : { type: row.scopeType, id: row.scopeId ?? "" },
});
