// Models as clients see them.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { idWindow, toIdPage } from "../../kernel/http/pages.ts";
import { mayUse } from "./access.ts";
import { catalogOf } from "./catalog/process-catalog.ts";
import { limits } from "./limits.ts";
import type { ModelInfo, ModelQuery } from "./schema.ts";
import type { Model } from "./types.ts";

const fallbackBeta = "server-side-fallback-2026-07-01";

/** Rules MDL6 and MDL7. */
export function listModels(context: Context, query: ModelQuery) {
  const window = idWindow(query, { itemsMax: limits.pageItemsMax });
  const lifecycles = query.lifecycle ?? ["active", "deprecated"];
  const models = catalogOf(context)
    .list()
    .filter((model) => lifecycles.includes(model.lifecycle) && mayUse(context.who, model));
  const positionOf = (id: string, field: string) => {
    const position = models.findIndex((model) => model.id === id);
    if (position === -1) throw invalid(`${field}: ${id} is no model of this list.`);
    return position;
  };
  const { after, before, rows } = window;
  const found =
    before === undefined
      ? models.slice(after === undefined ? 0 : positionOf(after, "after_id") + 1)
      : models.slice(0, positionOf(before, "before_id")).toReversed();
  return toIdPage(
    found.slice(0, rows).map((model) => toInfo(model, context)),
    window,
  );
}

export function retrieveModel(context: Context, name: string): ModelInfo {
  const model = catalogOf(context).resolve(name);
  if (model === undefined || !mayUse(context.who, model)) throw notFound("model", name);
  return toInfo(model, context);
}

function toInfo(model: Model, context: Context): ModelInfo {
  const { betas } = context;
  const isServed = (id: string) => {
    const other = catalogOf(context).resolve(id);
    return other === undefined || (other.lifecycle !== "retired" && mayUse(context.who, other));
  };
  const if_ = (supported: boolean) => ({ supported });
  const effort = (level: Model["efforts"][number]) => if_(model.efforts.includes(level));
  const takes = (field: string) => model.pass.includes(field);
  const webSearch = model.pass.some((type) => type.startsWith("web_search_"));
  const codeExecution = model.pass.some((type) => type.startsWith("code_execution_"));
  const thinking = (type: Model["thinking"][number]) => if_(model.thinking.includes(type));
  return {
    id: model.id,
    type: "model",
    display_name: model.displayName,
    created_at: model.createdAt,
    lifecycle: model.lifecycle,
    deprecated_at: model.deprecatedAt,
    retires_at: model.retiresAt,
    line: null,
    max_input_tokens: model.maxInputTokens,
    max_tokens: model.maxTokens,
    capabilities: {
      batch: if_(true),
      citations: if_(false),
      code_execution: if_(codeExecution),
      compaction: takes("compaction") ? { supported: true, summarize: if_(true) } : null,
      // Which of its edits the upstream knows, only the upstream knows.
      context_management: {
        supported: takes("context_management"),
        clear_thinking_20251015: null,
        clear_tool_uses_20250919: null,
        compact_20260112: null,
      },
      effort: {
        supported: model.efforts.length > 0,
        low: effort("low"),
        medium: effort("medium"),
        high: effort("high"),
        max: effort("max"),
        xhigh: effort("xhigh"),
      },
      image_input: if_(model.vision),
      pdf_input: if_(model.documents),
      server_tools: {
        supported: webSearch || codeExecution,
        web_search: if_(webSearch),
        code_execution: if_(codeExecution),
      },
      structured_outputs: if_(model.structuredOutputs),
      thinking: {
        supported: model.thinking.some((type) => type !== "disabled"),
        types: {
          adaptive: thinking("adaptive"),
          enabled: thinking("enabled"),
          disabled: thinking("disabled"),
          between_tools: thinking("between_tools"),
        },
      },
    },
    allowed_fallback_models: betas.has(fallbackBeta)
      ? model.allowedFallbackModels.filter(isServed)
      : null,
    recommended_effort: model.recommendedEffort,
  };
}
