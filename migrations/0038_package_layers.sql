-- Packages of environments, installed into layers that sandboxes show: one for each list of packages on each machine.
create table package_layers (
  -- The machine and the name of the layer there.
  id text collate "C" primary key,
  host_id text collate "C" not null,
  name text collate "C" not null,
  state text collate "C" not null check (state in ('waiting', 'building', 'built', 'failed')),
  -- The package manager at work, or that failed, and what it said last.
  manager text collate "C",
  words text,
  bytes bigint not null default 0,
  asked_at timestamptz not null,
  began_at timestamptz,
  ended_at timestamptz,
  used_at timestamptz not null,
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
) with (fillfactor = 80);
alter table package_layers alter column words set statistics 0;
create index package_layers_by_host on package_layers (host_id);
create index package_layers_by_name on package_layers (name);
