// What this process does with files that the agent can change: inside, by the agent's rights, in calls of the sandbox.
// What comes out of it is what the agent lets it be, and is judged as anything that a client sends.
import type { ExecRequest, ExecResult, FolderChange } from "../sandboxes/module.ts";
import { limits } from "./limits.ts";

/** The sandbox of one session, whatever provider made it. */
export interface MountedSandbox {
  exec(request: ExecRequest): Promise<ExecResult>;
  fill(folder: string, change: FolderChange): Promise<void>;
}

/** The sandbox did not do what it was asked for: the caller tells the agent, and tries again with the next call. */
export class InsideError extends Error {
  override readonly name = "InsideError";
}

interface Script {
  text: string;
  words: readonly string[];
  stdin?: Buffer;
  bytesMax: number;
}

/** The same sandbox, looked into while a call runs. */
export const besideOf = ({ exec, fill }: MountedSandbox): MountedSandbox => ({
  exec: (request) => exec({ ...request, isBeside: true, timeoutMs: limits.besideExecMs }),
  fill,
});

/** Without what the agent has in the environment of its shell, and without the profile of the machine. */
export const bareShell = [
  "/usr/bin/env",
  "-i",
  "PATH=/usr/bin:/bin",
  "LC_ALL=C.UTF-8",
  "/bin/bash",
  "--noprofile",
  "--norc",
  "-c",
] as const;

export async function runInside(sandbox: MountedSandbox, { text, words, stdin, bytesMax }: Script) {
  const result = await sandbox.exec({
    command: [...bareShell, text, "mounts", ...words],
    timeoutMs: limits.execMs,
    bytesMax,
    isErrorApart: true,
    isInternal: true,
    ...(stdin && { stdin }),
  });
  if (result.code === null || result.code > 1)
    throw new InsideError("the sandbox could not be looked into");
  return result;
}

export interface Found {
  /** With the folder's own path before it. */
  path: string;
  isFile: boolean;
  bytes: number;
  /** Another one where the file has changed, as far as the kernel's clock can tell. */
  mark: string;
  /** It has not changed for a while: an equal mark means an equal text. */
  isSettled: boolean;
}

export interface Listing {
  /** What stands in the file that this process has left; null where there is none. */
  token: string | null;
  found: Found[];
  /** Something could not be read, or there is more than is listed: what is missing here may be there. */
  isPartial: boolean;
}

const listScript = `date +%s.%N; printf '\\0'
if [ -f "$1" ]; then printf t; cat -- "$1"; fi; printf '\\0'; shift
exec find -P "$@" -xdev -mindepth 1 -maxdepth 40 ! -type d -printf '%y %s %C@ %T@.%i %p\\0'`;

/** All that is no folder below these, of which there is one at least. */
export async function listFiles(
  sandbox: MountedSandbox,
  { folders, tokenFile }: { folders: readonly string[]; tokenFile: string },
): Promise<Listing> {
  const bytesMax = limits.listBytesMax;
  const listed = await runInside(sandbox, {
    text: listScript,
    words: [tokenFile, ...folders],
    bytesMax,
  });
  const { output, code, isTruncated } = listed;
  const records = splitAtNul(output);
  const now = Number(records.shift()?.toString("latin1"));
  const token = records.shift()?.toString("utf8") ?? "";
  const found = records.flatMap((record): Found[] => {
    // A path that is no UTF-8 cannot be a memory's: it is shown with signs in place of what is none.
    const parts = /^(.) (\d+) ([\d.]+) ([\d.-]+) ([^]+)$/.exec(record.toString("utf8"));
    const [, type, bytes = "", changed = "", more = "", path = ""] = parts ?? [];
    const isSettled = Number(changed) < now - limits.settledMs / 1000;
    const mark = `${bytes} ${changed} ${more}`;
    return parts === null
      ? []
      : [{ path, isFile: type === "f", bytes: Number(bytes), mark, isSettled }];
  });
  const isPartial = code !== 0 || isTruncated || !Number.isFinite(now);
  return { token: token.startsWith("t") ? token.slice(1) : null, found, isPartial };
}

/** What is behind the last NUL was cut off. */
function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf(0, at);
    if (end === -1) return parts;
    parts.push(bytes.subarray(at, end));
    at = end + 1;
  }
}

const readScript = `while IFS= read -r -d '' file; do
if [ -f "$file" ] && [ ! -L "$file" ]; then printf f; head -c "$1" -- "$file" | base64 -w 0; [ "\${PIPESTATUS[*]}" = '0 0' ] && printf .; fi
printf '\\0'; done; :`;

/**
 * In the order of the paths; undefined where there is no file any more, null where it could not be read: its mode may
 * forbid it, or the sandbox had no room for one more process. At most `bytesMax` of each.
 */
export async function readFiles(
  sandbox: MountedSandbox,
  paths: readonly string[],
  bytesMax: number,
): Promise<(Buffer | null | undefined)[]> {
  const atOnce = Math.max(1, Math.floor(limits.pieceBytes / bytesMax));
  const read: (Buffer | null | undefined)[] = [];
  for (let at = 0; at < paths.length; at += atOnce) {
    const some = paths.slice(at, at + atOnce);
    const { output } = await runInside(sandbox, {
      text: readScript,
      words: [`${bytesMax}`],
      stdin: Buffer.from(some.map((path) => `${path}\0`).join("")),
      bytesMax: some.length * (bytesMax * 2 + 16),
    });
    const frames = splitAtNul(output);
    if (frames.length !== some.length) throw new InsideError("the files could not be read");
    for (const frame of frames) read.push(contentOf(frame.toString("latin1")));
  }
  return read;
}

