// Between an entry, as people write it, and the model that it means.
import { modelDefaults, pricesOf, simulatorModels } from "./built-in.ts";
import type { ConsoleModel, ModelEntry } from "../schema.ts";
import type { CatalogEntry } from "./catalog.ts";
import type { Model } from "../types.ts";

/** The creation of a model whose entry has no time of it. */
const unknownTime = "1970-01-01T00:00:00.000Z";

/** What is left out is as it was in an entry of the same id that this one overrides. */
export function modelFromEntry(
  entry: ModelEntry,
  upstream: { name: string; kind: string; pass?: readonly string[] },
  overridden: Model | undefined,
): Model {
  const { id } = entry;
  const base: Model = overridden ?? {
    ...modelDefaults,
    id,
    displayName: id,
    createdAt: unknownTime,
    upstream: upstream.name,
    upstreamModel: id,
    group: id,
    reportsCache: upstream.kind === "messages",
  };
  return {
    id,
    upstream: upstream.name,
    upstreamModel: entry.upstream_model ?? base.upstreamModel,
    aliases: entry.aliases ?? base.aliases,
    displayName: entry.display_name ?? base.displayName,
    createdAt: timeOf(entry.created_at) ?? base.createdAt,
    lifecycle: entry.lifecycle ?? base.lifecycle,
    deprecatedAt: given(timeOf(entry.deprecated_at), base.deprecatedAt),
    retiresAt: given(timeOf(entry.retires_at), base.retiresAt),
    group: entry.group ?? base.group,
    maxInputTokens: given(entry.max_input_tokens, base.maxInputTokens),
    maxTokens: given(entry.max_tokens, base.maxTokens),
    efforts: entry.efforts ?? base.efforts,
    recommendedEffort: given(entry.recommended_effort, base.recommendedEffort),
    thinking: entry.thinking ?? base.thinking,
    effortWithBudget: entry.effort_with_budget ?? base.effortWithBudget,
    prefill: entry.prefill ?? base.prefill,
    vision: entry.vision ?? base.vision,
    documents: entry.documents ?? base.documents,
    tools: entry.tools ?? base.tools,
    structuredOutputs: entry.structured_outputs ?? base.structuredOutputs,
    prices: pricesIn(entry) ?? base.prices,
    allowedFallbackModels: entry.allowed_fallback_models ?? base.allowedFallbackModels,
    fallbackRouting: entry.fallback_routing ?? base.fallbackRouting,
    classifiers: entry.classifiers ?? base.classifiers,
    guard: given(entry.guard, base.guard),
    cacheTokensMin: entry.cache_tokens_min ?? base.cacheTokensMin,
    pass: [
      ...new Set([...builtInPass(id), ...(entry.pass ?? base.pass), ...(upstream.pass ?? [])]),
    ],
    ignores: entry.ignores ?? base.ignores,
    reportsCache: entry.reports_cache ?? base.reportsCache,
  };
}

/** An entry only adds to what a built-in model takes. */
const builtInPass = (id: string) => simulatorModels.find((model) => model.id === id)?.pass ?? [];

const given = <T>(value: T | undefined, otherwise: T): T =>
  value === undefined ? otherwise : value;

/** In one spelling, because the list is sorted by it. */
const timeOf = <T extends string | null | undefined>(time: T) =>
  typeof time === "string" ? new Date(time).toISOString() : time;

function pricesIn({ prices }: ModelEntry): Model["prices"] | undefined {
  if (prices === undefined) return undefined;
  const usual = pricesOf(prices.input, prices.output);
  return {
    ...usual,
    cacheWrite5m: prices.cache_write_5m ?? usual.cacheWrite5m,
    cacheWrite1h: prices.cache_write_1h ?? usual.cacheWrite1h,
    cacheRead: prices.cache_read ?? usual.cacheRead,
  };
}

/** What is wrong with an entry in itself, as a sentence. */
export function entryProblem(entry: ModelEntry): string | undefined {
  const { id, efforts, recommended_effort: recommended } = entry;
  if (efforts !== undefined && recommended != null && !efforts.includes(recommended))
    return `The model ${id} recommends the effort ${recommended}, which it does not take.`;
  for (const { pattern } of entry.classifiers ?? [])
    try {
      void new RegExp(pattern, "iu");
    } catch {
      return `A classifier of the model ${id} has the pattern ${JSON.stringify(pattern)}, which is no regular expression.`;
    }
  return undefined;
}

/** The whole entry, as the console shows and sends it. */
export const consoleModelOf = ({ model, origin }: CatalogEntry): ConsoleModel => ({
  id: model.id,
  origin,
  upstream: model.upstream,
  upstream_model: model.upstreamModel,
  aliases: [...model.aliases],
  display_name: model.displayName,
  created_at: model.createdAt,
  lifecycle: model.lifecycle,
  deprecated_at: model.deprecatedAt,
  retires_at: model.retiresAt,
  group: model.group,
  max_input_tokens: model.maxInputTokens,
  max_tokens: model.maxTokens,
  efforts: [...model.efforts],
  recommended_effort: model.recommendedEffort,
  thinking: [...model.thinking],
  effort_with_budget: model.effortWithBudget,
  prefill: model.prefill,
  vision: model.vision,
  documents: model.documents,
  tools: model.tools,
  structured_outputs: model.structuredOutputs,
  prices: {
    input: model.prices.input,
    output: model.prices.output,
    cache_write_5m: model.prices.cacheWrite5m,
    cache_write_1h: model.prices.cacheWrite1h,
    cache_read: model.prices.cacheRead,
  },
  allowed_fallback_models: [...model.allowedFallbackModels],
  fallback_routing: { ...model.fallbackRouting },
  classifiers: [...model.classifiers],
  guard: model.guard,
  cache_tokens_min: model.cacheTokensMin,
  pass: [...model.pass],
  ignores: [...model.ignores],
  reports_cache: model.reportsCache,
});
