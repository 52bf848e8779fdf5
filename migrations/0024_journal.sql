-- What attempts cost, as it was acknowledged: a group of them a row, durable before their last byte is sent. A moment later
-- they are posted: their rows enter the ledger, are counted, and the row is deleted, in one transaction.
create table ledger_journal (
  id bigint generated always as identity primary key,
  -- Whose counters they are added to.
  node text collate "C" not null,
  -- {"who": [payer, as in ledger_reservations], "hops": [[id, request_id, place in who, reserve_nano, at in milliseconds,
  -- outcome, estimated, and the seven amounts of the ledger in their order]]}
  closes text not null,
  -- Why it could not be posted: set aside, so that it holds up no other.
  failed text
) with (toast_tuple_target = 8160, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
alter table ledger_journal alter column closes set storage external;
alter table ledger_journal alter column closes set statistics 0, alter column failed set statistics 0;
