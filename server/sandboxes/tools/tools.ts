// The built-in tools of agents, run in the sandbox of a session.
import type { ExecResult } from "../provider.ts";
import { edit, read, write } from "./files.ts";
import { flagOf, optionalText, optionalWhole, ToolFault, type ToolInput } from "./input.ts";
import { toolLimits } from "./limits.ts";
import { cutText, done, failed, type ToolResult } from "./result.ts";
import type { Sandbox } from "./sandbox.ts";
import { glob, grep } from "./search.ts";

type Tool = (sandbox: Sandbox, input: ToolInput, signal: AbortSignal) => Promise<ToolResult>;

const tools: Readonly<Record<string, Tool>> = { bash, read, write, edit, glob, grep };

export const sandboxTools: readonly string[] = Object.keys(tools);

/** What a model asks for wrongly is told to it; a sandbox that cannot be used is thrown. */
export async function runTool(
  sandbox: Sandbox,
  { name, input }: { name: string; input: ToolInput },
  signal: AbortSignal,
): Promise<ToolResult> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) return failed(`There is no tool ${name}.`);
  try {
    return await tool(sandbox, input, signal);
  } catch (error) {
    if (error instanceof ToolFault) return failed(`${name}: ${error.message}`);
    throw error;
  }
}

/** A line in the shell that lives on from call to call. */
async function bash(sandbox: Sandbox, input: ToolInput, signal: AbortSignal): Promise<ToolResult> {
  const command = optionalText(input, "command");
  const restarts = flagOf(input, "restart");
  const timeoutMs =
    optionalWhole(input, "timeout_ms", [1, toolLimits.bashMsMax]) ?? toolLimits.bashMsDefault;
  if (restarts) await sandbox.stop();
  if (command === undefined || command === "") {
    if (restarts) return done("There is a new shell.");
    throw new ToolFault("command: is missing.");
  }
  const bytesMax = toolLimits.bashReadBytesMax;
  const result = await sandbox.exec({ command, timeoutMs, bytesMax, signal });
  return present(result, { timeoutMs, restarts });
}

function present(
  result: ExecResult,
  { timeoutMs, restarts }: { timeoutMs: number; restarts: boolean },
): ToolResult {
  const said = cutText(result.output.toString("utf8"), toolLimits.bashBytesMax).trimEnd();
  const notes: string[] = [];
  if (result.isRestarted && !restarts)
    notes.push(
      "The shell of the call before has ended: this is a new one, in /workspace, without its variables.",
    );
  if (result.isTruncated) notes.push("The command wrote more than is kept; the rest is lost.");
  if (result.isTimedOut)
    notes.push(
      `It was ended after ${timeoutMs} ms with all that it had started; files stay as they are. timeout_ms allows more.`,
    );
  if (result.isAborted) notes.push("It was interrupted; files stay as they are.");
  const isEnded = result.isTimedOut || result.isAborted;
  if (result.code === null && !isEnded) notes.push("The shell ended with it.");
  if (result.code !== null && result.code !== 0) notes.push(`exit status ${result.code}`);
  const text = [said, ...notes.map((note) => `[${note}]`)].filter((part) => part !== "").join("\n");
  return (result.code === 0 ? done : failed)(text);
}
