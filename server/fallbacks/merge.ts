// The body of one hop: the request with the overrides of its entry, as its model takes them.
import type { Failure } from "../../kernel/base/failure.ts";
import type { MessageBody, Model } from "./types.ts";

/** One entry of `fallbacks`, checked. */
export interface FallbackEntry {
  model: string;
  max_tokens?: number | null;
  thinking?: Record<string, unknown> | null;
  output_config?: Record<string, unknown> | null;
  speed?: string | null;
}

/** What the messages noun says of a body for a model; undefined: it may run. */
export type ValidateFor = (model: Model, body: MessageBody) => Failure | undefined;

/** The request without the fields of this server alone; the very same object where there is nothing to take out. */
export function withoutOurs(body: MessageBody): MessageBody {
  if (body["fallbacks"] === undefined && body["fallback_credit_token"] === undefined) return body;
  const { fallbacks: _, fallback_credit_token: __, ...rest } = body;
  return rest;
}

/** Rules of 06-01: a value sets, null removes, absent keeps. */
export function patchHop(body: MessageBody, model: Model, entry: FallbackEntry): MessageBody {
  const patched: Record<string, unknown> = { ...withoutOurs(body), model: model.id };
  if (typeof entry.max_tokens === "number") patched["max_tokens"] = entry.max_tokens;
  patch(patched, "thinking", entry.thinking);
  patch(patched, "speed", entry.speed);
  if (entry.output_config === null) delete patched["output_config"];
  else if (entry.output_config !== undefined) {
    const merged: Record<string, unknown> = { ...body.output_config };
    for (const [field, value] of Object.entries(entry.output_config)) patch(merged, field, value);
    setOrDrop(patched, "output_config", nonEmpty(merged));
  }
  return patched as MessageBody;
}

/** Rules of 07-01: what the model does not take of the request falls to the model's default. */
export function mergeHop(
  body: MessageBody,
  model: Model,
  entry: FallbackEntry,
  validateFor: ValidateFor,
): MessageBody {
  const merged: Record<string, unknown> = { ...withoutOurs(body), model: model.id };
  merged["max_tokens"] = entry.max_tokens ?? Math.min(body.max_tokens, model.maxTokens ?? Infinity);
  setOrDrop(merged, "thinking", thinkingOf(body, model, entry));
  setOrDrop(merged, "speed", entry.speed === undefined ? speedOf(body, model) : entry.speed);
  setOrDrop(merged, "output_config", outputConfigOf(body, merged["thinking"], model, entry));
  const hop = merged as MessageBody;
  return entry.output_config?.["task_budget"] === undefined
    ? withTaskBudgetIfTaken(hop, model, validateFor)
    : hop;
}

function thinkingOf(body: MessageBody, model: Model, entry: FallbackEntry): unknown {
  if (entry.thinking !== undefined) return entry.thinking;
  const takes = (type: unknown) => model.thinking.some((known) => known === type);
  const type = body.thinking?.["type"];
  if (type === undefined || takes(type)) return body.thinking;
  return type === "between_tools" && takes("disabled") ? { type: "disabled" } : undefined;
}

const speedOf = (body: MessageBody, model: Model) =>
  model.pass.includes("speed") ? body.speed : undefined;

function outputConfigOf(
  body: MessageBody,
  thinking: unknown,
  model: Model,
  entry: FallbackEntry,
): unknown {
  if (entry.output_config === null) return undefined;
  const overrides = entry.output_config ?? {};
  const merged: Record<string, unknown> = { ...body.output_config };
  for (const [field, value] of Object.entries(overrides)) patch(merged, field, value);
  if (overrides["effort"] === undefined && !takesEffort(model, merged["effort"], thinking))
    delete merged["effort"];
  return nonEmpty(merged);
}

function takesEffort(model: Model, effort: unknown, thinking: unknown): boolean {
  const hasBudget = (thinking as { type?: unknown } | undefined)?.type === "enabled";
  return model.efforts.some((level) => level === effort) && (!hasBudget || model.effortWithBudget);
}

/** Whether a model takes a task budget of this size, only the check itself knows. */
function withTaskBudgetIfTaken(
  body: MessageBody,
  model: Model,
  validateFor: ValidateFor,
): MessageBody {
  const { task_budget: budget, ...rest } = body.output_config ?? {};
  if (budget === undefined || validateFor(model, body) === undefined) return body;
  const without: Record<string, unknown> = { ...body };
  setOrDrop(without, "output_config", nonEmpty(rest));
  return without as MessageBody;
}

function patch(target: Record<string, unknown>, field: string, value: unknown): void {
  if (value !== undefined) setOrDrop(target, field, value);
}

function setOrDrop(target: Record<string, unknown>, field: string, value: unknown): void {
  if (value === null || value === undefined) delete target[field];
  else target[field] = value;
}

const nonEmpty = (fields: Record<string, unknown>) =>
  Object.keys(fields).length > 0 ? fields : undefined;
