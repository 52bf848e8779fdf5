-- The call of its session that had waited longest when work was queued, and how many pieces of work in a row, with this
-- one, were queued while it was that: what no worker answers is given up in the end.
alter table environment_work
  add column tries integer not null default 1,
  add column oldest_call_id text collate "C";
