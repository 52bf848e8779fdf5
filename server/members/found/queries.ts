// People and pending invites as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "user",
    idPrefix: "user_",
    permission: "members:read",
    operation: "users.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ id }) => `/members/${id}`,
    rows: () => sql`
      select id, name, null::text as workspace_id, null::text as part_of, email as detail,
        organization_id as place, name || ' ' || email as words
      from users`,
  },
  {
    type: "invite",
    idPrefix: "invite_",
    permission: "members:read",
    operation: "invites.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ name }) => `/members?tab=invites&q=${encodeURIComponent(name ?? "")}`,
    rows: () => sql`
      select id, email as name, null::text as workspace_id, null::text as part_of, null::text as detail,
        organization_id as place, email as words
      from invites
      where status = 'pending'`,
  },
];
