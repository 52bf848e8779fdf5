// Servers in processes of their own, to be killed by tests.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { until } from "../rules/support.ts";
import type { ServerFacts } from "./server.ts";

export interface SpawnedServer {
  child: ChildProcess;
  url: string;
  /** Its errors. */
  stderr(): string;
}

export async function startServer(facts: ServerFacts): Promise<SpawnedServer> {
  const program = join(import.meta.dirname, "server.ts");
  const env = { ...process.env };
  delete env["NODE_TEST_CONTEXT"];
  const child = spawn(process.execPath, [program, JSON.stringify(facts)], { env });
  let [out, said] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.on("error", () => {});
  const url = await until(() => {
    assert.equal(child.exitCode, null, said);
    return Promise.resolve(out.endsWith("\n") && out.trim());
  }, "a server listens");
  return { child, url, stderr: () => said };
}

export async function killServer({ child }: Pick<SpawnedServer, "child">): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Asks it to end, and waits until it has. */
export async function stopServer({ child, stderr }: SpawnedServer): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  assert.equal(child.exitCode, 0, stderr());
}
