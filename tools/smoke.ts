// The README's first step on an empty directory: `npm start`, a request, a clean end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectNode, finish, progress, root, toolEnv } from "./run.ts";

expectNode();

const startSecondsMax = 60;
const stopSecondsMax = 30;

interface Listening {
  url: string;
  seconds: number;
}

const data = mkdtempSync(join(tmpdir(), "plinth-smoke-"));
// A group of its own, so that nothing is left behind when the start fails half-way.
const npm = spawn("npm", ["start", "--silent", "--", "--port", "0", "--data-dir", data], {
  cwd: root,
  env: toolEnv({ DATABASE_URL: undefined }),
  stdio: ["ignore", "pipe", "pipe"],
  detached: true,
});
const exited = once(npm, "exit") as Promise<[number | null, string | null]>;
let printed = "";
const outcomes: boolean[] = [];

try {
  const { url, seconds } = await listening();
  note(true, `npm start listens on ${url}`, seconds);
  await expectHealth(url);
  await expectFirstRequest();
  await expectCleanEnd();
} catch (error) {
  note(false, error instanceof Error ? error.message : String(error), 0);
  process.stdout.write(`${printed}\n`);
} finally {
  try {
    if (npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
  } catch {
    // Gone already, as it should be.
  }
  rmSync(data, { recursive: true, force: true });
}
finish({
  passed: outcomes.filter(Boolean).length,
  failed: outcomes.filter((ok) => !ok).length,
  skipped: 0,
});

function note(ok: boolean, what: string, seconds: number): void {
  outcomes.push(ok);
  progress(ok, what, seconds);
}

function listening(): Promise<Listening> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`npm start did not listen within ${startSecondsMax} s`)),
      startSecondsMax * 1000,
    );
    const look = (chunk: Buffer) => {
      printed += chunk.toString();
      const url = /^plinth listening on (http:\/\/\S+)/m.exec(printed)?.[1];
      // The request to paste is the last thing that is printed.
      if (url === undefined || !/^ {2}curl .+\n/m.test(printed)) return;
      clearTimeout(timer);
      resolve({ url, seconds: (performance.now() - started) / 1000 });
    };
    npm.stdout.on("data", look);
    npm.stderr.on("data", look);
    npm.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`npm start ended with ${code} before it listened`));
    });
  });
}

async function expectHealth(url: string): Promise<void> {
  const { status } = await fetch(`${url}/healthz`);
  note(status === 200, `GET /healthz answers ${status}`, 0);
}

/** What was printed to paste, pasted. */
async function expectFirstRequest(): Promise<void> {
  const started = performance.now();
  const command = /^ {2}(curl .+)$/m.exec(printed)?.[1] ?? "";
  const shell = spawn("sh", ["-c", `${command} -sS`], { stdio: ["ignore", "pipe", "inherit"] });
  let answer = "";
  shell.stdout.on("data", (text) => (answer += String(text)));
  await once(shell, "close");
  const ok = answer.includes('"type":"message"');
  note(
    ok,
    `the first request ${ok ? "is answered" : `gets ${answer.slice(0, 200)}`}`,
    (performance.now() - started) / 1000,
  );
}

/** The server's own process: what a supervisor would signal. */
async function expectCleanEnd(): Promise<void> {
  const started = performance.now();
  const { pid } = JSON.parse(readFileSync(join(data, "server.json"), "utf8")) as { pid: number };
  process.kill(pid, "SIGTERM");
  const late = new Promise<["late"]>((resolve) =>
    setTimeout(() => resolve(["late"]), stopSecondsMax * 1000).unref(),
  );
  const [code] = await Promise.race([exited, late]);
  note(code === 0, `SIGTERM ends it with ${code}`, (performance.now() - started) / 1000);
}
