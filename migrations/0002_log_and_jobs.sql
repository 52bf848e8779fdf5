-- The event log, the job queue and the schedules.

-- One row per stream; its row lock is what makes positions gapless. Never-indexed columns change, so
-- with room on the page every append is a heap-only update.
create table log_streams (
  stream text collate "C" primary key,
  position bigint not null
) with (fillfactor = 70);

-- `data` is json, not jsonb: it comes back byte for byte (order of keys, 1.0, \u0000, lone surrogates,
-- all of which jsonb changes or refuses), and it is never searched.
create table log_events (
  stream text collate "C" not null,
  position bigint not null,
  type text not null,
  data json not null,
  at timestamptz not null,
  primary key (stream, position)
);

-- `started` stays true after a retry, so a key is free again from the first claim on.
create table jobs (
  id text collate "C" primary key,
  kind text collate "C" not null,
  key text collate "C",
  payload json not null,
  priority integer not null,
  state text not null check (state in ('waiting', 'ready', 'running', 'dead')),
  run_at timestamptz not null,
  started boolean not null default false,
  attempts integer not null default 0,
  attempts_max integer not null,
  last_error text,
  created_at timestamptz not null,
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What may be claimed now, in claiming order. Jobs for later are not in it, so they cost a claim nothing.
create index jobs_ready on jobs (kind, priority desc, run_at, id) where state = 'ready';
create index jobs_waiting on jobs (run_at, id) where state = 'waiting';
-- Without lease_until, so that a heartbeat stays a heap-only update; running jobs are few.
create index jobs_running on jobs (id) where state = 'running';
create index jobs_dead on jobs (run_at, id) where state = 'dead';
create unique index jobs_key on jobs (kind, key) where key is not null and not started;

-- The next occurrence of each schedule, and the last one that fired.
create table schedule_occurrences (
  schedule text collate "C" not null,
  nominal_at timestamptz not null,
  timing text not null,
  fired_at timestamptz,
  primary key (schedule, nominal_at)
);
create unique index schedule_occurrences_pending on schedule_occurrences (schedule)
  where fired_at is null;
