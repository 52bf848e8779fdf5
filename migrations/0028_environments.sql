-- Environments: where the tools of a session run, and the keys of the programs that run them elsewhere.

create table environments (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  name text not null,
  description text,
  -- As the API shows it, with its type, which never changes.
  config jsonb not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz
) with (fillfactor = 80);
create index environments_by_workspace on environments (workspace_id, id desc);
alter table environments
  alter column name set statistics 0,
  alter column description set statistics 0,
  alter column config set statistics 0,
  alter column metadata set statistics 0;

create table environment_keys (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  environment_id text collate "C" not null references environments (id) on delete cascade,
  -- Null where it was made without one.
  name text,
  secret_sha256 bytea not null unique,
  hint text collate "C" not null,
  -- The user or the service account, else the API key, that made it.
  created_by text collate "C" not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index environment_keys_by_environment on environment_keys (environment_id, id desc);
alter table environment_keys alter column name set statistics 0;
