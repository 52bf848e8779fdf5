// Content as blocks, and the few questions that several rules ask of them.
import type { Block, Turn } from "./types.ts";

/** A string is one text block. */
export const asBlocks = (content: Turn["content"]): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** Thinking of one model means nothing to another. */
export const isThinking = ({ type }: Block): boolean =>
  type === "thinking" || type === "redacted_thinking" || type === "connector_text";

const isServerCall = ({ type }: Block) => type === "server_tool_use" || type === "mcp_tool_use";

/** Results of server tools stand in the assistant's own turn, each kind under a name of its own. */
const isServerResult = ({ type }: Block) =>
  type !== "tool_result" && (type.endsWith("_tool_result") || type === "mcp_tool_result");

/** Ids of server calls that have both halves, the call and its result. */
export function pairedIds(blocks: readonly Block[]): ReadonlySet<unknown> {
  const called = new Set(blocks.filter(isServerCall).map((block) => block["id"]));
  const answered = blocks.filter(isServerResult).map((block) => block["tool_use_id"]);
  return new Set(answered.filter((id) => called.has(id)));
}

/** Server tools have run: what they found stands in the answer. */
export const hasServerTools = (blocks: readonly Block[]): boolean => pairedIds(blocks).size > 0;

/** Text, and server tools with their other half: what another model can go on from. */
export function continuable(blocks: readonly Block[]): Block[] {
  const paired = pairedIds(blocks);
  return blocks.filter(
    (block) =>
      (block.type === "text" && block["text"] !== "") ||
      (isServerCall(block) && paired.has(block["id"])) ||
      (isServerResult(block) && paired.has(block["tool_use_id"])),
  );
}

/** A call of a server tool that was never answered. */
export const isUnpaired = (block: Block, paired: ReadonlySet<unknown>): boolean =>
  isServerCall(block) && !paired.has(block["id"]);

/** The last text without the space after it; a text that this empties is gone. */
export function trimmedEnd(blocks: readonly Block[]): Block[] {
  const kept = blocks.filter(({ type, text }) => type !== "text" || text !== "");
  for (;;) {
    const last = kept.at(-1);
    if (last?.type !== "text" || typeof last["text"] !== "string") return kept;
    const text = rightStripped(last["text"]);
    kept.pop();
    if (text !== "") return [...kept, text === last["text"] ? last : { ...last, text }];
  }
}

/** Blanks that other languages strip and `trimEnd` does not: the separators of ASCII and NEL. */
const alsoSpace = new Set(["\u001c", "\u001d", "\u001e", "\u001f", "\u0085"]);

function rightStripped(text: string): string {
  let stripped = text.trimEnd();
  while (alsoSpace.has(stripped.at(-1) ?? "")) stripped = stripped.slice(0, -1).trimEnd();
  return stripped;
}
