// A house for the tests of commands about agents, environments, sessions and skills: its key, files, screens.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Terminal } from "../../cli/terminal.ts";
import { openHouse, type Answer, type House, type HouseOptions } from "../house.ts";
import { runInProcess } from "./in-process.ts";
import { executable, openCommandRunner, type Result } from "./plinth.ts";
import { openScreen, type Screen } from "./screen.ts";

export interface WorkspaceCommands extends AsyncDisposable {
  house: House;
  directory: string;
  /** What a process of its own needs to know. */
  env: Record<string, string>;
  /** The command with words behind it. */
  run(...args: string[]): Promise<Result>;
  /** What one that succeeds writes to standard output. */
  said(...args: string[]): Promise<string>;
  /** The same with `--json`. */
  parsed(...args: string[]): Promise<Answer["body"]>;
  /** With a text on standard input, as a process of its own. */
  piped(input: string, ...args: string[]): Promise<Result>;
  /** Writes a file, and the folders above it, and gives its path. */
  file(name: string, content: string | Buffer): string;
  /** Asks the API itself, about what the command is of. */
  api(method: string, path: string, body?: unknown): Promise<Answer["body"]>;
  /** The same about anything: `/v1/agents`. */
  ask(method: string, path: string, body?: unknown): Promise<Answer["body"]>;
  /** A person's screen. */
  screen(more?: Partial<Terminal>): Screen;
}

export async function openWorkspaceCommands(
  command: string,
  options: HouseOptions = {},
): Promise<WorkspaceCommands> {
  await using opening = new AsyncDisposableStack();
  const runner = opening.use(openCommandRunner());
  const house = opening.use(await openHouse(options));
  const { api_key: key } = house.organizations.platform;
  const env = { PLINTH_API_KEY: key, PLINTH_BASE_URL: house.url };
  const run = (...args: string[]) => runInProcess([command, ...args], env);
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = {
      "vendor-beta": "managed-agents-2026-04-01",
      "vendor-version": "2026-10-21",
    };
    const reply = await house.ask(method, path, { key, headers, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const file = (name: string, content: string | Buffer) => {
    const path = join(runner.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  const closing = opening.move();
  return {
    house,
    env,
    directory: runner.directory,
    run,
    said,
    parsed: async (...args) => JSON.parse(await said(...args, "--json")),
    piped: (input, ...args) => {
      const script = 'file="$1"; shift; cat "$file" | "$0" "$@"';
      const words = ["-c", script, executable, file("piped", input), command, ...args];
      return runner.run(words, { command: "sh", env });
    },
    file,
    api: (method, path, body) => ask(method, `/v1/${command}${path}`, body),
    ask,
    screen: (more) => openScreen(env, more),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
