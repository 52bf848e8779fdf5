-- Passkeys, single sign-on, and by which way people signed in.

alter table users
  -- A passkey is asked for after the password.
  add column second_step boolean not null default false,
  -- An owner who keeps a password and passkeys where single sign-on is required.
  add column break_glass boolean not null default false,
  -- When that let them in last.
  add column last_break_glass_at timestamptz,
  add column last_signed_in_at timestamptz,
  add column last_signed_in_by text;
create index users_by_last_sign_in on users (organization_id, last_signed_in_at desc, id desc)
  where last_signed_in_at is not null;

alter table sign_ins
  add column method text not null default 'password',
  -- When the person last proved who they are; null: when they signed in.
  add column proved_at timestamptz;

-- Whether members sign in by the identity provider alone.
alter table organizations
  add column single_sign_on_required boolean not null default false;

create table passkeys (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  -- What the authenticator calls it, in base64url.
  credential_id text collate "C" not null unique,
  public_key bytea not null,
  -- How often it was used, where the authenticator counts.
  counter bigint not null,
  transports text[] not null,
  -- Kept by the maker of the device or a password manager too.
  backed_up boolean not null,
  -- The name of this server that it was made for: it works under that name only.
  relying_party text collate "C" not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_user on passkeys (organization_id, user_id, id desc);

-- Tokens that work once and were made without a row: those that have been used, until they would have expired.
create table spent_tokens (
  token_sha256 bytea primary key,
  expires_at timestamptz not null
);
create index spent_tokens_expiring on spent_tokens (expires_at);

-- How an organization signs in at its identity provider, by OpenID Connect: one per organization.
create table sign_on_connections (
  organization_id text collate "C" primary key references organizations (id),
  issuer text collate "C" not null,
  client_id text not null,
  -- Sealed.
  client_secret text not null,
  scopes text[] not null,
  email_claim text not null,
  name_claim text not null,
  groups_claim text,
  -- Whether an e-mail of a verified domain counts as verified where the provider does not say.
  trusts_emails boolean not null,
  -- [{group, role}], the first that fits.
  role_rules jsonb not null,
  enabled boolean not null,
  -- Changes with each setting: a sign-in that began under other settings does not end under these.
  version text collate "C" not null,
  -- The last test of this version: when, by whom, and what the provider said.
  tested_at timestamptz,
  test_passed boolean,
  test_report jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Which person of ours somebody at the provider is: never told by the e-mail alone.
create table sign_on_identities (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  -- As the provider said it last.
  email text,
  linked_by text not null check (linked_by in ('verified_email', 'provisioning', 'owner')),
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index sign_on_identities_subject on sign_on_identities (organization_id, issuer, subject);
create index sign_on_identities_by_user on sign_on_identities (organization_id, user_id);

-- Whom the provider sent and nobody here is: an owner may say who it is.
create table sign_on_strangers (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  issuer text collate "C" not null,
  subject text collate "C" not null,
  email text,
  name text,
  reason text not null,
  seen_at timestamptz not null
);
create unique index sign_on_strangers_subject on sign_on_strangers (organization_id, issuer, subject);
