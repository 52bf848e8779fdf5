// Which parts of a request a token remembers, and how a retry compares with them.
import { asBlocks, continuable, trimmedEnd } from "../blocks.ts";
import { canonical, canonicalContent, shortDigest } from "../canonical.ts";
import type { Block, MessageBody, Turn } from "../types.ts";

/** Fields that may differ between the refused request and its retry; every other one must match. */
const mayChange: ReadonlySet<string> = new Set([
  "model",
  "max_tokens",
  "stop_sequences",
  "temperature",
  "top_p",
  "top_k",
  "stream",
  "metadata",
  "service_tier",
  // The client library changes it from hop to hop.
  "speed",
  // None of these shapes what the model reads.
  "inference_geo",
  "diagnostics",
  "billing_policy",
  "effort",
  "fallbacks",
  "fallback_credit_token",
  // Compared by themselves, below.
  "messages",
]);

/** A digest for each field that must match; one that is null is absent. */
export function fieldDigests(body: MessageBody): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [field, value] of Object.entries(body))
    if (!mayChange.has(field) && value !== undefined && value !== null)
      digests[field] = shortDigest(canonical(field === "thinking" ? sameThinking(value) : value));
  return digests;
}

/** The client library sends `disabled` where the refused request had `between_tools`. */
function sameThinking(thinking: unknown): unknown {
  const type = (thinking as { type?: unknown }).type;
  return type === "between_tools" || type === "disabled" ? { type: "disabled" } : thinking;
}

export interface SplitConversation {
  head: readonly Turn[];
  /** The blocks of the closing assistant turns: a retry may continue them in the same turn. */
  tail: readonly Block[];
  turns: number;
}

export function splitConversation({ messages }: MessageBody): SplitConversation {
  const headLength = messages.findLastIndex(({ role }) => role !== "assistant") + 1;
  return {
    head: messages.slice(0, headLength),
    tail: messages.slice(headLength).flatMap(({ content }) => asBlocks(content)),
    turns: messages.length,
  };
}

/** Of the head and the first `count` blocks of the tail. */
export const conversationDigest = ({ head, tail }: SplitConversation, count: number): string =>
  shortDigest(canonical([head, tail.slice(0, count)]));

/** Null: nothing that another model could go on from. */
export function partialDigest(blocks: readonly Block[]): string | null {
  const kept = trimmedEnd(continuable(blocks));
  if (kept.length === 0) return null;
  return shortDigest(
    canonicalContent(
      kept.map((block) => (block.type === "text" ? ["text", block["text"]] : block)),
    ),
  );
}

export type Rung = "same" | "appended";

/** Which shape a retry has; undefined: another conversation. */
export function rungOf(
  retry: SplitConversation,
  refused: { messages: string; tail: number; turns: number },
): Rung | undefined {
  if (conversationDigest(retry, refused.tail) !== refused.messages) return undefined;
  const added = retry.tail.length - refused.tail;
  if (added === 0) return retry.turns === refused.turns ? "same" : undefined;
  const isOneMore = retry.turns === refused.turns + 1;
  const isExtended = retry.turns === refused.turns;
  return added > 0 && (isOneMore || isExtended) ? "appended" : undefined;
}

/** The messages as the target sees them: of the closing answer only what it can go on from. */
export function withSeenTail(messages: readonly Turn[]): readonly Turn[] {
  const headLength = messages.findLastIndex(({ role }) => role !== "assistant") + 1;
  if (headLength === messages.length) return messages;
  const tail = messages.slice(headLength).flatMap(({ content }) => asBlocks(content));
  const content = trimmedEnd(continuable(tail));
  const head = messages.slice(0, headLength);
  return content.length === 0 ? head : [...head, { role: "assistant", content }];
}
