// The field `thread` of a request: its shape, and what does not go together with it.
import { invalid, type Failure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { MessageBody } from "../../models/module.ts";
import { invalidField } from "../problem.ts";
import { threadsKeptMs } from "../settings.ts";

export const threadsBeta = "message-threads-2026-08-12";
const code = "thread_unsupported_request";

export type ThreadParam = { type: "create" } | { type: "continue"; previousMessageId: string };

/** The request wants its conversation kept, or goes on with one that was. */
export const hasThread = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  ((value as { thread?: unknown }).thread ?? null) !== null;

/** First of all, so that a client that can go on without a thread does so, whatever else is wrong. */
export function readThreadParam(actor: Actor, body: MessageBody): ThreadParam {
  const problem = unsupported(actor, body);
  if (problem !== undefined) throw problem;
  const param = body["thread"];
  if (typeof param !== "object" || param === null || Array.isArray(param))
    throw invalidField(["thread"], "must be an object", param);
  const { type, previous_message_id: previous, ...others } = param as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidField(["thread", unknown], "is not known here");
  switch (type) {
    case "create":
      if (previous !== undefined)
        throw invalidField(["thread", "previous_message_id"], "stands only beside continue");
      return { type };
    case "continue":
      if (typeof previous !== "string" || previous === "")
        throw invalidField(
          ["thread", "previous_message_id"],
          "must be the id of the answer to continue",
          previous,
        );
      return { type, previousMessageId: previous };
    default:
      throw invalidField(["thread", "type"], "must be create or continue", type);
  }
}

function unsupported(actor: Actor, body: MessageBody): Failure | undefined {
  if (threadsKeptMs(actor) === 0)
    return invalid(
      "thread: this server keeps no conversations; send the full conversation without it.",
      { code, details: { unsupported: ["thread"] } },
    );
  if (!actor.betas.has(threadsBeta))
    return invalid(
      `thread: is in beta: send the header vendor-beta: ${threadsBeta} (or anthropic-beta), or the full conversation without it.`,
      { code },
    );
  const fields = unsupportedFields(body);
  if (fields.length === 0) return undefined;
  return invalid(
    `${fields.join(", ")}: cannot stand beside thread. Leave it out, or send the full conversation without thread.`,
    { code, details: { unsupported: fields } },
  );
}

/**
 * A mark of the whole request moves from turn to turn, edits change what is kept, a fallback's answer is another
 * model's, and `block_binding` is about histories that clients change. Marks on blocks and all types of thinking are
 * taken.
 */
function unsupportedFields(body: MessageBody): string[] {
  const named = ["cache_control", "context_management", "fallbacks"].filter(
    (field) => (body[field] ?? null) !== null,
  );
  const binding = body.thinking?.["block_binding"];
  return (binding ?? null) === null ? named : [...named, "thinking"];
}
