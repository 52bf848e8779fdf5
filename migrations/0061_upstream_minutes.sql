-- How upstreams answered each organization, minute by minute: each process adds what it has counted every two seconds.
-- A row for each outcome and each step of the time until the first word; older rows than a day are swept.
create table upstream_minutes (
  organization_id text collate "C" not null,
  minute timestamptz not null,
  upstream text collate "C" not null,
  -- answered, or failed.
  outcome text collate "C" not null,
  -- The first word came within so many milliseconds; 0 where none was heard on its way.
  first_ms_max integer not null,
  attempts bigint not null,
  last_at timestamptz not null,
  primary key (organization_id, minute, upstream, outcome, first_ms_max)
) with (fillfactor = 50);
