// Shapes of the overview.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);
const Time = Type.String({ format: "date-time" });
/** Hundredths of a dollar, exact, as decimal text. */
const Cents = Type.String();

export const periods = ["yesterday", "week", "month"] as const;

export const OverviewQuery = closed({
  /** Of whom spends most: the last whole day, the last seven, or the month so far; of UTC. */
  period: Type.Optional(Type.Enum([...periods])),
});

const Counts = Type.Object({ requests: Type.Integer(), errors: Type.Integer() });

const Requests = Type.Object({
  last_hour: Counts,
  hour_before: Counts,
  /** Of the last hour, oldest first. */
  by_minute: Type.Array(Type.Integer()),
  /** False until a model was asked for the first time. */
  has_asked_a_model: Type.Boolean(),
});

const Limit = Type.Object({
  scope: Type.Enum(["organization", "workspace", "member"]),
  /** Of the workspace or the member. */
  id: nullable(Type.String()),
  name: nullable(Type.String()),
  period: Type.Enum(["daily", "weekly", "monthly"]),
  limit: Cents,
  spent: Cents,
  /** Nothing more may be spent until `resets_at`. */
  is_blocked: Type.Boolean(),
  resets_at: Time,
});
export type Limit = Static<typeof Limit>;

const Spend = Type.Object({
  month: Type.String(),
  currency: Type.Literal("USD"),
  spent: Cents,
  /** Those that are reached, or nearest to it, come first. */
  limits: Type.Array(Limit),
  /** How many limits are reached, with those that are not among them. */
  blocked: Type.Integer(),
});

const Answers = Type.Object({
  answered: Type.Integer(),
  failed: Type.Integer(),
  /** Until the first word of answers that were streamed. */
  first_ms_median: nullable(Type.Integer()),
  first_ms_95: nullable(Type.Integer()),
});

const Upstream = Type.Object({
  name: Type.String(),
  state: Type.Enum(["answering", "slow", "failing", "quiet"]),
  last_hour: Answers,
  hour_before: Answers,
  last_answered_at: nullable(Time),
  last_failed_at: nullable(Time),
});
export type Upstream = Static<typeof Upstream>;

const Spender = Type.Object({ id: Type.String(), name: Type.String(), amount: Cents });
export type Spender = Static<typeof Spender>;

const Top = Type.Object({
  period: Type.Enum([...periods]),
  from: Time,
  to: Time,
  currency: Type.Literal("USD"),
  models: Type.Array(Spender),
  keys: Type.Array(Spender),
  /** People and service accounts. */
  people: Type.Array(Spender),
});

const inWorkspace = { workspace_id: Type.String(), workspace_name: Type.String() };

const UnderWay = Type.Object({
  batches: Type.Array(
    Type.Object({
      ...inWorkspace,
      batches: Type.Integer(),
      requests: Type.Integer(),
      done: Type.Integer(),
    }),
  ),
  sessions: Type.Array(Type.Object({ ...inWorkspace, sessions: Type.Integer() })),
});

export const waitingKinds = [
  "session",
  "spend_request",
  "deployment",
  "credential",
  "webhook",
  "invite",
] as const;
export type WaitingKind = (typeof waitingKinds)[number];

const Waiting = Type.Object({
  kind: Type.Enum([...waitingKinds]),
  /** How many of the kind wait, with those that are not shown. */
  count: Type.Integer(),
  items: Type.Array(
    Type.Object({
      /** Of a credential its vault, of sessions their workspace. */
      id: Type.String(),
      name: Type.String(),
      workspace_id: nullable(Type.String()),
      count: Type.Integer(),
      since: Time,
    }),
  ),
});
export type Waiting = Static<typeof Waiting>;

const Storage = Type.Object({
  files: Type.Integer(),
  skills: Type.Integer(),
  memory: Type.Integer(),
  batches: Type.Integer(),
  /** Of the disk that the data directory lies on. */
  disk_free: Type.Integer(),
  disk_size: Type.Integer(),
});

/** What a caller may not read is null, and no kind of what waits. */
export const Overview = Type.Object(
  {
    type: Type.Literal("overview"),
    at: Time,
    requests: Requests,
    spend: nullable(Spend),
    upstreams: nullable(Type.Array(Upstream)),
    top: nullable(Top),
    under_way: UnderWay,
    waiting: Type.Array(Waiting),
    /** In bytes. */
    storage: nullable(Storage),
  },
  { $id: "Overview" },
);
export type Overview = Static<typeof Overview>;
export type OverviewQuery = Static<typeof OverviewQuery>;
