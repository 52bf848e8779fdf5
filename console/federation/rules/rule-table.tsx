// Rules: whose tokens become whose.
import { Link } from "@tanstack/react-router";
import { scopeName, type Rule } from "../federation.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";

export const RuleTable = ({ rows }: { rows: Rule[] }) => (
  <Table label="Rules" columns={columns} rows={rows} keyOf={({ id }) => id} />
);

const columns: Column<Rule>[] = [
  {
    title: "Name",
    heads: true,
    cell: ({ id, name, description, archived_at: archived }) => (
      <>
        <span className="inline-flex flex-wrap items-center gap-2">
          <Link
            to="/federation/$id"
            params={{ id }}
            className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
          >
            {name}
          </Link>
          {archived !== null && <Badge>Archived</Badge>}
        </span>
        {description !== null && (
          <span className="block text-sm text-soft wrap-anywhere">{description}</span>
        )}
      </>
    ),
  },
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
