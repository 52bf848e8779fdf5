-- Vaults: credentials with which agents reach other services, and the sessions that have them.

create table vaults (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  display_name text not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz
) with (fillfactor = 80);
create index vaults_by_workspace on vaults (workspace_id, id desc);
alter table vaults
  alter column display_name set statistics 0,
  alter column metadata set statistics 0;

create table vault_credentials (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  vault_id text collate "C" not null references vaults (id) on delete cascade,
  display_name text,
  -- As the API shows it, with its type, which never changes: nothing secret is in it.
  auth jsonb not null,
  metadata jsonb not null,
  -- What it is found by: the address of an MCP server, or the name of a variable.
  slot text collate "C" not null,
  -- JSON, encrypted. Null where it is archived.
  secret text,
  -- Grows with each change of the secret or of how it is renewed: who renews a token renews the one that it has read.
  secret_version integer not null default 1,
  -- Attempts to renew the token that failed, and since when they do.
  failed_refreshes integer not null default 0,
  refresh_failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  -- Of the process that renews its token.
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
) with (fillfactor = 80);
create index vault_credentials_by_vault on vault_credentials (vault_id, id desc);
create unique index vault_credentials_by_slot on vault_credentials (vault_id, slot) where archived_at is null;
alter table vault_credentials
  alter column display_name set statistics 0,
  alter column auth set statistics 0,
  alter column metadata set statistics 0,
  alter column slot set statistics 0,
  alter column secret set statistics 0;
