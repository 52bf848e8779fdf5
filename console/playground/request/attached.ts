// Pictures and documents of a turn: read in the browser, or uploaded where they are long.
import { server } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import type { Block } from "../../../client/messages/message.ts";

export interface Attached {
  key: number;
  name: string;
  bytes: number;
  kind: "image" | "pdf" | "text";
  /** Undefined where it was too long to be kept in the browser. */
  block?: Block;
}

/** What is longer goes into the workspace's files, and is named by its id. */
const inlineBytesMax = 1024 * 1024;
/** What the API takes of one picture or document. */
const fileBytesMax = 32 * 1024 * 1024;

export const accepted =
  "image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,application/json,.md,.csv,.log";

const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const written = /^text\/|^application\/(?:json|xml|yaml|toml|sql|javascript)$/;

function kindOf({ type, name }: File): Attached["kind"] | undefined {
  if (pictures.has(type)) return "image";
  if (type === "application/pdf") return "pdf";
  return written.test(type) || /\.(?:md|txt|csv|log|ya?ml|ts|py)$/i.test(name) ? "text" : undefined;
}

let keys = 0;

/** Throws a sentence where it cannot be attached. */
export async function attach(
  file: File,
  { workspace, mayUpload }: { workspace: string | undefined; mayUpload: boolean },
): Promise<Attached> {
  const kind = kindOf(file);
  if (kind === undefined)
    throw new Error(`${file.name} is neither a picture, a PDF nor text: no model reads it.`);
  if (file.size === 0) throw new Error(`${file.name} is empty.`);
  if (file.size > fileBytesMax)
    throw new Error(`${file.name} has ${bytesText(file.size)}: at most 32 MiB can be attached.`);
  const known = { key: (keys += 1), name: file.name, bytes: file.size, kind };
  if (file.size <= inlineBytesMax) return { ...known, block: await inline(file, kind) };
  if (!mayUpload)
    throw new Error(
      `${file.name} has ${bytesText(file.size)}: without access to Files, at most 1 MiB.`,
    );
  const body = new FormData();
  body.append("file", file, file.name);
  const { id } = await server.files.upload({ body, headers: inWorkspace(workspace) });
  const type = kind === "image" ? "image" : "document";
  return { ...known, block: { type, source: { type: "file", file_id: id } } };
}

async function inline(file: File, kind: Attached["kind"]): Promise<Block> {
  if (kind === "text") {
    const source = { type: "text", media_type: "text/plain", data: await file.text() };
    return { type: "document", source, title: file.name };
  }
  const source = { type: "base64", media_type: file.type, data: base64Of(await file.bytes()) };
  return kind === "image"
    ? { type: "image", source }
    : { type: "document", source, title: file.name };
}

/** In pieces: a function takes no million arguments. */
function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32_768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(text);
}

/** So many characters of a draft stand in the browser's storage, which has room for five million. */
const keptCharactersMax = 1_000_000;

/** Without what is too long: its name stays, so that it is seen what is missing. */
export function keptAttached(all: readonly Attached[], room = keptCharactersMax): Attached[] {
  let left = room;
  return all.map(({ block, ...known }) => {
    const length = block === undefined ? 0 : JSON.stringify(block).length;
    if (block === undefined || length > left) return known;
    left -= length;
    return { ...known, block };
  });
}
