// What a report by dimension asks of the ledger.
import { invalid } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { catalogOf } from "../models/module.ts";
import type { UsageSelection, Dimension } from "../usage/module.ts";
import { limits } from "./limits.ts";
import type { ReportQuery } from "./schema.ts";

type Filter = Exclude<
  keyof ReportQuery,
  | "limit"
  | "page"
  | "starting_at"
  | "ending_at"
  | "time_bucket_width"
  | "order"
  | "exclude_deleted_users"
>;

/** Null: the ledger knows nothing of it. */
const dimensionOf: Record<Filter, Dimension | null> = {
  actor_ids: "actor",
  actor_types: "actor_type",
  agent_ids: "agent_id",
  api_key_ids: "api_key_id",
  claude_tag_categories: null,
  claude_tag_user_ids: null,
  context_windows: "context_window",
  deployment_ids: "deployment_id",
  environment_ids: "environment_id",
  inference_geos: "inference_geo",
  key_maker_ids: "key_maker",
  member_ids: "member",
  models: "model",
  organization_ids: null,
  origins: "origin",
  products: "product",
  rbac_group_ids: null,
  service_tiers: "service_tier",
  session_ids: "session_id",
  slack_channel_ids: null,
  speeds: "speed",
  user_profile_ids: null,
  workspace_ids: "workspace_id",
};

/** An empty entry means what no key authenticated; a geography that the request did not name has a word. */
const noneOf: Partial<Record<Filter, string>> = {
  api_key_ids: "",
  inference_geos: "not_available",
};

/** A model may be asked for by any name that a request gives it; the ledger knows it by its id of that day. */
export function modelIdsOf(world: World, names: readonly string[]): string[] {
  const catalog = catalogOf(world);
  return [...new Set(names.flatMap((name) => [name, catalog.resolve(name)?.id ?? name]))];
}

/** Undefined: nothing can match. Rule REP4. */
export function filtersOf(world: World, query: ReportQuery): UsageSelection["filters"] | undefined {
  const filters: UsageSelection["filters"] = {};
  for (const [name, dimension] of Object.entries(dimensionOf) as [Filter, Dimension | null][]) {
    const values = query[name];
    if (values === undefined || values.length === 0) continue;
    if (dimension === null) return undefined;
    const named = name === "models" ? modelIdsOf(world, values) : values;
    filters[dimension] = named.map((value) => (value === noneOf[name] ? null : value));
  }
  return filters;
}

const known = new Set<string | null>(Object.values(dimensionOf));

/** Those that the ledger has; the others are null in every row. */
export function dimensionsOf(groupBy: readonly string[] | undefined): Dimension[] {
  const names = [...new Set(groupBy)].filter(
    (name) => name !== "cost_type" && name !== "token_type",
  );
  if (names.length > limits.groupByMax)
    throw invalid(`group_by: names ${names.length} dimensions; at most ${limits.groupByMax} go.`);
  return names.filter((name) => known.has(name)) as Dimension[];
}
