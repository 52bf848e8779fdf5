-- Files: what people and tools handed in, and which blob holds whose bytes.

create table files (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  filename text not null,
  mime_type text collate "C" not null,
  bytes bigint not null,
  -- Of its bytes; null when they are gone, after it expired.
  sha256 text collate "C",
  downloadable boolean not null,
  -- Where a tool made it.
  scope_type text collate "C" check (scope_type in ('session')),
  scope_id text collate "C",
  created_at timestamptz not null,
  expires_at timestamptz,
  check ((scope_type is null) = (scope_id is null)),
  check (sha256 is not null or expires_at is not null)
);
create index files_by_workspace on files (workspace_id, id desc);
create index files_by_scope on files (workspace_id, scope_id, id desc) where scope_id is not null;
create index files_expiring on files (expires_at) where expires_at is not null and sha256 is not null;
create index files_emptied on files (expires_at) where sha256 is null;

-- Equal bytes of one organization are stored once. A blob's name is never used again.
create table file_contents (
  organization_id text collate "C" not null references organizations (id),
  sha256 text collate "C" not null,
  blob_id text collate "C" not null unique,
  bytes bigint not null,
  -- How many files have these bytes.
  files integer not null check (files >= 0),
  primary key (organization_id, sha256)
) with (fillfactor = 80);

-- What the files of an organization come to, each with its size.
create table file_storage (
  organization_id text collate "C" primary key references organizations (id),
  bytes bigint not null check (bytes >= 0),
  files bigint not null check (files >= 0)
) with (fillfactor = 50);
