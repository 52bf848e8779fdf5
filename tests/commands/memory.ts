// A house with a workshop for the tests of `plinth memory`: stores, files, editors and screens.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Terminal } from "../../cli/terminal.ts";
import type { Memory, MemoryVersion } from "../../contract/types.ts";
import { openHouse, type House } from "../house.ts";
import { executable, openCommandRunner, type Result, type CommandRunner } from "./plinth.ts";
import { runInProcess } from "./in-process.ts";
import { openScreen } from "./screen.ts";

export interface MemoryCommands extends AsyncDisposable {
  house: House;
  workshop: CommandRunner;
  env: Record<string, string>;
  /** `plinth memory …`, with variables in front where there are some. */
  memory(...args: string[]): Promise<Result>;
  withEnv(env: Record<string, string>, ...args: string[]): Promise<Result>;
  /** With bytes on standard input. */
  piped(input: string | Buffer, ...args: string[]): Promise<Result>;
  /** Writes a file, and the folders above it, and gives its path. */
  file(name: string, content: string | Buffer): string;
  /** Makes a store with a name of its own, and gives that. */
  store(texts?: Record<string, string>): Promise<string>;
  write(store: string, path: string, content: string): Promise<Memory>;
  read(store: string, path: string): Promise<Memory | undefined>;
  /** Newest first. */
  versions(store: string, path?: string): Promise<MemoryVersion[]>;
  /** A person's screen, and what it shows once the command has ended. */
  onScreen(act: (terminal: Terminal) => Promise<void>, more?: Partial<Terminal>): Promise<string>;
}

export async function openMemoryCommands(): Promise<MemoryCommands> {
  await using opening = new AsyncDisposableStack();
  const runner = opening.use(openCommandRunner());
  const house = opening.use(await openHouse());
  const { api_key: key } = house.organizations.platform;
  const env = { PLINTH_API_KEY: key, PLINTH_BASE_URL: house.url };
  const headers = { "vendor-beta": "agent-memory-2026-07-22" };
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await house.ask(method, `/v1/memory_stores${path}`, { key, headers, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const file = (name: string, content: string | Buffer) => {
    const path = join(runner.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  const ids = new Map<string, string>();
  const read = async (store: string, path: string): Promise<Memory | undefined> => {
    const { data } = await ask("GET", `/${ids.get(store)}/memories?view=full`);
    return (data as Memory[]).find((one) => one.path === path);
  };
  const write = async (store: string, path: string, content: string): Promise<Memory> => {
    const there = await read(store, path);
    const at = `/${ids.get(store)}/memories`;
    return there === undefined
      ? ask("POST", at, { path, content })
      : ask("POST", `${at}/${there.id}`, { content });
  };
  const closing = opening.move();
  return {
    house,
    workshop: runner,
    env,
    file,
    read,
    write,
    memory: (...args) => runInProcess(["memory", ...args], env),
    withEnv: (more, ...args) => runInProcess(["memory", ...args], { ...env, ...more }),
    piped: (input, ...args) => {
      const script = 'file="$1"; shift; cat "$file" | "$0" memory "$@"';
      const words = ["-c", script, executable, file("piped", input), ...args];
      return runner.run(words, { command: "sh", env });
    },
    store: async (texts = {}) => {
      const name = `store ${ids.size + 1}`;
      ids.set(name, (await ask("POST", "", { name })).id);
      for (const [path, content] of Object.entries(texts)) await write(name, path, content);
      return name;
    },
    versions: async (store, path) => {
      const { data } = await ask("GET", `/${ids.get(store)}/memory_versions?view=full`);
      return (data as MemoryVersion[]).filter((one) => path === undefined || one.path === path);
    },
    onScreen: async (act, more = {}) => {
      const screen = openScreen(env, more);
      await act(screen.terminal);
      return screen.text();
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** One sentence on standard error, this exit code, and nothing that could be taken for a result. */
export function expectSentence(result: Result, code: number, sentence: RegExp): void {
  assert.equal(result.code, code, result.stderr);
  assert.match(result.stderr, sentence);
  assert.match(result.stderr, /(^|\n)(plinth|error): [^\n]+\n(\(plinth --help [^\n]+\n)?$/);
  assert.equal(result.stdout, "");
}
