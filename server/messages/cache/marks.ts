// Marks of the prompt cache: how many, and the longer-lived before the shorter-lived.
import type { Failure } from "../../../kernel/base/failure.ts";
import type { Block, MessageBody } from "../../models/module.ts";
import { limits } from "../limits.ts";
import { invalidField } from "../problem.ts";

type Path = readonly (string | number)[];
type Part = Readonly<Record<string, unknown>>;

/** Blocks that no mark can stand on: an automatic one goes to the last before them. */
export const unmarkableTypes: ReadonlySet<string> = new Set([
  "thinking",
  "redacted_thinking",
  "fallback",
  "connector_text",
  "mcp_tool_listing",
]);

interface Count {
  marks: number;
  hasShort: boolean;
}

export function cacheProblem(body: MessageBody): Failure | undefined {
  const count: Count = { marks: 0, hasShort: false };
  const problem =
    partsProblem(body.tools, ["tools"], count) ??
    partsProblem(body.system, ["system"], count) ??
    turnsProblem(body.messages, count);
  if (problem !== undefined) return problem;
  const automatic = body["cache_control"] as Part | undefined | null;
  if (automatic === undefined || automatic === null) return undefined;
  return isMarked(lastPart(body)) ? undefined : markProblem(automatic, ["cache_control"], count);
}

function turnsProblem(messages: MessageBody["messages"], count: Count): Failure | undefined {
  for (let turn = 0; turn < messages.length; turn++) {
    const content = messages[turn]?.content;
    if (content === undefined || typeof content === "string") continue;
    for (let at = 0; at < content.length; at++) {
      const block = content[at] as Block;
      const inner = block["content"];
      if (block["cache_control"] === undefined && typeof inner !== "object") continue;
      const path = ["messages", turn, "content", at];
      const problem =
        (block.type === "tool_result"
          ? partsProblem(inner, [...path, "content"], count)
          : undefined) ?? partProblem(block, path, count);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function partsProblem(parts: unknown, path: Path, count: Count): Failure | undefined {
  if (!Array.isArray(parts)) return undefined;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part;
    if (!isMarked(part)) continue;
    const problem = partProblem(part, [...path, at], count);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function partProblem(part: Part, path: Path, count: Count): Failure | undefined {
  const mark = part["cache_control"] as Part | undefined | null;
  if (mark === undefined || mark === null) return undefined;
  return markProblem(mark, [...path, "cache_control"], count);
}

function markProblem(mark: Part, path: Path, count: Count): Failure | undefined {
  count.marks += 1;
  if (count.marks > limits.cacheBreakpointsMax)
    return invalidField(
      path,
      `is one mark too many; at most ${limits.cacheBreakpointsMax} may stand in tools, system and messages together`,
    );
  if (mark["ttl"] !== "1h") count.hasShort = true;
  else if (count.hasShort)
    return invalidField([...path, "ttl"], 'must be "5m": 1h marks come before 5m marks', "1h");
  return undefined;
}

const isMarked = (part: Part | undefined) =>
  part?.["cache_control"] !== undefined && part["cache_control"] !== null;

/** Where an automatic mark would stand. */
function lastPart({ messages, system, tools }: MessageBody): Part | undefined {
  for (const { content } of messages.toReversed()) {
    if (typeof content === "string") return undefined;
    const last = content?.findLast(({ type }) => !unmarkableTypes.has(type));
    if (last !== undefined) return last;
  }
  return typeof system === "string" ? undefined : (system?.at(-1) ?? tools?.at(-1));
}
