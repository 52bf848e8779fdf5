// Earlier turns as they come back: what a model gets to see of them, and whether a boundary was moved.
import { invalid, type Failure } from "../../kernel/base/failure.ts";
import { asBlocks, isThinking, isUnpaired, pairedIds } from "./blocks.ts";
import { tinyDigest } from "./canonical.ts";
import type { Block, Turn } from "./types.ts";

/** Turns in a row of the assistant, or of the other roles. */
export interface TurnRun {
  assistant: boolean;
  turns: readonly Turn[];
  /** Where it starts and ends in the messages as they were sent. */
  start: number;
  end: number;
}

const isFallback = ({ type }: Block) => type === "fallback";

const hasFallback = ({ role, content }: Turn) =>
  role === "assistant" && typeof content !== "string" && content.some(isFallback);

/** The messages without what the next model must not see; the very same array where that is nothing. */
export const cleanHistory = (messages: readonly Turn[]): readonly Turn[] =>
  messages.some(hasFallback) ? cleanedRuns(messages).flatMap(({ turns }) => turns) : messages;

export function cleanedRuns(messages: readonly Turn[]): TurnRun[] {
  let dropped: ReadonlySet<unknown> = new Set();
  return turnRunsOf(messages).map((run) => {
    if (!run.assistant) return { ...run, turns: withoutResults(run.turns, dropped) };
    const cleaned = cleanedAnswer(run.turns);
    dropped = cleaned.dropped;
    return { ...run, turns: cleaned.turns };
  });
}

export function turnRunsOf(messages: readonly Turn[]): TurnRun[] {
  const runs: TurnRun[] = [];
  let start = 0;
  while (start < messages.length) {
    const assistant = messages[start]?.role === "assistant";
    let end = start + 1;
    while (end < messages.length && (messages[end]?.role === "assistant") === assistant) end += 1;
    runs.push({ assistant, turns: messages.slice(start, end), start, end });
    start = end;
  }
  return runs;
}

/** Consecutive turns are one answer: the final fallback is the last of them all. */
function cleanedAnswer(turns: readonly Turn[]): { turns: Turn[]; dropped: ReadonlySet<unknown> } {
  const all = turns.flatMap(({ content }) => asBlocks(content));
  const final = all.findLastIndex(isFallback);
  if (final === -1) return { turns: [...turns], dropped: new Set() };
  const paired = pairedIds(all);
  const dropped = new Set<unknown>();
  let at = -1;
  const cleaned = turns.flatMap((turn) => {
    if (typeof turn.content === "string") {
      at += 1;
      return [turn];
    }
    const content = turn.content.filter((block) => {
      at += 1;
      if (isFallback(block)) return false;
      if (at > final) return true;
      if (block.type === "tool_use") dropped.add(block["id"]);
      return block.type !== "tool_use" && !isThinking(block) && !isUnpaired(block, paired);
    });
    if (content.length === turn.content.length) return [turn];
    return content.length === 0 ? [] : [{ ...turn, content }];
  });
  for (const block of all.slice(final)) if (block.type === "tool_use") dropped.delete(block["id"]);
  return { turns: cleaned, dropped };
}

function withoutResults(turns: readonly Turn[], dropped: ReadonlySet<unknown>): readonly Turn[] {
  if (dropped.size === 0) return turns;
  return turns.flatMap((turn) => {
    if (typeof turn.content === "string") return [turn];
    const content = turn.content.filter(
      (block) => block.type !== "tool_result" || !dropped.has(block["tool_use_id"]),
    );
    if (content.length === turn.content.length) return [turn];
    return content.length === 0 ? [] : [{ ...turn, content }];
  });
}

/** Stands last in the skeleton of an answer that goes on: blocks after it belong to a later answer. */
const goesOn = "...";

/** The shape of an answer: nothing else can tell later that a boundary was moved. Never text. */
export function skeletonOf(content: readonly Block[], stopReason: string | null): string[] {
  const bones = content.filter(({ type, text }) => type !== "text" || text !== "").map(boneOf);
  return stopReason === "pause_turn" ? [...bones, goesOn] : bones;
}

