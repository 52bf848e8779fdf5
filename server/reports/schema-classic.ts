// Shapes of the classic reports: time buckets with results in each.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { cursorQuery } from "../../kernel/http/pages.ts";
import {
  ContextWindow,
  Ids,
  ServiceTier,
  Speed,
  Time,
  Tokens,
  TokenType,
  Width,
} from "./schema.ts";
import { limits } from "./limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Text = nullable(Type.String());
const listOf = <T extends TSchema>(item: T) =>
  Type.Optional(Type.Array(item, { maxItems: limits.filterValuesMax }));

const common = {
  limit: cursorQuery.limit,
  page: cursorQuery.page,
  starting_at: Time,
  ending_at: Type.Optional(Time),
};

export const messageGroups = [
  "account_id",
  "api_key_id",
  "context_window",
  "inference_geo",
  "model",
  "service_account_id",
  "service_tier",
  "speed",
  "workspace_id",
] as const;

export const MessagesQuery = closed({
  ...common,
  bucket_width: Type.Optional(Width),
  group_by: listOf(Type.Enum([...messageGroups])),
  account_ids: Ids,
  api_key_ids: Ids,
  context_window: listOf(ContextWindow),
  inference_geos: Ids,
  models: Ids,
  service_account_ids: Ids,
  service_tiers: listOf(ServiceTier),
  speeds: listOf(Speed),
  workspace_ids: Ids,
});
export type MessagesQuery = Static<typeof MessagesQuery>;

export const CostReportQuery = closed({
  ...common,
  bucket_width: Type.Optional(Type.Literal("1d")),
  group_by: listOf(Type.Enum(["workspace_id", "description"])),
});
export type CostReportQuery = Static<typeof CostReportQuery>;

const bucketOf = <T extends TSchema>(result: T) =>
  Type.Object({
    starting_at: Type.String(),
    ending_at: Type.String(),
    results: Type.Array(result),
  });
const pageOf = <T extends TSchema>(result: T) =>
  Type.Object({
    data: Type.Array(bucketOf(result)),
    has_more: Type.Boolean(),
    next_page: nullable(Type.String()),
  });

const { server_tool_use, ...tokens } = Tokens;
export const MessagesResult = Type.Object(
  {
    ...tokens,
    server_tool_use,
    account_id: Text,
    api_key_id: Text,
    context_window: Text,
    inference_geo: Text,
    model: Text,
    service_account_id: Text,
    service_tier: Text,
    speed: Text,
    workspace_id: Text,
  },
  { $id: "MessagesUsageResult" },
);
export type MessagesResult = Static<typeof MessagesResult>;
export const MessagesReport = pageOf(MessagesResult);

export const CostResult = Type.Object(
  {
    /** Hundredths of a unit, as decimal text. */
    amount: Type.String(),
    currency: Type.String(),
    workspace_id: Text,
    description: Text,
    cost_type: Text,
    context_window: Text,
    inference_geo: Text,
    model: Text,
    service_tier: Text,
    token_type: nullable(TokenType),
  },
  { $id: "CostReportResult" },
);
export type CostResult = Static<typeof CostResult>;
export const CostReport = pageOf(CostResult);
