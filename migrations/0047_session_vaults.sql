-- The vaults of a session, in the order in which they were named.

alter table sessions add column vault_ids text[] not null default '{}';
create index sessions_by_vault on sessions using gin (vault_ids);
