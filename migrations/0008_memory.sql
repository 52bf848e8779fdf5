-- Memory stores: a tree of texts each, with every version of them.

-- One row for each workspace that has stores: whoever writes locks it, so that order, counts and quotas are exact.
create table memory_workspaces (
  workspace_id text collate "C" primary key references workspaces (id),
  stores integer not null,
  -- Of the text of all versions that are kept.
  bytes bigint not null,
  -- The number of the last version, and when it was written: both only rise.
  seq bigint not null,
  written_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create table memory_stores (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  name text not null,
  description text not null,
  metadata jsonb not null,
  memories integer not null,
  bytes bigint not null,
  -- False while an import fills it: nobody sees it.
  is_complete boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index memory_stores_by_workspace on memory_stores (workspace_id, id desc);

-- Live memories: where each stands and which version is its head. The text is that version's alone.
create table memories (
  id text collate "C" primary key,
  store_id text collate "C" not null,
  workspace_id text collate "C" not null,
  path text collate "C" not null,
  version_id text collate "C" not null,
  content_sha256 text collate "C" not null,
  bytes integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The words of path and text; null until they are looked for, or a minute has passed: to find them takes longer than
  -- to write the memory.
  search tsvector
) with (fillfactor = 80);
create unique index memories_by_path on memories (store_id, path);
create index memories_search on memories using gin (search);
create index memories_unsearched on memories (workspace_id, id) where search is null;

-- No foreign keys: a store's rows go in the background after the store, and each check would cost as much as a row.
create table memory_versions (
  id text collate "C" primary key,
  store_id text collate "C" not null,
  memory_id text collate "C" not null,
  -- Rises within the workspace.
  seq bigint not null,
  operation text collate "C" not null check (operation in ('created', 'modified', 'deleted')),
  -- Null once the version is redacted.
  path text collate "C",
  content text,
  content_sha256 text collate "C",
  bytes integer,
  created_at timestamptz not null,
  actor_type text collate "C",
  actor_id text collate "C",
  redacted_at timestamptz,
  redacted_by_type text collate "C",
  redacted_by_id text collate "C",
  redaction_reason text,
  -- Where it came with an import, its time and author are what the file said.
  imported_at timestamptz,
  imported_by_type text collate "C",
  imported_by_id text collate "C"
);
create index memory_versions_by_time on memory_versions (store_id, created_at, seq);
create index memory_versions_by_memory on memory_versions (store_id, memory_id, seq);
create index memory_versions_by_actor on memory_versions (store_id, actor_id, seq);
create index memory_versions_by_operation on memory_versions (store_id, operation, seq)
  where operation <> 'modified';
