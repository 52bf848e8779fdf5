// Alerts as they are found: by their ids alone.
import type { Searchable } from "../../../kernel/http/searchable.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import { visibleWorkspaceIds } from "../../workspaces/module.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "alert",
    idPrefix: "alert_",
    permission: "limits:read",
    operation: "alerts.retrieve",
    within: "organization",
    page: () => "/alerts",
    rows: async (context) => {
      const { who } = context;
      const known = who.permissions.has("workspaces:read")
        ? await visibleWorkspaceIds(context)
        : null;
      return sql`
        select id, kind as name, null::text as workspace_id, null::text as part_of,
          case when resolved_at is null then 'firing' else 'resolved' end as detail,
          organization_id as place, null::text as words
        from alerts where organization_id = ${who.organizationId}
          and (${known}::text[] is null or subject_type <> 'workspace'
            or subject_id = any(${known}::text[]))`;
    },
  },
];
