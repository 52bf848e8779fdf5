// The shape of a message request: each field by itself, for every model.
import Type, { type TObject } from "typebox";
import { Compile } from "typebox/compile";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";
import {
  anyObject,
  CacheControl,
  ContentBlock,
  nonEmptyString,
  oneOf,
  optional,
  orNull,
  SystemTurnBlock,
  Text,
  Tool,
} from "./blocks.ts";

const Effort = oneOf("low", "medium", "high", "xhigh", "max");

const UserTurn = closed({
  role: Type.Literal("user"),
  content: Type.Union([Type.String(), Type.Array(ContentBlock)]),
});
const AssistantTurn = closed({
  role: Type.Literal("assistant"),
  content: Type.Union([Type.String(), Type.Array(ContentBlock)]),
});
const SystemTurn = closed({
  role: Type.Literal("system"),
  content: optional(Type.Union([Type.String(), Type.Array(SystemTurnBlock)])),
  clear_at: optional(orNull(oneOf("next_user_message", "never"))),
  output_config: optional(orNull(closed({ effort: optional(orNull(Effort)) }))),
});

const parallel = { disable_parallel_tool_use: optional(Type.Boolean()) };
const ToolChoice = Type.Union([
  closed({ type: Type.Literal("auto"), ...parallel }),
  closed({ type: Type.Literal("any"), ...parallel }),
  closed({ type: Type.Literal("tool"), name: nonEmptyString, ...parallel }),
  closed({ type: Type.Literal("none") }),
]);

const shown = {
  display: optional(orNull(oneOf("summarized", "omitted", "updates"))),
  block_binding: optional(orNull(anyObject)),
};
const Thinking = Type.Union([
  closed({
    type: Type.Literal("enabled"),
    budget_tokens: Type.Integer({ minimum: limits.thinkingTokensMin }),
    ...shown,
  }),
  closed({ type: Type.Literal("adaptive"), ...shown }),
  closed({ type: Type.Literal("disabled") }),
  closed({ type: Type.Literal("between_tools") }),
]);

const Format = closed({ type: Type.Literal("json_schema"), schema: anyObject });
const OutputConfig = closed({
  effort: optional(orNull(Effort)),
  format: optional(orNull(Format)),
  task_budget: optional(
    orNull(
      closed({
        type: Type.Literal("tokens"),
        total: Type.Integer({ minimum: 1 }),
        remaining: optional(orNull(Type.Integer({ minimum: 0 }))),
      }),
    ),
  ),
});

const McpServer = closed({
  type: Type.Literal("url"),
  name: nonEmptyString,
  url: nonEmptyString,
  authorization_token: optional(orNull(Type.String())),
  tool_configuration: optional(
    orNull(
      closed({
        enabled: optional(orNull(Type.Boolean())),
        allowed_tools: optional(orNull(Type.Array(Type.String()))),
      }),
    ),
  ),
});
const Container = Type.Union([
  nonEmptyString,
  closed({
    id: optional(orNull(Type.String())),
    skills: optional(
      orNull(
        Type.Array(
          closed({
            type: oneOf("anthropic", "custom"),
            skill_id: nonEmptyString,
            version: optional(Type.String()),
          }),
        ),
      ),
    ),
  }),
  Type.Null(),
]);

export const Turn = Type.Union([UserTurn, AssistantTurn, SystemTurn]);

/** What `count_tokens` takes: all that a message takes, and only what is read is required. */
const counted = {
  model: nonEmptyString,
  messages: Type.Array(Turn, { minItems: 1, maxItems: limits.messagesMax }),
  system: optional(Type.Union([Type.String(), Type.Array(Text)])),
  tools: optional(Type.Array(Tool)),
  tool_choice: optional(ToolChoice),
  thinking: optional(orNull(Thinking)),
  output_config: optional(orNull(OutputConfig)),
  output_format: optional(orNull(Format)),
  stop_sequences: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: limits.stopSequenceCharactersMax }), {
      maxItems: limits.stopSequencesMax,
    }),
  ),
  stream: optional(Type.Boolean()),
  metadata: optional(
    closed({ user_id: optional(orNull(Type.String({ maxLength: limits.userIdCharactersMax }))) }),
  ),
  service_tier: optional(oneOf("auto", "standard_only")),
  speed: optional(orNull(oneOf("standard", "fast"))),
  cache_control: optional(orNull(CacheControl)),
  inference_geo: optional(orNull(Type.String())),
  diagnostics: optional(orNull(closed({ previous_message_id: optional(orNull(Type.String())) }))),
  billing_policy: optional(
    orNull(
      closed({ type: Type.Literal("billing_policy"), bill_to: optional(Type.Literal("self")) }),
    ),
  ),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: optional(Type.Integer({ minimum: 0 })),
  mcp_servers: optional(Type.Array(McpServer)),
  context_management: optional(
    orNull(closed({ edits: optional(Type.Array(Type.Object({ type: nonEmptyString }))) })),
  ),
  container: optional(Container),
  compaction: optional(
    orNull(
      closed({ type: Type.Literal("summarize"), instructions: optional(orNull(Type.String())) }),
    ),
  ),
};

const maxTokens = Type.Integer({ minimum: 0, maximum: limits.maxTokensMax });

/** Open: which other fields there may be depends on the model, and is judged before. */
export const MessageShape = Type.Object({ ...counted, max_tokens: maxTokens });
export const CountShape = Type.Object({ ...counted, max_tokens: optional(maxTokens) });

/** Nearly all turns are nothing but text: known without the schema. */
export const isTextTurn = (turn: unknown): boolean =>
  hasTwoFields(turn) &&
  (turn["role"] === "user" || turn["role"] === "assistant") &&
  (typeof turn["content"] === "string" ||
    (Array.isArray(turn["content"]) && turn["content"].every(isText)));

const isText = (block: unknown): boolean =>
  hasTwoFields(block) && block["type"] === "text" && typeof block["text"] === "string";
const hasTwoFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.keys(value).length === 2;

const turnCheck = Compile(Turn);
const fitsTurn = (turn: unknown) => isTextTurn(turn) || turnCheck.Check(turn);

function fitsOf({ properties }: typeof MessageShape | typeof CountShape) {
  const messages = { ...properties.messages, items: Type.Unknown() };
  const others = Compile(Type.Object({ ...properties, messages }));
  return (value: object) =>
    others.Check(value) && (value as { messages: unknown[] }).messages.every(fitsTurn);
}

/** Of both calls the schema, and whether a value fits it. */
export const shapes = {
  create: { schema: MessageShape as TObject, fits: fitsOf(MessageShape) },
  count: { schema: CountShape as TObject, fits: fitsOf(CountShape) },
};

/** Beside the shape: what is judged elsewhere, or means nothing, such as the early form of an effort. */
export const knownFields: ReadonlySet<string> = new Set([
  ...Object.keys(MessageShape.properties),
  "fallbacks",
  "fallback_credit_token",
  "thread",
  "effort",
]);

/** Fields that reach only an upstream that declares them. */
export const declaredFields = ["mcp_servers", "container", "compaction"] as const;
