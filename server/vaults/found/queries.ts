// Vaults and the credentials in them as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "vault",
    idPrefix: "vlt_",
    permission: "vaults:use",
    operation: "vaults.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/vaults/${id}`,
    rows: () => sql`
      select id, display_name as name, workspace_id, null::text as part_of, null::text as detail,
        workspace_id as place, display_name as words
      from vaults`,
  },
  {
    type: "vault_credential",
    idPrefix: "vcrd_",
    permission: "vaults:use",
    operation: "vaults.credentials.retrieve",
    within: "workspaces",
    page: ({ part_of: of }) => `/vaults/${of}`,
    rows: () => sql`
      select id, display_name as name, workspace_id, vault_id as part_of, null::text as detail,
        workspace_id as place, null::text as words
      from vault_credentials`,
  },
];