function contentOf(frame: string): Buffer | null | undefined {
  if (!frame.startsWith("f")) return undefined;
  // Without its end it may be a part of the file, or nothing of it.
  return frame.endsWith(".") ? Buffer.from(frame.slice(1, -1), "base64") : null;
}

/** In the place of a hash: the file is there, and cannot be read. */
export const unreadable = "unreadable";

// What is said of files that cannot be read would take the room of what is said of others.
const hashScript = `while IFS= read -r -d '' file; do
if [ -f "$file" ] && [ ! -L "$file" ]; then s=$(sha256sum <"$file") && printf %s "\${s%% *}" || printf ${unreadable}; fi
printf '\\0'; done 2>/dev/null; :`;

/** As the sandbox says: empty where there is no file. */
export async function hashFiles(
  sandbox: MountedSandbox,
  paths: readonly string[],
): Promise<string[]> {
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""));
  const bytesMax = paths.length * 65;
  const { output } = await runInside(sandbox, { text: hashScript, words: [], stdin, bytesMax });
  const hashes = splitAtNul(output).map((frame) => frame.toString("latin1"));
  if (hashes.length !== paths.length) throw new InsideError("the files could not be read");
  return hashes;
}

/** As base64: not every shell hands on what is no text. */
const pieceScript = `[ -f "$1" ] && [ ! -L "$1" ] && tail -c "+$2" -- "$1" | head -c "$3" | base64 -w 0`;

/** A file of a known length in pieces: it may become another one between them. */
export async function* readInPieces(
  sandbox: MountedSandbox,
  path: string,
  bytes: number,
): AsyncGenerator<Buffer> {
  const { pieceBytes } = limits;
  for (let at = 0; at < bytes;) {
    const words = [path, `${at + 1}`, `${pieceBytes}`];
    const script = { text: pieceScript, words, bytesMax: 2 * pieceBytes };
    const { output } = await runInside(sandbox, script);
    const piece = Buffer.from(output.toString("latin1"), "base64");
    if (piece.length === 0) throw new InsideError("a file became shorter while it was read");
    at += piece.length;
    yield piece;
  }
}

/** What is to be done with a file where it is as it was seen: nothing is overwritten that came meanwhile. */
export type FileAct = { path: string } & (
  | { act: "put"; expectedSha256: string | null; content: Buffer }
  | { act: "remove"; expectedSha256: string | null }
  /** Moved there, whatever it is. */
  | { act: "aside"; to: string }
);

export type FileActResult = "done" | "changed" | "failed";

/** A file of a mount that is not whole yet; neither side looks at this name. */
export const unfinishedName = ".plinth-unfinished";

const actScript = `root=$1
state() {
  if [ -f "$1" ] && [ ! -L "$1" ]; then s=$(sha256sum <"$1") && s=\${s%% *} || s=other
  elif [ -d "$1" ] && [ ! -L "$1" ]; then find "$1" -type d -empty -delete; [ -e "$1" ] && s=other || s=
  elif [ -e "$1" ] || [ -L "$1" ]; then s=other
  else s=; fi
  return 0
}
act() {
  file=$root$path above=$root\${path%/*}
  if [ "$op" = aside ]; then
    mkdir -p -- "\${data%/*}" && mv -fT -- "$file" "$data" || return 1
    return 0
  fi
  state "$file"; [ "$s" = "$expected" ] || return 2
  if [ "$op" = remove ]; then
    rm -f -- "$file" || return 1
    while [ "$above" != "$root" ] && rmdir -- "$above" 2>/dev/null; do above=\${above%/*}; done
    return 0
  fi
  mkdir -p -- "$above" && [ "$(readlink -f -- "$above")" = "$(readlink -f -- "$root")\${path%/*}" ] || return 1
  new=$root/${unfinishedName}
  printf %s "$data" | base64 -d >"$new" && state "$file" && [ "$s" = "$expected" ] && mv -fT -- "$new" "$file" && return 0
  rm -f -- "$new"; return 1
}
while IFS= read -r -d '' op && IFS= read -r -d '' path && IFS= read -r -d '' expected && IFS= read -r -d '' data; do
  act 2>/dev/null >/dev/null </dev/null; printf %s $?
done; :`;

const results: Readonly<Record<string, FileActResult>> = { 0: "done", 1: "failed", 2: "changed" };

/** In their order, below `root`; one that fails stops no other. */
export async function actOnFiles(
  sandbox: MountedSandbox,
  root: string,
  acts: readonly FileAct[],
): Promise<FileActResult[]> {
  const all: FileActResult[] = [];
  for (const group of grouped(acts.map(frameOf))) {
    const stdin = Buffer.concat(group);
    const bytesMax = group.length;
    const { output } = await runInside(sandbox, {
      text: actScript,
      words: [root],
      stdin,
      bytesMax,
    });
    if (output.length !== group.length) throw new InsideError("the files could not be written");
    for (const sign of output.toString("latin1")) all.push(results[sign] ?? "failed");
  }
  return all;
}

function frameOf(given: FileAct): Buffer {
  const expected = given.act === "aside" ? "" : (given.expectedSha256 ?? "");
  const data =
    given.act === "put" ? given.content.toString("base64") : given.act === "aside" ? given.to : "";
  return Buffer.from([given.act, given.path, expected, data].map((part) => `${part}\0`).join(""));
}

function grouped(frames: readonly Buffer[]): Buffer[][] {
  const groups: Buffer[][] = [];
  let [group, bytes] = [[] as Buffer[], 0];
  for (const frame of frames) {
    if (group.length > 0 && bytes + frame.length > limits.pieceBytes) {
      groups.push(group);
      [group, bytes] = [[], 0];
    }
    bytes += frame.length;
    group.push(frame);
  }
  return group.length === 0 ? groups : [...groups, group];
}
