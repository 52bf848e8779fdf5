// What tests of mounts share: a session with stores, and a sandbox that is a directory of this machine.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import assert from "node:assert/strict";
import type { World } from "../../kernel/context.ts";
import { loadSessions } from "../../server/sessions/model/queries.ts";
import type { MountedSandbox } from "../../server/sessions/sandbox/mounts/inside.ts";
import {
  type Mounts,
  openMounts,
  prepareMounts,
  syncMounts,
} from "../../server/sessions/sandbox/mounts/mounts.ts";
import { foldersOf } from "../../server/sessions/sandbox/mounts/places.ts";
import type { WorkedSession } from "../../server/sessions/model/queries.ts";

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
  const run = async (words: readonly string[], stdin: Uint8Array = Buffer.alloc(0)) => {
    const [program = "", ...args] = words;
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.on("error", () => {});
    child.stdin.end(Buffer.from(inside(Buffer.from(stdin).toString("latin1")), "latin1"));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const output = (await buffer(child.stdout)).toString("latin1").replaceAll(root, "");
    return { code: await ended, output: Buffer.from(output, "latin1") };
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
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
  return sandbox;
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
