// Shapes of deployments and their runs on the wire.
import Type, { type Static, type TSchema } from "typebox";
import { limits as baseLimits } from "../../kernel/base/limits.ts";
import { toldFields } from "../../kernel/http/input/told-fields.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { Budget, BudgetInput, OpeningEvent, ResourceInput } from "../sessions/module.ts";
import { limits } from "./limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = Type.Optional;
const Time = Type.String({ format: "date-time" });
const Id = Type.String({ minLength: 1, maxLength: limits.idCharactersMax });
const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const open = { additionalProperties: true };

const AgentReference = Type.Object({
  id: Type.String(),
  type: Type.Literal("agent"),
  version: Type.Integer(),
});

/** Why it is paused: by hand, or by the error of a scheduled run. */
const PausedReason = Type.Object({
  type: Type.Enum(["manual", "error"]),
  error: optional(Type.Object({ type: Type.String() })),
});

export const Deployment = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("deployment"),
    name: Type.String(),
    description: nullable(Type.String()),
    agent: AgentReference,
    environment_id: Type.String(),
    initial_events: Type.Array(Type.Object({ type: Type.String() }, open)),
    /** As they were sent, without the tokens of repositories. */
    resources: Type.Array(Type.Object({ type: Type.String() }, open)),
    vault_ids: Type.Array(Type.String()),
    /** Null: it is run by hand alone. */
    schedule: nullable(
      Type.Object({
        type: Type.Literal("cron"),
        expression: Type.String(),
        timezone: Type.String(),
        /** When the latest scheduled run began. */
        last_run_at: nullable(Time),
        /** What the schedule would do, also while it is paused. */
        upcoming_runs_at: Type.Array(Time),
      }),
    ),
    /** An archived one is `active` here, and `archived` in version 2023-06-01 of the API. */
    status: Type.Enum(["active", "paused", "archived"]),
    paused_reason: nullable(PausedReason),
    budget: nullable(Budget),
    metadata: Type.Record(Type.String(), Type.String()),
    created_at: Time,
    updated_at: Time,
    archived_at: nullable(Time),
  },
  { $id: "Deployment" },
);
export type Deployment = Static<typeof Deployment>;
export const DeploymentPage = cursorPage(Deployment);

const Name = Type.String({ minLength: 1 });
const Description = Type.String({ maxLength: limits.descriptionCharactersMax });
const AgentInput = Type.Union([
  Id,
  closed({ type: Type.Literal("agent"), id: Id, version: optional(nullable(Version)) }),
]);
export type AgentInput = Static<typeof AgentInput>;
const ScheduleInput = closed({
  type: Type.Literal("cron"),
  expression: Type.String({ minLength: 1, maxLength: limits.cronCharactersMax }),
  timezone: Type.String({ minLength: 1, maxLength: limits.timeZoneCharactersMax }),
  /** As they were read, and of no effect. */
  last_run_at: optional(nullable(Time)),
  upcoming_runs_at: optional(Type.Array(Time)),
});
export type ScheduleInput = Static<typeof ScheduleInput>;
const InitialEvents = Type.Array(OpeningEvent, {
  minItems: 1,
  maxItems: limits.initialEventsMax,
});
const Resources = Type.Array(ResourceInput, { maxItems: limits.resourcesMax });
export type Resources = Static<typeof Resources>;
const VaultIds = Type.Array(Id, { maxItems: limits.vaultsMax, uniqueItems: true });
const MetadataValue = Type.String({ maxLength: baseLimits.metadataValueCharactersMax });

const clearable = {
  description: optional(nullable(Description)),
  schedule: optional(nullable(ScheduleInput)),
  resources: optional(nullable(Resources)),
  vault_ids: optional(nullable(VaultIds)),
  budget: optional(nullable(BudgetInput)),
};

export const CreateDeployment = closed({
  name: Name,
  agent: AgentInput,
  environment_id: Id,
  initial_events: InitialEvents,
  ...clearable,
  metadata: optional(nullable(Type.Record(Type.String(), MetadataValue))),
});
export type CreateDeployment = Static<typeof CreateDeployment>;

/** What is not named stays; null, and an empty list or text, clear what can be cleared. */
export const UpdateDeployment = closed({
  ...toldFields("deployment"),
  status: optional(Deployment.properties.status),
  paused_reason: optional(nullable(PausedReason)),
  name: optional(Name),
  agent: optional(AgentInput),
  environment_id: optional(Id),
  initial_events: optional(InitialEvents),
  ...clearable,
  /** A key that is null goes; one that is not named stays. */
  metadata: optional(nullable(Type.Record(Type.String(), nullable(MetadataValue)))),
});
export type UpdateDeployment = Static<typeof UpdateDeployment>;

export const DeploymentParams = closed({ deployment_id: Id });
export const DeploymentQuery = closed({
  ...cursorQuery,
  agent_id: optional(Id),
  /** Not together with include_archived. */
  status: optional(Type.Enum(["active", "paused"])),
  include_archived: optional(Type.Boolean()),
  created_at: optional(closed({ gte: optional(Time), lte: optional(Time) })),
});
export type DeploymentQuery = Static<typeof DeploymentQuery>;

export const DeploymentRun = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("deployment_run"),
    deployment_id: Type.String(),
    agent: AgentReference,
    /** One of the two is null. */
    session_id: nullable(Type.String()),
    error: nullable(Type.Object({ type: Type.String(), message: Type.String() })),
    trigger_context: Type.Object({
      type: Type.Enum(["manual", "schedule"]),
      /** The moment that the schedule names. */
      scheduled_at: optional(Time),
    }),
    created_at: Time,
  },
  { $id: "DeploymentRun" },
);
export type DeploymentRun = Static<typeof DeploymentRun>;
export const DeploymentRunPage = cursorPage(DeploymentRun);
export const RunParams = closed({ deployment_run_id: Id });
export const RunQuery = closed({
  ...cursorQuery,
  deployment_id: optional(Id),
  has_error: optional(Type.Boolean()),
  trigger_type: optional(Type.Enum(["schedule", "manual"])),
  created_at: optional(
    closed({ gt: optional(Time), gte: optional(Time), lt: optional(Time), lte: optional(Time) }),
  ),
});
export type RunQuery = Static<typeof RunQuery>;

/** Occurrences that passed while nothing could fire: they are no runs. */
export const MissedOccurrences = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        first_at: Time,
        /** When firing began again. */
        until: Time,
        count: Type.Integer(),
        /** There were more than were counted. */
        is_more: Type.Boolean(),
      }),
    ),
  },
  { $id: "MissedOccurrences" },
);
export type MissedOccurrences = Static<typeof MissedOccurrences>;
