-- The database keeps samples of each column for its planner (pg_statistic), also of rows that are deleted or redacted
-- later. No column that holds what people write is sampled any more, and a change to the type that a column has drops
-- the samples there are: no rewrite, no row is read. The audit log stays as it is: nothing in it is ever deleted.

-- A generated column and a trigger of columns stand in the way of that.
alter table users drop column email_plain;
alter table invites drop column email_plain;
-- Made again below, in the order of before: of indexes that cost the same the planner takes the newest.
drop index users_by_name;
drop index invites_due;
drop trigger scim_follow_changed_user on users;

do $$
declare
  place record;
begin
  for place in
    select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, o.collname
    from (values
      ('authorizations', '{user_code,redirect_uri,address,user_agent}'::text[]),
      ('batch_chunks', '{custom_ids,faults}'),
      ('batch_results', '{custom_id}'),
      ('email_domains', '{domain}'),
      ('federation_issuers', '{name,issuer_url,jwks,keys,last_failure}'),
      ('federation_rules', '{name,description,match}'),
      ('file_contents', '{sha256,blob_id}'),
      ('files', '{filename,mime_type,sha256}'),
      ('former_members', '{email,name}'),
      ('identity_providers', '{name}'),
      ('invites', '{email,email_key,invited_by_name,mail_error}'),
      ('jobs', '{key,payload,last_error}'),
      ('keys', '{name}'),
      ('log_events', '{data}'),
      ('memories', '{path,content_sha256,search}'),
      ('memory_stores', '{name,description,metadata}'),
      ('memory_versions', '{path,content,content_sha256,redaction_reason}'),
      ('models', '{entry}'),
      ('organizations', '{name}'),
      ('passkeys', '{credential_id,public_key,relying_party,name}'),
      ('prompt_cache', '{key}'),
      ('rbac_groups', '{name,external_id}'),
      ('rbac_roles', '{name,description}'),
      ('scim_requests', '{path,problem}'),
      ('scim_tokens', '{name}'),
      ('scim_users', '{user_name,user_name_key,external_id,email_key,display_name,document}'),
      ('seat_tiers', '{name}'),
      ('service_accounts', '{name,description}'),
      ('sign_in_failures', '{email_key,address}'),
      ('sign_ins', '{address,user_agent}'),
      ('sign_on_connections', '{issuer,client_id,client_secret,email_claim,name_claim,groups_claim,role_rules,test_report}'),
      ('sign_on_identities', '{issuer,subject,email}'),
      ('sign_on_strangers', '{issuer,subject,email,name,reason}'),
      ('spend_limit_increase_requests', '{reason}'),
      ('sticky_routes', '{key,skeleton}'),
      ('token_families', '{address,user_agent}'),
      ('token_refusals', '{address,sentence,subject}'),
      ('upstreams', '{settings,key_sealed}'),
      ('users', '{email,email_key,name,password_hash}'),
      ('webhook_deliveries', '{body,error}'),
      ('webhook_endpoints', '{name,description,url,disabled_reason,signing_secret}'),
      ('workspaces', '{name,tags}')
    ) as written (table_name, columns)
    join pg_class c on c.oid = written.table_name::regclass
    join pg_attribute a on a.attrelid = c.oid and a.attname = any (written.columns) and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_collation o on o.oid = a.attcollation and a.attcollation <> t.typcollation
  loop
    execute format('alter table %I alter column %I set statistics 0', place.relname, place.attname);
    execute format('alter table %I alter column %I type %s%s', place.relname, place.attname, place.type,
      case when place.collname is null then '' else format(' collate %I', place.collname) end);
  end loop;
end
$$;

-- Indexes of an expression have samples of their own; the changes above made these indexes anew.
alter index organizations_name alter column 1 set statistics 0;
alter index rbac_groups_of_scim_by_name alter column 2 set statistics 0;
alter index rbac_roles_name alter column 2 set statistics 0;

alter table users
  add column email_plain text collate "C" not null
    generated always as (regexp_replace(email_key, '^([^+@]+)\+[^@]*@', '\1@')) stored,
  alter column email_plain set statistics 0;
create index users_by_plain_email on users (organization_id, email_plain, id);
create index users_by_name on users (organization_id, (lower(name)) collate "C", id);
alter index users_by_name alter column 2 set statistics 0;
alter table invites
  add column email_plain text collate "C" not null
    generated always as (regexp_replace(email_key, '^([^+@]+)\+[^@]*@', '\1@')) stored,
  alter column email_plain set statistics 0;
create unique index invites_one_pending on invites (organization_id, email_plain) where status = 'pending';
create index invites_by_plain_email on invites (organization_id, email_plain, id);
create index invites_due on invites (organization_id, expires_at) where status = 'pending';
create trigger scim_follow_changed_user after update of email, email_key, name, role on users
  for each row execute function scim_follow_changed_user();
