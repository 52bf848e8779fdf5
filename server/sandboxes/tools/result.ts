// What a tool answers: text, a picture or a document, and whether it is an error.
import { toolLimits } from "./limits.ts";

export type ToolBlock =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: string; data: string } }
  | { type: "document"; source: { type: "base64"; media_type: "application/pdf"; data: string } };

export interface ToolResult {
  content: ToolBlock[];
  isError: boolean;
}

export const done = (text: string): ToolResult => ({ content: blocks(text), isError: false });
export const failed = (text: string): ToolResult => ({ content: blocks(text), isError: true });

/** No model takes a text of nothing. */
const blocks = (text: string): ToolBlock[] => (text === "" ? [] : [block(text)]);

const block = (text: string): ToolBlock => ({ type: "text", text: fitted(clean(text)) });

/** A NUL can stand in no event. */
const clean = (text: string): string => text.replaceAll("\0", "\uFFFD");

/** Of text that is too long as JSON the beginning and the end are kept. */
function fitted(text: string): string {
  const { resultBytesMax } = toolLimits;
  if (text.length * 6 <= resultBytesMax) return text;
  if (Buffer.byteLength(JSON.stringify(text)) <= resultBytesMax) return text;
  return cutText(text, Math.floor(resultBytesMax / 6));
}

/** The first half and the last of what may be shown; between them stands how much is missing. */
export function cutText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const half = Math.floor(charactersMax / 2);
  const [head, tail] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return `${head}\n[${text.length - head.length - tail.length} characters are left out here]\n${tail}`;
}
