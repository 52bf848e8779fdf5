-- What an attempt was for, and who stands behind it. `key_maker` made the key that asked, where it was a key; `origin` is
-- the way by which it was asked: api, batch, console or session. Rows from before this have none.
alter table ledger
  add column key_maker text collate "C",
  add column origin text collate "C",
  add column session_id text collate "C",
  add column agent_id text collate "C",
  add column deployment_id text collate "C",
  add column environment_id text collate "C";
-- Sessions are too many to be summed by: reports that tell them apart read their rows.
create index ledger_of_sessions on ledger (organization_id, at) where session_id is not null;

alter table usage_sums
  add column key_maker text collate "C",
  add column origin text collate "C",
  add column agent_id text collate "C",
  add column deployment_id text collate "C",
  add column environment_id text collate "C",
  add column in_session boolean not null default false;
alter table usage_late
  add column key_maker text collate "C",
  add column origin text collate "C",
  add column agent_id text collate "C",
  add column deployment_id text collate "C",
  add column environment_id text collate "C",
  add column in_session boolean not null default false;

-- The version before this one names thirteen things of a payer.
create or replace view ledger_opens as
select hop ->> 0 as id, hop ->> 1 as request_id, payer ->> 0 as organization_id,
  payer ->> 1 as workspace_id, payer ->> 2 as credential_id, payer ->> 3 as user_id,
  payer ->> 4 as model, payer ->> 5 as upstream, payer ->> 6 as kind, payer ->> 7 as service_tier,
  payer ->> 8 as speed, (hop ->> 3)::bigint as reserve_nano,
  'epoch'::timestamptz + (hop ->> 4)::bigint * interval '1 millisecond' as at,
  payer ->> 9 as month, node, payer ->> 10 as inference_geo, (payer ->> 11)::bigint[] as prices,
  (payer ->> 12)::date as day, payer ->> 13 as key_maker, payer ->> 14 as origin,
  payer ->> 15 as session_id, payer ->> 16 as agent_id, payer ->> 17 as deployment_id,
  payer ->> 18 as environment_id
from ledger_reservations
  cross join lateral (select hops::jsonb as given offset 0) as parsed
  cross join lateral jsonb_array_elements(given -> 'hops') as hop
  cross join lateral (select given -> 'who' -> (hop ->> 2)::int as payer) as paying
where not exists (select from ledger where ledger.id = (hop ->> 0) collate "C");
