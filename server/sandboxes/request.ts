// What every provider looks at before it runs a call, and how it writes the words of a program for a shell.
import { sandboxLimits } from "./limits.ts";
import { type ExecRequest, SandboxError } from "./provider.ts";

export function expectSessionId(sessionId: string): void {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(sessionId))
    throw new SandboxError("The id of a session has 1 to 128 letters, digits, _ and -.");
}

export const shellWord = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

export function expectRunnable(request: ExecRequest): void {
  const fault = findFault(request);
  if (fault !== undefined) throw new SandboxError(fault);
}

/** A sentence where the request asks for what cannot be given. */
function findFault({ command, stdin }: ExecRequest): string | undefined {
  const words = typeof command === "string" ? [command] : command;
  const { commandBytesMax, stdinBytesMax } = sandboxLimits;
  if (words.length === 0) return "A command names a program.";
  if (words.some((word) => word.includes("\0"))) return "A command has no NUL byte in it.";
  if (words.reduce((sum, word) => sum + Buffer.byteLength(word), 0) > commandBytesMax)
    return `A command has at most ${commandBytesMax} bytes.`;
  if (stdin !== undefined && stdin.length > stdinBytesMax)
    return `Standard input has at most ${stdinBytesMax} bytes.`;
  return undefined;
}
