-- Workspaces as administrators see them, the people in them, and what counts keys.

alter table workspaces
  add column display_color text collate "C" not null default '#5B6B8C',
  -- Null: unrestricted.
  add column allowed_inference_geos text[] check (cardinality(allowed_inference_geos) > 0),
  add column default_inference_geo text collate "C" not null default 'global',
  add column workspace_geo text collate "C" not null default 'us',
  add column tags jsonb not null default '{}',
  add check (allowed_inference_geos is null or default_inference_geo = any (allowed_inference_geos));
create index workspaces_open on workspaces (organization_id, id) where archived_at is null;

-- Who belongs to a workspace. The default one is everybody's and has no rows here.
create table workspace_members (
  workspace_id text collate "C" not null references workspaces (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  organization_id text collate "C" not null references organizations (id),
  role text collate "C" not null check (role in
    ('workspace_user', 'workspace_developer', 'workspace_restricted_developer', 'workspace_admin',
     'workspace_billing')),
  added_at timestamptz not null,
  primary key (workspace_id, user_id)
);
create index workspace_members_by_user on workspace_members (user_id, workspace_id);

-- Limits count what is active; lists are filtered by status, workspace and maker, newest first.
create index keys_by_status on keys (organization_id, status, id desc)
  include (workspace_id, kind, expires_at);
create index keys_by_workspace on keys (workspace_id, id desc) where workspace_id is not null;
create index keys_by_maker on keys (organization_id, created_by, id desc)
  where created_by is not null;
