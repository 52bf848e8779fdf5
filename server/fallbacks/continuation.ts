// Whether and how the next hop goes on after one that declined or failed, and what the declined one is charged for.
import type { Failure } from "../../kernel/base/failure.ts";
import { asBlocks, trimmedEnd } from "./blocks.ts";
import { noTokens, type Block, type MessageBody, type TokenCounts } from "./types.ts";
import type { Hop } from "./plan.ts";

/**
 * Whether an error of this hop ends the request with the refusal before it, naming this hop's model: asked of
 * fallbacks only, before their output. Otherwise the error surfaces as it is.
 */
export const isOverload = (hop: Hop, failure: Failure): boolean =>
  hop.index > 0 && (failure.status === 429 || failure.status === 529);

/** Whether the upstream of a model refused to go on from another model's text. */
export const isRefusedContinuation = ({ status }: Failure): boolean =>
  status === 400 || status === 422;

/** A format or a forced tool cannot be continued in the middle. */
export function excludesContinuation(body: MessageBody): boolean {
  const format = body.output_config?.["format"] ?? body["output_format"];
  const choice = body.tool_choice?.["type"];
  return (format !== undefined && format !== null) || choice === "any" || choice === "tool";
}

/**
 * The body of a hop that goes on after others declined mid-output. `partials` are the contents that the
 * client already has, oldest first; only their text is seen.
 */
export function continuationBody(
  body: MessageBody,
  partials: readonly (readonly Block[])[],
): MessageBody {
  if (excludesContinuation(body)) return body;
  const texts = partials
    .flat()
    .flatMap(({ type, text }) => (type === "text" ? [{ type, text }] : []));
  const seen = trimmedEnd(texts);
  if (seen.length === 0) return body;
  const last = body.messages.at(-1);
  return {
    ...body,
    messages:
      last?.role === "assistant"
        ? [
            ...body.messages.slice(0, -1),
            { ...last, content: [...asBlocks(last.content), ...seen] },
          ]
        : [...body.messages, { role: "assistant", content: seen }],
  };
}

/** What a declined or last-refused hop is charged for. */
export const declinedCounts = (counts: TokenCounts, outputSent: boolean): TokenCounts =>
  outputSent ? counts : noTokens;
