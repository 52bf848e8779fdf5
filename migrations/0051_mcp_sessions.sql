-- Clients of older revisions of MCP have sessions: what each said when it began, and what it answered that no request
-- has taken yet.

create table mcp_sessions (
  id text collate "C" primary key,
  workspace_id text collate "C" not null references workspaces (id),
  -- The person, the service account or the key that began it, and no other, goes on with it.
  holder_id text collate "C" not null,
  -- The params of its initialize.
  began jsonb not null,
  used_at timestamptz not null
);
create index mcp_sessions_by_holder on mcp_sessions (holder_id, used_at desc);
create index mcp_sessions_by_use on mcp_sessions (used_at);
create index mcp_sessions_by_workspace on mcp_sessions (workspace_id);

create table mcp_session_answers (
  session_id text collate "C" not null references mcp_sessions (id) on delete cascade,
  request_id text collate "C" not null,
  answer jsonb not null,
  answered_at timestamptz not null,
  primary key (session_id, request_id)
);
create index mcp_session_answers_by_time on mcp_session_answers (answered_at);
alter table mcp_sessions alter column began set statistics 0;
alter table mcp_session_answers alter column answer set statistics 0;
