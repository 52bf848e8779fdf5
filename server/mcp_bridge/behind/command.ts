// A command that speaks MCP over its standard streams: a process group that ends with the bridge, however that ends.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { serializeMessage } from "@modelcontextprotocol/server";
import type { Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../../kernel/base/clock.ts";
import { limits } from "../limits.ts";
import { type CommandLine, readLines } from "./lines.ts";

/** Reads until the bridge is gone, which closes the pipe, and then ends the group. */
const watch = 'read -r _; kill -s KILL -- "-$1"';

export function commandTransport({ command, args, env }: CommandLine, clock: Clock): Transport {
  let child: ChildProcess | undefined;
  const transport: Transport = {
    async start() {
      const begun = spawn(command, args, {
        env,
        stdio: ["pipe", "pipe", "inherit"],
        detached: true,
      });
      await once(begun, "spawn");
      child = begun;
      const watcher = spawn("/bin/sh", ["-c", watch, "sh", String(begun.pid)], {
        env: {},
        stdio: ["pipe", "ignore", "ignore"],
        detached: true,
      });
      watcher.on("error", () => {}); // without a shell, a command ends as its input does
      // A broken pipe is seen as the end of the process.
      for (const pipe of [begun.stdin, watcher.stdin]) pipe?.on("error", () => {});
      begun.on("error", (error) => transport.onerror?.(error));
      begun.stdout.on(
        "data",
        readLines(transport, () => signalGroup(begun, "SIGKILL")),
      );
      begun.once("exit", () => {
        watcher.kill("SIGKILL");
        signalGroup(begun, "SIGKILL");
        transport.onclose?.();
      });
    },
    async send(message) {
      if (child?.stdin?.writable !== true) throw new Error("The command has ended.");
      if (child.stdin.write(serializeMessage(message))) return;
      await Promise.race([once(child.stdin, "drain"), once(child, "exit")]);
    },
    async close() {
      if (child !== undefined) await end(child, clock);
    },
  };
  return transport;
}

/** In the order of the protocol: its input closes, it is asked to end, it is ended. */
async function end(child: ChildProcess, clock: Clock): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new AbortController();
  child.once("exit", () => ended.abort());
  child.stdin?.end();
  if (!(await clock.sleep(limits.farewellMs, ended.signal))) return;
  signalGroup(child, "SIGTERM");
  if (!(await clock.sleep(limits.farewellMs, ended.signal))) return;
  const gone = once(child, "exit");
  signalGroup(child, "SIGKILL");
  if (!hasEnded(child)) await gone;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
