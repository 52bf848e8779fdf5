// Files as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "file",
    idPrefix: "file_",
    permission: "files:use",
    operation: "files.retrieve_metadata",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/files?file=${id}`,
    rows: () => sql`
      select id, filename as name, workspace_id, null::text as part_of, null::text as detail,
        workspace_id as place, filename as words
      from files`,
  },
];
