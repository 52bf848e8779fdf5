// What tests of mounts share: a session with stores, and a sandbox that is a directory of this machine.
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import assert from "node:assert/strict";
import type { World } from "../../kernel/context.ts";
import { loadSessions } from "../../server/sessions/model/queries.ts";
import type { MountedSandbox } from "../../server/mounts/module.ts";
import {
  type Mounts,
  openMounts,
  prepareMounts,
  syncMounts,
} from "../../server/sessions/sandbox/mounts/mounts.ts";
import { foldersOf } from "../../server/sessions/sandbox/mounts/places.ts";
import type { WorkedSession } from "../../server/sessions/model/queries.ts";
import type { House } from "../house.ts";
import { type Memory, memoryOf, type Page, type Store, type Version } from "./memory-house.ts";
import { sessionsOf } from "./sessions-house.ts";

export interface DirectorySandbox extends MountedSandbox, Disposable {
  /** Where a path of the sandbox lies. */
  at(path: string): string;
  /** What a line of shell writes, its paths below `/mnt` and `/workspace` meant inside. */
  say(line: string): Promise<string>;
  /** What each call of the server was for. */
  calls: number;
}

/** It holds nobody back: what is read-only is so by agreement. */
export function directorySandbox(): DirectorySandbox {
  const root = mkdtempSync(join(tmpdir(), "plinth-mounts-"));
  for (const folder of ["mnt/memory", "workspace"])
    mkdirSync(join(root, folder), { recursive: true });
  const inside = (text: string) =>
    text.replaceAll(/(?<![\w./+-])\/(mnt|workspace)\b/g, `${root}/$1`);
  const shell = openShell();
  const run = async (words: readonly string[], stdin: Uint8Array = Buffer.alloc(0)) => {
    const input = Buffer.from(inside(Buffer.from(stdin).toString("latin1")), "latin1");
    const { code, output } = await shell.run(words, input);
    return { code, output: Buffer.from(output.toString("latin1").replaceAll(root, ""), "latin1") };
  };
  const sandbox: DirectorySandbox = {
    calls: 0,
    at: (path) => join(root, path),
    say: async (line) => (await run(["/bin/bash", "-c", inside(line)])).output.toString(),
    async exec({ command, stdin, bytesMax }) {
      sandbox.calls += 1;
      assert.ok(typeof command !== "string");
      // The script itself names no path of the sandbox.
      const { code, output } = await run(command.map(inside), stdin);
      const isTruncated = output.length > bytesMax;
      const rest = { errors: Buffer.alloc(0), isTimedOut: false, isAborted: false };
      return {
        code,
        output: output.subarray(0, bytesMax),
        isTruncated,
        isRestarted: false,
        ...rest,
      };
    },
    async fill(folder, { isWhole = false, removed = [], files = [] }) {
      const place = join(root, folder);
      if (isWhole) await rm(place, { recursive: true, force: true });
      await mkdir(place, { recursive: true });
      for (const path of removed) await rm(join(place, path), { force: true });
      for (const { path, content, isExecutable = false } of files) {
        await mkdir(dirname(join(place, path)), { recursive: true });
        await writeFile(join(place, path), content);
        await chmod(join(place, path), isExecutable ? 0o755 : 0o644);
      }
    },
    [Symbol.dispose]: () => {
      shell[Symbol.dispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return sandbox;
}

interface Shell extends Disposable {
  run(words: readonly string[], stdin: Uint8Array): Promise<{ code: number; output: Buffer }>;
}

/**
 * Starts programs, several at a time. This process starts only the shell: it is large, and for it to fork takes 20 ms,
 * which was most of what a test of mounts took.
 */
function openShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), "plinth-shell-"));
  const ends = new EventEmitter().setMaxListeners(0);
  const line =
    'while read -r id; do (. "$1/$id.sh" <"$1/$id.in" >"$1/$id.out"; echo "$id $?") & done';
  const child = spawn("/bin/bash", ["-c", line, "shell", folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  createInterface(child.stdout).on("line", (text) => {
    const [id = "", code] = text.split(" ");
    ends.emit(id, Number(code));
  });
  let count = 0;
  return {
    run: async (words, stdin) => {
      const id = String(count++);
      const file = (kind: string) => join(folder, `${id}.${kind}`);
      const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
      await Promise.all([writeFile(file("sh"), quoted), writeFile(file("in"), stdin)]);
      const ended = once(ends, id) as Promise<[number]>;
      child.stdin.write(`${id}\n`);
      const [code] = await ended;
      return { code, output: await readFile(file("out")) };
    },
    [Symbol.dispose]: () => {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface MountedTest extends Disposable {
  session: WorkedSession;
  sandbox: DirectorySandbox;
  mounts: Mounts;
  prepare(): Promise<void>;
  /** A call of a tool: made ready, run, taken in; what the agent is told. */
  call(line: string): Promise<string[]>;
  say(line: string): Promise<string>;
}

export async function workedSession(world: World, id: string): Promise<WorkedSession> {
  const [session] = await loadSessions(world.db, [id]);
  assert.ok(session !== undefined);
  return session;
}

export async function mountsOf(
  world: World,
  id: string,
  sandbox: DirectorySandbox = directorySandbox(),
): Promise<MountedTest> {
  const session = await workedSession(world, id);
  for (const { path } of foldersOf(session)) await mkdir(sandbox.at(path), { recursive: true });
  const mounts = openMounts(world, session, sandbox);
  const prepare = () => prepareMounts(mounts, new AbortController().signal);
  return {
    session,
    sandbox,
    mounts,
    prepare,
    say: (line) => sandbox.say(line),
    async call(line) {
      await prepare();
      await sandbox.say(line);
      return (await syncMounts(mounts)).notes;
    },
    [Symbol.dispose]: () => sandbox[Symbol.dispose](),
  };
}

/** Stores and what is in them, and sessions that have some. */
export function storesOfTests(house: () => House) {
  const memory = memoryOf(house);
  const it = sessionsOf(house);
  return {
    makeStore: (name: string) => memory.good<Store>("POST", "", { body: { name } }),
    add: (store: Store, path: string, content: string) =>
      memory.good<Memory>("POST", `/${store.id}/memories`, { body: { path, content } }),
    change: (store: Store, { id }: Memory, content: string) =>
      memory.good<Memory>("POST", `/${store.id}/memories/${id}`, { body: { content } }),
    remove: (store: Store, { id }: Memory) => memory.good("DELETE", `/${store.id}/memories/${id}`),
    async texts(store: Store): Promise<Record<string, string | null>> {
      const { data } = await memory.good<Page<Memory>>("GET", `/${store.id}/memories?view=full`);
      return Object.fromEntries(data.map(({ path, content }) => [path, content]));
    },
    versions: async (store: Store): Promise<Version[]> =>
      (await memory.good<Page<Version>>("GET", `/${store.id}/memory_versions`)).data,
    async sessionWith(...resources: object[]): Promise<string> {
      const { id } = await it.agent();
      const environment = await it.environment("cloud");
      return (await it.begin({ agent: id, environment_id: environment.id, resources })).id;
    },
  };
}

/** For `resources` of a session. */
export const given = ({ id }: Store, more: object = {}) => ({
  type: "memory_store",
  memory_store_id: id,
  ...more,
});

/** Each file with what it holds. */
export const listing =
  'cd /mnt/memory && find . -type f | sort | while read f; do echo "$f $(cat "$f")"; done';
