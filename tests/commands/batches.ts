// A house with a workshop for the tests of `plinth batch`, and files of requests.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHouse, type House } from "../house.ts";
import { until } from "../rules/support.ts";
import { runInProcess } from "./in-process.ts";
import { executable, openCommandRunner, type Result, type CommandRunner } from "./plinth.ts";

export interface BatchCommands extends AsyncDisposable {
  house: House;
  workshop: CommandRunner;
  env: Record<string, string>;
  /** `plinth batch …` */
  batch(...args: string[]): Promise<Result>;
  /** The same with text on standard input. */
  piped(input: string, ...args: string[]): Promise<Result>;
  /** Writes a file for it and gives its path. */
  file(name: string, content: string | Buffer): string;
  /** Submits these lines through the API. */
  make(requests: readonly object[]): Promise<string>;
  retrieve(id: string): Promise<{ processing_status: string; request_counts: Counts }>;
  /** How many batches the workspace has. */
  batches(): Promise<number>;
}

export type Counts = Record<"processing" | "succeeded" | "errored" | "canceled", number>;

export async function openBatchCommands(): Promise<BatchCommands> {
  await using opening = new AsyncDisposableStack();
  const runner = opening.use(openCommandRunner());
  const house = opening.use(await openHouse());
  const { api_key: key } = house.organizations.platform;
  const env = { PLINTH_API_KEY: key, PLINTH_BASE_URL: house.url };
  const ask = async (method: string, path: string, body?: unknown) => {
    // In this version counts are live.
    const headers = { "vendor-version": "2023-06-01" };
    const { status, body: answer } = await house.ask(method, path, { key, headers, body });
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  };
  const file = (name: string, content: string | Buffer) => {
    const path = join(runner.directory, name);
    writeFileSync(path, content);
    return path;
  };
  // What ended last is still being put in order.
  opening.defer(async () => {
    await until(async () => {
      const jobs = await house.world.db.query({ text: "select id from jobs", values: [] });
      return jobs.length === 0;
    }, "the last jobs");
  });
  const closing = opening.move();
  return {
    house,
    workshop: runner,
    env,
    file,
    batch: (...args) => runInProcess(["batch", ...args], env),
    piped: (input, ...args) => {
      // Through a pipe, as nobody knows its length.
      const script = 'file="$1"; shift; cat "$file" | "$0" batch "$@"';
      const words = ["-c", script, executable, file("piped", input), ...args];
      return runner.run(words, { command: "sh", env });
    },
    make: async (requests) => (await ask("POST", "/v1/messages/batches", { requests })).id,
    retrieve: (id) => ask("GET", `/v1/messages/batches/${id}`),
    batches: async () => (await ask("GET", "/v1/messages/batches?limit=1000")).data.length,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** A request that says hello, or what it is told to. */
export const request = (custom_id: string, content = "Hello", more: object = {}) => ({
  custom_id,
  params: params(content, more),
});

export const params = (content = "Hello", more: object = {}) => ({
  model: "sim-small",
  max_tokens: 100,
  messages: [{ role: "user", content }],
  ...more,
});

export const lines = (...requests: readonly object[]) =>
  requests.map((one) => `${JSON.stringify(one)}\n`).join("");

/** Goes on for so many seconds. */
export const slow = (custom_id: string, seconds: number) =>
  request(custom_id, `[[tokens ${seconds * 40}]] [[rate 40]]`, { max_tokens: 4_000 });
