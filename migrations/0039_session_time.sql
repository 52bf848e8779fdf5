-- What the time has cost in which a session ran, as far as it is settled: in the ledger these are rows of the kind
-- session_time, whose model is none.
alter table sessions add column time_nano bigint not null default 0;
