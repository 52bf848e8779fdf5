// A model as it stands in the form, and the entry that is sent. What the form has no field for stays as it was.
import type { Lifecycle, ModelEntry, NewModel } from "../kit/server/api.ts";

export const efforts = ["low", "medium", "high", "xhigh", "max"] as const;
export const thinkingTypes = ["adaptive", "enabled", "between_tools", "disabled"] as const;
export const flags = [
  ["tools", "Tools"],
  ["vision", "Images"],
  ["documents", "Documents"],
  ["structured_outputs", "Structured outputs"],
  ["prefill", "Prefilled answers"],
] as const;

type Flag = (typeof flags)[number][0];

export interface ModelDraft {
  id: string;
  displayName: string;
  upstream: string;
  upstreamModel: string;
  aliases: string;
  lifecycle: Lifecycle;
  maxInput: string;
  maxTokens: string;
  efforts: string[];
  thinking: string[];
  flags: Flag[];
  priceIn: string;
  priceOut: string;
  fallbackModels: string;
  rest: string;
}

const numberText = (value: number | null | undefined) =>
  value === null || value === undefined ? "" : String(value);
/** Nano-dollars for one token as dollars for a million. */
const priceText = (nano: number | undefined) => (nano === undefined ? "" : String(nano / 1_000));

export function draftOf(entry: ModelEntry | undefined, upstream: string): ModelDraft {
  if (entry === undefined)
    return { ...blank, upstream, rest: "", flags: ["tools"], efforts: [], thinking: [] };
  const { id, origin: _, created_at, prices, ...more } = entry;
  const {
    display_name,
    upstream: at = upstream,
    upstream_model,
    aliases = [],
    lifecycle = "active",
    max_input_tokens,
    max_tokens,
    efforts: levels = [],
    thinking = [],
    allowed_fallback_models = [],
    tools,
    vision,
    documents,
    structured_outputs,
    prefill,
    ...rest
  } = more;
  const on = { tools, vision, documents, structured_outputs, prefill };
  return {
    id,
    displayName: display_name ?? "",
    upstream: at,
    upstreamModel: upstream_model ?? "",
    aliases: aliases.join(", "),
    lifecycle,
    maxInput: numberText(max_input_tokens),
    maxTokens: numberText(max_tokens),
    efforts: levels,
    thinking,
    flags: flags.flatMap(([flag]) => (on[flag] === true ? [flag] : [])),
    priceIn: priceText(prices?.input),
    priceOut: priceText(prices?.output),
    fallbackModels: allowed_fallback_models.join(", "),
    rest: JSON.stringify({ created_at, ...rest }, null, 2),
  };
}

const blank = {
  id: "",
  displayName: "",
  upstreamModel: "",
  aliases: "",
  lifecycle: "active" as Lifecycle,
  maxInput: "",
  maxTokens: "",
  priceIn: "",
  priceOut: "",
  fallbackModels: "",
};

export const namesIn = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((name) => name.trim())
    .filter((name) => name !== "");

const limitOf = (text: string) => (text.trim() === "" ? null : Number(text));
const nanoOf = (text: string) => Math.round(Number(text === "" ? "0" : text) * 1_000);

/** A nano-dollar for one token is the least that can be said. */
const isTooFine = (text: string) => Math.abs(Number(text) * 1_000 - nanoOf(text)) > 1e-6;

/** What the form says, or the sentence about what cannot be read. */
export function entryOf(draft: ModelDraft, before: ModelEntry | undefined): NewModel | string {
  const rest = restOf(draft.rest);
  if (typeof rest === "string") return rest;
  const numbers = [draft.maxInput, draft.maxTokens, draft.priceIn, draft.priceOut];
  if (numbers.some((text) => Number.isNaN(Number(text))))
    return "Limits and prices are numbers, or empty.";
  if ([draft.priceIn, draft.priceOut].some(isTooFine))
    return "Prices of a million tokens have at most three decimals.";
  const [input, output] = [nanoOf(draft.priceIn), nanoOf(draft.priceOut)];
  const old = before?.prices;
  return {
    ...rest,
    id: draft.id.trim(),
    upstream: draft.upstream,
    ...(draft.displayName.trim() !== "" && { display_name: draft.displayName.trim() }),
    ...(draft.upstreamModel.trim() !== "" && { upstream_model: draft.upstreamModel.trim() }),
    aliases: namesIn(draft.aliases),
    lifecycle: draft.lifecycle,
    max_input_tokens: limitOf(draft.maxInput),
    max_tokens: limitOf(draft.maxTokens),
    efforts: efforts.filter((level) => draft.efforts.includes(level)),
    thinking: thinkingTypes.filter((type) => draft.thinking.includes(type)),
    ...Object.fromEntries(flags.map(([flag]) => [flag, draft.flags.includes(flag)])),
    // Prices of the cache follow that of input, where that changes; else those that were set stay.
    prices: old?.input === input ? { ...old, output } : { input, output },
    allowed_fallback_models: namesIn(draft.fallbackModels),
  };
}

function restOf(text: string): Record<string, unknown> | string {
  if (text.trim() === "") return {};
  try {
    const rest = JSON.parse(text) as unknown;
    if (typeof rest === "object" && rest !== null && !Array.isArray(rest)) return { ...rest };
    return "Everything else: an object is needed, { … }.";
  } catch (error) {
    return `Everything else: this is no JSON: ${error instanceof Error ? error.message : ""}`;
  }
}
