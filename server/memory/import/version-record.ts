// One version out of an archive's history: its facts, each held against the others.
import { parseShallow } from "../../../kernel/base/json.ts";
import Type from "typebox";
import { Failure } from "../../../kernel/base/failure.ts";
import { checker } from "../../../kernel/http/validate/validate.ts";
import type { Author } from "../memories/apply.ts";
import { contentOf } from "../memories/content.ts";
import { limits } from "../limits.ts";
import { problemOf } from "../memories/paths.ts";
import type { Actor, Operation } from "../schema.ts";
import { entryRefused } from "./entries.ts";
import { Manifest, manifestType, VersionRecord } from "../transfer/schema.ts";

export interface Recorded {
  memoryId: string;
  operation: Operation;
  path: string | null;
  text: string | null;
  sha256: string | null;
  bytes: number | null;
  createdAt: Date;
  author: Author | null;
  redactedAt: Date | null;
  redactedBy: Author | null;
  reason: string | null;
  memoryCreatedAt: Date | null;
}

const checkVersion = checker(VersionRecord, "body");
const checkManifest = checker(Manifest, "body");
const checkActor = checker(
  Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
  "body",
);

/** Undefined for a file that is none of an export, though it stands where one would. */
export function readManifest(path: string, text: string): Manifest | undefined {
  const value = parsed(text);
  if (typeOf(value) !== manifestType) return undefined;
  expectFit(path, checkManifest(value));
  return value as Manifest;
}

/** Undefined for a file that says nothing of a version. */
export function readRecord(path: string, text: string): Recorded | undefined {
  const value = parsed(text);
  if (typeOf(value) !== "memory_version") return undefined;
  expectFit(path, checkVersion(value));
  const record = value as VersionRecord;
  const problem = contradictionIn(record);
  if (problem !== undefined) throw entryRefused(path, problem);
  return {
    memoryId: record.memory_id,
    operation: record.operation,
    path: record.path,
    text: record.content,
    sha256: record.content_sha256,
    bytes: record.content_size_bytes,
    createdAt: new Date(record.created_at),
    author: authorIn(path, record.created_by),
    redactedAt: dateOf(record.redacted_at),
    redactedBy: authorIn(path, record.redacted_by),
    reason: record.redaction_reason,
    memoryCreatedAt: dateOf(record.memory_created_at),
  };
}

const dateOf = (text: string | null) => (text === null ? null : new Date(text));

const isNoDate = (date: Date | null) => date !== null && Number.isNaN(date.getTime());

function parsed(text: string): unknown {
  try {
    return parseShallow(text);
  } catch {
    return undefined;
  }
}

const typeOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "type" in value ? value.type : undefined;

/** The sentence names a field of the format, or one that the caller made up. */
function expectFit(path: string, failure: Failure | undefined): void {
  if (failure === undefined) return;
  throw new Failure("invalid_request_error", `${path}: ${failure.message}`, {
    details: { entry: path },
    logged: "An entry of the archive does not have the fields that it should.",
  });
}

function contradictionIn(record: VersionRecord): string | undefined {
  const { operation, path, content, content_sha256, content_size_bytes } = record;
  const [createdAt, redactedAt] = [dateOf(record.created_at), dateOf(record.redacted_at)];
  if ([createdAt, redactedAt, dateOf(record.memory_created_at)].some(isNoDate))
    return "created_at, redacted_at and memory_created_at must be times, or null.";
  if (record.memory_id === "" || record.memory_id.length > 100)
    return "memory_id must have 1 to 100 characters.";
  if ((record.redaction_reason ?? "").length > limits.reasonCharactersMax)
    return `redaction_reason must have at most ${limits.reasonCharactersMax} characters.`;
  if (redactedAt !== null) {
    if (path !== null || content !== null || content_sha256 !== null || content_size_bytes !== null)
      return "is redacted, and still has a path, a text, a hash or a size.";
    return createdAt !== null && redactedAt < createdAt
      ? "was redacted before it was made: look at redacted_at and created_at."
      : undefined;
  }
  if (record.redacted_by !== null || record.redaction_reason !== null)
    return "was redacted by somebody, but redacted_at is null.";
  const problem = path === null ? "is missing." : problemOf(path);
  if (problem !== undefined) return `path: ${problem}`;
  if (operation === "deleted")
    return content === null && content_sha256 === null && content_size_bytes === null
      ? undefined
      : "deletes a memory, and still has a text, a hash or a size.";
  return contentProblem(record);
}

function contentProblem(record: VersionRecord): string | undefined {
  const { content, content_sha256, content_size_bytes } = record;
  if (content === null) return "content is missing, though nothing says that it was redacted.";
  if (content.includes("\0") || !content.isWellFormed())
    return "content holds U+0000 or half of a surrogate pair.";
  if (Buffer.byteLength(content) > limits.contentBytesMax)
    return `content must have at most ${limits.contentBytesMax} bytes in UTF-8.`;
  const { sha256, bytes } = contentOf("content", content);
  if (sha256 !== content_sha256)
    return "content_sha256 is not that of the content: one of the two was changed. Edit the files under memories/ instead.";
  return bytes === content_size_bytes
    ? undefined
    : "content_size_bytes is not the size of the content.";
}

function authorIn(path: string, actor: Actor): Author | null {
  if (actor === null) return null;
  const author = authorOf(actor);
  expectFit(path, checkActor(author));
  return author;
}

function authorOf(actor: NonNullable<Actor>): Author {
  if (actor.type === "api_actor") return { type: "api", id: actor.api_key_id };
  if (actor.type === "user_actor") return { type: "user", id: actor.user_id };
  if (actor.type === "session_actor") return { type: "session", id: actor.session_id };
  return { type: "service_account", id: actor.service_account_id };
}
