// The repositories of a session, cloned into its workspace before the first call: fetched in a sandbox of their own,
// and brought over as an archive that only the sandbox of the session unpacks.
import type { World } from "../../../../kernel/context.ts";
import { bareShell, InsideError, type MountedSandbox, type Notes } from "../../../mounts/module.ts";
import { hostIdOf, SandboxError, sandboxSettingsOf } from "../../../sandboxes/module.ts";
import { openNetworkTo } from "../../network/network.ts";
import { secretOf } from "../../resources/service.ts";
import { clone, packedPath, RepositoryError, type RepositoryFault } from "./git.ts";
import { limits } from "./limits.ts";
import { listMissing, setCloned, type RepositoryRow } from "./queries.ts";
import type { SeparateSandbox, WorkApart } from "./separate.ts";
import { beginningOf } from "./words.ts";

/** What failed, by the resource, so that it is not tried again with each call; another token is tried at once. */
export interface RepositoriesState {
  failed: Map<string, { secret: string | null; atMs: number }>;
  /** Told of as events, when the call that met them ends. */
  faults: RepositoryFaultTold[];
  isDone: boolean;
}

export interface RepositoryFaultTold {
  fault: RepositoryFault;
  url: string;
  message: string;
}

export const newRepositories = (): RepositoriesState => ({
  failed: new Map(),
  faults: [],
  isDone: false,
});

export interface RepositoriesWork {
  world: World;
  session: { id: string };
  sandbox: MountedSandbox;
  apart: WorkApart;
  notes: Notes;
}

/** Repositories are named when a session begins: once they are there, no call asks for them again. */
export async function cloneRepositories(
  work: RepositoriesWork,
  state: RepositoriesState,
  signal: AbortSignal,
): Promise<void> {
  const { world, session } = work;
  if (state.isDone) return;
  const hostId = hostIdOf(world);
  const missing = await listMissing(world.db, session.id, hostId);
  state.isDone = missing.length === 0;
  for (const repository of missing) {
    const { id, secret } = repository;
    const nowMs = world.clock.monotonicMs();
    const failed = state.failed.get(id);
    const isToWait = failed?.secret === secret && nowMs - failed.atMs < limits.againMs;
    if (failed !== undefined && isToWait) continue;
    // Without room for another sandbox it is tried with a later call.
    if (!work.apart.room.take()) return;
    if (await cloneOne(work, state, repository, signal)) {
      state.failed.delete(id);
      await setCloned(world.db, { sessionId: session.id, id, hostId });
    } else state.failed.set(id, { secret, atMs: world.clock.monotonicMs() });
  }
}

/** False where it failed, which is told. */
async function cloneOne(
  work: RepositoriesWork,
  state: RepositoriesState,
  repository: RepositoryRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { notes } = work;
  const { url, mount_path: place } = repository.shown;
  try {
    if (await isThere(work.sandbox, place)) return true;
    await bringOver(work, repository, signal);
    notes.settle(repository.id);
    return true;
  } catch (error) {
    const isKnown = error instanceof RepositoryError || error instanceof SandboxError;
    if (!isKnown) throw error;
    const { message } = error;
    const fault = error instanceof RepositoryError ? error.fault : "clone";
    const text = `${beginningOf(repository.shown)}${message}`;
    const isNew = notes.tell({ kind: "file", storeId: null, text }, repository.id, message);
    if (isNew) state.faults.push({ fault, url, message: text });
    return false;
  }
}

async function bringOver(
  { world, sandbox, apart }: RepositoriesWork,
  { id, shown, secret }: RepositoryRow,
  signal: AbortSignal,
): Promise<void> {
  const { url, checkout, mount_path: place } = shown;
  const { repositoryBytesMax: bytesMax, cloneMs: timeoutMs } = sandboxSettingsOf(world);
  const token = secret === null ? null : world.secrets.decrypt(secret, secretOf(id)).toString();
  let refused: string | undefined;
  const network = openNetworkTo(world, url, (why) => (refused ??= why));
  await apart.run(network, async (fetched) => {
    const cloning = { url, token, checkout, bytesMax, timeoutMs, signal };
    const bytes = await clone(fetched, cloning).catch((error: unknown) => {
      throw refused === undefined ? error : new RepositoryError("clone", refused);
    });
    const words = [place];
    await expectDone(sandbox, { script: beginScript, words, signal });
    for (let at = 0; at < bytes; at += limits.pieceBytes) {
      const stdin = await readPiece(fetched, at, signal);
      await expectDone(sandbox, {
        script: "cat >>/workspace/.plinth-repository.tar",
        words,
        stdin,
        signal,
      });
    }
    await expectDone(sandbox, { script: unpackScript, words, signal });
  });
}

/** By the rights of the agent, to whom all of it belongs. */
const beginScript = `case $1 in /workspace/*) ;; *) echo 'A repository lies below /workspace: give it another mount_path.' >&2; exit 1 ;; esac
if [ -L "$1" ] || { [ -e "$1" ] && ! rmdir -- "$1" 2>/dev/null; }; then echo 'Something else stands there.' >&2; exit 1; fi
rm -rf /workspace/.plinth-repository /workspace/.plinth-repository.tar`;
const unpackScript = `cd /workspace && mkdir .plinth-repository && tar -C .plinth-repository --no-same-owner -xf .plinth-repository.tar &&
rm -f .plinth-repository.tar && mkdir -p -- "\${1%/*}" && mv -T -- .plinth-repository "$1" && exit 0
rm -rf .plinth-repository .plinth-repository.tar; exit 1`;

/** Also where the process died that had just put it there. */
const isThere = async (sandbox: MountedSandbox, place: string): Promise<boolean> =>
  (await run(sandbox, { script: '[ -d "$1/.git" ]', words: [place] })).code === 0;

async function readPiece(
  { exec, sessionId }: SeparateSandbox,
  from: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const { output } = await exec(sessionId, {
    command: [
      "/bin/sh",
      "-c",
      'tail -c "+$1" "$2" | head -c "$3"',
      "piece",
      `${from + 1}`,
      packedPath,
      `${limits.pieceBytes}`,
    ],
    timeoutMs: limits.unpackMs,
    bytesMax: limits.pieceBytes,
    isErrorApart: true,
    signal,
  });
  signal.throwIfAborted();
  return output;
}

interface Asked {
  script: string;
  words: readonly string[];
  stdin?: Buffer;
  signal?: AbortSignal;
}

async function expectDone(sandbox: MountedSandbox, asked: Asked): Promise<void> {
  const { code, errors } = await run(sandbox, asked);
  asked.signal?.throwIfAborted();
  if (code === 0) return;
  if (code === null) throw new InsideError("the sandbox could not take a repository");
  const said = errors.toString("utf8").trim().slice(-limits.saidCharactersMax).toWellFormed();
  throw new RepositoryError("clone", said || "it could not be unpacked.");
}

const run = (sandbox: MountedSandbox, { script, words, stdin, signal }: Asked) =>
  sandbox.exec({
    command: [...bareShell, script, "repository", ...words],
    timeoutMs: limits.unpackMs,
    bytesMax: limits.saidBytesMax,
    isErrorApart: true,
    isInternal: true,
    ...(stdin !== undefined && { stdin }),
    ...(signal !== undefined && { signal }),
  });