function boneOf(block: Block): string {
  const mark = block["signature"] ?? block["data"] ?? block["id"] ?? block["tool_use_id"];
  const isMarked = block.type !== "text" && typeof mark === "string" && mark !== "";
  return isMarked ? `${block.type} ${tinyDigest(mark)}` : block.type;
}

export interface EchoOptions {
  /** The request carries `fallbacks`: every moved or dropped block is refused. */
  strict: boolean;
}

/**
 * Whether the answer that starts at `messages[at]` came back with its boundaries in place. The same question
 * may have had several answers: it must fit one of them. Never asked on the credit path.
 */
export function checkEcho(
  messages: readonly Turn[],
  at: number,
  skeletons: readonly (readonly string[])[],
  { strict }: EchoOptions,
): Failure | undefined {
  const turn = messages[at];
  const isAsked = skeletons.some((skeleton) => skeleton.includes("fallback"));
  if (turn?.role !== "assistant" || !isAsked) return undefined;
  const echoed = segmentsOf(skeletonOf(asBlocks(turn.content), null));
  if (skeletons.some((skeleton) => mayBe(echoed, skeleton, strict))) return undefined;
  return invalid(
    `messages.${at}.content: the fallback block of this answer was moved or dropped. Send the answer back with each fallback block exactly where it stood: it marks where one model's output ends and the next one's begins.`,
  );
}

function mayBe(echoed: readonly string[][], skeleton: readonly string[], strict: boolean): boolean {
  const isOpen = skeleton.at(-1) === goesOn;
  const sent = segmentsOf(skeleton.filter((bone) => bone !== goesOn));
  if (sent.length === 1) return isOpen || isUndivided(echoed, sent[0] ?? []);
  const fits = (bones: readonly string[], nth: number) =>
    isWithin(bones, sent[nth] ?? []) ||
    (isOpen && nth === sent.length - 1 && startsWithin(bones, sent[nth] ?? []));
  const inPlace =
    (sent.length === echoed.length || (isOpen && echoed.length > sent.length)) &&
    echoed.every((bones, nth) => nth >= sent.length || fits(bones, nth));
  return inPlace || (!strict && !mixesThinking(sent, echoed));
}

/** An answer without boundaries may come back in any shape, as long as it has nothing of another answer. */
function isUndivided([bones, ...others]: readonly string[][], sent: readonly string[]): boolean {
  const marked = (all: readonly string[]) => all.filter((bone) => bone.includes(" "));
  return others.length === 0 && isWithin(marked(bones ?? []), marked(sent));
}

function segmentsOf(bones: readonly string[]): string[][] {
  const segments: string[][] = [[]];
  for (const bone of bones)
    if (bone === "fallback") segments.push([]);
    else segments.at(-1)?.push(bone);
  return segments;
}

/** Blocks may be missing, none may be new or in another order. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const bone of all) if (bone === some[at]) at += 1;
  return at === some.length;
}

/** The same for an answer that was paused: behind what it had, anything may follow. */
const startsWithin = (some: readonly string[], all: readonly string[]) =>
  all.length > 0 && isWithin(all, some.slice(0, all.length));

/** A run of thinking that holds parts of two models, or of one model in two runs that were apart. */
function mixesThinking(
  sent: readonly (readonly string[])[],
  echoed: readonly (readonly string[])[],
): boolean {
  const thinkingOf = (bones: readonly string[]) =>
    bones.filter((bone) => isThinking({ type: bone.split(" ")[0] ?? "" }));
  const known = sent.map(thinkingOf);
  const came = echoed.map(thinkingOf);
  const isSplit = came.some(
    (bones, nth) =>
      bones.length > 0 &&
      came.some(
        (others, other) =>
          other > nth &&
          others.length > 0 &&
          known.some((all) => isWithin([...bones, ...others], all)),
      ),
  );
  return isSplit || came.some((bones) => !known.some((all) => isWithin(bones, all)));
}
