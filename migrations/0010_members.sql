-- Members as administrators see them, those who left, invites, and the seats that both hold.

alter table users
  -- email_key without what stands between a plus and the at sign: how lists and invites compare addresses.
  add column email_plain text collate "C" not null
    generated always as (regexp_replace(email_key, '^([^+@]+)\+[^@]*@', '\1@')) stored,
  -- Null where the organization has no pool of seats.
  add column seat_tier_id text collate "C";
create index users_by_organization on users (organization_id, id);
create index users_by_role on users (organization_id, role, id);
create index users_by_plain_email on users (organization_id, email_plain, id);
create index users_by_name on users (organization_id, (lower(name)) collate "C", id);

-- Whoever was removed: keys, memories and the audit log go on naming them.
create table former_members (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  email text not null,
  name text not null,
  role text not null,
  added_at timestamptz not null,
  removed_at timestamptz not null
);
create index former_members_by_organization on former_members (organization_id, id);

-- A finite pool: position 0 is the lowest tier. No rows: the organization's seats are not counted.
create table seat_tiers (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text not null,
  position integer not null,
  seats integer not null check (seats >= 0),
  -- By members and pending invites; changes only under the lock of the organization's membership.
  taken integer not null check (taken between 0 and seats)
) with (fillfactor = 50);
create index seat_tiers_by_organization on seat_tiers (organization_id, position);

create table invites (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  email text not null,
  email_key text collate "C" not null,
  email_plain text collate "C" not null
    generated always as (regexp_replace(email_key, '^([^+@]+)\+[^@]*@', '\1@')) stored,
  role text not null,
  rbac_group_ids text[] not null,
  -- An invite whose time has passed is pending here until somebody looks, or the sweep comes.
  status text collate "C" not null check (status in ('pending', 'accepted', 'expired', 'deleted')),
  invited_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  -- The person or the key that made it, as the audit log names them.
  invited_by_name text,
  -- Held while it is pending; a member keeps it.
  seat_tier_id text collate "C",
  -- Of the newest link's secret; null until somebody asked for a link.
  secret_sha256 bytea unique,
  mail_status text check (mail_status in ('waiting', 'sent', 'failed')),
  mail_error text,
  mail_at timestamptz,
  check ((status = 'accepted') = (accepted_at is not null))
);
create unique index invites_one_pending on invites (organization_id, email_plain) where status = 'pending';
create index invites_by_status on invites (organization_id, status, id);
create index invites_by_role on invites (organization_id, status, role, id);
create index invites_by_plain_email on invites (organization_id, email_plain, id);
create index invites_due on invites (organization_id, expires_at) where status = 'pending';
