-- The chain of the audit log, and the budget of administration.

-- When the last requests of administration were let in: one row decides for all processes.
create table administration_budgets (
  organization_id text collate "C" not null,
  name text not null check (name in ('requests', 'invites')),
  admitted timestamptz[] not null,
  -- Of the last one who asked: how long until there is room; 0 when it was let in.
  wait_ms double precision not null,
  primary key (organization_id, name)
);

-- Each event of an organization has a number, the hash of the one before and its own. Rows from before have none yet:
-- they are sealed by a job, in pieces, and the indexes that lists use hold sealed rows only. So nothing here takes
-- long, however many rows there are.
alter table audit_events
  add column seq bigint,
  add column previous_hash bytea,
  add column hash bytea,
  add column search tsvector,
  -- Under the lock of a chain's head nobody may wait for the row of the organization.
  drop constraint audit_events_organization_id_fkey;

drop index audit_events_by_organization;
create index audit_events_unsealed on audit_events (organization_id, id) where seq is null;
create unique index audit_events_chain on audit_events (organization_id, seq) where seq is not null;
create index audit_events_by_time
  on audit_events (organization_id, at desc, id desc) where seq is not null;
create index audit_events_by_action
  on audit_events (organization_id, action, at desc, id desc) where seq is not null;
create index audit_events_by_actor
  on audit_events (organization_id, actor_id, at desc, id desc) where seq is not null;
create index audit_events_by_target
  on audit_events (organization_id, target_id, at desc, id desc) where seq is not null;
create index audit_events_by_address
  on audit_events (organization_id, address, at desc, id desc) where seq is not null;
create index audit_events_by_words on audit_events using gin (search) where seq is not null;

-- The last event of each chain: who appends holds its lock until the commit.
create table audit_heads (
  organization_id text collate "C" primary key,
  seq bigint not null,
  hash bytea not null
) with (fillfactor = 50);

-- How far each chain was looked at, and what was found.
create table audit_checks (
  organization_id text collate "C" primary key,
  -- The whole chain, from its first event.
  verified_seq bigint not null default 0,
  verified_at timestamptz,
  -- What was signed last, and lies outside the database, too.
  anchored_seq bigint not null default 0,
  anchored_at timestamptz,
  anchor text,
  -- Null while nothing is wrong.
  problem text,
  found_at timestamptz
);

-- All rows from before are sealed: signed, and outside the database, too. From then on no row is taken in.
create table audit_closing (
  one boolean primary key default true check (one),
  signature text not null
);

-- A field of the canonical form: its length in bytes and its text, so that no two rows have the same form.
create function audit_field(value text) returns text language sql immutable parallel safe as
  $$ select coalesce(octet_length(value) || ':' || value, '-') $$;

create function audit_hash(event audit_events) returns bytea language sql stable as $$
  select sha256(convert_to(
    audit_field('plinth audit 1') || audit_field(event.organization_id)
    || audit_field(event.seq::text) || audit_field(encode(event.previous_hash, 'hex'))
    || audit_field(event.id)
    || audit_field(((extract(epoch from event.at) * 1000000)::bigint)::text)
    || audit_field(event.action) || audit_field(event.actor_type)
    || audit_field(event.actor_id) || audit_field(event.actor_name)
    || audit_field(event.target_type) || audit_field(event.target_id)
    || audit_field(event.address) || audit_field(event.request_id)
    || audit_field(event.details::text) || audit_field(event.search::text), 'UTF8'))
$$;

-- The head under its lock; made where there is none.
create function audit_lock(organization text) returns audit_heads language plpgsql as $$
declare
  head audit_heads;
begin
  loop
    select * into head from audit_heads where organization_id = organization for update;
    if found then return head; end if;
    insert into audit_heads (organization_id, seq, hash)
      values (organization, 0, decode(repeat('00', 32), 'hex'))
      on conflict (organization_id) do nothing;
  end loop;
end
$$;

-- Appends events: objects with the columns' names, and `words` to find them by.
create function audit_append(organization text, events jsonb) returns void language plpgsql as $$
declare
  head audit_heads;
  event audit_events;
  given jsonb;
begin
  head := audit_lock(organization);
  for given in select value from jsonb_array_elements(events) with ordinality order by ordinality
  loop
    event := jsonb_populate_record(null::audit_events, given - 'words');
    head.seq := head.seq + 1;
    event.organization_id := organization;
    event.seq := head.seq;
    event.previous_hash := head.hash;
    event.search := array_to_tsvector(array(select jsonb_array_elements_text(given -> 'words')));
    event.hash := audit_hash(event);
    insert into audit_events values (event.*);
    head.hash := event.hash;
  end loop;
  update audit_heads set seq = head.seq, hash = head.hash where organization_id = organization;
end
$$;

-- Puts rows that have no number yet at the end of the chain, in the order given: objects with `id` and `words`.
create function audit_seal(organization text, events jsonb) returns void language plpgsql as $$
declare
  head audit_heads;
  event audit_events;
  given jsonb;
begin
  head := audit_lock(organization);
  for given in select value from jsonb_array_elements(events) with ordinality order by ordinality
  loop
    select * into event from audit_events
      where organization_id = organization and id = given ->> 'id' and seq is null for update;
    continue when not found;
    head.seq := head.seq + 1;
    event.seq := head.seq;
    event.previous_hash := head.hash;
    event.search := array_to_tsvector(array(select jsonb_array_elements_text(given -> 'words')));
    event.hash := audit_hash(event);
    update audit_events
      set seq = event.seq, previous_hash = event.previous_hash, hash = event.hash,
        search = event.search
      where id = event.id;
    head.hash := event.hash;
  end loop;
  update audit_heads set seq = head.seq, hash = head.hash where organization_id = organization;
end
$$;

-- Nothing is changed and nothing is taken out; only sealing may fill what was empty.
create function audit_guard() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'audit_events' then
    if old.seq is null and new.seq is not null
      and (old.id, old.organization_id, old.at, old.action, old.actor_type, old.actor_id,
           old.actor_name, old.target_type, old.target_id, old.address, old.request_id, old.details)
        is not distinct from
          (new.id, new.organization_id, new.at, new.action, new.actor_type, new.actor_id,
           new.actor_name, new.target_type, new.target_id, new.address, new.request_id, new.details)
    then return new;
    end if;
  end if;
  raise exception '% holds the audit log, to which rows are only added: % is refused.',
    tg_table_name, lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function audit_guard();
create trigger audit_events_never_emptied before truncate on audit_events
  for each statement execute function audit_guard();

-- A server of the version before that still runs is told, instead of writing rows that nobody would believe.
create function audit_placed() returns trigger language plpgsql as $$
begin
  if new.seq is null or new.previous_hash is null or new.hash is null then
    raise exception 'An event needs its place in the chain: audit_append gives it one.'
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger audit_events_placed before insert on audit_events
  for each row execute function audit_placed();
create trigger audit_heads_never_deleted before delete on audit_heads
  for each row execute function audit_guard();
create trigger audit_heads_never_emptied before truncate on audit_heads
  for each statement execute function audit_guard();

-- In which hours each credential was used, and how often; kept for some days.
create table audit_uses (
  organization_id text collate "C" not null,
  actor_id text collate "C" not null,
  hour timestamptz not null,
  uses bigint not null,
  primary key (organization_id, actor_id, hour)
);
create index audit_uses_by_hour on audit_uses (hour);
