-- Objects are found by the words of their names, within one workspace or organization.

-- Words end at signs, as in file names, paths and addresses of mail. Each stands behind the id of the place, so that a
-- look-up reads no other place's words; the whole name is there too. What an index is made of calls no other function.
create function name_words(place text, name text) returns tsvector
language sql immutable parallel safe cost 10000 as $$
  select array_to_tsvector(array(
      select place || ' ' || word
      from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', translate(name,
        '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', '                                ')))) as word)
    || array[place || '=' || left(lower(name), 200)])
  where place is not null and name is not null
$$;

-- Names with a word that begins so, for each word that was typed.
create function name_query(places text[], typed text) returns tsquery
language sql immutable parallel safe as $$
  select string_agg(asked, ' | ')::tsquery from unnest(places) as place cross join lateral (
    select string_agg('''' || place || ' ' || word || ''':*', ' & ') as asked
    from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', translate(typed,
      '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', '                                ')))) as word) as each
$$;

-- Names that are exactly this.
create function whole_name_query(places text[], typed text) returns tsquery
language sql immutable parallel safe as $$
  select string_agg('''' || place || '='
    || replace(replace(left(lower(typed), 200), '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
  from unnest(places) as place
$$;

-- The name of an agent stands in its versions: the newest one's is kept beside.
alter table agents add column name text;
alter table agents alter column name set statistics 0;
update agents set name = kept.config ->> 'name' from agent_versions as kept
  where kept.agent_id = agents.id and kept.version = agents.version;

create function keep_agent_name() returns trigger language plpgsql as $$
begin
  update agents set name = new.config ->> 'name' where id = new.agent_id;
  return null;
end $$;
create trigger agent_versions_name after insert on agent_versions
  for each row execute function keep_agent_name();

-- What is written is found at once, and no look-up walks through what was put off.
create index agents_by_words on agents using gin (name_words(workspace_id, name)) with (fastupdate = off);
create index deployments_by_words on deployments using gin (name_words(workspace_id, name)) with (fastupdate = off);
create index environments_by_words on environments using gin (name_words(workspace_id, name)) with (fastupdate = off);
create index federation_issuers_by_words on federation_issuers using gin (name_words(organization_id, name)) with (fastupdate = off);
create index federation_rules_by_words on federation_rules using gin (name_words(organization_id, name)) with (fastupdate = off);
create index files_by_words on files using gin (name_words(workspace_id, filename)) with (fastupdate = off);
create index invites_by_words on invites using gin (name_words(organization_id, email)) with (fastupdate = off)
  where status = 'pending';
create index keys_by_words on keys using gin (name_words(organization_id, name)) with (fastupdate = off);
create index mcp_servers_by_words on mcp_servers using gin (name_words(workspace_id, name)) with (fastupdate = off);
create index memories_by_words on memories using gin (name_words(workspace_id, path)) with (fastupdate = off);
create index memory_stores_by_words on memory_stores using gin (name_words(workspace_id, name)) with (fastupdate = off);
create index rbac_groups_by_words on rbac_groups using gin (name_words(organization_id, name)) with (fastupdate = off);
create index rbac_roles_by_words on rbac_roles using gin (name_words(organization_id, name)) with (fastupdate = off);
create index service_accounts_by_words on service_accounts using gin (name_words(organization_id, name)) with (fastupdate = off);
create index sessions_by_words on sessions using gin (name_words(workspace_id, title)) with (fastupdate = off);
create index skills_by_words on skills using gin (name_words(workspace_id, display_name || ' ' || name)) with (fastupdate = off);
create index users_by_words on users using gin (name_words(organization_id, name || ' ' || email)) with (fastupdate = off);
create index vaults_by_words on vaults using gin (name_words(workspace_id, display_name)) with (fastupdate = off);
create index webhook_endpoints_by_words on webhook_endpoints
  using gin (name_words(coalesce(workspace_id, organization_id), name)) with (fastupdate = off);
create index workspaces_by_words on workspaces using gin (name_words(organization_id, name)) with (fastupdate = off);

alter index agents_by_words alter column 1 set statistics 0;
alter index deployments_by_words alter column 1 set statistics 0;
alter index environments_by_words alter column 1 set statistics 0;
alter index federation_issuers_by_words alter column 1 set statistics 0;
alter index federation_rules_by_words alter column 1 set statistics 0;
alter index files_by_words alter column 1 set statistics 0;
alter index invites_by_words alter column 1 set statistics 0;
alter index keys_by_words alter column 1 set statistics 0;
alter index mcp_servers_by_words alter column 1 set statistics 0;
alter index memories_by_words alter column 1 set statistics 0;
alter index memory_stores_by_words alter column 1 set statistics 0;
alter index rbac_groups_by_words alter column 1 set statistics 0;
alter index rbac_roles_by_words alter column 1 set statistics 0;
alter index service_accounts_by_words alter column 1 set statistics 0;
alter index sessions_by_words alter column 1 set statistics 0;
alter index skills_by_words alter column 1 set statistics 0;
alter index users_by_words alter column 1 set statistics 0;
alter index vaults_by_words alter column 1 set statistics 0;
alter index webhook_endpoints_by_words alter column 1 set statistics 0;
alter index workspaces_by_words alter column 1 set statistics 0;
