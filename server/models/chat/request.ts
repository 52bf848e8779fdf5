// A message request in the words of chat completions. What has no words there is refused by its path.
import { invalid } from "../../../kernel/base/failure.ts";
import type { MessageBody, Model } from "../types.ts";
import { chatMessages, type ChatMessage } from "./turns.ts";
import type { ChatFieldNames, RefuseField } from "./types.ts";

export type ChatBody = { model: string; messages: ChatMessage[]; stream: boolean } & Record<
  string,
  unknown
>;

type Fields = Record<string, unknown>;

const refuser =
  (model: Model): RefuseField =>
  (path, why = "it has no equivalent in chat completions, which the model's upstream speaks") => {
    throw invalid(
      `${path}: the model ${model.id} does not take this; ${why}. Leave it out, or use another model.`,
    );
  };

/** Null stands for a field that was left out. */
const isGiven = (value: unknown) => value !== undefined && value !== null;

export function chatBody(
  body: MessageBody,
  model: Model,
  stream: boolean,
  words: ChatFieldNames,
): ChatBody {
  const refuse = refuser(model);
  const chat: ChatBody = {
    model: model.upstreamModel,
    messages: chatMessages(body, model, words.reasoningField, refuse),
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
  Object.assign(chat, reasoning(body, model, refuse));
  for (const [field, value] of Object.entries(body)) {
    if (!isGiven(value)) continue;
    // A field that the operator says is taken goes out as it stands.
    if (model.pass.includes(field)) chat[field] = value;
    else Object.assign(chat, translated(field, value, body, model, words, refuse));
  }
  return chat;
}

function translated(
  field: string,
  value: unknown,
  body: MessageBody,
  model: Model,
  words: ChatFieldNames,
  refuse: RefuseField,
): Fields {
  switch (field) {
    case "model":
    case "messages":
    case "system":
    case "stream":
    // Prices of cached prefixes are counted here, not there: nothing is lost.
    case "cache_control":
    // Ours, or without a meaning; and the two that are read together with others.
    case "effort":
    case "billing_policy":
    case "thinking":
    case "output_config":
      return {};
    case "max_tokens":
      if (value === 0) refuse("max_tokens", "an upstream of chat completions cannot be warmed up");
      return { [words.maxTokensField]: value };
    case "temperature":
    case "top_p":
      return { [field]: value };
    case "stop_sequences":
      return (value as unknown[]).length === 0 ? {} : { stop: value };
    case "metadata":
      return metadata(value as Fields, refuse);
    case "service_tier":
      return value === "auto" ? {} : refuse("service_tier");
    case "speed":
      return value === "standard" ? {} : refuse("speed");
    case "tools":
      return tools(value as readonly Fields[], model, refuse);
    case "tool_choice":
      return toolChoice(value as Fields, body, refuse);
    case "output_format":
      return format(value as Fields, "output_format", model, refuse);
    default:
      return refuse(field);
  }
}

/** Refuses what an object holds beside the fields that are read. */
function refuseOthers(
  value: Fields,
  known: readonly string[],
  path: string,
  refuse: RefuseField,
): void {
  for (const [field, inner] of Object.entries(value))
    if (isGiven(inner) && !known.includes(field)) refuse(`${path}.${field}`);
}

function metadata(value: Fields, refuse: RefuseField): Fields {
  refuseOthers(value, ["user_id"], "metadata", refuse);
  return isGiven(value["user_id"]) ? { user: value["user_id"] } : {};
}

/** How eagerly arguments are streamed, and prices, change nothing in what the tool is. */
const toolFields = [
  "name",
  "type",
  "description",
  "input_schema",
  "strict",
  "cache_control",
  "eager_input_streaming",
  // What is loaded later is there from the start: there is no search for tools.
  "defer_loading",
];

function tools(list: readonly Fields[], model: Model, refuse: RefuseField): Fields {
  if (list.length === 0) return {};
  if (!model.tools) refuse("tools", "it has no tools");
  const functions = list.map((tool, index) => {
    const path = `tools.${index}`;
    if (isGiven(tool["type"]) && tool["type"] !== "custom") refuse(`${path}.type`);
    const extras = { ...tool };
    if (String(extras["allowed_callers"]) === "direct") delete extras["allowed_callers"];
    refuseOthers(extras, toolFields, path, refuse);
    const { name, description, input_schema: parameters, strict } = tool;
    return {
      type: "function",
      function: {
        name,
        ...(isGiven(description) && { description }),
        parameters,
        ...(isGiven(strict) && { strict }),
      },
    };
  });
  return { tools: functions };
}

function toolChoice(choice: Fields, body: MessageBody, refuse: RefuseField): Fields {
  refuseOthers(choice, ["type", "name", "disable_parallel_tool_use"], "tool_choice", refuse);
  if ((body.tools ?? []).length === 0) {
    const needsTools = choice["type"] === "any" || choice["type"] === "tool";
    return needsTools ? refuse("tool_choice", "there are no tools to choose from") : {};
  }
  const alone = choice["disable_parallel_tool_use"] === true && { parallel_tool_calls: false };
  switch (choice["type"]) {
    case "auto":
    case "none":
      return { tool_choice: choice["type"], ...alone };
    case "any":
      return { tool_choice: "required", ...alone };
    case "tool":
      return {
        tool_choice: { type: "function", function: { name: choice["name"] } },
        ...alone,
      };
    default:
      return refuse("tool_choice.type");
  }
}

/** Two fields here are one there: `disabled` thinking goes before an effort. */
function reasoning(body: MessageBody, model: Model, refuse: RefuseField): Fields {
  const isOff = !model.pass.includes("thinking") && thinksNot(body.thinking ?? {}, model, refuse);
  const { output_config: config } = body;
  if (model.pass.includes("output_config")) return {};
  const output = outputConfig(config ?? {}, model, refuse);
  // A model that does not think has nothing to switch off.
  const canThink = model.thinking.some((type) => type === "adaptive" || type === "enabled");
  return isOff && canThink ? { ...output, reasoning_effort: "none" } : output;
}

function thinksNot(value: Fields, model: Model, refuse: RefuseField): boolean {
  const display = value["display"];
  if (isGiven(display) && display !== "summarized" && display !== "omitted")
    refuse("thinking.display");
  refuseOthers(value, ["type", "display", "budget_tokens"], "thinking", refuse);
  switch (value["type"]) {
    case undefined:
      return false;
    case "disabled":
      return true;
    case "adaptive":
      return model.thinking.includes("adaptive") ? false : refuse("thinking.type");
    case "enabled":
      return refuse("thinking.budget_tokens", 'use {"type": "adaptive"} with output_config.effort');
    default:
      return refuse("thinking.type");
  }
}

/** An effort that was not given is `high`, and other servers may take another level: so it is always sent. */
function outputConfig(value: Fields, model: Model, refuse: RefuseField): Fields {
  refuseOthers(value, ["effort", "format"], "output_config", refuse);
  const { format: given } = value as { format?: Fields | null };
  const usual = model.efforts.includes("high") ? "high" : undefined;
  const effort = value["effort"] ?? usual;
  if (effort !== undefined && !model.efforts.some((level) => level === effort))
    refuse("output_config.effort", `it takes ${model.efforts.join(", ") || "no effort"}`);
  return {
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(given !== undefined &&
      given !== null &&
      format(given, "output_config.format", model, refuse)),
  };
}

function format(value: Fields, path: string, model: Model, refuse: RefuseField): Fields {
  if (!model.structuredOutputs || value["type"] !== "json_schema")
    refuse(path, "it has no structured outputs of this kind");
  refuseOthers(value, ["type", "schema"], path, refuse);
  const schema = { name: "answer", strict: true, schema: value["schema"] };
  return { response_format: { type: "json_schema", json_schema: schema } };
}
