// What a list of rules shows of each: whose tokens become whose.
import { Link } from "@tanstack/react-router";
import { nameColumn } from "../../kit/list/columns.tsx";
import type { Column } from "../../kit/list/table.tsx";
import { Badge } from "../../kit/value/badge.tsx";
import { scopeName, type Rule } from "../federation.ts";

export const ruleColumns: Column<Rule>[] = [
  nameColumn<Rule>({
    name: ({ name }) => name,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: ({ description }) => description,
    opens: ({ id }) => ({ to: "/federation/$id", params: { id } }),
  }),
  {
    title: "Tokens of",
    cell: ({ issuer_name: issuer, match }) => (
      <span className="min-w-0">
        <span className="wrap-anywhere">{issuer}</span>
        {match.subject_prefix !== null && (
          <code className="block font-mono text-sm text-soft break-all">
            {match.subject_prefix}
          </code>
        )}
      </span>
    ),
  },
  {
    title: "Become",
    cell: ({ target }) => (
      <Link
        to="/service-accounts/$id"
        params={{ id: target.service_account_id }}
        className="underline-offset-2 wrap-anywhere hover:underline"
      >
        {target.service_account_name ?? target.service_account_id}
      </Link>
    ),
  },
  { title: "Scope", cell: ({ oauth_scope: scope }) => scopeName(scope) },
];
