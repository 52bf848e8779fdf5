-- Work of self-hosted environments: what their workers take, who holds it and until when. All times are the database's.

create table environment_work (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  environment_id text collate "C" not null references environments (id) on delete cascade,
  -- No reference: work says what it was for when the session is gone. Null where it is a check.
  session_id text collate "C",
  check_id text collate "C",
  state text collate "C" not null check (state in ('queued', 'starting', 'active', 'stopping', 'stopped')),
  metadata jsonb not null default '{}',
  -- How often it was handed out, and which of these times has sent the first heartbeat.
  epoch integer not null default 0,
  holder_epoch integer,
  ttl_seconds integer not null,
  created_at timestamptz(3) not null,
  handed_out_at timestamptz(3),
  acknowledged_at timestamptz(3),
  started_at timestamptz(3),
  latest_heartbeat_at timestamptz(3),
  stop_requested_at timestamptz(3),
  stopped_at timestamptz(3),
  -- Its worker has asked to stop: no call of it is under way.
  is_left boolean not null default false,
  -- When it is ended for its worker, unless that is heard of before; null where nobody works on it.
  due_at timestamptz,
  check ((session_id is null) <> (check_id is null))
) with (fillfactor = 70);
-- Never two for one session, nor two checks of one environment, that are not over.
create unique index environment_work_live on environment_work (session_id)
  where session_id is not null and (state <> 'stopped' or due_at is not null);
create unique index environment_work_live_check on environment_work (environment_id)
  where session_id is null and (state <> 'stopped' or due_at is not null);
create index environment_work_queue on environment_work (environment_id, id) where state = 'queued';
create index environment_work_by_environment on environment_work (environment_id, id desc);
create index environment_work_due on environment_work (due_at) where due_at is not null;
create index environment_work_over on environment_work (stopped_at) where state = 'stopped' and due_at is null;
alter table environment_work alter column metadata set statistics 0;

-- Each time that work was handed out, with the hash of the token that went along.
create table environment_work_tokens (
  work_id text collate "C" not null references environment_work (id) on delete cascade,
  epoch integer not null,
  secret_sha256 bytea not null unique,
  primary key (work_id, epoch)
);

-- Which workers have asked for work lately.
create table environment_workers (
  environment_id text collate "C" not null references environments (id) on delete cascade,
  worker_id text collate "C" not null,
  polled_at timestamptz not null,
  primary key (environment_id, worker_id)
) with (fillfactor = 70);
