// What came of a deployment, by day: runs with their sessions or errors, and what passed while nothing could run.
import { useQuery } from "@tanstack/react-query";
import { usePagedList } from "../kit/list/list.ts";
import { ListView } from "../kit/list/list-view.tsx";
import { dayText } from "../kit/list/timeline.ts";
import { Section } from "../kit/page/page-header.tsx";
import { useWorkspace } from "../kit/server/workspace.ts";
import { exactTime } from "../kit/value/time.ts";
import { plural } from "../../client/text/words.ts";
import { deploymentQueries, type Workspace } from "./deployments.ts";
import { runColumns } from "./run-columns.tsx";

export function History({ id, workspace }: { id: string; workspace: Workspace }) {
  const { search } = useWorkspace();
  return (
    <Section
      title="History"
      note="Each run begins one session. What the session does from then on stands on its page."
    >
      <Missed id={id} workspace={workspace} />
      <ListView
        label="Runs of the deployment"
        noun="run"
        list={usePagedList(deploymentQueries.runs(workspace, { deployment: id }))}
        columns={runColumns(search)}
        sectionOf={({ created_at: at }) => dayText(at)}
        empty={{ children: "It has not run yet." }}
      />
    </Section>
  );
}

const shownMax = 5;

function Missed({ id, workspace }: { id: string; workspace: Workspace }) {
  const { data } = useQuery(deploymentQueries.missed(workspace, id));
  if (data === undefined || data.data.length === 0) return null;
  return (
    <ul aria-label="Missed" className="mb-3 grid gap-1 text-sm">
      {data.data.slice(0, shownMax).map(({ first_at: first, until, count, is_more: isMore }) => (
        <li key={first} className="border-l-2 border-warn pl-3">
          {isMore ? "More than " : ""}
          {plural(count, "scheduled run")} missed while the server was away, from {exactTime(first)}{" "}
          to {exactTime(until)}
        </li>
      ))}
    </ul>
  );
}
