// MCP servers as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "mcp_server",
    idPrefix: "mcpsrv_",
    permission: "vaults:use",
    operation: "mcp_servers.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/mcp-servers/${id}`,
    rows: () => sql`
      select id, name as name, workspace_id, null::text as part_of, null::text as detail,
        workspace_id as place, name as words
      from mcp_servers`,
  },
];
