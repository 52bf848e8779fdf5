-- Message batches: what was asked, how far it is, and where each result stands.

create table batches (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  -- On whose behalf its requests run.
  credential_id text collate "C" not null,
  user_id text collate "C",
  betas text[] not null,
  state text collate "C" not null check (state in ('in_progress', 'canceling', 'ended')),
  requests integer not null,
  body_bytes bigint not null,
  chunks_left integer not null,
  -- How many files of results were begun.
  segments integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  cancel_initiated_at timestamptz,
  ended_at timestamptz,
  -- When a chunk of it was last taken: whoever waited longest is next.
  served_at timestamptz not null,
  -- Set when the results were taken away, 29 days after the creation.
  emptied_at timestamptz
) with (fillfactor = 50);
create index batches_by_workspace on batches (workspace_id, id desc);
create index batches_open on batches (id) where state <> 'ended';
create index batches_filled on batches (created_at) where emptied_at is null;

-- Requests in a row, which one process works off at a time. Their params stand one after the other in the blob of the
-- batch, each followed by a line feed.
create table batch_chunks (
  id text collate "C" primary key,
  batch_id text collate "C" not null references batches (id) on delete cascade,
  first_index integer not null,
  start bigint not null,
  custom_ids text[] not null,
  lengths integer[] not null,
  -- What is wrong with requests of it beside their params: {"place": "sentence"}.
  faults json,
  is_done boolean not null default false,
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index batch_chunks_open on batch_chunks (batch_id, id) where not is_done;

-- Files of result lines. Each has one writer; bytes beyond these are of a writer that died, and mean nothing.
create table batch_segments (
  batch_id text collate "C" not null references batches (id) on delete cascade,
  segment integer not null,
  bytes bigint not null,
  succeeded integer not null,
  errored integer not null,
  canceled integer not null,
  expired integer not null,
  primary key (batch_id, segment)
) with (fillfactor = 50);

-- One row for each request that has its result, and where its line stands. No foreign key: the check of each row would
-- cost as much as the row.
create table batch_results (
  batch_id text collate "C" not null,
  index integer not null,
  custom_id text collate "C" not null,
  type text collate "C" not null check (type in ('succeeded', 'errored', 'canceled', 'expired')),
  segment integer not null,
  start bigint not null,
  length integer not null,
  primary key (batch_id, index)
);
