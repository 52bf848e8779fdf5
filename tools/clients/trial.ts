// Runs the program of each client against a fresh server, and says how each flow went.
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { bin, progress, root } from "../run.ts";
import type { ClientResult } from "./document.ts";
import { isClosed, deadProxies } from "./network.ts";
import { isInstalled, putPrograms } from "./install.ts";
import { openRecorder } from "./recorder.ts";
import { recordingOf, writeRecording } from "./recording.ts";
import { printed, startServer, stop, type ClientServer } from "./server.ts";
import { isRecorded, type Client } from "./client-list.ts";

const programSecondsMax = 900;

interface FlowResult {
  flow: string;
  ok: boolean;
  seconds: number;
  error?: string;
}

export async function tryClients(
  directory: string,
  chosen: readonly Client[],
  { record }: { record: boolean },
): Promise<ClientResult[]> {
  const tried: ClientResult[] = [];
  await using stack = new AsyncDisposableStack();
  let shared: ClientServer | undefined;
  for (const client of chosen) {
    if (!isInstalled(directory, client)) {
      tried.push({ client, flows: [], missing: "not available" });
      continue;
    }
    process.stdout.write(`\n== ${client.id}\n`);
    // Those without an upstream of their own share one server, which its simulated models answer for.
    if (client.upstream === undefined) shared ??= stack.use(await startServer(directory));
    try {
      tried.push({ client, flows: await tryOne(directory, client, shared, record) });
    } catch (error) {
      process.stdout.write(`${String(error)}\n`);
      tried.push({ client, flows: [{ flow: "a start", ok: false }] });
    }
  }
  return tried;
}

async function tryOne(
  directory: string,
  client: Client,
  shared: ClientServer | undefined,
  record: boolean,
): Promise<FlowResult[]> {
  await using stack = new AsyncDisposableStack();
  const folder = putPrograms(directory, client);
  const scratch = join(directory, "scratch", client.id);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(join(scratch, "home"), { recursive: true });
  const server =
    client.upstream === undefined ? shared : await inFrontOf(client, folder, directory, stack);
  if (server === undefined) throw new Error(`${client.id} has no server.`);
  const recorder = stack.use(await openRecorder(server.url));
  const env = environmentOf(client, recorder.url, server.key, scratch);
  const flows = await runFlows(join(folder, client.program), scratch, env);
  if (record && isRecorded(client) && flows.every(({ ok }) => ok))
    writeRecording(recordingOf(client.id, recorder.exchanges, scratch));
  return flows;
}

/** The upstream is a program that prints its address; the server gets nothing else. */
async function inFrontOf(
  client: Client,
  folder: string,
  directory: string,
  stack: AsyncDisposableStack,
): Promise<ClientServer> {
  const { program = "", wire = "" } = client.upstream ?? {};
  const child = spawn(join(bin, "node"), [join(folder, program), wire], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  stack.defer(() => stop(child));
  const address = await printed(child, /^upstream at (http:\/\/\S+)$/m);
  return stack.use(await startServer(directory, { PLINTH_UPSTREAM: address }));
}

/** Nothing of this machine's own environment reaches a client but where programs are. */
function environmentOf(
  { quiet, upstream }: Client,
  url: string,
  key: string,
  scratch: string,
): NodeJS.ProcessEnv {
  return {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    LANG: "C.UTF-8",
    HOME: join(scratch, "home"),
    CLIENTS_SCRATCH: scratch,
    CLIENTS_WIRE: upstream?.wire,
    CLIENTS_PLINTH: join(root, "plinth"),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ...(!isClosed() && { ...deadProxies, ...quiet }),
  };
}

async function runFlows(
  program: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<FlowResult[]> {
  const flows: FlowResult[] = [];
  const child = spawn(join(bin, "node"), [program], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), programSecondsMax * 1000);
  let noise = "";
  child.stderr.on("data", (chunk: Buffer) => (noise += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"flow":')) continue;
    const result = JSON.parse(line) as FlowResult;
    flows.push(result);
    progress(result.ok, result.flow, result.seconds);
    if (result.error !== undefined)
      process.stdout.write(`${result.error.replace(/^/gm, "    ")}\n`);
  }
  const code = await ended;
  clearTimeout(timer);
  if (code === 0 && flows.length > 0) return flows;
  const error = `the program ended with ${code}`;
  process.stdout.write(`${error}\n${noise.slice(-4000)}\n`);
  return [...flows, { flow: error, ok: false, seconds: 0 }];
}
