-- The tables of the ledger and limits.

-- Processes that admit requests, by place: a place outlives its process and is taken by the next one.
create table ledger_nodes (
  id text collate "C" primary key,
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
) with (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

-- What is under way, and the most that it may cost. The close takes the row out again, so the table stays small.
create table ledger_opens (
  id text collate "C" primary key,
  request_id text collate "C" not null,
  organization_id text collate "C" not null,
  workspace_id text collate "C" not null,
  credential_id text collate "C" not null,
  user_id text collate "C",
  model text collate "C" not null,
  upstream text collate "C" not null,
  kind text collate "C" not null,
  service_tier text collate "C",
  speed text collate "C",
  reserve_nano bigint not null,
  at timestamptz not null,
  month text collate "C" not null,
  node text collate "C" not null
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);

-- One row for each attempt that ended. Amounts are nano-units; `month` is the one whose limits it counts for.
create table ledger (
  id text collate "C" primary key,
  request_id text collate "C" not null,
  organization_id text collate "C" not null,
  workspace_id text collate "C" not null,
  credential_id text collate "C" not null,
  user_id text collate "C",
  model text collate "C" not null,
  upstream text collate "C" not null,
  kind text collate "C" not null,
  service_tier text collate "C",
  speed text collate "C",
  reserve_nano bigint not null,
  at timestamptz not null,
  month text collate "C" not null,
  outcome text collate "C" not null,
  estimated boolean not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  cache_read_tokens bigint not null,
  amount_nano bigint not null,
  list_amount_nano bigint not null
);
-- Reports ask for a span of one organization's time; new rows come in at the end of the index.
create index ledger_by_organization on ledger (organization_id, at);

-- Sums of the ledger by day, one row a process so that none waits for another: readers add them up.
create table usage_days (
  organization_id text collate "C" not null,
  day date not null,
  workspace_id text collate "C" not null,
  model text collate "C" not null,
  kind text collate "C" not null,
  node text collate "C" not null,
  requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  cache_read_tokens bigint not null,
  amount_nano bigint not null,
  list_amount_nano bigint not null,
  primary key (organization_id, day, workspace_id, model, kind, node)
) with (fillfactor = 50);

-- The same by month, for spend limits: few rows, since they are added up whenever a slice is handed out.
create table spend_months (
  organization_id text collate "C" not null,
  month text collate "C" not null,
  workspace_id text collate "C" not null,
  node text collate "C" not null,
  spent_nano bigint not null,
  primary key (organization_id, month, workspace_id, node)
) with (fillfactor = 50);

-- Limits that differ from the configured ones; an empty workspace_id is the whole organization.
create table rate_limits (
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null,
  model_group text collate "C" not null,
  type text collate "C" not null check (type in ('requests', 'input_tokens', 'output_tokens')),
  per_minute bigint not null check (per_minute >= 0),
  primary key (organization_id, workspace_id, model_group, type)
);
create table spend_limits (
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null,
  limit_nano bigint not null check (limit_nano >= 0),
  primary key (organization_id, workspace_id)
);

-- A bucket that fills all the time: what is in it, and what each process has taken out to admit from memory.
create table rate_pools (
  key text collate "C" primary key,
  tokens double precision not null,
  at timestamptz not null
) with (fillfactor = 50);
create table rate_slices (
  key text collate "C" not null,
  owner text collate "C" not null,
  held double precision not null,
  until timestamptz not null,
  primary key (key, owner)
) with (fillfactor = 50);

-- Up to which sum a place may spend in a month; worth nothing once another process has the place.
create table spend_slices (
  organization_id text collate "C" not null,
  workspace_id text collate "C" not null,
  month text collate "C" not null,
  node text collate "C" not null,
  epoch bigint not null,
  ceiling_nano bigint not null,
  primary key (organization_id, workspace_id, month, node)
) with (fillfactor = 50);
