// The terminal, or the pipes, that this process was started with.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";
import type { Clock, Color, Terminal } from "./terminal.ts";

export function processTerminal(
  env: Terminal["env"],
  clock: Clock,
  random: { bytes(count: number): Buffer },
): Terminal {
  const { stdin, stdout, stderr } = process;
  return {
    env,
    clock,
    randomBase64url: (bytes) => random.bytes(bytes).toString("base64url"),
    fetch: globalThis.fetch,
    write: (text) => void stdout.write(text),
    writeBytes: async (bytes) => {
      if (!stdout.write(bytes)) await once(stdout, "drain");
    },
    dim: (text) => (hasColors(env, stderr) ? styled("dim", text) : text),
    color: (name, text) => (hasColors(env, stdout) ? styled(name, text) : text),
    note: (text) => void stderr.write(text),
    isPerson: { input: stdin.isTTY, output: stdout.isTTY, notes: stderr.isTTY },
    columns: () => stderr.columns ?? 0,
    screenColumns: () => (stdout.isTTY ? (stdout.columns ?? 0) : 0),
    readInput: () => text(stdin),
    input: () => stdin,
    readLine,
    edit,
    openBrowser: (address) => openBrowser(env, address),
    onInterrupt: (act) => {
      process.on("SIGINT", act);
      return () => void process.off("SIGINT", act);
    },
  };
}

const styled = (style: "dim" | Color, text: string): string =>
  styleText(style, text, { validateStream: false });

/** FORCE_COLOR decides, where it is set (0 and false are no); then NO_COLOR; then whether a screen shows them. */
export function hasColors(env: Terminal["env"], stream: { isTTY?: boolean }): boolean {
  const { FORCE_COLOR: force, NO_COLOR: without, TERM: kind } = env;
  if (force !== undefined) return force !== "0" && force !== "false";
  if (without !== undefined && without !== "") return false;
  return stream.isTTY === true && kind !== "dumb";
}

/** The terminal itself lets people correct their input, and keeps its Ctrl-C. */
async function readLine(signal?: AbortSignal): Promise<string> {
  const lines = createInterface({
    input: process.stdin,
    terminal: false,
    ...(signal !== undefined && { signal }),
  });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    // An input that is still read from keeps the process alive.
    process.stdin.pause();
  }
}

/** The command may have arguments of its own, and blanks in quotes: a shell takes it apart. */
async function edit(editor: string, file: string): Promise<number | null> {
  const child = spawn("sh", ["-c", `${editor} "$@"`, editor, file], { stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

/** A remote shell cannot open the browser of the person who types. */
async function openBrowser(env: Terminal["env"], address: string): Promise<boolean> {
  const { platform } = process;
  const isRemote = env["SSH_CONNECTION"] !== undefined || env["SSH_TTY"] !== undefined;
  const hasScreen =
    platform !== "linux" || env["DISPLAY"] !== undefined || env["WAYLAND_DISPLAY"] !== undefined;
  if (isRemote || !hasScreen) return false;
  const [program, ...first] = openers[platform] ?? ["xdg-open"];
  const child = spawn(program, [...first, address], { stdio: "ignore", detached: true });
  const started = await Promise.race([
    once(child, "spawn").then(() => true),
    once(child, "error").then(() => false),
  ]);
  child.unref();
  return started;
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  // Not `start`: its shell would take an ampersand of the address for the end of the command.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
