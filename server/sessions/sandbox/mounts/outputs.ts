// What tools write for others: each file becomes one that clients can download.
import { posix } from "node:path";
import { isFailure } from "../../../../kernel/base/failure.ts";
import { listToolFiles, storeToolFile } from "../../../files/module.ts";
import {
  type Found,
  hashFiles,
  InsideError,
  readInPieces,
  unreadable,
} from "../../../mounts/module.ts";
import { limits } from "./limits.ts";
import { outputsPlace } from "./places.ts";
import type { MountWork } from "./work.ts";
import { createHash } from "node:crypto";

export interface OutputsState {
  /** By path, as each was when it was taken or refused. */
  seen: Map<string, string>;
  /** Names with the hashes of what they were; undefined before they are read. */
  known: Set<string> | undefined;
}

export async function takeOutputs(
  work: MountWork,
  organizationId: string,
  { state, found }: { state: OutputsState; found: readonly Found[] },
): Promise<void> {
  const { world, session, sandbox } = work;
  const changed = found.filter(
    ({ path, isFile, mark }) =>
      isFile && path.startsWith(`${outputsPlace}/`) && state.seen.get(path) !== mark,
  );
  if (changed.length === 0) return;
  const { workspaceId } = session;
  state.known ??= new Set((await listToolFiles(world.db, workspaceId, session.id)).map(nameOf));
  const fitting = changed.filter((file) => fits(work, state, file));
  for (let at = 0; at < fitting.length; at += hashedAtOnce) {
    const some = fitting.slice(at, at + hashedAtOnce);
    const hashes = await hashFiles(sandbox, some.map(({ path }) => path)); // prettier-ignore
    for (const [index, file] of some.entries())
      await takeOne(work, organizationId, { state, file, sha256: hashes[index] ?? "" });
  }
}

const hashedAtOnce = 100;

const nameOf = ({ filename, sha256 }: { filename: string; sha256: string | null }) =>
  `${sha256} ${filename}`;

function fits({ notes }: MountWork, { seen, known }: OutputsState, file: Found): boolean {
  const { path, bytes, mark } = file;
  const problem = path.includes("\ufffd")
    ? "has a name that is not UTF-8"
    : bytes > limits.outputBytesMax
      ? `has more than ${limits.outputBytesMax} bytes`
      : (known?.size ?? 0) >= limits.outputsMax
        ? `would be one more than the ${limits.outputsMax} files that a session may write`
        : undefined;
  if (problem === undefined) return true;
  seen.set(path, mark);
  const text = `${path} ${problem}, and cannot be downloaded.`;
  notes.tell({ kind: "output", storeId: null, text }, path, problem);
  return false;
}

async function takeOne(
  { world, session, sandbox, notes }: MountWork,
  organizationId: string,
  { state, file, sha256 }: { state: OutputsState; file: Found; sha256: string },
): Promise<void> {
  const { path, bytes, mark } = file;
  const filename = posix.basename(path);
  const name = nameOf({ filename, sha256 });
  if (sha256 === "") return;
  if (sha256 === unreadable) {
    state.seen.set(path, mark);
    const text = `${path} could not be read, and cannot be downloaded: look at its mode with ls -l.`;
    return void notes.tell({ kind: "output", storeId: null, text }, path, unreadable);
  }
  if (state.known?.has(name) === true) return void state.seen.set(path, mark);
  const hash = createHash("sha256");
  async function* content(): AsyncGenerator<Buffer> {
    for await (const piece of readInPieces(sandbox, path, bytes)) {
      hash.update(piece);
      yield piece;
    }
    if (hash.digest("hex") !== sha256) throw new InsideError("a file changed while it was read");
  }
  const made = { sessionId: session.id, workspaceId: session.workspaceId, organizationId };
  try {
    await storeToolFile(world, { ...made, filename, mimeType: "", content: content() });
    state.seen.set(path, mark);
    state.known?.add(name);
    notes.settle(path);
  } catch (error) {
    // It is taken with the next call, when it may be whole.
    if (error instanceof InsideError) return;
    if (!isFailure(error)) throw error;
    const text = `${path} cannot be downloaded: ${error.message}`;
    notes.tell({ kind: "output", storeId: null, text }, path, error.message);
  }
}
