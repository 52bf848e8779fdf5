// Events in words and colours: what each is called, and to which kind it belongs.
import { spaced } from "../../kit/value/words.ts";

export const kinds = {
  input: { word: "Input", colour: "var(--series-1)" },
  answer: { word: "Answer", colour: "var(--series-3)" },
  model: { word: "Model at work", colour: "var(--series-6)" },
  call: { word: "Tool call", colour: "var(--series-2)" },
  thread: { word: "Other agent", colour: "var(--series-4)" },
  status: { word: "Status", colour: "var(--series-8)" },
  error: { word: "Error", colour: "var(--bad-fill)" },
} as const;
export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as Kind[];

export function kindOf(type: string): Kind {
  if (type === "session.error") return "error";
  if (type.includes("thread_message") || type === "session.thread_created") return "thread";
  if (/tool_(use|result|confirmation)$/.test(type)) return "call";
  if (type.startsWith("user.") || type.startsWith("system.")) return "input";
  if (type === "agent.message") return "answer";
  if (type.startsWith("span.") || type.startsWith("agent.")) return "model";
  return "status";
}

/** `session.status_idle` -> `Session status idle`. */
export const eventWords = (type: string): string => spaced(type);
