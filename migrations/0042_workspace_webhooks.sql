-- Webhooks of a workspace: they are told of what happens in it. Of an organization's own endpoints the column is null.

alter table webhook_endpoints
  add column workspace_id text collate "C" references workspaces (id);
-- What happens in a workspace looks here first, and finds it empty where the workspace has no endpoint.
create index webhook_endpoints_by_workspace on webhook_endpoints (workspace_id, id desc)
  where workspace_id is not null;
