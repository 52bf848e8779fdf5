-- The request log: one narrow row for each request, each item of a batch, each turn and each tool call of an agent.

create table requests (
  id text collate "C" not null,
  -- When it came: the time that its id was made from, so that an id alone finds the day it lies in.
  at timestamptz not null,
  organization_id text collate "C" not null,
  workspace_id text collate "C",
  credential_id text collate "C" not null,
  -- A member, or a service account.
  user_id text collate "C",
  origin text collate "C" not null,
  operation text collate "C" not null,
  method text collate "C",
  path text collate "C",
  status integer not null,
  error_type text collate "C",
  error text,
  model_asked text collate "C",
  model_served text collate "C",
  upstream text collate "C",
  stop_reason text collate "C",
  -- Another model than the first took over.
  fell_back boolean not null,
  -- Null where no model was asked, as all that counts tokens.
  input_tokens bigint,
  output_tokens bigint,
  cache_write_tokens bigint,
  cache_read_tokens bigint,
  amount_nano bigint,
  -- Until the first model was asked, until the first word of the answer, and until the end.
  asked_ms integer,
  first_ms integer,
  ms integer not null,
  -- What each attempt did, as JSON; null where one attempt served.
  attempts text,
  session_id text collate "C",
  batch_id text collate "C"
) partition by range (at);

-- The days are partitions, made ahead of their time and dropped whole. While a day lasts it has few indexes, for each
-- costs every request; the others are built when it is over (server/requests/days).
create index requests_by_time on requests (organization_id, at, id);
create index requests_failed on requests (organization_id, at) where status >= 400;
create index requests_refused on requests (organization_id, at) where stop_reason = 'refusal';
create index requests_fallen_back on requests (organization_id, at) where fell_back;
create index requests_slow on requests (organization_id, at) where ms >= 10000;
create index requests_expensive on requests (organization_id, at) where amount_nano >= 100000000;
create index requests_of_people on requests (organization_id, user_id, at) where user_id is not null;
create index requests_of_sessions on requests (organization_id, session_id, at) where session_id is not null;
create index requests_of_batches on requests (organization_id, batch_id, at) where batch_id is not null;

alter table requests
  alter column model_asked set statistics 0,
  alter column model_served set statistics 0,
  alter column stop_reason set statistics 0,
  alter column path set statistics 0,
  alter column error set statistics 0,
  alter column attempts set statistics 0;

-- Made apart and then attached, which locks the log against the same alone, and not against those that write and read.
create function requests_make_day(day date) returns void language plpgsql as $$
declare
  name text := 'requests_' || to_char(day, 'YYYY_MM_DD');
begin
  if to_regclass(name) is not null then return; end if;
  lock table requests in share update exclusive mode;
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I (like requests including defaults)', name);
  execute format('alter table %I alter column model_asked set statistics 0,
    alter column model_served set statistics 0, alter column stop_reason set statistics 0,
    alter column path set statistics 0,
    alter column error set statistics 0, alter column attempts set statistics 0', name);
  execute format('alter table requests attach partition %I for values from (%L) to (%L)',
    name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
end $$;

-- What a day gets when it is over.
create function requests_index_day(day date) returns void language plpgsql as $$
declare
  name text := 'requests_' || to_char(day, 'YYYY_MM_DD');
begin
  execute format('create index if not exists %I on %I (organization_id, credential_id, at)',
    name || '_of_keys', name);
  execute format('create index if not exists %I on %I
    (organization_id, coalesce(model_served, model_asked), at)', name || '_of_models', name);
  execute format('alter index %I alter column 2 set statistics 0', name || '_of_models');
  execute format('create index if not exists %I on %I (organization_id, workspace_id, at)',
    name || '_of_workspaces', name);
end $$;

create function requests_drop_day(day date) returns void language plpgsql as $$
begin
  execute format('drop table if exists %I', 'requests_' || to_char(day, 'YYYY_MM_DD'));
end $$;

-- The days that there are.
create view requests_days as
select to_date(substring(inhrelid::regclass::text from 'requests_(\d{4}_\d{2}_\d{2})'), 'YYYY_MM_DD') as day
from pg_inherits where inhparent = 'requests'::regclass;
