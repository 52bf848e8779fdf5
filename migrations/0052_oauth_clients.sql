-- Programs that registered themselves, and sign-ins whose tokens are for one resource of this server alone.

create table oauth_clients (
  id text collate "C" primary key,
  name text not null,
  application_type text not null check (application_type in ('native', 'web')),
  redirect_uris text[] not null,
  address text not null,
  created_at timestamptz not null,
  -- When a person granted it access the last time, or when it registered.
  last_used_at timestamptz not null,
  -- Its id is the address of a document that says the rest, and this is when that was read; null where it registered.
  read_at timestamptz
);
create index oauth_clients_by_use on oauth_clients (last_used_at);
create index oauth_clients_by_address on oauth_clients (address, created_at);
alter table oauth_clients
  alter column id set statistics 0,
  alter column name set statistics 0,
  alter column redirect_uris set statistics 0,
  alter column address set statistics 0;

-- Null: the API, as the scopes say. 'mcp': the MCP server of this server, and nothing else.
alter table authorizations add column resource text check (resource in ('mcp'));
alter table authorizations alter column client_id set statistics 0;
alter table token_families alter column client_id set statistics 0;
alter table token_families add column resource text check (resource in ('mcp'));
create index token_families_by_client on token_families (client_id);
