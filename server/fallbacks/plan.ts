// Which models a request may travel through, each with the body it would get: settled before any attempt.
import { invalid } from "../../kernel/base/failure.ts";
import type { OrganizationType } from "../../kernel/context.ts";
import { noAccess } from "../models/module.ts";
import { creditBeta, fallbackBeta, fallbackListBeta } from "./betas.ts";
import type { MessageBody, Model, ModelResolver, RefusalCategory } from "./types.ts";
import { limits } from "./limits.ts";
import { mergeHop, patchHop, withoutOurs, type FallbackEntry, type ValidateFor } from "./merge.ts";

export interface Hop {
  /** 0 is the requested model. */
  index: number;
  model: Model;
  body: MessageBody;
}

/** What a refusal is routed by: its category, or that it gave none. */
export type RefusalRoute = RefusalCategory | "none";

export interface HopPlan {
  mode: "none" | "list" | "default";
  /** As the caller wrote it: an alias or the id. */
  requestedName: string;
  /** The requested model first; then the list's, in order, or each target that `default` may take, once. */
  hops: readonly [Hop, ...Hop[]];
  /** Of `default` only: where a refusal of the requested model goes. */
  routes: ReadonlyMap<RefusalRoute, Hop>;
}

export interface PlanInput {
  /** As checked by the messages noun, `model` still in the caller's spelling. */
  body: MessageBody;
  betas: ReadonlySet<string>;
  /** What `body.model` resolves to. */
  model: Model;
  catalog: ModelResolver;
  organizationType: OrganizationType;
  /** Every model when not given. */
  mayUse?: (model: Model) => boolean;
  validateFor: ValidateFor;
}

/** Throws the 400 of a `fallbacks` that cannot be; what remains is a chain in which every body is valid. */
export function planHops(input: PlanInput): HopPlan {
  const { body, model } = input;
  const requested: Hop = { index: 0, model, body: withoutOurs(body) };
  const alone: HopPlan = {
    mode: "none",
    requestedName: body.model,
    hops: [requested],
    routes: new Map(),
  };
  const fallbacks = body["fallbacks"];
  if (fallbacks === undefined || fallbacks === null) return alone;
  checkMay(fallbacks, input);
  if (fallbacks === "default") return { ...alone, mode: "default", ...defaultTargets(input) };
  const entries = checkedEntries(fallbacks);
  const targets = resolveTargets(entries, input).map((target, at): Hop => {
    const merged = input.betas.has(fallbackBeta)
      ? mergeHop(body, target.model, target.entry, input.validateFor)
      : patchHop(body, target.model, target.entry);
    const failure = input.validateFor(target.model, merged);
    if (failure !== undefined)
      throw invalid(
        `fallbacks.${at} (${target.model.id}): ${failure.message} Nothing was sent: the request must be valid for every model it names.`,
        failure.options,
      );
    return { index: at + 1, model: target.model, body: merged };
  });
  return { ...alone, mode: "list", hops: [requested, ...targets] };
}

/** The hop after one that refused; undefined: its refusal is the answer. */
export function nextHop(
  plan: HopPlan,
  refused: Hop,
  category: RefusalCategory | null,
): Hop | undefined {
  if (plan.mode !== "default") return plan.hops[refused.index + 1];
  return refused.index === 0 ? plan.routes.get(category ?? "none") : undefined;
}

/** Where a sticky conversation starts; undefined when this request does not lead there. */
export const hopTo = (plan: HopPlan, modelId: string): Hop | undefined =>
  plan.hops.find(({ index, model }) => index > 0 && model.id === modelId);

function checkMay(fallbacks: unknown, { betas, organizationType }: PlanInput): void {
  if (organizationType === "platform_cloud")
    throw invalid(
      `fallbacks: organizations of this type have no server-side fallback. Leave the field out and retry refusals from the client, with the header vendor-beta: ${creditBeta} (the client library's refusal-fallback middleware does it).`,
    );
  if (betas.has(fallbackBeta) || (fallbacks !== "default" && betas.has(fallbackListBeta))) return;
  const what = fallbacks === "default" ? '"default"' : "a list";
  throw invalid(
    `fallbacks: ${what} is in beta: send the header vendor-beta: ${fallbackBeta} (or anthropic-beta).`,
  );
}

