-- What the agents of a session have searched and fetched. In the ledger these are rows of the kinds web_search and
-- web_fetch, whose model is none.
alter table session_usage
  add column web_search_requests bigint not null default 0,
  add column web_fetch_requests bigint not null default 0;
