// The terminal, or the pipes, that this process was started with.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";
import type { Clock, Terminal } from "./terminal.ts";

export function thisTerminal(env: Terminal["env"], clock: Clock): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    env,
    clock,
    write: (text) => void stdout.write(text),
    pour: async (bytes) => {
      if (!stdout.write(bytes)) await once(stdout, "drain");
    },
    dim: (text) => styleText("dim", text, { stream: stderr }),
    note: (text) => void stderr.write(text),
    isPerson: { input: stdin.isTTY, output: stdout.isTTY, notes: stderr.isTTY },
    columns: () => stderr.columns ?? 0,
    readInput: () => text(stdin),
    input: () => stdin,
    readLine,
    onInterrupt: (act) => {
      process.on("SIGINT", act);
      return () => void process.off("SIGINT", act);
    },
  };
}

/** The terminal itself lets people correct what they write, and keeps its Ctrl-C. */
async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  for await (const line of lines) return line;
  return "";
}
