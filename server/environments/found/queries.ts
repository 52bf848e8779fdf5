// Environments and their keys as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "environment",
    idPrefix: "env_",
    permission: "environments:use",
    operation: "environments.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/environments/${id}`,
    rows: () => sql`
      select id, name as name, workspace_id, null::text as part_of, null::text as detail,
        workspace_id as place, name as words
      from environments`,
  },
  {
    type: "environment_key",
    idPrefix: "envkey_",
    permission: "environments:use",
    operation: "environments.keys.list",
    within: "workspaces",
    page: ({ part_of: of }) => `/environments/${of}`,
    rows: () => sql`
      select id, name as name, workspace_id, environment_id as part_of, hint as detail,
        workspace_id as place, null::text as words
      from environment_keys`,
  },
];
