-- Access tokens, refresh tokens, service accounts, and the trust in other issuers' tokens.

-- Workloads that have a name of their own.
create table service_accounts (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text collate "C" not null,
  description text,
  organization_role text not null check (organization_role in ('developer', 'admin')),
  created_at timestamptz not null,
  created_by text collate "C",
  updated_at timestamptz not null,
  updated_by text collate "C",
  archived_at timestamptz,
  archived_by text collate "C"
);
create index service_accounts_by_organization on service_accounts (organization_id, id desc);
create unique index service_accounts_name on service_accounts (organization_id, name)
  where archived_at is null;

-- Explicit memberships; that of the default workspace is there without a row.
create table service_account_workspaces (
  organization_id text collate "C" not null references organizations (id),
  service_account_id text collate "C" not null references service_accounts (id),
  workspace_id text collate "C" not null references workspaces (id),
  workspace_role text not null,
  created_at timestamptz not null,
  created_by text collate "C",
  primary key (service_account_id, workspace_id)
);
create index service_account_workspaces_by_workspace
  on service_account_workspaces (workspace_id, service_account_id);

-- Sign-ins of programs in a person's name: what a chain of refresh tokens belongs to.
create table token_families (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  client_id text collate "C" not null,
  scopes text[] not null,
  -- Null: every workspace of the organization.
  workspace_id text collate "C" references workspaces (id),
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  user_agent text not null,
  revoked_at timestamptz
);
create index token_families_by_user on token_families (organization_id, user_id, id desc);
create index token_families_by_end on token_families (expires_at);

create table refresh_tokens (
  secret_sha256 bytea primary key,
  organization_id text collate "C" not null references organizations (id),
  family_id text collate "C" not null references token_families (id) on delete cascade,
  -- Its place in the chain, from 1 on.
  generation integer not null,
  created_at timestamptz not null,
  -- Set by the one redemption that it is good for.
  used_at timestamptz
);
create index refresh_tokens_by_family on refresh_tokens (family_id);

create table access_tokens (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  secret_sha256 bytea not null unique,
  -- Whom it speaks for: one of the two.
  user_id text collate "C" references users (id) on delete cascade,
  service_account_id text collate "C" references service_accounts (id),
  family_id text collate "C" references token_families (id) on delete cascade,
  -- The rule of federation that it was minted by.
  rule_id text collate "C",
  scopes text[] not null,
  workspace_id text collate "C" references workspaces (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((user_id is null) <> (service_account_id is null)),
  check (family_id is null or user_id is not null)
);
create index access_tokens_by_user on access_tokens (organization_id, user_id)
  where user_id is not null;
create index access_tokens_by_account on access_tokens (organization_id, service_account_id)
  where service_account_id is not null;
create index access_tokens_by_family on access_tokens (family_id) where family_id is not null;
create index access_tokens_by_end on access_tokens (expires_at);

-- What the token endpoint refused: counted for a while, and shown to those who look for the reason.
create table token_refusals (
  id text collate "C" primary key,
  at timestamptz not null,
  address text not null,
  grant_type text not null,
  -- Of the rule that was named, when there is one.
  organization_id text collate "C" references organizations (id),
  rule_id text collate "C",
  reason text not null,
  sentence text not null,
  -- Only of a token whose signature was good.
  subject text
);
create index token_refusals_by_address on token_refusals (address, at);
create index token_refusals_by_rule on token_refusals (organization_id, rule_id, id desc)
  where rule_id is not null;
create index token_refusals_by_time on token_refusals (at);

-- Whose tokens are believed, and with which keys.
create table federation_issuers (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text collate "C" not null,
  issuer_url text collate "C" not null,
  jwks jsonb not null,
  check_jti boolean not null,
  max_jwt_lifetime_seconds integer not null,
  -- What was fetched last; for inline keys those.
  keys jsonb,
  -- The last time that somebody set out to fetch, and the last time that it went well.
  asked_at timestamptz,
  fetched_at timestamptz,
  consecutive_failures integer not null default 0,
  last_failure text,
  next_poll_at timestamptz,
  polling_disabled_at timestamptz,
  -- Rises with each change of where the keys come from: a fetch that began before it counts for nothing.
  source_version integer not null default 1,
  created_at timestamptz not null,
  created_by text collate "C",
  updated_at timestamptz not null,
  updated_by text collate "C",
  archived_at timestamptz,
  archived_by text collate "C"
);
create index federation_issuers_by_organization on federation_issuers (organization_id, id desc);
create unique index federation_issuers_name on federation_issuers (organization_id, name)
  where archived_at is null;
create index federation_issuers_due on federation_issuers (next_poll_at)
  where next_poll_at is not null;

create table federation_rules (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text collate "C" not null,
  description text,
  issuer_id text collate "C" not null references federation_issuers (id),
  match jsonb not null,
  service_account_id text collate "C" not null references service_accounts (id),
  scopes text[] not null,
  token_lifetime_seconds integer not null,
  applies_to_all_workspaces boolean not null,
  created_at timestamptz not null,
  created_by text collate "C",
  updated_at timestamptz not null,
  updated_by text collate "C",
  archived_at timestamptz,
  archived_by text collate "C"
);
create index federation_rules_by_organization on federation_rules (organization_id, id desc);
create unique index federation_rules_name on federation_rules (organization_id, name)
  where archived_at is null;
create index federation_rules_by_issuer on federation_rules (issuer_id, id desc);
create index federation_rules_by_account on federation_rules (service_account_id);

create table federation_rule_workspaces (
  organization_id text collate "C" not null references organizations (id),
  rule_id text collate "C" not null references federation_rules (id),
  workspace_id text collate "C" not null references workspaces (id),
  created_at timestamptz not null,
  created_by text collate "C",
  primary key (rule_id, workspace_id)
);
create index federation_rule_workspaces_by_workspace on federation_rule_workspaces (workspace_id);

-- Tokens that were exchanged, by their jti: once each, for as long as they are valid.
create table federation_jtis (
  issuer_id text collate "C" not null references federation_issuers (id),
  jti_sha256 bytea not null,
  expires_at timestamptz not null,
  primary key (issuer_id, jti_sha256)
);
create index federation_jtis_by_end on federation_jtis (expires_at);
