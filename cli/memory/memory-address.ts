// `STORE:/path`: which memory is meant, and how it is written in sentences and commands.
import { InvalidArgumentError } from "commander";
import { quoted } from "../next-page.ts";

export interface MemoryAddress {
  /** An id or a name, as it was given. */
  store: string;
  /** Begins with a slash; ends with one where a folder is meant. */
  path: string;
}

/** The store ends at the first `:/`: a store with that in its name is addressed by its id. */
export function splitAddress(text: string): { store: string; path: string | undefined } {
  const at = text.indexOf(":/", 1);
  if (at === -1) return { store: text, path: undefined };
  // Some keyboards and file systems decompose characters; paths hold them composed.
  return { store: text.slice(0, at), path: text.slice(at + 1).normalize("NFC") };
}

/** For commander: the argument of commands about memories. */
export function parseAddress(text: string): MemoryAddress {
  const { store, path } = splitAddress(text);
  if (path === undefined)
    throw new InvalidArgumentError("It must be STORE:/path, such as notes:/todo.md.");
  return { store, path };
}

/** For commander: the argument of commands about a whole store. */
export function storeName(text: string): string {
  const { store, path } = splitAddress(text);
  if (path !== undefined || store === "")
    throw new InvalidArgumentError("It must be the id or the name of a store, without a path.");
  return store;
}

export const isFolder = ({ path }: MemoryAddress): boolean => path.endsWith("/");

export const formatAddress = ({ store, path }: MemoryAddress): string => `${store}:${path}`;

/** The command to run next, with the same server. */
export function nextCommand(words: readonly string[], { url }: { url?: string }): string {
  const all = url === undefined ? words : [...words, "--url", url];
  return ["plinth memory", ...all.map(quoted)].join(" ");
}
