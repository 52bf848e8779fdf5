// What is said to simulated sessions: what is to become of it stands in it.
import type { Random } from "../../kernel/base/random.ts";

/** What makes a budget of a cent reached after some calls. */
const atLength = "and so on ".repeat(200);

export const messageOf = (words: string, random: Random) => {
  const tokens = 1 + Math.floor(random.fraction() * 30);
  const text = `${words} ${howOf(random.fraction())} [[tokens ${tokens}]] ${atLength}`;
  return { type: "user.message" as const, content: [{ type: "text" as const, text }] };
};

export const outcomeOf = (words: string, random: Random) => ({
  type: "user.define_outcome" as const,
  description: `${words} is done.`,
  max_iterations: 2,
  rubric: {
    type: "text" as const,
    content:
      random.fraction() < 0.5 ? '[[grade satisfied "All."]]' : '[[grade needs_revision "More."]]',
  },
});

/** Brackets within the input of a call would end its directive. */
const sends = (message: string) =>
  `send_to_agent ${JSON.stringify({ agent: "Worker", message }).replaceAll("[", "\\u005b").replaceAll("]", "\\u005d")}`;

function howOf(chance: number): string {
  if (chance < 0.3) return "[[tool one {}]]";
  if (chance < 0.45) return "[[tools one {} | two {}]]";
  if (chance < 0.55) return "[[rate 20]]";
  if (chance < 0.65) return `[[tool ${sends("[[tool one {}]]")}]]`;
  if (chance < 0.75)
    return `[[tools ${sends("[[tool two {}]]")} | ${sends("[[rate 20]] [[tokens 20]]")}]]`;
  if (chance < 0.8) return `[[tools one {} | ${sends("[[fail status=529 times=1]]")}]]`;
  if (chance < 0.85) return "[[fail status=529 times=1 retry_after=1]]";
  if (chance < 0.88) return "[[fail status=400]]";
  return "";
}
