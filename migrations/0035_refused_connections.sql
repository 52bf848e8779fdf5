-- Connections of sandboxes that were refused, counted: what people look at who wonder why a host is not reached.

create table refused_connections (
  workspace_id text collate "C" not null references workspaces (id),
  -- No reference: a session goes on when its environment is deleted.
  environment_id text collate "C" not null,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  -- As the sandbox named it; '*' and port 0 are all those for which there was no row left.
  host text collate "C" not null,
  port integer not null,
  reason text collate "C" not null check (reason in ('host', 'port', 'address', 'spelling')),
  count bigint not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  primary key (session_id, host, port, reason)
) with (fillfactor = 70);
create index refused_connections_by_environment
  on refused_connections (workspace_id, environment_id, last_at desc);
alter table refused_connections alter column host set statistics 0;
