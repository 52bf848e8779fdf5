// What the simulator sees of a conversation: the text that steers it, tools' answers, the text to go on from.
import type { Block, Turn } from "../types.ts";
import { readDirectives, stripDirectives, type Script } from "../steering/directives.ts";

export interface ToolAnswer {
  name: string;
  text: string;
  isError: boolean;
}

export interface SteeredConversation {
  /** Of the last user turn that has text. */
  script: Script;
  /** Its last text that says something beside directives, without them: clients put context before the question. */
  prompt: string;
  /** The same with them: what a scenario looks into. */
  rawPrompt: string;
  /** Which of the user turns that have text it is: 1 is the first. */
  position: number;
  /** Tools that were called since. */
  calls: number;
  /** What tools answered last; empty unless the last turn of the user holds results. */
  answers: readonly ToolAnswer[];
  /** The text of a last turn of the assistant, to go on from. */
  partial: string | undefined;
}

interface MergedTurn {
  role: "user" | "assistant";
  blocks: readonly Block[];
}

export function readConversation(messages: readonly Turn[]): SteeredConversation {
  const turns = merged(messages);
  const texts = turns.map(({ role, blocks }) => (role === "user" ? textOf(blocks) : ""));
  const steering = texts.findLastIndex((text) => text !== "");
  const written = texts[steering] ?? "";
  const since = turns.slice(steering + 1).filter(({ role }) => role === "assistant");
  const last = turns.at(-1);
  // An answer that goes on from a part of itself answers the turn before that part.
  const asked = last?.role === "assistant" ? turns.at(-2) : last;
  return {
    script: readDirectives(written).script,
    prompt: promptOf(turns[steering]?.blocks ?? []),
    rawPrompt: written,
    position: texts.slice(0, steering + 1).filter((text) => text !== "").length,
    calls: since.flatMap(({ blocks }) => blocks).filter(isCall).length,
    answers: asked?.role === "user" ? answersIn(asked.blocks, turns) : [],
    partial: last?.role === "assistant" ? textOf(last.blocks, "") : undefined,
  };
}

function promptOf(blocks: readonly Block[]): string {
  for (const block of blocks.toReversed()) {
    const words = readDirectives(textOf([block])).rest.trim();
    if (words !== "") return words;
  }
  return "";
}

const isCall = ({ type }: Block) => type === "tool_use";

/** Turns of one role in a row are one; a system turn in between is not one. */
function merged(messages: readonly Turn[]): MergedTurn[] {
  const turns: { role: MergedTurn["role"]; blocks: Block[] }[] = [];
  for (const { role, content } of messages) {
    if (role === "system") continue;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  }
  return turns;
}

const textOf = (blocks: readonly Block[], between = "\n") =>
  blocks
    .filter(({ type, text }) => type === "text" && text !== "")
    .map(({ text }) => String(text))
    .join(between);

function answersIn(blocks: readonly Block[], turns: readonly MergedTurn[]): ToolAnswer[] {
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length === 0) return [];
  const names = new Map(
    turns
      .flatMap((turn) => turn.blocks)
      .filter(isCall)
      .map(({ id, name }) => [id, String(name)]),
  );
  return results.map(({ tool_use_id: id, content, is_error: isError }) => ({
    name: names.get(id) ?? "a tool",
    text: stripDirectives(
      typeof content === "string" ? content : textOf((content ?? []) as readonly Block[]),
    ),
    isError: isError === true,
  }));
}
