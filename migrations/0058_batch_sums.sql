-- What batches cost, and how many of their requests were refused: counted with the results, so that a batch of 100,000
-- is told without reading its attempts in the ledger.

alter table batch_results add column is_refusal boolean not null default false;
alter table batch_segments add column refused integer not null default 0;

-- Sums of the attempts that entered the ledger with the results of a segment, by the model that was asked. Of batches
-- from before this there are none.
create table batch_sums (
  batch_id text collate "C" not null references batches (id) on delete cascade,
  segment integer not null,
  model text collate "C" not null,
  attempts integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  cache_read_tokens bigint not null,
  amount_nano bigint not null,
  list_amount_nano bigint not null,
  primary key (batch_id, segment, model)
) with (fillfactor = 50);
