// Rows of the request log as they are found: by their ids alone, which say on which day they lie.
import { timeOfId } from "../../../kernel/base/ids.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "request",
    idPrefix: "req_",
    permission: "usage:read",
    organizations: ["platform", "enterprise"],
    operation: "requests.retrieve",
    within: "organization",
    page: ({ id }) => `/requests/${id}`,
    rows: ({ who }, id = "") => sql`
      select id, operation as name, null::text as workspace_id, null::text as part_of,
        status::text as detail, organization_id as place, null::text as words
      from requests where organization_id = ${who.organizationId} and at = ${timeOfId(id)}`,
  },
];
