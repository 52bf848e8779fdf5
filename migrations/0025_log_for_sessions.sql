-- What sessions of agents need of the event log: events by id and by type, the moment at which one was processed, snapshots.

alter table log_events
  -- Chosen by who appends; unique within the stream.
  add column id text collate "C",
  -- When it was processed, which may be long after it came: null until then. Written once; all else never changes.
  add column processed_at timestamptz,
  -- Of `data` as text, so that a page ends where it is large enough and nothing is read to find that out.
  add column bytes integer not null default 0;
alter table log_events alter column bytes drop default;

create unique index log_events_id on log_events (stream, id) where id is not null;
create index log_events_type on log_events (stream, type, position);
create index log_events_processed on log_events (stream, processed_at, position)
  where processed_at is not null;

-- What the events up to a position lead to, so that a reader begins there. Made anew from the events at any time.
create table log_snapshots (
  stream text collate "C" not null,
  kind text collate "C" not null,
  position bigint not null,
  state json not null,
  primary key (stream, kind, position)
);
alter table log_snapshots alter column state set statistics 0;
