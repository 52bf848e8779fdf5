// What is said to simulated sessions: what is to become of it stands in it; and what waits for an answer.
import type { Random } from "../../kernel/base/random.ts";
import type { SessionEvent } from "../../server/sessions/events/schema.ts";

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

/** What it is to do has a name of its own, so that none is done twice unseen. */
const bash = (command: string, random: Random) =>
  `bash ${JSON.stringify({ command: `${command} ${random.bytes(6).toString("hex")}` })}`;

/** What is said to sessions in cloud environments half of the time. */
export function cloudMessageOf(words: string, random: Random) {
  const ms = 100 + Math.floor(random.fraction() * 4_000);
  const work = () => {
    const calls = [bash("append", random), bash(`sleep ${ms}`, random), bash("append", random)];
    const some = calls.slice(0, 1 + Math.floor(random.fraction() * calls.length));
    return `[[tools ${some.join(" | ")}]]`;
  };
  const chance = random.fraction();
  const given = () => `[[tools one {} | ${sends(work())}]]`;
  const how = chance < 0.2 ? given() : chance < 0.4 ? `${work()} ${work()}` : work();
  const text = `${words} ${how} [[tokens 5]]`;
  return { type: "user.message" as const, content: [{ type: "text" as const, text }] };
}

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

/** Those of custom tools. */
export function openCalls(events: readonly SessionEvent[]): string[] {
  const field = (event: SessionEvent, name: string) =>
    String((event as unknown as Record<string, unknown>)[name]);
  const answered = new Set(
    events.flatMap((event) => [field(event, "custom_tool_use_id"), field(event, "tool_use_id")]),
  );
  const calls = events.filter(({ type }) => type === "agent.custom_tool_use");
  return calls.map(({ id }) => id).filter((id) => !answered.has(id));
}
