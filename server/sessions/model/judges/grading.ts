// The grader: a call of its own that is shown the work and the rubric, and says whether the outcome is reached.
import { parseExactly } from "../../../../kernel/base/exact-json.ts";
import type { Actor } from "../../../../kernel/context.ts";
import { expectThere, namedFiles, readWholeFile } from "../../../files/module.ts";
import type { Block, MessageBody, Turn, Usage } from "../../../models/module.ts";
import type { GradeResult } from "../../conversation/events.ts";
import type { OutcomeState } from "../../conversation/state.ts";
import { textOf } from "../../conversation/turns.ts";
import { limits } from "../../limits.ts";
import { askModel } from "../ask-model.ts";
import type { SessionAccounting } from "../caller.ts";

const instructions = `You grade the work of an agent against a rubric. You see the outcome that was asked for, and what the agent has said and done.
Answer with JSON alone: {"result": "satisfied" | "needs_revision" | "failed", "explanation": "…"}.
"satisfied": every criterion is met. "needs_revision": say what is missing. "failed": it cannot be reached any more.`;

export interface Grade {
  result: GradeResult;
  explanation: string;
  usage: Usage | undefined;
}

export interface Grading {
  model: string;
  maxTokens: number;
  outcome: OutcomeState;
  turns: readonly Turn[];
}

export async function gradeWork(
  actor: Actor,
  { model, maxTokens, outcome, turns }: Grading,
  accounting: SessionAccounting,
): Promise<Grade> {
  const rubric = await rubricOf(actor, outcome);
  const body: MessageBody = {
    model,
    max_tokens: Math.min(maxTokens, limits.gradeTokensMax),
    system: [
      { type: "text", text: instructions },
      { type: "text", text: `The rubric:\n\n${rubric}` },
    ],
    messages: [
      {
        role: "user",
        content: [
          {
            type: "text",
            text: `The outcome:\n\n${outcome.description}\n\nThe work:\n\n${transcriptOf(turns)}`,
          },
        ],
      },
    ],
  };
  const message = await askModel(actor, body, accounting);
  return { ...verdictOf(textOf(message.content), outcome), usage: message.usage };
}

async function rubricOf(actor: Actor, { rubric }: OutcomeState): Promise<string> {
  if (rubric.type === "text") return rubric.content;
  const files = await namedFiles(actor, [rubric.file_id]);
  const file = expectThere(actor, rubric.file_id, files.get(rubric.file_id));
  const bytes = await readWholeFile(actor, file);
  return bytes.toString("utf8").slice(0, limits.rubricCharactersMax);
}

/** The end of it, where it is long: what was done last counts. */
function transcriptOf(turns: readonly Turn[]): string {
  const lines = turns.flatMap(({ role, content }) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const words = blocks.map(wordsOf).filter((text) => text !== "");
    return words.length === 0 ? [] : [`[${role}] ${words.join("\n")}`];
  });
  return lines.join("\n\n").slice(-limits.transcriptCharactersMax);
}

function wordsOf(block: Block): string {
  if (block.type === "text") return String(block["text"]);
  if (block.type === "tool_use")
    return `calls ${String(block["name"])} ${JSON.stringify(block["input"])}`;
  if (block.type === "tool_result") return `result: ${textOf(block["content"])}`;
  return "";
}

/** A last round that is not satisfied is the end of the rounds. */
function verdictOf(text: string, { iteration, max_iterations: most }: OutcomeState) {
  const said = readVerdict(text);
  const isLast = iteration + 1 >= most;
  if (said.result === "needs_revision" && isLast)
    return { ...said, result: "max_iterations_reached" as const };
  return said;
}

function readVerdict(text: string): Pick<Grade, "result" | "explanation"> {
  const json = /\{[^]*\}/.exec(text)?.[0];
  try {
    const { result, explanation } = parseExactly(json ?? "") as Partial<Grade>;
    if (result === "satisfied" || result === "needs_revision" || result === "failed")
      return { result, explanation: typeof explanation === "string" ? explanation : "" };
  } catch {
    // What is no JSON is no verdict.
  }
  return { result: "failed", explanation: "The grader gave no verdict." };
}
