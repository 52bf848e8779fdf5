// Shapes of the reports by dimension: usage and cost, as the official client knows them.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { cursorQuery, reportPage } from "../../kernel/http/pages.ts";
import { limits } from "./limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Text = nullable(Type.String());
export const Time = Type.String({ format: "date-time" });
const listOf = <T extends TSchema>(item: T) =>
  Type.Optional(Type.Array(item, { maxItems: limits.filterValuesMax }));
export const Ids = listOf(Type.String({ maxLength: 256 }));

export const groupNames = [
  "actor",
  "actor_type",
  "agent_id",
  "api_key_id",
  "claude_tag_category",
  "claude_tag_user_id",
  "context_window",
  "deployment_id",
  "environment_id",
  "inference_geo",
  "key_maker",
  "member",
  "model",
  "organization_id",
  "origin",
  "product",
  "rbac_group_id",
  "service_tier",
  "session_id",
  "slack_channel_id",
  "speed",
  "user_profile_id",
  "workspace_id",
] as const;
export type GroupName = (typeof groupNames)[number];

const origins = ["api", "batch", "console", "session"] as const;
const actorTypes = ["user_actor", "service_account_actor", "federated_actor", "api_actor"] as const;
export const ContextWindow = Type.Enum(["0-200k", "200k-1M"]);
export const ServiceTier = Type.Enum([
  "batch",
  "flex",
  "flex_discount",
  "priority",
  "priority_on_demand",
  "standard",
]);
export const Speed = Type.Enum(["fast", "standard"]);
export const Width = Type.Enum(["1m", "1h", "1d"]);

const common = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.rowsMax })),
  page: cursorQuery.page,
  starting_at: Time,
  ending_at: Type.Optional(Time),
  time_bucket_width: Type.Optional(Width),
  order: Type.Optional(Type.Enum(["asc", "desc"])),
  exclude_deleted_users: Type.Optional(Type.Boolean()),
  actor_ids: Ids,
  actor_types: listOf(Type.Enum([...actorTypes])),
  agent_ids: Ids,
  api_key_ids: Ids,
  claude_tag_categories: Ids,
  claude_tag_user_ids: Ids,
  context_windows: listOf(ContextWindow),
  deployment_ids: Ids,
  environment_ids: Ids,
  inference_geos: Ids,
  key_maker_ids: Ids,
  member_ids: Ids,
  models: Ids,
  organization_ids: Ids,
  origins: listOf(Type.Enum([...origins])),
  products: Ids,
  rbac_group_ids: Ids,
  service_tiers: listOf(ServiceTier),
  session_ids: Ids,
  slack_channel_ids: Ids,
  speeds: listOf(Speed),
  user_profile_ids: Ids,
  workspace_ids: Ids,
};

export const UsageQuery = closed({
  ...common,
  group_by: listOf(Type.Enum([...groupNames])),
  order_by: Type.Optional(
    Type.Enum(["total_tokens", "output_tokens", "uncached_input_tokens", "requests", "time"]),
  ),
});
export type UsageQuery = Static<typeof UsageQuery>;

export const CostQuery = closed({
  ...common,
  group_by: listOf(Type.Enum([...groupNames, "cost_type", "token_type"])),
  order_by: Type.Optional(Type.Enum(["amount", "list_amount", "time"])),
});
export type CostQuery = Static<typeof CostQuery>;
export type ReportQuery = Omit<UsageQuery, "group_by" | "order_by">;

const Actor = Type.Union([
  Type.Object({
    type: Type.Literal("user_actor"),
    user_id: Type.String(),
    name: Text,
    email_address: Text,
    deleted: Type.Boolean(),
  }),
  Type.Object({ type: Type.Literal("service_account_actor"), service_account_id: Type.String() }),
  Type.Object({ type: Type.Literal("api_actor"), api_key_id: Type.String() }),
]);
export type Actor = Static<typeof Actor>;

/** Dimensions whose values say more than an id. */
export const actorNames = ["actor", "key_maker", "member"] as const;
export type ActorName = (typeof actorNames)[number];

const ofEach = <Name extends string, Value>(names: readonly Name[], value: Value) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
const groups: Record<Exclude<GroupName, ActorName>, typeof Text> &
  Record<ActorName, ReturnType<typeof nullable<typeof Actor>>> = {
  ...ofEach(groupNames, Text),
  ...ofEach(actorNames, nullable(Actor)),
};

export const tokenTypes = {
  input: "uncached_input_tokens",
  cache_write_5m: "cache_creation.ephemeral_5m_input_tokens",
  cache_write_1h: "cache_creation.ephemeral_1h_input_tokens",
  cache_read: "cache_read_input_tokens",
  output: "output_tokens",
} as const;
export const TokenType = Type.Enum(Object.values(tokenTypes));

export const Tokens = {
  uncached_input_tokens: Type.Integer(),
  cache_read_input_tokens: Type.Integer(),
  cache_creation: Type.Object({
    ephemeral_5m_input_tokens: Type.Integer(),
    ephemeral_1h_input_tokens: Type.Integer(),
  }),
  output_tokens: Type.Integer(),
  server_tool_use: Type.Object({ web_search_requests: Type.Integer() }),
};

export const UsageRow = Type.Object(
  {
    starting_at: Type.String(),
    ending_at: Type.String(),
    group: Type.Object(groups),
    usage: Type.Object({
      ...Tokens,
      total_tokens: Type.Integer(),
      /** Attempts on a model: where one falls back to another they are two. */
      requests: nullable(Type.Integer()),
    }),
  },
  { $id: "UsageRow" },
);
export type UsageRow = Static<typeof UsageRow>;
export const UsagePage = reportPage(UsageRow);

export const CostRow = Type.Object(
  {
    starting_at: Type.String(),
    ending_at: Type.String(),
    group: Type.Object({
      ...groups,
      cost_type: nullable(Type.Enum(["tokens", "web_search", "code_execution", "session_usage"])),
      token_type: nullable(TokenType),
    }),
    cost: Type.Object({
      /** Hundredths of a unit, as decimal text. */
      amount: Type.String(),
      list_amount: Type.String(),
      currency: Type.String(),
      requests: nullable(Type.Integer()),
    }),
  },
  { $id: "CostRow" },
);
export type CostRow = Static<typeof CostRow>;
export const CostPage = reportPage(CostRow);
