-- Where processes of the bus on other machines are reached: a leased row for each that says an address.

create table bus_nodes (
  id text collate "C" primary key,
  address text not null,
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
) with (fillfactor = 70);
alter table bus_nodes alter column address set statistics 0;
