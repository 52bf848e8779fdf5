-- Conversations that the server keeps between turns, for requests with a `thread`. All of it is gone a day after the last
-- turn: no foreign key to what owns it, so that a write locks nothing else.

create table message_threads (
  id text collate "C" primary key,
  organization_id text collate "C" not null,
  workspace_id text collate "C" not null,
  -- How many turns are kept. A thread of none is one whose first answer did not come to its end.
  turns integer not null default 0 check (turns >= 0),
  -- Of all that is kept, before it was encrypted.
  bytes bigint not null check (bytes >= 0),
  -- The id that the answer under way will have, and the node of the process that awaits it: nobody else may continue
  -- meanwhile. It counts only as long as that node is held under this epoch, and never for long.
  answering_id text collate "C",
  node text collate "C",
  node_epoch bigint,
  claimed_at timestamptz,
  expires_at timestamptz not null
);
create index message_threads_by_expiry on message_threads (expires_at);

-- What a turn added: new messages of the client and the answer to them. The first has tools and system prompt, too.
create table message_thread_turns (
  -- The answer's id, by which the next turn names it.
  message_id text collate "C" primary key,
  thread_id text collate "C" not null references message_threads on delete cascade,
  -- 1 is the first. Null until the answer is settled: nobody has its id then, and it is not there.
  position integer check (position > 0),
  -- JSON, encrypted.
  content text not null,
  unique (thread_id, position)
);
alter table message_thread_turns alter column content set storage external;
alter table message_thread_turns alter column content set statistics 0;
