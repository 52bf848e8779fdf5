// Service accounts, issuers and federation rules as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "service_account",
    idPrefix: "svac_",
    permission: "service_accounts:read",
    organizations: ["platform"],
    operation: "service_accounts.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ id }) => `/service-accounts/${id}`,
    rows: () => sql`
      select id, name as name, null::text as workspace_id, null::text as part_of, null::text as detail,
        organization_id as place, name as words
      from service_accounts`,
  },
  {
    type: "federation_rule",
    idPrefix: "fdrl_",
    permission: "federation:read",
    organizations: ["platform"],
    operation: "federation_rules.retrieve",
    within: "organization",
    isNamed: true,
    page: ({ id }) => `/federation/${id}`,
    rows: () => sql`
      select id, name as name, null::text as workspace_id, null::text as part_of, null::text as detail,
        organization_id as place, name as words
      from federation_rules`,
  },
  {
    type: "federation_issuer",
    idPrefix: "fdis_",
    permission: "federation:read",
    organizations: ["platform"],
    operation: "federation_issuers.retrieve",
    within: "organization",
    isNamed: true,
    page: () => "/federation",
    rows: () => sql`
      select id, name as name, null::text as workspace_id, null::text as part_of, issuer_url as detail,
        organization_id as place, name as words
      from federation_issuers`,
  },
];
