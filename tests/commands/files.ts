// A house with a workshop for the tests of `plinth files`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Terminal } from "../../cli/terminal.ts";
import type { FileMetadata } from "../../contract/types.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf, type Files } from "../rules/files-house.ts";
import { executable, openCommandRunner, type Result, type CommandRunner } from "./plinth.ts";
import { runInProcess } from "./in-process.ts";
import { openScreen, type Screen } from "./screen.ts";

export interface FilesCommands extends AsyncDisposable {
  house: House;
  workshop: CommandRunner;
  env: Record<string, string>;
  api: Files;
  /** `plinth files …` */
  files(...args: string[]): Promise<Result>;
  /** The same with bytes on standard input. */
  piped(input: string | Buffer, ...args: string[]): Promise<Result>;
  /** Writes a file for it and gives its path. */
  file(name: string, content: string | Buffer): string;
  retrieve(id: string): Promise<FileMetadata>;
  /** How many files the workspace has. */
  count(): Promise<number>;
  /** What the server keeps of it, also of what it does not hand out to keys. */
  content(id: string): Promise<Buffer>;
  /** A person's screen. */
  screen(more?: Partial<Terminal>): Screen;
}

export async function openFilesCommands(): Promise<FilesCommands> {
  await using opening = new AsyncDisposableStack();
  const runner = opening.use(openCommandRunner());
  const house = opening.use(await openHouse());
  const { api_key: key, cookie } = house.organizations.platform;
  const env = { PLINTH_API_KEY: key, PLINTH_BASE_URL: house.url };
  const api = filesOf(house);
  const file = (name: string, content: string | Buffer) => {
    const path = join(runner.directory, name);
    writeFileSync(path, content);
    return path;
  };
  const closing = opening.move();
  return {
    house,
    workshop: runner,
    env,
    api,
    file,
    files: (...args) => runInProcess(["files", ...args], env),
    piped: (input, ...args) => {
      // Through a pipe, as nobody knows its length.
      const script = 'file="$1"; shift; cat "$file" | "$0" files "$@"';
      const words = ["-c", script, executable, file("piped", input), ...args];
      return runner.run(words, { command: "sh", env });
    },
    retrieve: async (id) => (await api.call("GET", `/${id}`)).body,
    count: async () => (await api.call("GET", "?limit=1000")).body.data.length,
    content: async (id) => {
      const url = `${house.url}/console/api/files/${id}/content`;
      return Buffer.from(await (await fetch(url, { headers: { cookie } })).arrayBuffer());
    },
    screen: (more) => openScreen(env, more),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
