-- Organizations, their people, their keys, and what was done.

create table installation (
  one boolean primary key default true check (one),
  -- The blob directory that belongs to this database, and a value that only its master key opens.
  store_id text not null,
  key_check text not null,
  created_at timestamptz not null
);

create table organizations (
  id text collate "C" primary key,
  type text not null check (type in ('platform', 'enterprise', 'platform_cloud')),
  name text not null check (length(name) between 1 and 200),
  created_at timestamptz not null
);
create unique index organizations_name on organizations (lower(name));

create table workspaces (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text not null check (length(name) between 1 and 200),
  is_default boolean not null,
  created_at timestamptz not null,
  archived_at timestamptz
);
create index workspaces_by_organization on workspaces (organization_id, id);
create unique index workspaces_one_default on workspaces (organization_id) where is_default;

create table users (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  email text not null,
  -- The address as it is compared: lower case.
  email_key text collate "C" not null,
  name text not null,
  role text not null,
  -- An argon2id PHC string; null until the person has set a password.
  password_hash text,
  added_at timestamptz not null
);
create unique index users_email on users (organization_id, email_key);
create index users_by_email on users (email_key);
create unique index users_one_primary_owner on users (organization_id) where role = 'primary_owner';

-- Every secret that stands in an authorization header. Only its SHA-256 is kept.
create table keys (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" references workspaces (id),
  kind text not null check (kind in ('api', 'admin', 'oauth')),
  name text not null,
  secret_sha256 bytea not null unique,
  hint text not null,
  scopes text[] not null,
  status text not null check (status in ('active', 'inactive', 'archived')),
  created_by text collate "C",
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  check ((kind = 'api') = (workspace_id is not null))
);
create index keys_by_organization on keys (organization_id, id desc);

-- Rises whenever a credential dies; every process polls it and forgets what it had verified.
create table revocations (
  one boolean primary key default true check (one),
  counter bigint not null
);
insert into revocations (counter) values (0);

-- Browsers that are signed in to the console.
create table sign_ins (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  token_sha256 bytea not null unique,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  user_agent text not null
);
create index sign_ins_by_user on sign_ins (user_id, id desc);

-- Wrong passwords of the last minutes, so that guessing is slow on every process.
create table sign_in_failures (
  email_key text collate "C" not null,
  address text not null,
  at timestamptz not null
);
create index sign_in_failures_by_email on sign_in_failures (email_key, at);
create index sign_in_failures_by_address on sign_in_failures (address, at);

-- One-time links that let an owner set a password.
create table setup_links (
  token_sha256 bytea primary key,
  organization_id text collate "C" not null references organizations (id),
  -- Null: whoever holds the link becomes the primary owner.
  user_id text collate "C" references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index setup_links_by_organization on setup_links (organization_id);

-- Who did what, when and from where: one row in the same transaction as the change. Never updated.
create table audit_events (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  at timestamptz not null,
  action text not null,
  actor_type text not null,
  actor_id text collate "C",
  actor_name text,
  target_type text,
  target_id text collate "C",
  address text not null,
  request_id text,
  details jsonb not null
);
create index audit_events_by_organization on audit_events (organization_id, id desc);
