// Agents as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "agent",
    idPrefix: "agent_",
    permission: "agents:use",
    operation: "agents.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/agents/${id}`,
    rows: () => sql`
      select id, name as name, workspace_id, null::text as part_of, null::text as detail,
        workspace_id as place, name as words
      from agents`,
  },
];
