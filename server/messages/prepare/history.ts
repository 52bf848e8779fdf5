// What of earlier turns a model gets to see: nothing that is empty, and no thoughts that cannot be its own.
import type { Block, MessageBody, Turn } from "../../models/module.ts";

type Turns = MessageBody["messages"];

export const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** Judges by the signature; undefined where the upstream checks no signatures, and is shown all thinking. */
export type ThoughtCheck = ((signature: string) => boolean) | undefined;

function isRead(block: Block, mayBeOwnThought: ThoughtCheck): boolean {
  if (block.type === "text") return !isBlank(block["text"]);
  if (block.type !== "thinking" || mayBeOwnThought === undefined) return true;
  const { signature } = block;
  return typeof signature === "string" && mayBeOwnThought(signature);
}

/** Nothing of the turn is shown to a model: no text but blank ones, and no thought that may be the model's own. */
export const isEmptyTurn = ({ content }: Turn, mayBeOwnThought?: ThoughtCheck): boolean =>
  typeof content === "string"
    ? isBlank(content)
    : !content.some((block) => isRead(block, mayBeOwnThought));

/**
 * Answers come back with empty texts in them, and with thoughts of models that other upstreams have: an upstream
 * refuses both. The very same array where there are none; a turn that this empties is dropped whole.
 */
export function readableTurns(messages: Turns, mayBeOwnThought: ThoughtCheck): Turns {
  const isShown = (block: Block) => isRead(block, mayBeOwnThought);
  const isWhole = ({ role, content }: Turn) =>
    role !== "assistant" ||
    (typeof content === "string"
      ? !isBlank(content)
      : content.length > 0 && content.every(isShown));
  if (messages.every(isWhole)) return messages;
  return messages.flatMap((turn) => {
    if (isWhole(turn)) return [turn];
    const content = typeof turn.content === "string" ? [] : turn.content.filter(isShown);
    return content.length === 0 ? [] : [{ ...turn, content }];
  });
}
