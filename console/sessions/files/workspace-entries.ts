// The files of a sandbox in words for people: where one is, in what order entries stand, what can be opened.
import type { WorkspaceEntry } from "../../kit/server/api.ts";

export const home = "/workspace";

/** `/workspace/src` from `/` on, each with the way to it. */
export function crumbsOf(path: string): { name: string; path: string }[] {
  const names = path.split("/").filter((name) => name !== "");
  const below = names.map((name, at) => ({
    name: printed(name),
    path: `/${names.slice(0, at + 1).join("/")}`,
  }));
  return [{ name: "/", path: "/" }, ...below];
}

export const pathIn = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`;

/** What it is to who opens it: a link is what it leads to. */
export const kindOf = ({ type, target }: WorkspaceEntry): "directory" | "file" | "closed" => {
  const kind = type === "link" ? target : type;
  return kind === "directory" || kind === "file" ? kind : "closed";
};

/** Folders first; the server has them by name. */
export const inOrder = (entries: readonly WorkspaceEntry[]): WorkspaceEntry[] => [
  ...entries.filter((entry) => kindOf(entry) === "directory"),
  ...entries.filter((entry) => kindOf(entry) !== "directory"),
];

/** In one line, whatever the agent put into it. */
export const printed = (name: string): string => name.replaceAll(/\p{C}/gu, "\u{FFFD}");

/** Only what a canvas draws from bytes; all else is text, or has no preview. */
export const isPicture = (name: string): boolean => /\.(png|jpe?g|gif|webp)$/i.test(name);
