-- Prompts that people save in the playground for all of their workspace. Versions are only ever added.

create table prompts (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  name text not null,
  -- As names are compared: without case.
  name_key text not null,
  versions integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, name_key)
) with (fillfactor = 80);
create index prompts_by_workspace on prompts (workspace_id, id desc);

create table prompt_versions (
  prompt_id text collate "C" not null references prompts (id) on delete cascade,
  version integer not null,
  -- A body of a message request.
  request json not null,
  -- Of a person.
  created_by text collate "C",
  created_at timestamptz not null,
  primary key (prompt_id, version)
);
alter table prompts
  alter column name set statistics 0,
  alter column name_key set statistics 0;
alter table prompt_versions alter column request set statistics 0;
