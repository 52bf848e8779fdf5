// The socket at which a container finds its network: the server makes it in the network of the container, from outside,
// so that no process stands inside for it, and neither a bridge nor an address of the host is there to be reached.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { channelAtStart, channelPlace, makeListener } from "../linux/program/listener.ts";
import { encodeProgram, makeProgram, type Program, readFailure } from "../linux/program/program.ts";
import { firstFree, here, newNetwork } from "../linux/program/steps.ts";
import type { Machine } from "../linux/system_calls/numbers.ts";
import { SandboxError, type SandboxNetwork } from "../provider.ts";

const closeOnExec = 0o2_000_000;

/** Whether that process of this machine is the container's: the daemon's machine may be another one. */
export function isProcessOf(pid: number, id: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "utf8").includes(id);
  } catch {
    return false; // there is none
  }
}

/** The result ends it, and all that came by it. */
export async function listenInside(
  { pid, id }: { pid: number; id: string },
  network: SandboxNetwork,
  { runner, machine }: { runner: string; machine: Machine },
): Promise<() => void> {
  if (!isProcessOf(pid, id))
    throw new SandboxError("the network of the container is not on this machine");
  const server = await makeInside(planListener(pid), { runner, machine });
  server.on("connection", (socket: Socket) => {
    // Who takes it listens too; an error that comes before or after that is the sandbox's own matter.
    socket.on("error", () => {});
    network.connect(socket);
  });
  return () => {
    server.close();
    network.endAll();
  };
}

function planListener(pid: number): Program {
  const program = makeProgram();
  program.call("dup3", channelAtStart, channelPlace, closeOnExec);
  program.call("openat", here, `/proc/${pid}/ns/net`, closeOnExec, 0);
  program.call("setns", firstFree, newNetwork);
  program.call("close", firstFree);
  makeListener(program);
  program.call("exit_group", 0);
  return program;
}

async function makeInside(
  program: Program,
  { runner, machine }: { runner: string; machine: Machine },
): Promise<Server> {
  const child = spawn(runner, [], { stdio: ["pipe", "ipc", "pipe"], env: {}, cwd: "/" });
  const said: Buffer[] = [];
  child.stdin?.on("error", () => {});
  child.stderr?.on("data", (bytes: Buffer) => said.push(bytes));
  child.stdin?.end(encodeProgram(program, machine));
  const taken = new Promise<Server>((resolve) => {
    child.once("message", (_words, handle) => resolve(handle as Server));
  });
  const closed = once(child, "close");
  // What it has sent is read before the end of its channel is.
  const gone = once(child, "disconnect").then(() => undefined);
  const server = await Promise.race([taken, gone, closed.then(() => gone)]);
  if (server !== undefined) return server;
  await closed;
  const words = readFailure(Buffer.concat(said), program) ?? "it ended";
  throw new SandboxError(`the server could not listen inside a container (${words})`);
}
