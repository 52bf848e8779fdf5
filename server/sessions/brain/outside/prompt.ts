// What a model is shown of a thread: a body for the messages engine, made of the agent's configuration and the state.
import type { Block, MessageBody, Turn } from "../../../models/module.ts";

export interface PromptConfig {
  model: string;
  /** The agent's own words, and notes on what the session has. */
  system: readonly string[];
  tools: readonly Record<string, unknown>[];
  effort: string | null;
  speed: string;
  inferenceGeo: string | null;
  maxTokens: number;
}

/**
 * Three marks for the cache: tools and system, the turn before, and the end. A long session reads all but its newest
 * turn from the cache.
 */
export function promptOf(turns: readonly Turn[], config: PromptConfig): MessageBody {
  const system = config.system.map((text): Block => ({ type: "text", text }));
  return {
    model: config.model,
    max_tokens: config.maxTokens,
    ...(system.length > 0 && { system: withMark(system) }),
    ...(config.tools.length > 0 && { tools: config.tools }),
    ...(config.effort !== null && { output_config: { effort: config.effort } }),
    ...(config.speed !== "standard" && { speed: config.speed }),
    ...(config.inferenceGeo !== null && { inference_geo: config.inferenceGeo }),
    messages: marked(merged(turns)),
  };
}

const mark = { type: "ephemeral" } as const;

function withMark(blocks: readonly Block[]): Block[] {
  const last = blocks.at(-1);
  return last === undefined ? [] : [...blocks.slice(0, -1), { ...last, cache_control: mark }];
}

/** Turns of the user in a row are one: the results of calls come before what was said meanwhile. */
function merged(turns: readonly Turn[]): Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    // A model that said nothing is not shown that it did.
    if (turn.content.length === 0) continue;
    const before = all.at(-1);
    if (before === undefined || before.role !== turn.role || turn.role === "system") {
      all.push(turn);
      continue;
    }
    all[all.length - 1] = { role: turn.role, content: [...blocksOf(before), ...blocksOf(turn)] };
  }
  return all;
}

const blocksOf = ({ content }: Turn): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

function marked(turns: readonly Turn[]): Turn[] {
  const places = turns.flatMap(({ role }, at) => (role === "user" ? [at] : []));
  const chosen = new Set(places.slice(-2));
  return turns.map((turn, at) =>
    chosen.has(at) ? { ...turn, content: withMark(blocksOf(turn)) } : turn,
  );
}
