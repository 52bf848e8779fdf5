// Batches as they are found: they have no names.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "message_batch",
    idPrefix: "msgbatch_",
    permission: "batches:use",
    operation: "messages.batches.retrieve",
    within: "workspaces",
    page: ({ id }) => `/batches/${id}`,
    rows: () => sql`
      select id, null::text as name, workspace_id, null::text as part_of, state as detail,
        workspace_id as place, null::text as words
      from batches`,
  },
];
