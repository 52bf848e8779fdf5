// The tools of MCP servers as a session was offered them first: a call of one that its server has changed since is a
// person's to allow (MCP30 to MCP33).
import { hash } from "node:crypto";
import { orderedJson } from "../../../kernel/base/ordered-json.ts";
import type { SeenTool, ToolDefinition } from "../conversation/events.ts";
import type { Call } from "../conversation/state.ts";
import { internal } from "../events/drafts.ts";
import { limits } from "../limits.ts";
import type { OfferedTool, RemoteTool } from "../model/tools.ts";
import type { StepContext } from "../steps/context.ts";

/** Whatever the order in which a server writes the fields of its schema. */
const sumOf = (value: unknown) => hash("sha256", orderedJson(value)).slice(0, 32);

const definitionOf = ({ description, inputSchema }: OfferedTool): ToolDefinition => ({
  description,
  input_schema: inputSchema,
});

export const seenKeyOf = ({ server, url, name }: RemoteTool): string => sumOf([server, url, name]);

/** By its server's address too: under the same name, another server has other tools. */
function seenOf(tool: OfferedTool): SeenTool | undefined {
  const { remote } = tool;
  if (remote === undefined) return undefined;
  const definition = definitionOf(tool);
  const isShown = sizeOf(definition) <= limits.seenToolCharactersMax;
  return {
    key: seenKeyOf(remote),
    sum: sumOf(definition),
    definition: isShown ? definition : null,
  };
}

const sizeOf = (definition: ToolDefinition | null) =>
  definition === null ? 0 : JSON.stringify(definition).length;

/** Those that the session has not been offered before; all of its threads share them. */
export function rememberTools({ drafts }: StepContext, tools: readonly OfferedTool[]): void {
  const { primary } = drafts;
  const known = primary.state.seenTools;
  const all = Object.values(known);
  let room = limits.seenToolsMax - all.length;
  let roomCharacters = all.reduce<number>(
    (left, { definition }) => left - sizeOf(definition),
    limits.seenCharactersMax,
  );
  const added: SeenTool[] = [];
  for (const tool of tools) {
    const seen = seenOf(tool);
    if (seen === undefined || known[seen.key] !== undefined || room <= 0) continue;
    room -= 1;
    const size = sizeOf(seen.definition);
    const fits = size <= roomCharacters;
    if (fits) roomCharacters -= size;
    added.push(fits ? seen : { ...seen, definition: null });
  }
  if (added.length > 0) primary.add(internal({ type: "internal.mcp_tools_seen", tools: added }));
}

/** A call runs only once it has been allowed, and its tool with it. */
export function approveTool({ drafts }: StepContext, { changed }: Call): void {
  if (changed === null) return;
  drafts.primary.add(internal({ type: "internal.mcp_tools_seen", tools: [changed] }));
}

export interface ToolChange {
  /** As a person has allowed it, or as it was offered first; null where that is not kept. */
  before: ToolDefinition | null;
  after: ToolDefinition | null;
  /** What is known of it once its call has been allowed. */
  seen: SeenTool;
}

/** Undefined for one that is as it was. One for which there was no room is held for one that has changed. */
export function changeOf({ drafts }: StepContext, tool: OfferedTool): ToolChange | undefined {
  const seen = seenOf(tool);
  if (seen === undefined) return undefined;
  const known = drafts.primary.state.seenTools[seen.key];
  if (known?.sum === seen.sum) return undefined;
  return { before: known?.definition ?? null, after: seen.definition, seen };
}
