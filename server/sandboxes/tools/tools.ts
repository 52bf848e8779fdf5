// The built-in tools of agents, run in the sandbox of a session.
import type { SandboxProvider } from "../provider.ts";
import { bash } from "./bash.ts";
import { edit, read, write } from "./files.ts";
import { ToolFault, type ToolInput } from "./input.ts";
import { failed, type ToolResult } from "./result.ts";
import { glob, grep } from "./search.ts";

/** Of one session. */
export interface Sandbox {
  exec(request: Parameters<SandboxProvider["exec"]>[1]): ReturnType<SandboxProvider["exec"]>;
  /** Ends its shell and all that runs; files stay. */
  stop(): Promise<void>;
}

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
