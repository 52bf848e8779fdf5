// A fresh server for clients: `./plinth start` with a data directory of its own.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run.ts";

const startSecondsMax = 120;

export interface ClientServer extends AsyncDisposable {
  url: string;
  key: string;
}

/** The environment says nothing of this server but what is given here. */
function serverEnv(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(PLINTH_|DATABASE_URL)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

export async function startServer(
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ClientServer> {
  const data = mkdtempSync(join(directory, "data-"));
  // Started as root, its Postgres runs as another account, which must be able to enter.
  chmodSync(data, 0o711);
  const args = ["start", "--port", "0", "--data-dir", data];
  const child = spawn(join(root, "plinth"), args, {
    cwd: data,
    env: serverEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await printed(child, /^plinth listening on (http:\/\/\S+)[^]*^ {2}curl .+\n/m);
  return {
    url,
    key: readFileSync(join(data, "first-key"), "utf8").trim(),
    [Symbol.asyncDispose]: async () => {
      await stop(child);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Waits for a line and gives what its first group holds; a program that ends before it has failed with its output. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}\n${text.slice(-4000)}`));
    const late = () => fail(`${child.spawnfile} said nothing of use within ${startSecondsMax} s`);
    const timer = setTimeout(late, startSecondsMax * 1000);
    const look = (chunk: Buffer) => {
      text += chunk.toString();
      const found = pattern.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("exit", (code) => {
      clearTimeout(timer);
      fail(`${child.spawnfile} ended with ${code}`);
    });
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
