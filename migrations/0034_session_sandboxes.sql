-- Sandboxes of sessions: where the workspace of each lies, and which process has its sandbox.

-- A directory of workspaces, and when a server that has it was seen last.
create table sandbox_hosts (
  id text collate "C" primary key,
  seen_at timestamptz not null
);

create table session_sandboxes (
  -- No reference: the workspace of a session that is gone is still to be deleted, where it lies.
  session_id text collate "C" primary key,
  host_id text collate "C" not null,
  -- What its environment said when the sandbox was started last: it goes on with that when the environment is gone.
  config jsonb,
  lease_owner text collate "C",
  lease_epoch bigint not null default 0,
  lease_until timestamptz
);
alter table session_sandboxes alter column config set statistics 0;
create index session_sandboxes_by_host on session_sandboxes (host_id);

-- Calls that this server runs wait for a client only where they are to be confirmed.
alter table session_calls drop constraint session_calls_kind_check;
alter table session_calls add constraint session_calls_kind_check check (kind in ('custom', 'built_in', 'server'));
