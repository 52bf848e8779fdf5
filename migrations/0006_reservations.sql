-- What is under way, a group of attempts a row: written over again once all of them have ended, so the table stays
-- small without a delete for each attempt. A later write of a slot never gives way to an earlier one.
create table ledger_reservations (
  node text collate "C" not null,
  slot integer not null,
  epoch bigint not null,
  seq bigint not null,
  -- {"who": [[organization_id, workspace_id, credential_id, user_id, model, upstream, kind, service_tier, speed,
  -- month]], "hops": [[id, request_id, place in who, reserve_nano, at in milliseconds]]}
  hops text not null,
  primary key (node, slot)
) with (fillfactor = 25, toast_tuple_target = 8160, autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0);
alter table ledger_reservations alter column hops set storage external;

insert into ledger_reservations (node, slot, epoch, seq, hops)
select node, row_number() over (partition by node) - 1, 0, 0, jsonb_build_object(
  'who', jsonb_build_array(jsonb_build_array(organization_id, workspace_id, credential_id, user_id,
    model, upstream, kind, service_tier, speed, month)),
  'hops', jsonb_build_array(jsonb_build_array(id, request_id, 0, reserve_nano,
    round(extract(epoch from at) * 1000)))
)::text
from ledger_opens;
drop table ledger_opens;

-- What of it has not ended.
create view ledger_opens as
select hop ->> 0 as id, hop ->> 1 as request_id, payer ->> 0 as organization_id,
  payer ->> 1 as workspace_id, payer ->> 2 as credential_id, payer ->> 3 as user_id,
  payer ->> 4 as model, payer ->> 5 as upstream, payer ->> 6 as kind, payer ->> 7 as service_tier,
  payer ->> 8 as speed, (hop ->> 3)::bigint as reserve_nano,
  'epoch'::timestamptz + (hop ->> 4)::bigint * interval '1 millisecond' as at,
  payer ->> 9 as month, node
from ledger_reservations
  cross join lateral (select hops::jsonb as given offset 0) as parsed
  cross join lateral jsonb_array_elements(given -> 'hops') as hop
  cross join lateral (select given -> 'who' -> (hop ->> 2)::int as payer) as paying
where not exists (select from ledger where ledger.id = (hop ->> 0) collate "C");
