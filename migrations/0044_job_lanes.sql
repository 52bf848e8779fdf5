-- A lane is whose a job is: of a kind that is run by lanes none has more than its share of a process.

alter table jobs add column lane text collate "C" not null default '';
create index jobs_lanes on jobs (kind, lane, priority desc, run_at, id)
  where state = 'ready' and lane <> '';
