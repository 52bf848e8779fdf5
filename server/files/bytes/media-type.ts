// What a file is: by its first bytes, else by whether it is text, else by what its sender says.
import { isUtf8 } from "node:buffer";
import { fileTypeFromBuffer } from "file-type";
import { limits } from "../limits.ts";

/** A model reads them, so what the sender says does not count. */
const proven = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"]);

/** What may look like text all the way through and is more than that. */
const textual = new Set(["application/pdf", "application/rtf", "application/postscript"]);

/** Types whose signature shows only the wrapping: the name or the sender says what is in it. */
const wrappings = new Set(["application/zip", "application/x-cfb", "application/xml"]);

const typeByExtension: Readonly<Record<string, string>> = {
  txt: "text/plain",
  log: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  js: "text/javascript",
  mjs: "text/javascript",
  ts: "text/x-typescript",
  py: "text/x-python",
  sh: "text/x-shellscript",
  xml: "application/xml",
  json: "application/json",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
  sql: "application/sql",
  svg: "image/svg+xml",
  ics: "text/calendar",
  vcf: "text/vcard",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  zip: "application/zip",
  gz: "application/gzip",
  tar: "application/x-tar",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
};

const extensionByType = new Map(
  Object.entries(typeByExtension)
    .toReversed()
    .map(([extension, type]) => [type, extension]),
);

/** What text may be called: anything of `text/`, and what is written in text under another name. */
export const isTextType = (type: string): boolean =>
  /^text\/|^application\/(?:json|xml|yaml|x-yaml|toml|sql|x-ndjson|jsonl|javascript|x-sh|graphql)$|\+(?:json|xml|yaml)$/.test(
    type,
  );

export interface TypeEvidence {
  /** The first bytes, up to `limits.headBytes`. */
  head: Buffer;
  isText: boolean;
  /** As the sender says. */
  declared: string;
  filename: string;
}

export async function mediaTypeOf({
  head,
  isText,
  declared,
  filename,
}: TypeEvidence): Promise<string> {
  const claimed = plainType(declared);
  const byName = typeByExtension[/\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ""];
  const sniffed = await sniff(head);
  if (sniffed !== undefined && wrappings.has(sniffed)) {
    const inside = [claimed, byName].find((type) => type !== undefined && mayWrap(sniffed, type));
    return inside ?? sniffed;
  }
  // A text that begins with BM is no picture.
  if (sniffed !== undefined && (!isText || textual.has(sniffed) || isTextType(sniffed)))
    return sniffed;
  // A part without a type is taken for plain text by the parser: what its name says is no less than that.
  const claims = [claimed === plainText ? undefined : claimed, byName].filter(
    (type) => type !== undefined,
  );
  if (isText) return claims.find(isTextType) ?? plainText;
  return claims.find((type) => !proven.has(type) && !isTextType(type)) ?? unknown;
}

const plainText = "text/plain";

const unknown = "application/octet-stream";

async function sniff(head: Buffer): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(head);
  return found?.mime;
}

/** Office documents are zips or compound files, drawings are XML. */
function mayWrap(wrapping: string, type: string): boolean {
  if (wrapping === "application/xml") return type !== "text/plain" && isTextType(type);
  const isOffice =
    /^application\/(?:vnd\.|msword$|epub\+zip$|java-archive$|x-[\w.-]+$|[\w.+-]+\+zip$)/;
  return isOffice.test(type);
}

/** Without parameters; undefined where it says nothing. */
function plainType(declared: string): string | undefined {
  const type = declared.split(";")[0]?.trim().toLowerCase() ?? "";
  const isType = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(type);
  return isType && type.length <= limits.mimeTypeCharactersMax && type !== unknown
    ? type
    : undefined;
}

/** `unnamed.pdf`, for a file that came without a name. */
export function nameForType(mimeType: string): string {
  const extension = extensionByType.get(mimeType);
  return extension === undefined ? "unnamed" : `unnamed.${extension}`;
}

/** Whether bytes that come in pieces are UTF-8 without U+0000 all the way. */
export function textTest() {
  let isText = true;
  let open = Buffer.alloc(0);
  return {
    push: (piece: Buffer): void => {
      if (!isText) return;
      const bytes = open.length === 0 ? piece : Buffer.concat([open, piece]);
      const whole = bytes.length - openBytes(bytes);
      isText = isUtf8(bytes.subarray(0, whole)) && !bytes.includes(0);
      open = Buffer.from(bytes.subarray(whole));
    },
    end: (): boolean => isText && open.length === 0,
  };
}

/** How many bytes at the end begin a character that they do not finish. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}
