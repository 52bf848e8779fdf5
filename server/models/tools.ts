// Which tools a conversation has in the end: those of the request, and what its turns added or removed.
import type { Block, MessageBody } from "./types.ts";

export type Tool = Readonly<Record<string, unknown>>;

/** What a `tool_addition` or `tool_removal` is about; checked at the edge. */
export interface ToolChange {
  type: string;
  name?: string;
  server_name?: string;
  definition?: Tool;
}

export const toolChangeOf = ({ type, tool }: Block): ToolChange | undefined =>
  type === "tool_addition" || type === "tool_removal" ? (tool as ToolChange) : undefined;

/** Those that can be called at the end of the conversation. */
export function availableTools({ tools = [], messages }: MessageBody): readonly Tool[] {
  const known = new Map<unknown, Tool>(tools.map((tool) => [tool["name"] ?? tool, tool]));
  const gone = new Set<unknown>();
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const block of content ?? []) {
      const change = toolChangeOf(block);
      const name = change?.definition?.["name"] ?? change?.name;
      if (change?.definition !== undefined) known.set(name, change.definition);
      if (name === undefined || change === undefined) continue;
      if (block.type === "tool_removal") gone.add(name);
      else gone.delete(name);
    }
  }
  return [...known].flatMap(([name, tool]) => (gone.has(name) ? [] : [tool]));
}
