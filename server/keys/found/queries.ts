// Keys as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";
import * as workspaces from "../../workspaces/module.ts";
import { within } from "../queries.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "api_key",
    idPrefix: "apikey_",
    permission: "api_keys:read",
    operation: "api_keys.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ id }) => `/keys/${id}`,
    // Rule KEY16.
    rows: async (context) => {
      const reach = await workspaces.keyReachOf(context, "read");
      const userId = context.who.userId ?? "";
      return sql`
        select k.id, k.name, k.workspace_id, null::text as part_of, k.hint as detail,
          k.organization_id as place, k.name as words
        from keys as k
        where ${within(reach === undefined ? null : { ...reach, userId })}`;
    },
  },
];
