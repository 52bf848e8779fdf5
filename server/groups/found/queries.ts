// Groups and roles as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "rbac_group",
    idPrefix: "rbac_group_",
    permission: "groups:read",
    organizations: ["enterprise"],
    operation: "rbac_groups.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ id }) => `/groups/${id}`,
    rows: () => sql`
      select id, name as name, null::text as workspace_id, null::text as part_of, null::text as detail,
        organization_id as place, name as words
      from rbac_groups`,
  },
  {
    type: "rbac_role",
    idPrefix: "rbac_role_",
    permission: "roles:read",
    organizations: ["enterprise"],
    operation: "rbac_roles.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ id }) => `/roles?role=${id}`,
    rows: () => sql`
      select id, name as name, null::text as workspace_id, null::text as part_of, null::text as detail,
        organization_id as place, name as words
      from rbac_roles`,
  },
];
