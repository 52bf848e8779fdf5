-- How many requests of the API each organization made, minute by minute, and how many of them failed: each process adds
-- what it has counted every two seconds. For the last hour on the console's overview; older rows are swept.
create table request_minutes (
  organization_id text collate "C" not null,
  minute timestamptz not null,
  requests bigint not null,
  errors bigint not null,
  primary key (organization_id, minute)
) with (fillfactor = 50);
create index request_minutes_by_minute on request_minutes (minute);
