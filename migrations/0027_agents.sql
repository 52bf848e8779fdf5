-- Agents: one row for each, and one for each version of its configuration.

create table agents (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  -- The newest one.
  version integer not null,
  created_at timestamptz not null,
  archived_at timestamptz
) with (fillfactor = 80);
create index agents_by_workspace on agents (workspace_id, id desc);
create index agents_open on agents (workspace_id) where archived_at is null;

create table agent_versions (
  agent_id text collate "C" not null references agents (id),
  version integer not null,
  -- Not jsonb, which sorts names: a model reads the parameters of a tool in the order in which they were written.
  config json not null,
  -- Of its text: lists are cut where their pages would grow too large.
  bytes integer not null,
  created_at timestamptz not null,
  primary key (agent_id, version)
);
alter table agent_versions alter column config set statistics 0;

-- A session that began with a version must find it as it was.
create function refuse_change_of_agent_version() returns trigger language plpgsql as $$
begin
  raise exception 'a version of an agent is never changed';
end $$;
create trigger agent_versions_stay before update on agent_versions
  for each row execute function refuse_change_of_agent_version();
