// How this server counts tokens where no upstream reports them: UTF-8 bytes over four, rounded up, piece by piece.
import type { Block, MessageBody } from "./types.ts";

const bytesPerToken = 4;
const tokensPerMessage = 3;
/** An image or a PDF: its bytes say nothing about what a model sees of it. */
const tokensPerPicture = 1_600;

export const tokensOfBytes = (bytes: number) => Math.ceil(bytes / bytesPerToken);
export const tokensOfText = (text: string) => tokensOfBytes(Buffer.byteLength(text));

export const tokensOfJson = (value: unknown) => tokensOfText(JSON.stringify(value) ?? "");

/** What a request puts into the model: system, tools, format and messages. */
export function tokensOfBody(body: MessageBody): number {
  let tokens = tokensOfContent(body.system);
  for (const tool of body.tools ?? []) tokens += tokensOfPart(tool);
  const format = formatOf(body);
  if (format !== undefined) tokens += tokensOfJson(format);
  for (const { content } of body.messages) tokens += tokensPerMessage + tokensOfContent(content);
  return tokens;
}

/** The schema that the answer must fit, under its name or its early one. */
export const formatOf = (body: MessageBody): Record<string, unknown> | undefined =>
  (body.output_config?.["format"] ?? body["output_format"] ?? undefined) as
    | Record<string, unknown>
    | undefined;

export function tokensOfContent(content: unknown): number {
  if (typeof content === "string") return tokensOfText(content);
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const block of content as readonly Block[]) tokens += tokensOfBlock(block);
  return tokens;
}

export function tokensOfBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return tokensOfText(String(block["text"]));
    case "thinking":
      return tokensOfText(String(block["thinking"]));
    case "tool_use":
      return tokensOfText(String(block["name"])) + tokensOfJson(block["input"]);
    case "tool_result":
      return tokensOfContent(block["content"]);
    case "image":
      return tokensPerPicture;
    case "document":
      return tokensOfDocument(block);
    case "fallback":
      return 0;
    default:
      return tokensOfPart(block);
  }
}

/** What a model wrote of a block: of a call its name and input, and nothing of what a tool of a server found. */
export function tokensWritten(block: Block): number {
  if (block.type.endsWith("_tool_result")) return 0;
  if (!block.type.endsWith("tool_use")) return tokensOfBlock(block);
  const { name, input } = block;
  return tokensOfText(String(name)) + (input === undefined ? 0 : tokensOfJson(input));
}

function tokensOfDocument({ source, title, context }: Block): number {
  const { type, data, content } = (source ?? {}) as Record<string, unknown>;
  const around = [title, context].reduce<number>(
    (tokens, text) => tokens + (typeof text === "string" ? tokensOfText(text) : 0),
    0,
  );
  if (type === "text") return around + tokensOfText(String(data));
  if (type === "content") return around + tokensOfContent(content);
  return around + tokensPerPicture;
}

/** A mark where the cache may cut is not read by the model. */
function tokensOfPart(part: Record<string, unknown>): number {
  if (part["cache_control"] === undefined) return tokensOfJson(part);
  const { cache_control: _, ...read } = part;
  return tokensOfJson(read);
}

/** A text cut so that each piece is one token: never inside a character, never empty. */
export function piecesOfText(text: string): string[] {
  const pieces: string[] = [];
  if (Buffer.byteLength(text) === text.length) {
    for (let at = 0; at < text.length; at += bytesPerToken)
      pieces.push(text.slice(at, at + bytesPerToken));
    return pieces;
  }
  let from = 0;
  let at = 0;
  let bytes = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    // Cuts stand at the last border before each multiple of four bytes, so their number is the count.
    if (bytes + size > (pieces.length + 1) * bytesPerToken) {
      pieces.push(text.slice(from, at));
      from = at;
    }
    bytes += size;
    at += code > 0xffff ? 2 : 1;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
