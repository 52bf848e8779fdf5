// What depends on the model: effort, thinking, output format, how much it may write.
import type { Failure } from "../../../kernel/base/failure.ts";
import {
  ignoresEffort,
  ignoresThinking,
  type MessageBody,
  type Model,
} from "../../models/module.ts";
import { invalidField } from "../problem.ts";

export function modelProblem(body: MessageBody, model: Model): Failure | undefined {
  const { max_tokens: maxTokens, output_config: config, thinking } = body;
  const most = mostTokens(model);
  if (maxTokens > most)
    return invalidField(["max_tokens"], `must be at most ${most} for ${model.id}`, maxTokens);
  return (
    (thinking ? thinkingProblem(thinking, body, model) : undefined) ??
    (config ? effortProblem(config["effort"], ["output_config", "effort"], model) : undefined) ??
    formatProblem(body, model) ??
    budgetProblem(config) ??
    (body["compaction"] && body["context_management"]
      ? invalidField(["compaction"], "must not stand beside context_management; send one of them")
      : undefined)
  );
}

/** The model's limit, else what the ledger can reserve for it, with a rest for the input. */
const mostTokens = ({ maxTokens, prices }: Model): number =>
  maxTokens ?? Math.floor(Number.MAX_SAFE_INTEGER / 2 / Math.max(prices.output, 1));

/** Null is a level that was not given. */
export function effortProblem(
  effort: unknown,
  path: readonly (string | number)[],
  model: Model,
): Failure | undefined {
  if (effort === undefined || effort === null || ignoresEffort(model, effort)) return undefined;
  const { id, efforts } = model;
  if (efforts.length === 0)
    return invalidField(path, `is not taken by ${id}; leave it out`, effort);
  if (efforts.some((level) => level === effort)) return undefined;
  const hint = effort === "adaptive" ? ", and adaptive is a type of thinking" : "";
  return invalidField(path, `must be one of ${efforts.join(", ")} for ${id}${hint}`, effort);
}

function thinkingProblem(
  thinking: Record<string, unknown>,
  { max_tokens: maxTokens, output_config: config }: MessageBody,
  model: Model,
): Failure | undefined {
  const { type, budget_tokens: budget } = thinking;
  if (ignoresThinking(model, type)) return undefined;
  if (!model.thinking.some((known) => known === type)) {
    const taken = model.thinking.length === 0 ? "no thinking" : model.thinking.join(", ");
    return invalidField(["thinking", "type"], `${model.id} takes ${taken}`, type);
  }
  if (type !== "enabled") return undefined;
  const path = ["thinking", "budget_tokens"];
  // Counting needs no max_tokens.
  if (maxTokens !== undefined && Number(budget) >= maxTokens)
    return invalidField(path, `must be less than max_tokens, which is ${maxTokens}`, budget);
  const hasEffort = config?.["effort"] !== undefined && config["effort"] !== null;
  if (hasEffort && !model.effortWithBudget)
    return invalidField(path, `must not stand beside output_config.effort for ${model.id}`, budget);
  return undefined;
}

function formatProblem(body: MessageBody, model: Model): Failure | undefined {
  const inConfig = body.output_config?.["format"] ?? undefined;
  const early = body["output_format"] ?? undefined;
  if (inConfig !== undefined && early !== undefined)
    return invalidField(
      ["output_format"],
      "is the early name of output_config.format; send one of them",
    );
  if (model.structuredOutputs || (inConfig === undefined && early === undefined)) return undefined;
  const path = early === undefined ? ["output_config", "format"] : ["output_format"];
  return invalidField(path, `is not taken by ${model.id}; leave it out or use another model`);
}

function budgetProblem(config: MessageBody["output_config"]): Failure | undefined {
  const budget = config?.["task_budget"] as
    | { total: number; remaining?: number | null }
    | undefined;
  if (!budget || (budget.remaining ?? 0) <= budget.total) return undefined;
  const path = ["output_config", "task_budget", "remaining"];
  return invalidField(path, `must be at most total, which is ${budget.total}`, budget.remaining);
}
