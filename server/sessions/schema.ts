// Shapes of sessions on the wire.
import Type, { type Static } from "typebox";
import { limits as baseLimits } from "../../kernel/base/limits.ts";
import { bidirectionalPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import {
  Agent,
  ModelInput,
  ServersInput,
  SkillsInput,
  SystemInput,
  ToolsInput,
} from "../agents/module.ts";
import { vaultLimits } from "../vaults/module.ts";
import { InitialEvent } from "./inputs/schema.ts";
import { limits } from "./limits.ts";
import { ResourceInput, SessionResource } from "./resources/schema.ts";
import { Id, nullable, optional, Status, Time, TimeRange } from "./shapes.ts";

const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

const AgentInput = Type.Union([
  Id,
  closed({ type: Type.Literal("agent"), id: Id, version: optional(nullable(Version)) }),
  closed({
    type: Type.Literal("agent_with_overrides"),
    id: Id,
    version: optional(nullable(Version)),
    model: optional(ModelInput),
    system: optional(SystemInput),
    system_prompt: optional(SystemInput),
    tools: optional(ToolsInput),
    mcp_servers: optional(ServersInput),
    skills: optional(SkillsInput),
  }),
]);
export type AgentInput = Static<typeof AgentInput>;

export const BudgetInput = closed({
  type: Type.Literal("limit"),
  max_list_cost: closed({
    amount: Type.String(
      worded(
        "^[1-9][0-9]{0,11}$",
        'must be a whole number of cents as text, such as "2500" for $25.00',
      ),
    ),
    currency: Type.Literal("USD"),
  }),
});
export type BudgetInput = Static<typeof BudgetInput>;

const Title = Type.String({ maxLength: limits.titleCharactersMax });
const MetadataValue = Type.String({ maxLength: baseLimits.metadataValueCharactersMax });

export const CreateSession = closed({
  agent: AgentInput,
  environment_id: Id,
  title: optional(nullable(Title)),
  metadata: optional(nullable(Type.Record(Type.String(), MetadataValue))),
  vault_ids: optional(nullable(Type.Array(Id, { maxItems: vaultLimits.vaultsPerSession }))),
  resources: optional(nullable(Type.Array(ResourceInput, { maxItems: limits.resourcesMax }))),
  initial_events: optional(
    nullable(Type.Array(InitialEvent, { maxItems: limits.eventsPerRequestMax })),
  ),
  budget: optional(nullable(BudgetInput)),
});
export type CreateSession = Static<typeof CreateSession>;

export const UpdateSession = closed({
  title: optional(nullable(Title)),
  /** A key that is null goes; one that is not named stays. */
  metadata: optional(nullable(Type.Record(Type.String(), nullable(MetadataValue)))),
  /** Null takes it away for good. */
  budget: optional(nullable(BudgetInput)),
  /** Only while the session does not run; in force from its next turn on. */
  agent: optional(
    closed({
      tools: optional(nullable(ToolsInput)),
      mcp_servers: optional(nullable(ServersInput)),
    }),
  ),
  vault_ids: optional(nullable(Type.Array(Id, { maxItems: 100 }))),
});
export type UpdateSession = Static<typeof UpdateSession>;

const Amount = Type.Object({ amount: Type.String(), currency: Type.Literal("USD") });
export const Budget = Type.Object({ type: Type.Literal("limit"), max_list_cost: Amount });
export type Budget = Static<typeof Budget>;

export const SessionUsage = Type.Object({
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cache_read_input_tokens: Type.Integer(),
  cache_creation: Type.Object({
    ephemeral_5m_input_tokens: Type.Integer(),
    ephemeral_1h_input_tokens: Type.Integer(),
  }),
  server_tool_use: Type.Object({
    web_search_requests: Type.Integer(),
    web_fetch_requests: Type.Integer(),
  }),
  /** In cents, rounded up. */
  list_cost: Amount,
  active_seconds: Type.Number(),
});
export type SessionUsage = Static<typeof SessionUsage>;

export const SessionStats = Type.Object({
  active_seconds: Type.Number(),
  duration_seconds: Type.Number(),
});

export const OutcomeEvaluation = Type.Object({
  type: Type.Literal("outcome_evaluation"),
  outcome_id: Type.String(),
  description: Type.String(),
  iteration: Type.Integer(),
  result: Type.String(),
  explanation: nullable(Type.String()),
  completed_at: nullable(Time),
});
export type OutcomeEvaluation = Static<typeof OutcomeEvaluation>;

/** The agent as the session has it: its own version, with what the session overrides. */
export const SessionAgent = Type.Omit(Agent, [
  "metadata",
  "created_at",
  "updated_at",
  "archived_at",
]);
export type SessionAgent = Static<typeof SessionAgent>;

export const Session = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("session"),
    status: Status,
    title: nullable(Type.String()),
    agent: SessionAgent,
    environment_id: Type.String(),
    deployment_id: nullable(Type.String()),
    vault_ids: Type.Array(Type.String()),
    resources: Type.Array(SessionResource),
    metadata: Type.Record(Type.String(), Type.String()),
    budget: nullable(Budget),
    usage: SessionUsage,
    stats: SessionStats,
    outcome_evaluations: Type.Array(OutcomeEvaluation),
    created_at: Time,
    updated_at: Time,
    archived_at: nullable(Time),
  },
  { $id: "Session" },
);
export type Session = Static<typeof Session>;
export const SessionPage = bidirectionalPage(Session);

export const DeletedSession = Type.Object(
  { id: Type.String(), type: Type.Literal("session_deleted") },
  { $id: "DeletedSession" },
);

export const SessionParams = closed({ session_id: Id });

export const SessionQuery = closed({
  ...cursorQuery,
  agent_id: optional(Id),
  /** Together with agent_id. */
  agent_version: optional(Version),
  deployment_id: optional(Id),
  memory_store_id: optional(Id),
  vault_id: optional(Id),
  statuses: optional(Type.Array(Status)),
  include_archived: optional(Type.Boolean()),
  order: optional(Type.Enum(["asc", "desc"])),
  created_at: TimeRange,
});
export type SessionQuery = Static<typeof SessionQuery>;
