// Turns of a conversation, as a model is shown them.
import type { Block, Turn } from "../../models/module.ts";
import type { Call, Input, OutcomeState, ThreadState } from "./state.ts";

/** Everything that a model is shown next, results that it has not seen among it. */
export const shownTurns = ({ turns, calls, besideResults }: ThreadState): Turn[] =>
  calls.length === 0 ? turns : [...turns, ...roundTurns(calls, besideResults)];

/** The results of a round, in the order of its calls, and what the system says beside them. */
export const roundTurns = (calls: readonly Call[], besideResults: readonly Block[]): Turn[] => [
  resultTurn(calls),
  ...(besideResults.length === 0
    ? []
    : [{ role: "system", content: besideResults } satisfies Turn]),
];

export const textTurn = (text: string): Turn => ({
  role: "user",
  content: [{ type: "text", text }],
});

export function inputTurn(input: Input): Turn {
  if (input.kind === "outcome")
    return textTurn(
      `Work until this outcome is reached, then say what you have done:\n\n${input.outcome.description}`,
    );
  if (input.kind === "system") return { role: "system", content: input.content };
  const content = readable(input.content);
  if (input.kind === "message") return { role: "user", content };
  const said = input.agentName === null ? "The coordinator" : `The agent ${input.agentName}`;
  return { role: "user", content: [{ type: "text", text: `${said} writes:` }, ...content] };
}

/** A model is not told what a client has blotted out, only that it has. */
const readable = (content: readonly Block[]): Block[] =>
  content.map((block) =>
    block.type === "redacted" ? { type: "text", text: "[redacted]" } : block,
  );

const resultTurn = (calls: readonly Call[]): Turn => ({
  role: "user",
  content: calls.map(({ blockId, result }) => ({
    type: "tool_result",
    tool_use_id: blockId,
    content: result?.content ?? [],
    ...(result?.isError === true && { is_error: true }),
  })),
});

export function revisionTurn(explanation: string, { isClosing }: OutcomeState): Turn {
  const next = isClosing
    ? "There is no further round: say where the work stands and end here."
    : "Revise your work, then say what you have changed.";
  return textTurn(`The outcome is not reached yet. ${explanation}\n\n${next}`);
}

export const cutOffTurn = (tool: string): Turn =>
  textTurn(
    `[Your answer was longer than one answer may be and broke off in a call of ${tool}. No call of that answer was made. Do it in several shorter calls.]`,
  );

/** What is said in it; nothing where it is no content. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as Block[])
    .filter(({ type }) => type === "text")
    .map(({ text }) => String(text))
    .join("\n");
}
