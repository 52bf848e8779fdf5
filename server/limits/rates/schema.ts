// Shapes of rate limits over the API, as the official client knows them.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { perMinuteMax } from "../limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Id = Type.String({ minLength: 1, maxLength: 100 });

const GroupType = Type.Enum([
  "batch",
  "files",
  "model_group",
  "skills",
  "token_count",
  "web_search",
]);

/** All that the wire knows; what is enforced here stands in service.ts. */
const LimiterType = Type.Enum([
  "requests_per_minute",
  "tokens_per_minute",
  "tokens_per_day",
  "input_tokens_per_minute",
  "input_tokens_per_minute_cache_aware",
  "output_tokens_per_minute",
  "tool_uses_per_second",
  "fast_itpmca",
  "fast_otpm",
]);
export type LimiterType = Static<typeof LimiterType>;

const Group = Type.Object({
  id: Type.String(),
  type: Type.Literal("model_group"),
  display_name: Type.String(),
});

export const OrganizationRateLimit = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("rate_limit"),
    group: Group,
    limits: Type.Array(Type.Object({ type: LimiterType, value: Type.Integer() })),
    models: nullable(Type.Array(Type.String())),
  },
  { $id: "RateLimit" },
);
export type OrganizationRateLimit = Static<typeof OrganizationRateLimit>;
export const OrganizationRateLimits = cursorPage(OrganizationRateLimit);

export const OrganizationRateQuery = closed({
  ...cursorQuery,
  group_type: Type.Optional(GroupType),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
});
export type OrganizationRateQuery = Static<typeof OrganizationRateQuery>;

export const WorkspaceRateLimit = Type.Object(
  {
    type: Type.Literal("workspace_rate_limit"),
    rate_limit_id: Type.String(),
    workspace_id: Type.String(),
    group: Group,
    models: nullable(Type.Array(Type.String())),
    limits: Type.Array(
      Type.Object({
        type: LimiterType,
        value: Type.Integer(),
        org_limit: nullable(Type.Integer()),
        source: Type.Object({ type: Type.Enum(["workspace", "organization"]) }),
      }),
    ),
  },
  { $id: "WorkspaceRateLimit" },
);
export type WorkspaceRateLimit = Static<typeof WorkspaceRateLimit>;
export const WorkspaceRateLimits = cursorPage(WorkspaceRateLimit);

export const WorkspaceRateParams = closed({ workspace_id: Id });
export const WorkspaceRateQuery = closed({
  ...cursorQuery,
  group_type: Type.Optional(GroupType),
  include_inherited: Type.Optional(Type.Boolean()),
});
export type WorkspaceRateQuery = Static<typeof WorkspaceRateQuery>;

export const SetWorkspaceRateParams = closed({ workspace_id: Id, rate_limit_id: Id });
export const SetWorkspaceRate = closed({
  limits: Type.Array(
    closed({
      type: LimiterType,
      /** Null takes away what was set. */
      value: nullable(Type.Integer({ minimum: 0, maximum: perMinuteMax })),
    }),
    { minItems: 1, maxItems: 9 },
  ),
});
export type SetWorkspaceRate = Static<typeof SetWorkspaceRate>;
