// Paths of memories: what one may be, and which others it excludes.
import { invalid } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";

/** Control and format characters, and the two that end lines for some readers. */
const unseen = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** The path as it was given, or a sentence that says what is wrong with it. */
export function checkPath(field: string, path: string): string {
  const problem = problemOf(path);
  if (problem !== undefined) throw invalid(`${field}: ${problem}`);
  return path;
}

/** A prefix is the path of a folder with a slash at its end; `/` is all of the store. */
export function checkPrefix(field: string, prefix: string): string {
  if (prefix === "/") return prefix;
  if (!prefix.endsWith("/"))
    throw invalid(`${field}: must end with "/"; it matches whole segments, as in "/notes/".`);
  const problem = problemOf(prefix.slice(0, -1));
  if (problem !== undefined) throw invalid(`${field}: ${problem}`);
  return prefix;
}

export function problemOf(path: string): string | undefined {
  if (!path.startsWith("/")) return 'must start with "/", as in "/notes/today.md".';
  if (Buffer.byteLength(path) > limits.pathBytesMax)
    return `must have at most ${limits.pathBytesMax} bytes in UTF-8; it has ${Buffer.byteLength(path)}.`;
  if (unseen.test(path))
    return "holds a character that cannot be seen (control, format, U+2028 or U+2029); leave it out.";
  if (path.normalize("NFC") !== path)
    return "must be in Unicode Normalization Form C; compose its characters.";
  const segments = path.slice(1).split("/");
  if (segments.length > limits.pathSegmentsMax)
    return `must have at most ${limits.pathSegmentsMax} segments; it has ${segments.length}.`;
  for (const segment of segments) {
    if (segment === "") return 'must have no empty segment: no "//", and no "/" at its end.';
    if (segment === "." || segment === "..") return `must have no segment "${segment}".`;
  }
  return undefined;
}

/** `/a/b/c` has `/a` and `/a/b`. */
export function ancestorsOf(path: string): string[] {
  const found: string[] = [];
  for (let at = path.indexOf("/", 1); at !== -1; at = path.indexOf("/", at + 1))
    found.push(path.slice(0, at));
  return found;
}

export const isBelow = (path: string, folder: string) => path.startsWith(`${folder}/`);

/** Paths compare by bytes, and "0" follows "/": all that begins with `/a/` stands before this. */
export const prefixEndOf = (prefix: string) => `${prefix.slice(0, -1)}0`;

/** No path holds a control character: this stands before whatever follows the path. */
export const rightAfter = (path: string) => `${path}\u0001`;
