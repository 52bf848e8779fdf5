// The gateways that bench/gateway.ts measures, each a process of its own; what cannot be had is left out.
import { execFile, fork, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Pool } from "undici";
import { freePort } from "../../tests/free-port.ts";

export interface Subject {
  name: string;
  pool: Pool;
  headers: Record<string, string>;
  pid: number;
  /** The postmaster's. */
  postgres?: number;
  /** The middle of a durable insert, in microseconds. */
  insert?(): Promise<number>;
  stop(): Promise<void> | void;
}

const streamsMax = 2_048;

const subjectOf = (url: string, rest: Omit<Subject, "pool">): Subject => ({
  ...rest,
  pool: new Pool(url, { connections: streamsMax }),
});

export function firstMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => reject(new Error(`it ended with ${code}`));
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message as T);
    });
  });
}

export function start(file: string, args: string[], execArgv: string[] = []): ChildProcess {
  const path = resolve(import.meta.dirname, file);
  return fork(path, args, { stdio: ["ignore", "inherit", "ignore", "ipc"], execArgv });
}

/** With which the command of a checkout runs Node.js. */
function flagsOf(root: string): string[] {
  const command = /^exec "\$node" (.*) "\$home\/bin\.ts"/m.exec(
    readFileSync(join(root, "plinth"), "utf8"),
  );
  if (command?.[1] === undefined)
    throw new Error(`${root}/plinth: how it runs Node.js is not seen`);
  return command[1].split(" ");
}

/** The bare relay, or the whole server: of this checkout, or of another one. */
export async function ours(
  name: string,
  upstream: string,
  { flags = [], checkout }: { flags?: string[]; checkout?: string } = {},
): Promise<Subject> {
  const root = checkout ?? resolve(import.meta.dirname, "../..");
  const file = resolve(root, "bench/gateway/subject.ts");
  const child = start(file, [name, upstream], [...flagsOf(root), ...flags]);
  const { url, key, postgres } = await firstMessage<{
    url: string;
    key: string;
    postgres?: number;
  }>(child);
  return subjectOf(url, {
    name,
    headers: { "x-api-key": key },
    pid: child.pid ?? 0,
    ...(postgres !== undefined && { postgres }),
    insert: async () => {
      child.send("insert");
      return firstMessage<number>(child);
    },
    stop: async () => {
      const gone = new Promise<number | null>((resolve) => void child.once("exit", resolve));
      child.send("stop");
      if ((await gone) !== 0) throw new Error(`${name}: it did not end well; its books are wrong?`);
    },
  });
}

async function isListening(pool: Pool): Promise<void> {
  for (let tries = 1; ; tries++) {
    const isThere = await pool.request({ path: "/", method: "GET" }).then(
      async ({ body }) => {
        await body.dump();
        return true;
      },
      () => false,
    );
    if (isThere) return;
    if (tries === 100) throw new Error("it does not listen");
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}

const nginxConfig = (directory: string, port: number, upstream: string) => `
daemon off; master_process off; pid ${directory}/pid; error_log /dev/null;
events { worker_connections 8192; }
http {
  access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/f; uwsgi_temp_path ${directory}/u; scgi_temp_path ${directory}/s;
  client_max_body_size 32m; client_body_buffer_size 1m; keepalive_requests 1000000000;
  upstream there { server ${upstream.slice("http://".length)}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { proxy_pass http://there; proxy_http_version 1.1; proxy_set_header connection ""; proxy_buffering off; }
  }
}`;

export async function nginx(upstream: string): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), "plinth-bench-nginx-"));
  const port = await freePort();
  writeFileSync(join(directory, "conf"), nginxConfig(directory, port, upstream));
  const child = spawn("nginx", ["-p", directory, "-c", join(directory, "conf")], {
    stdio: "ignore",
  });
  return peer("nginx", port, child, {}, () => rmSync(directory, { recursive: true, force: true }));
}

/** From npm, in a folder of its own, without its install scripts: nothing of it comes near this project. */
export async function portkey(upstream: string): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), "plinth-bench-portkey-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const what = ["install", "--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund"];
    await promisify(execFile)("npm", [...what, "@portkey-ai/gateway@1.15.2"], { timeout: 120_000 });
  } catch (error) {
    remove();
    throw error;
  }
  const port = await freePort();
  const main = join(directory, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const args = [main, `--port=${port}`, "--headless"];
  const child = spawn(process.execPath, args, { stdio: "ignore", cwd: directory });
  const headers = {
    "x-portkey-provider": "anthropic",
    "x-portkey-custom-host": `${upstream}/v1`,
    "x-api-key": "secret",
    "anthropic-version": "2023-06-01",
  };
  return peer("portkey", port, child, headers, remove);
}

async function peer(
  name: string,
  port: number,
  child: ChildProcess,
  headers: Record<string, string>,
  remove: () => void,
): Promise<Subject> {
  const failed = new Promise<never>((_, reject) => void child.once("error", reject));
  const subject = subjectOf(`http://127.0.0.1:${port}`, {
    name,
    headers,
    pid: child.pid ?? 0,
    stop: () => {
      child.kill("SIGKILL");
      remove();
    },
  });
  await Promise.race([isListening(subject.pool), failed]).catch(async (error: unknown) => {
    await subject.stop();
    throw error;
  });
  return subject;
}

/** CPU of one process, all its threads, in microseconds: the scheduler's own count. */
export function cpuUs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + ranNs(`/proc/${pid}/task/${task}/schedstat`), 0) / 1000;
}

function ranNs(path: string): number {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[0]);
  } catch {
    return 0; // a thread that has just ended
  }
}

/** CPU of the database: the postmaster and every process of it that lives. */
export function postgresUs(postmaster: number): number {
  const path = `/proc/${postmaster}/task/${postmaster}/children`;
  const children = readFileSync(path, "utf8").trim().split(" ").map(Number);
  return [postmaster, ...children].reduce((sum, pid) => {
    try {
      return sum + cpuUs(pid);
    } catch {
      return sum;
    }
  }, 0);
}

export function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return (pages * 4096) / 1e6;
}
