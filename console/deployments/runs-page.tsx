// The runs of all deployments of a workspace.
import { Link } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { usePagedList } from "../kit/list/list.ts";
import { BackLink } from "../kit/page/detail-page.tsx";
import { useSearchState } from "../kit/page/search.ts";
import type { DeploymentRun } from "../kit/server/api.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Name } from "../kit/value/name.tsx";
import { deploymentQueries } from "./deployments.ts";
import { runColumns } from "./run-columns.tsx";

const link = "text-accent underline-offset-2 wrap-anywhere hover:underline";

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
            cell: ({ deployment_id: id }: DeploymentRun) => (
              <Link to="/deployments/$id" params={{ id }} search={home} className={link}>
                <Name id={id} />
              </Link>
            ),
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
