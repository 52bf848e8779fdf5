// The runs of all deployments of a workspace.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { usePagedList } from "../kit/list/list.ts";
import { BackLink } from "../kit/page/detail-page.tsx";
import { useSearchState, type Search } from "../kit/page/search.ts";
import type { DeploymentRun } from "../kit/server/api.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { deploymentQueries, type Workspace } from "./deployments.ts";
import { runColumns } from "./run-columns.tsx";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ outcome, trigger }] = useSearchState();
  const list = usePagedList(
    deploymentQueries.runs(workspace, {
      hasError: outcome === "failed" ? true : outcome === "begun" ? false : undefined,
      trigger: trigger === "schedule" || trigger === "manual" ? trigger : undefined,
    }),
  );
  const [first, ...others] = runColumns(home);
  return (
    <>
      <BackLink to="/deployments" search={home} label="All deployments" />
      <ListPage
        title="Runs"
        about="What came of all deployments: sessions, and why there was none."
        noun="run"
        icon={CalendarClock}
        list={list}
        columns={[
          ...(first === undefined ? [] : [first]),
          {
            title: "Deployment",
            cell: (run: DeploymentRun) => <Of run={run} workspace={workspace} search={home} />,
          },
          ...others,
        ]}
        filters={filters}
        empty={{ title: "No runs yet", children: "A run is there each time a deployment begins." }}
      />
    </>
  );
}

const filters: readonly Filter[] = [
  {
    kind: "choice",
    name: "outcome",
    label: "Outcome",
    any: "All",
    choices: [
      { value: "begun", label: "Begun" },
      { value: "failed", label: "Failed" },
    ],
  },
  {
    kind: "choice",
    name: "trigger",
    label: "Began",
    any: "Any way",
    choices: [
      { value: "schedule", label: "By the schedule" },
      { value: "manual", label: "By hand" },
    ],
  },
];

/** One question for each deployment on the page, however many of its runs stand there. */
function Of({
  run: { deployment_id: id },
  workspace,
  search,
}: {
  run: DeploymentRun;
  workspace: Workspace;
  search: Search;
}) {
  const { data } = useQuery(deploymentQueries.one(workspace, id));
  return (
    <Link
      to="/deployments/$id"
      params={{ id }}
      search={search}
      className="text-accent underline-offset-2 wrap-anywhere hover:underline"
    >
      {data?.name ?? id}
    </Link>
  );
}
