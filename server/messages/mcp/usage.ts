// What an answer of several rounds has used: the sum of them, and each by itself.
import type { Message, StreamEvent, Usage } from "../../models/module.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Of one round, as its events say. */
export class RoundUsage {
  usage: Usage = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: null,
  };

  start(event: StreamEvent): void {
    this.usage = (event["message"] as Message).usage;
  }

  /** What the end leaves out or has as null stays as it began. */
  end(event: StreamEvent): void {
    const said = Object.entries((event["usage"] ?? {}) as Fields).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    this.usage = { ...this.usage, ...Object.fromEntries(said) };
  }
}

/** Of one round its own; of more, the sum, with the rounds as iterations. */
export function summedUsage(rounds: readonly RoundUsage[], model: string): Usage {
  const all = rounds.map(({ usage }) => usage);
  if (all.length === 1 && all[0] !== undefined) return all[0];
  const sum = all.reduce<Fields>(added, {}) as Usage;
  const iterations = all.flatMap((usage) => iterationsOf(usage, model));
  return { ...sum, iterations: iterations.map(ofOneAnswer) };
}

/** Numbers are added, at each level; of words the last one counts. */
function added(sum: Fields, more: Fields): Fields {
  const both: Record<string, unknown> = { ...sum };
  for (const [field, value] of Object.entries(more)) both[field] = addedValue(sum[field], value);
  return both;
}

function addedValue(before: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return before ?? null;
  if (typeof before === "number" && typeof value === "number") return before + value;
  const areFields = [before, value].every(
    (each) => typeof each === "object" && each !== null && !Array.isArray(each),
  );
  return areFields ? added(before as Fields, value as Fields) : value;
}

/** The last one alone says that a fallback served. */
const ofOneAnswer = (iteration: Fields, at: number, all: readonly Fields[]): Fields =>
  iteration["type"] === "fallback_message" && at < all.length - 1
    ? { ...iteration, type: "message" }
    : iteration;

function iterationsOf(usage: Usage, model: string): Fields[] {
  const { iterations } = usage;
  if (Array.isArray(iterations)) return iterations as Fields[];
  return [
    {
      type: "message",
      model,
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
      cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
      cache_creation: usage.cache_creation ?? null,
    },
  ];
}
