-- Deployments: what sessions are begun with by a schedule or by hand, and what came of it.

create table deployments (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  name text not null,
  description text,
  -- No references: what a deployment names may be archived or deleted, and its next run says so.
  agent_id text collate "C" not null,
  agent_version integer not null,
  environment_id text collate "C" not null,
  -- As clients sent them; resources without their tokens.
  initial_events json not null,
  resources json not null,
  -- The tokens of repositories, encrypted together.
  tokens text,
  vault_ids text[] not null,
  -- Both, or none where it is run by hand alone.
  cron text collate "C",
  time_zone text collate "C",
  budget_nano bigint check (budget_nano > 0),
  metadata jsonb not null,
  -- `manual`, or the type of the error of a scheduled run; null where it is not paused.
  paused_by text collate "C",
  last_run_at timestamptz,
  -- In whose name its scheduled sessions work: of those who said what it does, the last.
  credential_id text collate "C" not null,
  user_id text collate "C",
  service_account_id text collate "C",
  key_maker_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  check ((cron is null) = (time_zone is null))
) with (fillfactor = 80);
create index deployments_by_workspace on deployments (workspace_id, id desc);
create index deployments_by_agent on deployments (workspace_id, agent_id, id desc);
alter table deployments
  alter column name set statistics 0,
  alter column description set statistics 0,
  alter column initial_events set statistics 0,
  alter column resources set statistics 0,
  alter column tokens set statistics 0,
  alter column vault_ids set statistics 0,
  alter column cron set statistics 0,
  alter column time_zone set statistics 0,
  alter column metadata set statistics 0;

-- The next occurrence of each schedule that is in force; and, where `missed` says how many, those that passed while
-- nothing could fire: from the first one until a moment.
create table deployment_occurrences (
  deployment_id text collate "C" not null references deployments (id) on delete cascade,
  nominal_at timestamptz not null,
  missed integer check (missed > 0),
  missed_until timestamptz,
  primary key (deployment_id, nominal_at),
  check ((missed is null) = (missed_until is null))
);
create unique index deployment_occurrences_next on deployment_occurrences (deployment_id) where missed is null;
create index deployment_occurrences_due on deployment_occurrences (nominal_at) where missed is null;

create table deployment_runs (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  deployment_id text collate "C" not null,
  agent_id text collate "C" not null,
  agent_version integer not null,
  session_id text collate "C",
  error_type text collate "C",
  error_message text,
  -- Null where it was begun by hand.
  scheduled_at timestamptz,
  created_at timestamptz not null,
  check ((session_id is null) <> (error_type is null)),
  check ((error_type is null) = (error_message is null))
);
create unique index deployment_runs_once on deployment_runs (deployment_id, scheduled_at) where scheduled_at is not null;
create index deployment_runs_by_workspace on deployment_runs (workspace_id, id desc);
create index deployment_runs_by_deployment on deployment_runs (workspace_id, deployment_id, id desc);
alter table deployment_runs alter column error_message set statistics 0;

create index sessions_by_deployment on sessions (workspace_id, deployment_id, id desc) where deployment_id is not null;
