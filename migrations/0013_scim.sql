-- What an organization's identity provider controls, the e-mail domains it has claimed, and SCIM.

-- One per organization at most; without a row nothing is controlled.
create table identity_providers (
  organization_id text collate "C" primary key references organizations (id),
  -- What its people call it: refusals name it.
  name text not null check (length(name) between 1 and 200),
  -- How people join beside the owners' own doors: by invitation, at their first sign-in, or by SCIM.
  provisioning text not null check (provisioning in ('none', 'jit', 'scim')),
  -- Whether it says which role a member has.
  controls_roles boolean not null,
  -- Whether SCIM pushes groups; those that it made are closed to everybody else while it does.
  controls_groups boolean not null,
  -- What whoever joins by the provider becomes, where it names no role.
  default_role text not null default 'user',
  updated_at timestamptz not null
);

-- Several organizations may claim a domain; one of them has it.
create table email_domains (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  -- Lower case, in its ASCII form.
  domain text collate "C" not null check (length(domain) between 3 and 253),
  -- What the TXT record has to hold.
  proof text not null,
  created_at timestamptz not null,
  checked_at timestamptz,
  verified_at timestamptz,
  verified_by text check (verified_by in ('dns', 'operator')),
  check ((verified_at is null) = (verified_by is null))
);
create unique index email_domains_by_organization on email_domains (organization_id, domain);
create unique index email_domains_verified on email_domains (domain) where verified_at is not null;

-- Whether invitations go to the organization's own domains alone.
alter table organizations add column invites_own_domains boolean not null default false;

