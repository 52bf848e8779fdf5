-- Sessions of agents. What a session is stands in the log, one stream for each thread, named by the thread's id; these
-- rows are what lists, claims and checks need of it, and change in the transactions that append.

create table sessions (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  -- No references: what a session was made of may be archived or deleted, and the session goes on.
  agent_id text collate "C" not null,
  agent_version integer not null,
  -- The agent as it was then, with what the session overrides.
  agent json not null,
  environment_id text collate "C" not null,
  environment_type text collate "C" not null check (environment_type in ('cloud', 'self_hosted')),
  deployment_id text collate "C",
  -- The thread that people talk to.
  thread_id text collate "C" not null,
  title text,
  metadata jsonb not null,
  memory_store_ids text[] not null,
  budget_nano bigint check (budget_nano > 0),
  -- In whose name its models are asked.
  credential_id text collate "C" not null,
  user_id text collate "C",
  service_account_id text collate "C",
  key_maker_id text collate "C",
  -- What the end of its log says.
  status text collate "C" not null check (status in ('idle', 'running', 'rescheduling', 'terminated')),
  active_ms bigint not null default 0,
  active_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  -- From when on there is something to do; null where there is nothing.
  due_at timestamptz,
  -- When a process last took it, so that workspaces take turns.
  served_at timestamptz not null,
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
) with (fillfactor = 80);
alter table sessions alter column agent set statistics 0;
alter table sessions alter column title set statistics 0;
alter table sessions alter column metadata set statistics 0;
create index sessions_by_workspace on sessions (workspace_id, id desc);
create index sessions_by_agent on sessions (workspace_id, agent_id, id desc);
create index sessions_by_store on sessions using gin (memory_store_ids);
create index sessions_due on sessions (due_at) where due_at is not null;

create table session_threads (
  id text collate "C" primary key,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  parent_id text collate "C",
  agent_name text not null,
  -- As in sessions; null where it is the session's own.
  agent json,
  status text collate "C" not null check (status in ('idle', 'running', 'rescheduling', 'terminated')),
  active_ms bigint not null default 0,
  active_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz
) with (fillfactor = 80);
alter table session_threads alter column agent set statistics 0;
alter table session_threads alter column agent_name set statistics 0;
create index session_threads_by_session on session_threads (session_id, id);

-- Calls of tools that wait for a client: for its word, for its result, or first for one and then for the other.
create table session_calls (
  session_id text collate "C" not null references sessions (id) on delete cascade,
  -- The event that tells of the call.
  event_id text collate "C" not null,
  thread_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('custom', 'built_in')),
  needs_confirmation boolean not null,
  needs_result boolean not null,
  primary key (session_id, event_id)
);

-- What the models of a thread have used. Each settlement of the ledger adds to it in its own transaction.
create table session_usage (
  thread_id text collate "C" primary key references session_threads (id) on delete cascade,
  session_id text collate "C" not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cache_write_5m_tokens bigint not null default 0,
  cache_write_1h_tokens bigint not null default 0,
  cache_read_tokens bigint not null default 0,
  list_amount_nano bigint not null default 0,
  -- Calls that were counted last: one whose commit nobody heard of is written again.
  counted text[] collate "C" not null default '{}'
) with (fillfactor = 50);
alter table session_usage alter column counted set statistics 0;
create index session_usage_by_session on session_usage (session_id);

-- What a session's sandbox is given, in the order in which it was named.
create table session_resources (
  id text collate "C" primary key,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  type text collate "C" not null check (type in ('file', 'github_repository', 'memory_store')),
  -- As clients see it, without its times.
  shown jsonb not null,
  -- A token of a repository.
  secret text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
alter table session_resources alter column shown set statistics 0;
alter table session_resources alter column secret set statistics 0;
create index session_resources_by_session on session_resources (session_id, id);

create table session_outcomes (
  id text collate "C" primary key,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  description text not null,
  iteration integer not null,
  result text collate "C" not null,
  explanation text,
  completed_at timestamptz
);
alter table session_outcomes alter column description set statistics 0;
alter table session_outcomes alter column explanation set statistics 0;
create index session_outcomes_by_session on session_outcomes (session_id, id);
