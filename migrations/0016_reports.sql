-- Reports and limits of spending.

-- Where a request asked to be answered, and the prices that held: nano-units a token for input, output, cache written
-- for 5 minutes and for 1 hour, cache read. `day` is of the clock that `month` is of. Rows from before this have none.
alter table ledger add column inference_geo text collate "C", add column prices bigint[],
  add column day date;

create or replace view ledger_opens as
select hop ->> 0 as id, hop ->> 1 as request_id, payer ->> 0 as organization_id,
  payer ->> 1 as workspace_id, payer ->> 2 as credential_id, payer ->> 3 as user_id,
  payer ->> 4 as model, payer ->> 5 as upstream, payer ->> 6 as kind, payer ->> 7 as service_tier,
  payer ->> 8 as speed, (hop ->> 3)::bigint as reserve_nano,
  'epoch'::timestamptz + (hop ->> 4)::bigint * interval '1 millisecond' as at,
  payer ->> 9 as month, node, payer ->> 10 as inference_geo, (payer ->> 11)::bigint[] as prices,
  (payer ->> 12)::date as day
from ledger_reservations
  cross join lateral (select hops::jsonb as given offset 0) as parsed
  cross join lateral jsonb_array_elements(given -> 'hops') as hop
  cross join lateral (select given -> 'who' -> (hop ->> 2)::int as payer) as paying
where not exists (select from ledger where ledger.id = (hop ->> 0) collate "C");

-- Sums of the ledger by hour and by day, for reports: of everything before `until`, made a while after it was written.
-- Apart on disk: a year by day is read whole, and would else be read between up to 24 times as many rows of hours.
create table usage_sums (
  organization_id text collate "C" not null,
  span text collate "C" not null check (span in ('hour', 'day')),
  at timestamptz not null,
  workspace_id text collate "C" not null,
  credential_id text collate "C" not null,
  user_id text collate "C",
  model text collate "C" not null,
  kind text collate "C" not null,
  service_tier text collate "C",
  speed text collate "C",
  inference_geo text collate "C",
  prices bigint[],
  is_long boolean not null,
  requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  cache_read_tokens bigint not null,
  amount_nano bigint not null,
  list_amount_nano bigint not null
) partition by list (span);
create table usage_sums_of_hours partition of usage_sums for values in ('hour');
create table usage_sums_of_days partition of usage_sums for values in ('day');
create index usage_sums_by_organization on usage_sums (organization_id, span, at);

-- What came into the ledger, or was put right in it, for a time whose sums are promised already: added until summed.
create table usage_late (
  organization_id text collate "C" not null,
  at timestamptz not null,
  noted_at timestamptz not null,
  workspace_id text collate "C" not null,
  credential_id text collate "C" not null,
  user_id text collate "C",
  model text collate "C" not null,
  kind text collate "C" not null,
  service_tier text collate "C",
  speed text collate "C",
  inference_geo text collate "C",
  prices bigint[],
  is_long boolean not null,
  requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  cache_read_tokens bigint not null,
  amount_nano bigint not null,
  list_amount_nano bigint not null
);
create index usage_late_by_organization on usage_late (organization_id, at);
create index usage_late_by_noting on usage_late (noted_at);

-- Up to where there are sums, and up to where they are promised: what is written before that is late. Both are hours;
-- days are summed up to the last midnight. Whoever may not know of the promise has a transaction before the barrier.
create table usage_horizon (
  one boolean primary key default true check (one),
  until timestamptz not null,
  promised timestamptz not null,
  promised_at timestamptz not null,
  barrier text
);
insert into usage_horizon (until, promised, promised_at) values ('-infinity', '-infinity', now());

-- What people and service accounts spent by day, one row a process: their limits are by day, week and month.
create table spend_user_days (
  organization_id text collate "C" not null,
  user_id text collate "C" not null,
  day date not null,
  node text collate "C" not null,
  spent_nano bigint not null,
  primary key (organization_id, user_id, day, node)
) with (fillfactor = 50);

-- Limits have an id over the API, the same whatever sets them.
alter table spend_limits
  add column id text collate "C" generated always as
    ('spl_' || md5(organization_id || '/' || workspace_id)) stored,
  add column created_at timestamptz not null default now(),
  add column updated_at timestamptz not null default now();
create index spend_limits_by_id on spend_limits (organization_id, id);

-- Of one member each; no amount means that the period has no limit.
create table user_spend_limits (
  organization_id text collate "C" not null references organizations (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  period text collate "C" not null check (period in ('daily', 'weekly', 'monthly')),
  id text collate "C" not null,
  limit_nano bigint check (limit_nano >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, user_id, period)
);
create unique index user_spend_limits_by_id on user_spend_limits (organization_id, id);

create table spend_limit_increase_requests (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  user_id text collate "C" not null references users (id) on delete cascade,
  period text collate "C" not null check (period in ('daily', 'weekly', 'monthly')),
  reason text,
  status text collate "C" not null check (status in ('pending', 'approved', 'denied')),
  created_at timestamptz not null,
  resolved_at timestamptz,
  -- Who did: a member, or a key.
  resolved_by text collate "C"
);
create index spend_limit_increase_requests_by_organization
  on spend_limit_increase_requests (organization_id, id desc);
create unique index spend_limit_increase_requests_pending
  on spend_limit_increase_requests (organization_id, user_id, period) where status = 'pending';
