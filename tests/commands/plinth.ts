// The executable as a user runs it: from another directory, with a clean environment, and never left behind.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestDatabase } from "../postgres.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export const executable = join(import.meta.dirname, "../../plinth");

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  command?: string;
  env?: Record<string, string>;
  cwd?: string;
}

export interface Server {
  url: string;
  port: number;
  pid: number;
  /** Everything it has printed so far. */
  printed(): Result;
  ended: Promise<Result>;
  stop(signal?: NodeJS.Signals): Promise<Result>;
}

export interface CommandRunner extends AsyncDisposable {
  directory: string;
  run(args: string[], options?: RunOptions): Promise<Result>;
  start(args: string[], options?: RunOptions): Promise<Server>;
}

/** Processes and directories of one test file: all of them are gone when it is closed. */
export function openCommandRunner(): CommandRunner {
  const directory = mkdtempSync(join(tmpdir(), "plinth-commands-"));
  // The built-in database of root's server runs under another user, who must get through.
  chmodSync(directory, 0o755);
  const children = new Set<ChildProcess>();

  const launch = (args: string[], { command = executable, env = {}, cwd }: RunOptions = {}) => {
    const { PATH = "", HOME = directory } = process.env;
    const child = spawn(command, args, {
      cwd: cwd ?? directory,
      env: { PATH, HOME, TMPDIR: tmpdir(), PLINTH_LAME_DUCK_SECONDS: "0", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    const result: Result = { code: null, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => (result.stdout += String(text)));
    child.stderr.setEncoding("utf8").on("data", (text) => (result.stderr += String(text)));
    let timer = setTimeout(() => child.kill("SIGKILL"), testTimeoutMs);
    /** A server lives as long as its tests: its end is not waited for before it is told to stop. */
    const wait = (isWaited: boolean) => {
      clearTimeout(timer);
      if (isWaited && children.has(child))
        timer = setTimeout(() => child.kill("SIGKILL"), testTimeoutMs);
    };
    const ended = once(child, "close").then(([code]) => {
      clearTimeout(timer);
      children.delete(child);
      result.code = code as number | null;
      return result;
    });
    return { child, result, ended, wait };
  };

  return {
    directory,
    run: (args, options) => launch(args, options).ended,
    start: async (args, options) => {
      const { child, result, ended, wait } = launch(["start", "--port", "0", ...args], options);
      const heard = () => /^plinth listening on (http:\/\/\S+)$/m.exec(result.stdout)?.[1];
      const printed = new Promise<void>((resolve) => {
        child.stdout?.on("data", () => {
          if (heard() !== undefined && result.stdout.includes("A first request")) resolve();
        });
      });
      await Promise.race([printed, ended]);
      wait(false);
      const url = heard() ?? assert.fail(`it does not listen:\n${result.stdout}${result.stderr}`);
      return {
        url,
        port: Number(new URL(url).port),
        pid: child.pid ?? 0,
        printed: () => result,
        ended,
        stop: (signal = "SIGTERM") => {
          child.kill(signal);
          wait(true);
          return ended;
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      const closed = [...children].map((child) => once(child, "close"));
      for (const child of children) child.kill("SIGTERM");
      const late = setTimeout(() => {
        for (const child of children) child.kill("SIGKILL");
      }, 10_000);
      await Promise.all(closed);
      clearTimeout(late);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** As DATABASE_URL has it. */
export function urlOf({ connection }: TestDatabase): string {
  if (connection.url !== undefined) return connection.url;
  const { user = "", database = "", socketDirectory = "" } = connection;
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(socketDirectory)}`;
}

/** One sentence for a person: no stack, nothing else. */
export function expectRefusal({ code, stderr, stdout }: Result, sentence: RegExp): void {
  assert.ok(code !== 0 && code !== null, `exit code ${code}: ${stdout}`);
  assert.match(stderr, sentence);
  assert.doesNotMatch(stderr, /\n\s+at /, "a stack was printed");
  assert.equal(stdout, "");
  const lines = stderr.trimEnd().split("\n");
  assert.match(lines.at(-1) ?? "", /^plinth: .+[.?]$/);
}

export interface Reply {
  status: number;
  // The tests read replies of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export async function ask(
  url: string,
  path: string,
  { key, body }: { key?: string; body?: unknown } = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    headers: {
      ...(key !== undefined && { "x-api-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
      connection: "close",
    },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

export const tokenIn = (text: string): string =>
  /\/setup#token=(\S+)/.exec(text)?.[1] ?? assert.fail(`no set-up link in ${text}`);

/** What `init --json` prints. */
export interface Made {
  organization_id: string;
  organization_type: string;
  workspace_id: string;
  owner_email: string;
  owner_password: string;
  api_key: string;
  admin_api_key: string;
  oauth_access_token: string;
  setup_url: string;
}

export function madeBy({ code, stdout, stderr }: Result): Made {
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trimEnd().split("\n").length, 1, "more than one line");
  return JSON.parse(stdout) as Made;
}

/** A request with a body that is still on its way. */
export async function slowRequest(port: number) {
  const { connect } = await import("node:net");
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket.setEncoding("utf8").on("data", (text) => (heard += String(text)));
  socket.on("error", () => {});
  const closed = once(socket, "close");
  await once(socket, "connect");
  const body = JSON.stringify({ email: "nobody@slow.example", password: "certainly wrong" });
  const head = [
    "POST /console/api/sign_in HTTP/1.1",
    "host: here",
    "content-type: application/json",
    "expect: 100-continue",
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  // The server has begun to serve it once it asks for the body.
  while (!heard.includes("100 Continue")) await once(socket, "data");
  socket.write(body.slice(0, 10));
  return {
    finish: async () => {
      socket.write(body.slice(10));
      await closed;
      return heard;
    },
  };
}

export const refusesConnections = async (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { headers: { connection: "close" } }).then(
    () => false,
    () => true,
  );
