-- Credentials that sandboxes have placeholders of, and where credentials were used.

create table session_placeholders (
  session_id text collate "C" not null references sessions (id) on delete cascade,
  credential_id text collate "C" not null references vault_credentials (id) on delete cascade,
  -- What stands in the sandbox: of no use anywhere but behind the session's own network.
  placeholder text collate "C" not null,
  primary key (session_id, credential_id)
);
create index session_placeholders_by_credential on session_placeholders (credential_id);
alter table session_placeholders alter column placeholder set statistics 0;

-- The last hour of each: another one is told in the audit log.
create table credential_uses (
  session_id text collate "C" not null references sessions (id) on delete cascade,
  credential_id text collate "C" not null references vault_credentials (id) on delete cascade,
  host text collate "C" not null,
  hour timestamptz not null,
  primary key (session_id, credential_id, host)
);
create index credential_uses_by_credential on credential_uses (credential_id);
alter table credential_uses alter column host set statistics 0;
