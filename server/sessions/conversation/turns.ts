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
  switch (input.kind) {
    case "outcome":
      return textTurn(
        `Work until this outcome is reached, then say what you have done:\n\n${input.outcome.description}`,
      );
    case "system":
      return { role: "system", content: input.content };
    case "message":
      return { role: "user", content: readable(input.content) };
    case "thread_message": {
      const said = input.agentName === null ? "The coordinator" : `The agent ${input.agentName}`;
      const words: Block = { type: "text", text: `${said} writes:` };
      return { role: "user", content: [words, ...readable(input.content)] };
    }
  }
}

/** A model is not told what somebody has blotted out, only that they have. */
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
