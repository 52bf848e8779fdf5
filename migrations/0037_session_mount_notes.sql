-- What agents were told of what is mounted in their sandboxes: conflicts, and what was not taken. The newest of each session.
create table session_mount_notes (
  id text collate "C" primary key,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  kind text collate "C" not null,
  memory_store_id text collate "C",
  text text not null,
  created_at timestamptz not null
);
alter table session_mount_notes alter column text set statistics 0;
create index session_mount_notes_by_session on session_mount_notes (session_id, id desc);
