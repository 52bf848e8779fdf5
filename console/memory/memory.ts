// Memories in words for people: sizes, paths, operations, and the line ends that a text field does not keep.
import type { MemoryVersion } from "../kit/server/api.ts";

/** As the server has it. */

export const contentBytesMax = 102_400;
export const memoriesPerStore = 2_000;

export type Operation = MemoryVersion["operation"];
export const operations: Record<Operation, { word: string; tone: "good" | "accent" | "bad" }> = {
  created: { word: "Created", tone: "good" },
  modified: { word: "Changed", tone: "accent" },
  deleted: { word: "Deleted", tone: "bad" },
};
export const isOperation = (word: string | undefined): word is Operation =>
  word !== undefined && Object.hasOwn(operations, word);

const encoder = new TextEncoder();
export const bytesOf = (text: string): number => encoder.encode(text).length;

/** `/notes/today.md` -> `today.md`; `/notes/` -> `notes`. */
export const nameOf = (path: string): string => path.replace(/\/$/, "").split("/").at(-1) ?? path;

/** `/notes/today.md` -> `/notes/`. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Every folder on the way: `/a/b/c` -> [`/a/`, `/a/b/`]. */
export const foldersOf = (path: string): string[] => {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}/`);
};

export type LineEnds = "lf" | "crlf" | "mixed";

export function lineEndsOf(text: string): LineEnds {
  const pairs = text.split("\r\n").length - 1;
  const alone = text.split(/(?<!\r)\n|\r(?!\n)/).length - 1;
  if (pairs === 0 && !text.includes("\r")) return "lf";
  return alone === 0 ? "crlf" : "mixed";
}

/** A text field has line feeds only, whatever is put into it. */
export const asTyped = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

/** What a text field holds, with the line ends that the text came with. */
export const withLineEnds = (typed: string, ends: LineEnds): string =>
  ends === "crlf" ? typed.replaceAll("\n", "\r\n") : typed;

/** `+120 bytes`, `−3.1 kB`. */
export function changeText(bytes: number, text: (bytes: number) => string): string {
  if (bytes === 0) return "Same size";
  return `${bytes > 0 ? "+" : "−"}${text(Math.abs(bytes))}`;
}
