// Connections that sandboxes tried and that were refused: of one session, or of all in an environment.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { plural } from "../../../client/text/words.ts";
import { Section } from "../../kit/page/page-header.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { api, type RefusedConnection } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Time } from "../../kit/value/time.tsx";
import type { Workspace } from "../environments.ts";

export const refusedQueries = {
  ofSession: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["sessions", workspace, id, "refused"],
      queryFn: async () => {
        const params = { session_id: id };
        const headers = inWorkspace(workspace);
        return (await api.sessions.refused_connections({ params, headers })).data;
      },
    }),
  ofEnvironment: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["environments", workspace, id, "refused"],
      queryFn: async () => {
        const params = { environment_id: id };
        const headers = inWorkspace(workspace);
        return (await api.environments.refused_connections({ params, headers })).data;
      },
    }),
};

export function RefusedOfEnvironment({ id, workspace }: { id: string; workspace: Workspace }) {
  const { data, error, refetch } = useQuery(refusedQueries.ofEnvironment(workspace, id));
  return (
    <Section
      title="Refused connections"
      note="What sandboxes tried to reach and may not: the last one first."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <p className="text-soft">None so far.</p>}
      {data !== undefined && data.length > 0 && <RefusedList refused={data} />}
    </Section>
  );
}

const reasons: Record<RefusedConnection["reason"], string> = {
  host: "Not among the allowed hosts",
  port: "Not an allowed port of this host",
  address: "No address of the public internet",
  spelling: "Not written as an address is",
};

export const RefusedList = ({ refused }: { refused: readonly RefusedConnection[] }) => (
  <ul aria-label="Refused connections" className="grid gap-1.5">
    {refused.map(({ host, port, reason, count, last_at: last }) => (
      <li key={`${host} ${port} ${reason}`} className="wrap-anywhere">
        <span className="font-mono text-sm">
          {host === "*" ? "others" : host}
          {port !== 0 && `:${port}`}
        </span>
        <span className="block text-sm text-soft">
          {reasons[reason]}, {plural(count, "time")}, last <Time at={last} />
        </span>
      </li>
    ))}
  </ul>
);
