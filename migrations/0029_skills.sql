-- Skills: folders of files that agents read, with every version of them, and which blob holds which.

create table skills (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  -- The slug, which all versions share.
  name text collate "C" not null,
  display_name text not null,
  -- The number of the last version that was made; it only rises.
  seq integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 80);
create index skills_by_workspace on skills (workspace_id, id desc);
alter table skills
  alter column name set statistics 0,
  alter column display_name set statistics 0;

create table skill_versions (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  skill_id text collate "C" not null references skills (id),
  seq integer not null,
  description text not null,
  -- Of its archive.
  sha256 text collate "C" not null,
  created_at timestamptz not null
);
create unique index skill_versions_by_skill on skill_versions (skill_id, seq desc);
alter table skill_versions
  alter column description set statistics 0,
  alter column sha256 set statistics 0;

-- Equal archives of one organization are stored once. A blob's name is never used again.
create table skill_contents (
  organization_id text collate "C" not null references organizations (id),
  sha256 text collate "C" not null,
  blob_id text collate "C" not null unique,
  bytes bigint not null,
  -- How many versions have it.
  versions integer not null check (versions >= 0),
  primary key (organization_id, sha256)
) with (fillfactor = 80);
alter table skill_contents
  alter column sha256 set statistics 0,
  alter column blob_id set statistics 0;

-- What the archives of an organization come to, each counted once.
create table skill_storage (
  organization_id text collate "C" primary key references organizations (id),
  bytes bigint not null check (bytes >= 0)
) with (fillfactor = 50);
