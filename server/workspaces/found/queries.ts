// Workspaces as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";
import { visibleWorkspaceIds } from "../members/reach.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "workspace",
    idPrefix: "wrkspc_",
    permission: "workspaces:read",
    operation: "workspaces.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ id }) => `/workspaces/${id}`,
    // Rule WSP10.
    rows: async (context) => {
      const visible = await visibleWorkspaceIds(context);
      return sql`
        select id, name, id as workspace_id, null::text as part_of, null::text as detail,
          organization_id as place, name as words
        from workspaces
        where ${visible === null ? sql`true` : sql`id = any(${visible})`}`;
    },
  },
];
