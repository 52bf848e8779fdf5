-- What the MCP server of a call wants back along with the answers to what it asked, until the call has a result.

create table session_question_states (
  -- The event that tells of the call.
  call_id text collate "C" primary key,
  session_id text collate "C" not null references sessions (id) on delete cascade,
  thread_id text collate "C" not null,
  -- Sealed: the server's own, which it may have signed no more than a password.
  request_state text not null
);
create index session_question_states_by_session on session_question_states (session_id);
alter table session_question_states alter column request_state set statistics 0;
