// Events of the audit log as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "audit_event",
    idPrefix: "audit_",
    permission: "audit:read",
    operation: "audit_events.list",
    within: "organization",
    // The list of its day, by what it was done to, in which it is opened.
    page: ({ id, name, part_of: target, detail: day }) =>
      `/audit?${new URLSearchParams({
        ...(name !== null && { action: name }),
        ...(target !== null && { target_id: target }),
        ...(day !== null && { from: day, to: day }),
        event: id,
      }).toString()}`,
    rows: () => sql`
      select id, action as name, null::text as workspace_id, target_id as part_of,
        to_char(at at time zone 'UTC', 'YYYY-MM-DD') as detail, organization_id as place,
        null::text as words
      from audit_events where seq is not null`,
  },
];
