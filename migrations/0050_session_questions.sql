-- What the MCP server of a call asks before it goes on waits for a client as a call of a custom tool does.
alter table session_calls drop constraint session_calls_kind_check;
alter table session_calls add constraint session_calls_kind_check check (kind in ('custom', 'built_in', 'server', 'question'));
