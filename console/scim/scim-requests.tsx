// What the identity provider has pushed, and how its last requests ended.
import { useQuery } from "@tanstack/react-query";
import { RadioTower } from "lucide-react";
import { timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { scimQueries, type ScimRequest } from "./scim.ts";

const columns: Column<ScimRequest>[] = [
  {
    title: "Request",
    heads: true,
    cell: ({ method, path, problem }) => (
      <>
        <span className="font-mono text-sm break-all">
          {method} {path.replace(/^\/scim\/v2/, "")}
        </span>
        {problem !== null && <span className="block text-sm text-bad">{problem}</span>}
      </>
    ),
  },
  {
    title: "Result",
    cell: ({ status }) => <Badge tone={status < 400 ? "good" : "bad"}>{status}</Badge>,
  },
  { title: "Took", cell: ({ milliseconds: ms }) => `${ms} ms` },
  timeColumn("When", ({ at }) => at),
];

const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export function ScimRequests() {
  const list = useWholeList(scimQueries.requests);
  const { data: status } = useQuery(scimQueries.status);
  const note =
    status &&
    [
      counted(status.active_users, "person", "people"),
      `${status.inactive_users.toLocaleString("en")} switched off`,
      counted(status.groups, "pushed group", "pushed groups"),
    ].join(" · ");
  return (
    <Section title="Last requests" note={note}>
      <ListView
        label="Last requests of the provider"
        icon={RadioTower}
        list={{ ...list, rows: list.rows.slice(0, 20) }}
        columns={columns}
        empty={{
          title: "The provider has not called yet",
          children:
            "When it tests the connection, or pushes somebody, each request stands here with its result.",
        }}
      />
    </Section>
  );
}
