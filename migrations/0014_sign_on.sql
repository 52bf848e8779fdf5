-- Passkeys, single sign-on, and by which way people signed in.

alter table users
  -- A passkey is asked for after the password.
  add column second_step boolean not null default false,
  -- An owner who keeps a password and passkeys where single sign-on is required.
  add column break_glass boolean not null default false,
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
