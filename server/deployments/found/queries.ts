// Deployments and their runs as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "deployment",
    idPrefix: "depl_",
    permission: "deployments:use",
    operation: "deployments.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/deployments/${id}`,
    rows: () => sql`
      select id, name as name, workspace_id, null::text as part_of, null::text as detail,
        workspace_id as place, name as words
      from deployments`,
  },
  {
    type: "deployment_run",
    idPrefix: "drun_",
    permission: "deployments:use",
    operation: "deployment_runs.retrieve",
    within: "workspaces",
    page: ({ part_of: of }) => `/deployments/${of}`,
    rows: () => sql`
      select id, null::text as name, workspace_id, deployment_id as part_of, null::text as detail,
        workspace_id as place, null::text as words
      from deployment_runs`,
  },
];
