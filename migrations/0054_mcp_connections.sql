-- Sign-ins at the authorization server of an MCP server, from the browser that is opened to the token in a vault.

create table mcp_connections (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  server_id text collate "C" not null references mcp_servers (id) on delete cascade,
  vault_id text collate "C" not null references vaults (id) on delete cascade,
  -- The person, or the key or token that is no person's, who began it: no other finishes it.
  starter_id text collate "C" not null,
  -- The person who began it, in whose browser it has to come back.
  user_id text collate "C",
  -- Of the parameter `state`, which comes back once.
  state_sha256 bytea not null,
  -- What the exchange needs, encrypted; null when it is over.
  sealed text,
  status text not null check (status in ('pending', 'answered', 'exchanging', 'connected', 'failed')),
  -- Why it failed.
  error text,
  credential_id text collate "C",
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index mcp_connections_by_state on mcp_connections (state_sha256);
create index mcp_connections_by_server on mcp_connections (server_id);
create index mcp_connections_by_vault on mcp_connections (vault_id);
create index mcp_connections_by_workspace on mcp_connections (workspace_id, expires_at);
alter table mcp_connections
  alter column state_sha256 set statistics 0,
  alter column sealed set statistics 0,
  alter column error set statistics 0;
