-- What was said in requests, where a workspace keeps it: encrypted, for a while of the workspace's own.

-- A workspace without a row keeps nothing.
create table request_body_settings (
  workspace_id text collate "C" primary key references workspaces (id),
  organization_id text collate "C" not null references organizations (id),
  enabled boolean not null,
  max_bytes integer not null,
  kept_days integer not null,
  -- Rules of what is taken out before anything is encrypted.
  redact json not null,
  -- What came before was deleted, also what was on its way at that time.
  kept_since timestamptz,
  -- Grows with each change: what was made by earlier rules is not written.
  version integer not null,
  updated_at timestamptz not null
);
create index request_body_settings_enabled on request_body_settings (workspace_id) where enabled;
alter table request_body_settings alter column redact set statistics 0;

create table request_bodies (
  request_id text collate "C" not null,
  -- The time that the id was made from, so that an id alone finds the day it lies in.
  at timestamptz not null,
  organization_id text collate "C" not null,
  workspace_id text collate "C" not null,
  -- Request and answer after the rules, encrypted for this organization and request; null where there was no room.
  sealed text,
  primary key (request_id, at)
) partition by range (at);
create index request_bodies_of_workspaces on request_bodies (workspace_id, at);
-- No compression makes random bytes shorter.
alter table request_bodies
  alter column sealed set storage external,
  alter column sealed set statistics 0;

-- As the days of the request log: made apart and then attached, dropped whole.
create function request_bodies_make_day(day date) returns void language plpgsql as $$
declare
  name text := 'request_bodies_' || to_char(day, 'YYYY_MM_DD');
begin
  if to_regclass(name) is not null then return; end if;
  lock table request_bodies in share update exclusive mode;
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like request_bodies including defaults including storage)', name);
  execute format('alter table %I alter column sealed set statistics 0', name);
  execute format('alter table request_bodies attach partition %I for values from (%L) to (%L)',
    name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;

create function request_bodies_drop_day(day date) returns void language plpgsql as $$
begin
  execute format('drop table if exists %I', 'request_bodies_' || to_char(day, 'YYYY_MM_DD'));
end $$;

create view request_bodies_days as
select to_date(substring(inhrelid::regclass::text from 'request_bodies_(\d{4}_\d{2}_\d{2})'), 'YYYY_MM_DD') as day
from pg_inherits where inhparent = 'request_bodies'::regclass;
