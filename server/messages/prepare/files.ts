// Files that a request names: no model knows our ids, so what they hold takes the place of their names.
import { isUtf8 } from "node:buffer";
import { Failure, tooLarge } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import {
  expectThere,
  isTextType,
  namedFiles,
  readWholeFile,
  type FileRow,
} from "../../files/module.ts";
import type { Block, MessageBody } from "../../models/module.ts";
import { limits } from "../limits.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { invalidField } from "../problem.ts";

type Turns = MessageBody["messages"];
type Path = readonly (string | number)[];
type Source = Readonly<Record<string, unknown>>;

/** Puts what the files hold where messages name them; every model of a request reads the same. */
export type FileInliner = (messages: Turns) => Turns;

export interface FileMemory {
  budget: MemoryBudget;
  held: DisposableStack;
}

/** Where a block names a file, and as what. */
export interface FileUse {
  id: string;
  as: "image" | "document";
  path: Path;
}

/**
 * Undefined where no file is named. The body's shape must have been checked. Throws a failure that names the block: 404
 * for a file that is not there, 400 for one that cannot stand there; 413 where the files are too much together. The
 * files are in memory until `held` is disposed of.
 */
export async function inlineFiles(
  actor: Actor,
  { messages }: MessageBody,
  { budget, held }: FileMemory,
): Promise<FileInliner | undefined> {
  const uses = usesIn(messages);
  if (uses.length === 0) return undefined;
  const ids = [...new Set(uses.map(({ id }) => id))];
  if (ids.length > limits.filesMax)
    throw invalidField(
      ["messages"],
      `name ${ids.length} files; a request takes at most ${limits.filesMax}`,
    );
  const files = await namedFiles(actor, ids);
  held.use(await budget.take(actor, bytesOf(actor, uses, files)));
  const sources = new Map<string, Source>();
  for (const { id, path } of uses) {
    const file = files.get(id);
    if (sources.has(id) || file === undefined) continue;
    sources.set(
      id,
      await withPath(path, async () => sourceOf(file, await readWholeFile(actor, file), path)),
    );
  }
  return (turns) => withSources(turns, sources);
}

function usesIn(messages: Turns): FileUse[] {
  const uses: FileUse[] = [];
  const look = (blocks: unknown, path: Path): void => {
    if (!Array.isArray(blocks)) return;
    for (const [index, block] of (blocks as Block[]).entries()) {
      const { type, source, content } = block as Block & { source?: Source };
      if (type === "tool_result") look(content, [...path, index, "content"]);
      if (type !== "image" && type !== "document") continue;
      const here = [...path, index, "source"];
      if (source?.["type"] === "content") look(source["content"], [...here, "content"]);
      if (source?.["type"] !== "file") continue;
      uses.push({ id: String(source["file_id"]), as: type, path: [...here, "file_id"] });
    }
  };
  for (const [index, { content }] of messages.entries())
    if (mayNameFiles(content)) look(content, ["messages", index, "content"]);
  return uses;
}

/** Nearly every block is a text: paths are made only where one may name a file. */
const mayNameFiles = (content: unknown): boolean =>
  Array.isArray(content) && (content as Block[]).some(({ type }) => type !== "text");

/** Before a byte is read: what is known of the files says whether they can stand there, and how long they are. */
function bytesOf(
  actor: Actor,
  uses: readonly FileUse[],
  files: ReadonlyMap<string, FileRow>,
): number {
  let bytes = 0;
  for (const use of uses) {
    const file = expectReadable(actor, use, files.get(use.id));
    bytes += isTextType(file.mimeType) ? file.bytes : Math.ceil(file.bytes / 3) * 4;
  }
  if (bytes > limits.bodyBytesMax)
    throw tooLarge(
      `The files that this request names come to ${bytes} bytes in it, and a request takes at most ${limits.bodyBytesMax}: name fewer or smaller files.`,
    );
  return bytes;
}

/** Throws what is wrong with a file that a block names: 404 where it is not there, 400 where it cannot stand there. */
export function expectReadable(
  actor: Actor,
  { id, as, path }: FileUse,
  found: FileRow | undefined,
): FileRow {
  const file = withPathSync(path, () => expectThere(actor, id, found));
  const { mimeType } = file;
  if (mayStand(as, mimeType)) return file;
  throw invalidField(path, `${id} is of type ${mimeType}: ${remedyOf(as, mimeType)}`);
}

const pictures = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const pdf = "application/pdf";

const mayStand = (as: FileUse["as"], type: string) =>
  as === "image" ? pictures.has(type) : type === pdf || isTextType(type);

function remedyOf(as: FileUse["as"], type: string): string {
  if (mayStand(as === "image" ? "document" : "image", type))
    return `name it in a block of type ${as === "image" ? "document" : "image"}`;
  return as === "image"
    ? `an image is one of ${[...pictures].join(", ")}`
    : "a document is a PDF or text; convert it to one of them and upload that";
}

function sourceOf({ id, mimeType }: FileRow, bytes: Buffer, path: Path): Source {
  if (!isTextType(mimeType))
    return { type: "base64", media_type: mimeType, data: bytes.toString("base64") };
  if (!isUtf8(bytes))
    throw invalidField(path, `${id} is no text in UTF-8; convert it and upload it again`);
  return { type: "text", media_type: "text/plain", data: bytes.toString("utf8") };
}

/** The same turns where nothing in them names a file. */
function withSources(turns: Turns, sources: ReadonlyMap<string, Source>): Turns {
  const inBlocks = (blocks: readonly Block[]): readonly Block[] => mapped(blocks, inBlock);
  const inBlock = (block: Block): Block => {
    const { type, source, content } = block as Block & { source?: Source };
    if (type === "tool_result" && Array.isArray(content)) {
      const inner = inBlocks(content as Block[]);
      return inner === content ? block : { ...block, content: inner };
    }
    if ((type !== "image" && type !== "document") || source === undefined) return block;
    const inlined = source["type"] === "file" ? sources.get(String(source["file_id"])) : undefined;
    if (inlined !== undefined) return { ...block, source: inlined };
    if (source["type"] !== "content" || !Array.isArray(source["content"])) return block;
    const inner = inBlocks(source["content"] as Block[]);
    return inner === source["content"]
      ? block
      : { ...block, source: { ...source, content: inner } };
  };
  return mapped(turns, (turn) => {
    if (typeof turn.content === "string") return turn;
    const content = inBlocks(turn.content);
    return content === turn.content ? turn : { ...turn, content };
  });
}

function mapped<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

async function withPath<T>(path: Path, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw failureAtPath(path, error);
  }
}

function withPathSync<T>(path: Path, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw failureAtPath(path, error);
  }
}

/** The failure of a file, with the path of the block that names it. */
function failureAtPath(path: Path, error: unknown): unknown {
  if (!(error instanceof Failure) || error.status !== 404) return error;
  const { type, message, options } = error;
  return new Failure(type, `${path.join(".")}: ${message}`, options);
}
