// What the agent's side of a store holds: the hash of each file, found out anew only where it may have changed.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { type Found, type MountedSandbox, readFiles, unfinishedName } from "../inside.ts";
import type { StoreSide } from "../side.ts";

export interface LocalFile {
  /** Of what is no memory it is a text that no hash is equal to. */
  sha256: string;
  /** Why it can be none, in words that follow its path. */
  problem?: string;
  /** Where it was read just now. */
  content?: Buffer;
}

/** What was seen of files before, by their paths. */
export type SeenFiles = Map<string, { mark: string; isSettled: boolean; file: LocalFile }>;

const reservedPath = "/.anthropic-memory-store";
/** Names that the clients of other servers, and this one, use for themselves: no memory of them is mounted. */
export const isReserved = (path: string): boolean =>
  path === reservedPath || path.startsWith(`${reservedPath}/`) || path === `/${unfinishedName}`;

/** What a file has to be so that the store takes it. */
type MemoryRules = Pick<StoreSide, "contentBytesMax" | "pathProblem">;

/** By path in the store. */
export async function lookAt(
  sandbox: MountedSandbox,
  { root, rules }: { root: string; rules: MemoryRules },
  { found, seen }: { found: readonly Found[]; seen: SeenFiles },
): Promise<Map<string, LocalFile>> {
  const files = new Map<string, LocalFile>();
  const unread: { path: string; entry: Found }[] = [];
  for (const entry of found) {
    if (!entry.path.startsWith(`${root}/`)) continue;
    const path = entry.path.slice(root.length);
    if (isReserved(path)) continue;
    const before = seen.get(path);
    const problem = problemOf(rules, path, entry);
    if (problem !== undefined) files.set(path, { sha256: `no text ${entry.mark}`, problem });
    else if (before?.isSettled === true && before.mark === entry.mark) files.set(path, before.file);
    else unread.push({ path, entry });
  }
  const contents = await readFiles(
    sandbox,
    unread.map(({ entry }) => entry.path),
    rules.contentBytesMax + 1,
  );
  for (const [at, { path, entry }] of unread.entries()) {
    const content = contents[at];
    // It is gone since it was listed: the next look says so.
    if (content === undefined) continue;
    if (content === null) {
      files.set(path, { sha256: `no text ${entry.mark}`, problem: notRead });
      continue;
    }
    const file = fileOf(rules, content, entry.mark);
    files.set(path, file);
    const { content: _content, ...kept } = file;
    seen.set(path, { mark: entry.mark, isSettled: entry.isSettled, file: kept });
  }
  for (const path of seen.keys()) if (!files.has(path)) seen.delete(path);
  return files;
}

function problemOf(rules: MemoryRules, path: string, { isFile, bytes }: Found): string | undefined {
  if (!isFile) return "is no regular file: only texts are kept, no links, pipes or sockets.";
  if (path.includes("\ufffd")) return "has a name that is not UTF-8.";
  const problem = rules.pathProblem(path);
  if (problem !== undefined) return `has a path that no memory may have: it ${problem}`;
  if (bytes > rules.contentBytesMax) return tooLong(rules);
  return undefined;
}

const notRead =
  "could not be read, so the memory store keeps what it has: look at its mode with ls -l.";
const tooLong = ({ contentBytesMax }: MemoryRules) =>
  `has more than ${contentBytesMax} bytes, which is all that a memory may have. Split it.`;

function fileOf(rules: MemoryRules, content: Buffer, mark: string): LocalFile {
  if (content.length > rules.contentBytesMax)
    return { sha256: `no text ${mark}`, problem: tooLong(rules) };
  const sha256 = hashOf(content);
  if (content.includes(0) || !isUtf8(content))
    return { sha256, problem: "is no text in UTF-8, and only texts are kept." };
  return { sha256, content };
}

export const hashOf = (content: Buffer): string =>
  createHash("sha256").update(content).digest("hex");
