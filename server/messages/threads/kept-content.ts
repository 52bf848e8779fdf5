// What is kept of a turn, and the conversation that kept turns add up to.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { canonical } from "../../fallbacks/module.ts";
import type { Block, MessageBody, Turn } from "../../models/module.ts";
import { limits } from "../limits.ts";

/** Said once, when the thread is created, and the same in all of its turns. */
const pinnedFields = ["system", "tools"] as const;
export type Pinned = Partial<Record<(typeof pinnedFields)[number], unknown>>;

/** As it is stored, in JSON. */
interface KeptContent extends Pinned {
  /** New messages of the client. */
  messages: readonly Turn[];
  answer: readonly Block[];
  stopReason: string | null;
}

/** The part that is there before the answer: without the closing brace. */
export const openContent = (pinned: Pinned, messages: readonly Turn[]): Buffer =>
  Buffer.from(JSON.stringify({ ...pinned, messages }).slice(0, -1));

export const closeContent = (
  open: Buffer,
  { content: answer, stopReason }: { content: readonly Block[]; stopReason: string | null },
): Buffer =>
  Buffer.concat([open, Buffer.from(`,${JSON.stringify({ answer, stopReason }).slice(1)}`)]);

export interface KeptConversation {
  pinned: Pinned;
  messages: Turn[];
  /** The last answer is no whole one: the next request may bring nothing new. */
  isPaused: boolean;
}

/** `contents` are those of all turns, the first one first. */
export function conversationOf(contents: readonly Buffer[]): KeptConversation {
  const turns = contents.map((content) => parseExactly(content.toString()) as KeptContent);
  const [{ system, tools } = {}] = turns as Partial<KeptContent>[];
  const messages = turns.flatMap((turn): Turn[] =>
    turn.answer.length === 0
      ? [...turn.messages]
      : [...turn.messages, { role: "assistant", content: turn.answer }],
  );
  const last = turns.at(-1)?.stopReason ?? "";
  return {
    pinned: { ...(system !== undefined && { system }), ...(tools !== undefined && { tools }) },
    messages,
    isPaused: last === "pause_turn" || last === "compaction",
  };
}

/** Those of the pinned fields that a request gives another value; no tools are an empty list of them. */
export const changedPins = (pinned: Pinned, request: Pinned): string[] =>
  pinnedFields.filter(
    (field) =>
      request[field] !== undefined && canonical(request[field]) !== canonical(pinned[field] ?? []),
  );

type Part = Readonly<Record<string, unknown>>;

/**
 * The conversation with what the request brings. Of marks of the prompt cache only so many can stand in a request:
 * those of the request itself and of the pinned fields come first, then the newest of kept messages.
 */
export function joinedBody(kept: KeptConversation, request: MessageBody): MessageBody {
  const pinned = [kept.pinned.system, kept.pinned.tools];
  const ttls = [...pinned, ...request.messages.map(({ content }) => content)].flatMap(marksIn);
  const room = { marks: limits.cacheBreakpointsMax - ttls.length, hasHour: ttls.includes("1h") };
  const messages = kept.messages.toReversed().map((turn) => withinRoom(turn, room));
  return {
    ...request,
    ...kept.pinned,
    messages: [...messages.toReversed(), ...request.messages],
  } as MessageBody;
}

const ttlOf = ({ cache_control: mark }: Part): string[] =>
  typeof mark !== "object" || mark === null ? [] : [(mark as Part)["ttl"] === "1h" ? "1h" : "5m"];

/** Of blocks or tools, and of blocks within results of tools; the first one first. */
const marksIn = (parts: unknown): string[] =>
  Array.isArray(parts)
    ? (parts as Part[]).flatMap((part) => [...marksIn(part["content"]), ...ttlOf(part)])
    : [];

interface Room {
  marks: number;
  /** A later mark is of an hour: none of five minutes may stand before it. */
  hasHour: boolean;
}

/** Goes from the end to the beginning. The very same turn where it has no mark too many. */
function withinRoom(turn: Turn, room: Room): Turn {
  if (typeof turn.content === "string" || marksIn(turn.content).length === 0) return turn;
  return { ...turn, content: partsWithin(turn.content, room) as readonly Block[] };
}

function partsWithin(parts: readonly Part[], room: Room): readonly Part[] {
  const kept = parts.toReversed().map((part): Part => {
    const [ttl] = ttlOf(part);
    const stays = ttl !== undefined && room.marks > 0 && (ttl === "1h" || !room.hasHour);
    if (stays) {
      room.marks -= 1;
      if (ttl === "1h") room.hasHour = true;
    }
    const { cache_control: _mark, ...unmarked } = part;
    const own = ttl === undefined || stays ? part : unmarked;
    const inner = own["content"];
    return Array.isArray(inner) ? { ...own, content: partsWithin(inner as Part[], room) } : own;
  });
  return kept.toReversed();
}
