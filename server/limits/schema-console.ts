// Shapes of limits as the console shows and sets them; names are those of the administration API.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { perMinuteMax } from "./limits.ts";

const Id = Type.String({ minLength: 1, maxLength: 100 });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const limiterTypes = [
  "requests_per_minute",
  "input_tokens_per_minute",
  "output_tokens_per_minute",
] as const;
const LimiterType = Type.Enum([...limiterTypes]);
export type LimiterType = Static<typeof LimiterType>;

/** Of the whole organization, or of one workspace. */
export const RateLimit = Type.Object(
  {
    type: Type.Literal("rate_limit"),
    workspace_id: nullable(Type.String()),
    group: Type.Object({
      id: Type.String(),
      type: Type.Literal("model_group"),
      display_name: Type.String(),
    }),
    /** Of the catalog. Empty: there are none any more, and what was set holds for nothing. */
    models: Type.Array(Type.String()),
    limits: Type.Array(
      Type.Object({
        type: LimiterType,
        /** What holds. */
        value: Type.Integer(),
        /** What holds for the organization, beside a workspace's own. */
        org_limit: nullable(Type.Integer()),
        /** Where the value comes from: set here, the organization's, the settings file, or the default. */
        source: Type.Object({
          type: Type.Enum(["workspace", "organization", "settings", "default"]),
        }),
        /** By attempts that began in the last minute; of those under way only that they are is known. */
        used: Type.Integer(),
      }),
    ),
  },
  { $id: "ConsoleRateLimit" },
);
export type RateLimit = Static<typeof RateLimit>;
export const RateLimits = Type.Object({ data: Type.Array(RateLimit) });
export const RateLimitQuery = closed({ workspace_id: Type.Optional(Id) });
export type RateLimitQuery = Static<typeof RateLimitQuery>;

export const SetRateLimit = closed({
  workspace_id: Type.Optional(nullable(Id)),
  /** The group's id. */
  group: Type.String({ minLength: 1, maxLength: 256 }),
  limits: Type.Array(
    closed({
      type: LimiterType,
      /** Null takes away what was set. */
      value: nullable(Type.Integer({ minimum: 0, maximum: perMinuteMax })),
    }),
    { minItems: 1, maxItems: limiterTypes.length },
  ),
});
export type SetRateLimit = Static<typeof SetRateLimit>;

const Scope = Type.Union([
  closed({ type: Type.Literal("organization") }),
  closed({ type: Type.Literal("workspace"), workspace_id: Id }),
]);
export type Scope = Static<typeof Scope>;

/** Amounts are hundredths of a unit, as decimal text; what was spent may have seven places more. */
const Amount = Type.String();
export const SpendLimit = Type.Object(
  {
    type: Type.Literal("spend_limit"),
    scope: Scope,
    workspace_name: nullable(Type.String()),
    period: Type.Literal("monthly"),
    /** Null: there is no limit. */
    amount: nullable(Amount),
    period_to_date_spend: Amount,
    /** The most that requests under way may cost. */
    reserved: Amount,
  },
  { $id: "ConsoleSpendLimit" },
);
export type SpendLimit = Static<typeof SpendLimit>;
export const SpendLimits = Type.Object({
  /** As `2026-11`, in UTC. */
  month: Type.String(),
  data: Type.Array(SpendLimit),
});

/** For programs: both at once. */
export const LimitsInUse = Type.Object(
  {
    type: Type.Literal("limits"),
    rate_limits: Type.Array(RateLimit),
    spend_limits: Type.Array(SpendLimit),
    /** As `2026-11`, in UTC: what is spent is that of this month. */
    month: SpendLimits.properties.month,
  },
  { $id: "LimitsInUse" },
);

export const SetSpendLimit = closed({
  scope: Scope,
  period: Type.Optional(Type.Literal("monthly")),
  /** Whole hundredths of a unit: "50000" is 500. At most a billion units. */
  amount: Type.String({
    ...worded(
      "^(0|[1-9]\\d{0,10}|100000000000)$",
      'must be a whole number of hundredths as text, at most "100000000000"',
    ),
  }),
});
export type SetSpendLimit = Static<typeof SetSpendLimit>;

/** `organization`, or the id of a workspace. */
export const SpendLimitParams = closed({ scope_id: Id });
