-- MCP servers of a workspace: what they are called, where they are, and what they showed when they were asked last.

create table mcp_servers (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations (id),
  workspace_id text collate "C" not null references workspaces (id),
  name text collate "C" not null,
  url text not null,
  description text,
  -- Where the token for it lies; null asks it without one.
  vault_id text collate "C" references vaults (id) on delete set null,
  last_asked_at timestamptz,
  last_connected_at timestamptz,
  -- Why it could not be asked the last time; null where it could.
  last_error text,
  -- Of the tools that it had when it was asked last: the name of each and a hash of what it says of itself. Null before.
  tools jsonb,
  -- What it said it was: each distinct name, version and revision, with the first and the last time.
  versions jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 80);
create unique index mcp_servers_by_name on mcp_servers (workspace_id, name);
create index mcp_servers_by_workspace on mcp_servers (workspace_id, id desc);
create index mcp_servers_by_vault on mcp_servers (vault_id) where vault_id is not null;
alter table mcp_servers
  alter column name set statistics 0,
  alter column url set statistics 0,
  alter column description set statistics 0,
  alter column last_error set statistics 0,
  alter column tools set statistics 0,
  alter column versions set statistics 0;
