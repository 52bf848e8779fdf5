-- What a program asks a person to grant it: with a code that is typed in a browser, or with one that a browser brings.

create table authorizations (
  id text collate "C" primary key,
  client_id text collate "C" not null,
  scopes text[] not null,
  workspace_id text collate "C",
  -- Of a device: what the person types, what the device shows when it asks again, and how often it may ask.
  user_code text collate "C" unique,
  device_sha256 bytea unique,
  interval_seconds integer,
  polled_at timestamptz,
  -- Of a browser that comes back: what it brings, and what shows that the one who began is the one who ends.
  code_sha256 bytea unique,
  code_challenge text,
  redirect_uri text,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The sign-in that looked at it alone may decide.
  opened_by text collate "C",
  organization_id text collate "C" references organizations (id) on delete cascade,
  user_id text collate "C",
  decision text check (decision in ('granted', 'denied')),
  decided_at timestamptz,
  used_at timestamptz,
  -- The tokens that it became.
  family_id text collate "C"
);
create index authorizations_by_expiry on authorizations (expires_at);

-- Codes that nobody was shown, typed by whom: guessing is slow on every process.
create table authorization_failures (
  user_id text collate "C" not null,
  at timestamptz not null
);
create index authorization_failures_by_user on authorization_failures (user_id, at);