-- The secrets of identity providers that push by SCIM: no keys, and good for nothing else.
create table scim_tokens (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  name text not null,
  secret_sha256 bytea not null unique,
  hint text not null,
  created_by text collate "C" not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index scim_tokens_by_organization on scim_tokens (organization_id, id desc);

-- People as SCIM sees them: everybody who is a user, and those whom the provider has switched off, who keep their id.
create table scim_users (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  -- The e-mail, until the provider says otherwise.
  user_name text not null,
  user_name_key text collate "C" not null,
  external_id text collate "C",
  -- False: no user any more.
  active boolean not null,
  email_key text collate "C" not null,
  display_name text not null,
  -- What somebody who is switched off comes back with.
  role text not null,
  -- What the provider said that nothing here has a column for.
  document jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index scim_users_by_organization on scim_users (organization_id, id);
create unique index scim_users_by_name on scim_users (organization_id, user_name_key);
create index scim_users_by_external_id on scim_users (organization_id, external_id) where external_id is not null;
create index scim_users_by_email on scim_users (organization_id, email_key);

insert into scim_users
  (id, organization_id, user_name, user_name_key, active, email_key, display_name, role, created_at, updated_at)
select id, organization_id, email, email_key, true, email_key, name, role, added_at, added_at from users;

-- How many there are: the sum of an organization's rows. A change adds its own, and folds those into it that nobody
-- else holds at the moment: so the sum is exact, its rows stay few, and nobody waits for anybody.
create table scim_user_totals (
  id bigint generated always as identity,
  organization_id text collate "C" not null references organizations (id),
  users bigint not null,
  primary key (organization_id, id)
);
insert into scim_user_totals (organization_id, users)
select organization_id, count(*) from scim_users group by organization_id;

create function scim_count_users() returns trigger language plpgsql as $$
declare
  change record;
begin
  for change in
    select organization_id, case tg_op when 'INSERT' then count(*) else -count(*) end as users
    from changed group by organization_id
  loop
    with folded as (
      delete from scim_user_totals
      where organization_id = change.organization_id and id in (
        select id from scim_user_totals where organization_id = change.organization_id
        order by id limit 100 for update skip locked)
      returning users)
    insert into scim_user_totals (organization_id, users)
    select change.organization_id, change.users + coalesce(sum(users), 0) from folded;
  end loop;
  return null;
end
$$;
create trigger scim_count_new after insert on scim_users
  referencing new table as changed for each statement execute function scim_count_users();
create trigger scim_count_gone after delete on scim_users
  referencing old table as changed for each statement execute function scim_count_users();

-- Whoever becomes or stops being a user, by whichever door, does so here too: a statement that forgot it would
-- hide a person from the provider, which would then make them a second time. Plans are kept for the session, and
-- one that was made while the tables were small would read them whole for each row later: so each way is by keys.
create function scim_follow_new_users() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update scim_users s
  set active = true, email_key = u.email_key, display_name = u.name, role = u.role
  from changed u where s.id = u.id;
  -- Switched off under another id, and now here again by an invitation: the same person for the provider, in no group.
  with back as (
    select s.id from changed u join scim_users s
      on s.organization_id = u.organization_id and s.user_name_key = u.email_key
    where s.id <> u.id and not s.active
      and not exists (select from scim_users t where t.id = u.id)
    for update of s)
  delete from scim_group_members m using back where m.user_id = back.id;
  insert into scim_users
    (id, organization_id, user_name, user_name_key, active, email_key, display_name, role, created_at, updated_at)
  select u.id, u.organization_id, u.email, u.email_key, true, u.email_key, u.name, u.role, u.added_at, u.added_at
  from changed u where not exists (select from scim_users t where t.id = u.id)
  on conflict (organization_id, user_name_key) do update
  set id = excluded.id, active = true, email_key = excluded.email_key, display_name = excluded.display_name,
      role = excluded.role, updated_at = excluded.updated_at
  where not scim_users.active;
  -- The provider calls somebody else by this address.
  insert into scim_users
    (id, organization_id, user_name, user_name_key, active, email_key, display_name, role, created_at, updated_at)
  select u.id, u.organization_id, u.id, u.id, true, u.email_key, u.name, u.role, u.added_at, u.added_at
  from changed u where not exists (select from scim_users t where t.id = u.id);
  return null;
end
$$;
create trigger scim_follow_new_users after insert on users
  referencing new table as changed for each statement execute function scim_follow_new_users();

create function scim_follow_gone_users() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  delete from scim_users s using changed u where s.id = u.id and s.active;
  return null;
end
$$;
create trigger scim_follow_gone_users after delete on users
  referencing old table as changed for each statement execute function scim_follow_gone_users();

create function scim_follow_changed_user() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update scim_users set email_key = new.email_key, display_name = new.name, role = new.role
  where id = new.id;
  if new.email_key <> old.email_key then
    delete from scim_users
    where organization_id = new.organization_id and user_name_key = new.email_key and not active;
    update scim_users s set user_name = new.email, user_name_key = new.email_key
    where s.id = new.id and s.user_name_key = old.email_key
      and not exists (
        select from scim_users t
        where t.organization_id = new.organization_id and t.user_name_key = new.email_key);
  end if;
  return new;
end
$$;
create trigger scim_follow_changed_user after update of email, email_key, name, role on users
  for each row execute function scim_follow_changed_user();

-- Who is in a group by the provider's word. Who is switched off stays here, and is a member again when they come back.
create table scim_group_members (
  group_id text collate "C" not null references rbac_groups (id) on delete cascade,
  user_id text collate "C" not null references scim_users (id) on delete cascade on update cascade,
  primary key (group_id, user_id)
);
create index scim_group_members_by_user on scim_group_members (user_id, group_id);
create index rbac_groups_of_scim on rbac_groups (organization_id, id) where source_type = 'scim';
create index rbac_groups_of_scim_by_name on rbac_groups (organization_id, lower(name)) where source_type = 'scim';

-- The last requests of each organization's provider, for the page that shows whether it works.
create table scim_requests (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  token_id text collate "C" not null,
  at timestamptz not null,
  method text not null,
  path text not null,
  status int not null,
  milliseconds int not null,
  problem text
);
create index scim_requests_by_organization on scim_requests (organization_id, id desc);
