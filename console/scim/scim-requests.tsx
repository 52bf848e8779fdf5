// What the identity provider has pushed, and how its last requests ended.
import { useQuery } from "@tanstack/react-query";
import { RadioTower } from "lucide-react";
import { scimQueries, type ScimRequest } from "./scim.ts";
import { Badge } from "../kit/value/badge.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

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
  { title: "When", cell: ({ at }) => <Time at={at} /> },
];

const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export function ScimRequests() {
  const { data, error, refetch } = useQuery(scimQueries.requests);
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
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data?.data.length === 0 && (
        <EmptyState icon={RadioTower} title="The provider has not called yet">
          When it tests the connection, or pushes somebody, each request stands here with its
          result.
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && (
        <Table
          label="Last requests of the provider"
          columns={columns}
          rows={data.data.slice(0, 20)}
          keyOf={({ id }) => id}
        />
      )}
    </Section>
  );
}