const checkByKey: Record<string, { allowed: string; is: (value: unknown) => boolean }> = {
  model: { allowed: "a model's name", is: (value) => typeof value === "string" && value !== "" },
  max_tokens: {
    allowed: "a whole number of at least 1, or null",
    is: (value) => value === null || (Number.isInteger(value) && (value as number) >= 1),
  },
  thinking: { allowed: "an object or null", is: (value) => value === null || isObject(value) },
  output_config: { allowed: "an object or null", is: (value) => value === null || isObject(value) },
  speed: {
    allowed: '"standard", "fast" or null',
    is: (value) => value === null || value === "standard" || value === "fast",
  },
};

function checkedEntries(fallbacks: unknown): FallbackEntry[] {
  const { fallbacksMin, fallbacksMax } = limits;
  if (!Array.isArray(fallbacks))
    throw invalid('fallbacks: must be "default" or a list of 1 to 3 objects with a model.');
  if (fallbacks.length < fallbacksMin || fallbacks.length > fallbacksMax)
    throw invalid(
      `fallbacks: has ${fallbacks.length} entries; ${fallbacksMin} to ${fallbacksMax} are allowed.`,
    );
  return fallbacks.map((entry: unknown, at) => {
    if (!isObject(entry)) throw invalid(`fallbacks.${at}: must be an object with a model.`);
    if (entry["model"] === undefined) throw invalid(`fallbacks.${at}.model: is missing.`);
    for (const [key, value] of Object.entries(entry)) {
      const check = Object.hasOwn(checkByKey, key) ? checkByKey[key] : undefined;
      if (check === undefined)
        throw invalid(
          `fallbacks.${at}.${key}: is no field of an entry; allowed are ${Object.keys(checkByKey).join(", ")}.`,
        );
      if (value !== undefined && !check.is(value))
        throw invalid(`fallbacks.${at}.${key}: must be ${check.allowed}.`);
    }
    return entry as unknown as FallbackEntry;
  });
}

function resolveTargets(
  entries: readonly FallbackEntry[],
  { model, catalog, mayUse = everyModel }: PlanInput,
) {
  const allowed = model.allowedFallbackModels;
  if (allowed.length === 0)
    throw invalid(
      `fallbacks: ${model.id} has no fallback models. Leave the field out, or send "default", which runs it alone.`,
    );
  const seen = new Map<string, number>();
  return entries.map((entry, at) => {
    const target = catalog.resolve(entry.model);
    const path = `fallbacks.${at}.model`;
    if (target?.id === model.id)
      throw invalid(`${path}: ${entry.model} is the requested model itself.`);
    if (target === undefined || !allowed.includes(target.id))
      throw invalid(
        `${path}: ${entry.model} is no fallback of ${model.id}; allowed are ${allowed.join(", ")}.`,
      );
    if (!mayUse(target)) throw noAccess(path, target);
    if (isRetired(target)) throw invalid(`${path}: ${entry.model} is retired. Name another model.`);
    const before = seen.get(target.id);
    if (before !== undefined)
      throw invalid(`${path}: ${entry.model} is the same model as fallbacks.${before}.`);
    seen.set(target.id, at);
    return { entry, model: target };
  });
}

const everyModel = () => true;
const isRetired = ({ lifecycle }: Model) => lifecycle === "retired";

/** The caller named none of these models, so one that cannot take the request is left out, not refused. */
function defaultTargets({ body, model, catalog, mayUse = everyModel, validateFor }: PlanInput) {
  const requested: Hop = { index: 0, model, body: withoutOurs(body) };
  const byModel = new Map<string, Hop>();
  const routes = new Map<RefusalRoute, Hop>();
  for (const [route, name] of Object.entries(model.fallbackRouting)) {
    const target = catalog.resolve(name);
    if (target === undefined || target.id === model.id || isRetired(target)) continue;
    if (!model.allowedFallbackModels.includes(target.id) || !mayUse(target)) continue;
    let hop = byModel.get(target.id);
    if (hop === undefined) {
      const merged = mergeHop(body, target, { model: target.id }, validateFor);
      if (validateFor(target, merged) !== undefined) continue;
      hop = { index: byModel.size + 1, model: target, body: merged };
      byModel.set(target.id, hop);
    }
    routes.set(route as RefusalRoute, hop);
  }
  return { hops: [requested, ...byModel.values()] as [Hop, ...Hop[]], routes };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
