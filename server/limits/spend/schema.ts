// Shapes of spend limits over the API, as the official client knows them.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import { periods } from "../periods.ts";
import { limits } from "../limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Text = nullable(Type.String());
const Id = Type.String({ minLength: 1, maxLength: 100 });
const Period = Type.Enum([...periods]);
/** Whole hundredths of a unit: "50000" is 500. At most a billion units. */
const Amount = Type.String({
  ...worded(
    "^(0|[1-9]\\d{0,10}|100000000000)$",
    'must be a whole number of hundredths as text, at most "100000000000"',
  ),
});

const Scope = Type.Union([
  closed({ type: Type.Literal("user"), user_id: Id }),
  closed({ type: Type.Literal("organization") }),
  closed({ type: Type.Literal("workspace"), workspace_id: Id }),
]);
export type Scope = Static<typeof Scope>;

export const SpendLimit = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("spend_limit"),
    scope: Scope,
    period: Period,
    /** Null: no limit for this period. */
    amount: Text,
    currency: Type.String(),
    is_enabled: Type.Boolean(),
    created_at: Type.String({ format: "date-time" }),
    updated_at: Type.String({ format: "date-time" }),
  },
  { $id: "SpendLimit" },
);
export type SpendLimit = Static<typeof SpendLimit>;
export const SpendLimitPage = cursorPage(SpendLimit);

export const SpendLimitQuery = closed({
  ...cursorQuery,
  scope_type: Type.Optional(
    Type.Array(
      Type.Enum([
        "organization",
        "organization_service",
        "rbac_group",
        "seat_tier",
        "usage_tier",
        "user",
        "workspace",
      ]),
      { maxItems: 7 },
    ),
  ),
  workspace_id: Type.Optional(Id),
});
export type SpendLimitQuery = Static<typeof SpendLimitQuery>;
export const SpendLimitParams = closed({ spend_limit_id: Id });
export const SetSpendLimit = closed({
  scope: Scope,
  period: Type.Optional(Period),
  amount: nullable(Amount),
});
export type SetSpendLimit = Static<typeof SetSpendLimit>;
export const DeletedSpendLimit = Type.Object({
  id: Type.String(),
  type: Type.Literal("spend_limit_deleted"),
});

const Actor = Type.Object({
  type: Type.Literal("user_actor"),
  user_id: Type.String(),
  name: Text,
  email_address: Text,
  deleted: Type.Boolean(),
});

export const SpendSummary = Type.Object(
  {
    actor: Actor,
    period: Period,
    amount: Text,
    currency: Type.String(),
    period_to_date_spend: Type.String(),
    scope: Scope,
    source: Scope,
    /** Null where no limit was set. */
    spend_limit_id: Text,
  },
  { $id: "SpendSummary" },
);
export type SpendSummary = Static<typeof SpendSummary>;
export const SpendSummaryPage = cursorPage(SpendSummary);
export const EffectiveQuery = closed({
  ...cursorQuery,
  period: Type.Optional(Type.Array(Period, { maxItems: 3 })),
  user_ids: Type.Optional(Type.Array(Id, { maxItems: limits.userIdsMax })),
});
export type EffectiveQuery = Static<typeof EffectiveQuery>;

const Status = Type.Enum(["pending", "approved", "denied"]);
const ResolvedBy = Type.Union([
  Actor,
  Type.Object({ type: Type.Literal("scoped_api_key_actor"), scoped_api_key_id: Type.String() }),
]);
const request = {
  id: Type.String(),
  type: Type.Literal("spend_limit_increase_request"),
  actor: Actor,
  period: Period,
  status: Status,
  /** What the member said. */
  reason: Text,
  created_at: Type.String({ format: "date-time" }),
  resolved_at: Text,
  resolved_by: nullable(ResolvedBy),
  spend_summary: nullable(SpendSummary),
};
export const IncreaseRequest = Type.Object(request, { $id: "SpendLimitIncreaseRequest" });
export type IncreaseRequest = Static<typeof IncreaseRequest>;
export const ApprovedRequest = Type.Object({ ...request, spend_limit: nullable(SpendLimit) });
export const IncreaseRequestPage = cursorPage(IncreaseRequest);
export const IncreaseQuery = closed({
  ...cursorQuery,
  actor_ids: Type.Optional(Type.Array(Id, { maxItems: limits.userIdsMax })),
  status: Type.Optional(Type.Array(Status, { maxItems: 3 })),
});
export type IncreaseQuery = Static<typeof IncreaseQuery>;
export const IncreaseParams = closed({ spend_limit_increase_request_id: Id });
/** Members are notified in the console only. */
const quiet = { suppress_notification: Type.Optional(Type.Boolean()) };
export const Approval = closed({
  amount: Amount,
  period: Type.Optional(nullable(Period)),
  ...quiet,
});
export type Approval = Static<typeof Approval>;
export const Denial = closed(quiet);
export const AskIncrease = closed({
  period: Period,
  reason: Type.Optional(Type.String({ minLength: 1, maxLength: limits.reasonCharactersMax })),
});
export type AskIncrease = Static<typeof AskIncrease>;
/** Of the signed-in member. */
export const OwnSpend = Type.Object({
  data: Type.Array(SpendSummary),
  requests: Type.Array(IncreaseRequest),
});
