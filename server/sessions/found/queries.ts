// Sessions and their threads as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "session",
    idPrefix: "sesn_",
    permission: "sessions:use",
    operation: "sessions.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/sessions/${id}`,
    rows: () => sql`
      select id, title as name, workspace_id, null::text as part_of, status as detail,
        workspace_id as place, title as words
      from sessions`,
  },
  {
    type: "session_thread",
    idPrefix: "sthr_",
    permission: "sessions:use",
    operation: "sessions.threads.retrieve",
    within: "workspaces",
    page: ({ part_of: of }) => `/sessions/${of}`,
    rows: () => sql`
      select thread.id, session.title as name, session.workspace_id, thread.session_id as part_of,
        thread.agent_name as detail, session.workspace_id as place, null::text as words
      from session_threads as thread join sessions as session on session.id = thread.session_id`,
  },
];
