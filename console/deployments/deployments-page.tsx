// The deployments of a workspace: agents that run by a schedule, or by hand with what is kept for them.
import { Link, useNavigate } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { nameColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { buttonClass } from "../kit/page/button.tsx";
import { useSearchState, type Search } from "../kit/page/search.ts";
import type { Deployment } from "../kit/server/api.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Name } from "../kit/value/name.tsx";
import { Time } from "../kit/value/time.tsx";
import { deploymentActs } from "./deployment-acts.tsx";
import { firstDeployment } from "./deployment-snippets.ts";
import { DeploymentState } from "./deployment-state.tsx";
import { deploymentQueries, scheduleText } from "./deployments.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ q, archived }] = useSearchState();
  const navigate = useNavigate();
  const url = useServerUrl();
  const list = usePagedList(deploymentQueries.list(workspace, archived === "shown"));
  return (
    <ListPage
      title="Deployments"
      about="Agents that run by a schedule, each time in a session of its own."
      noun="deployment"
      icon={CalendarClock}
      list={useFound(list, q, wordsOf)}
      columns={columnsOf(home)}
      nameOf={({ name }) => name}
      acts={(deployment) => deploymentActs(deployment, workspace, home, navigate)}
      create={{
        label: "New deployment",
        inPalette: false,
        run: () => void navigate({ to: "/deployments/new", search: home }),
      }}
      actions={
        <Link to="/deployments/runs" search={home} className={buttonClass("plain")}>
          All runs
        </Link>
      }
      filters={filters}
      empty={{
        title: "No deployments yet",
        children:
          "A deployment names an agent, an environment and what each session is told first. A schedule begins one each time, and so does a press of a button.",
        snippets: firstDeployment(url),
      }}
    />
  );
}

const filters: readonly Filter[] = [
  { kind: "search", name: "q", label: "Search name or id" },
  { kind: "check", name: "archived", label: "Show archived" },
];

const wordsOf = ({ id, name, description }: Deployment): string =>
  [id, name, description ?? ""].join("\n");

const columnsOf = (search: Search): Column<Deployment>[] => [
  nameColumn({
    className: "md:w-1/3 md:min-w-44",
    name: ({ name }) => name,
    beside: (deployment) => <DeploymentState deployment={deployment} isShort />,
    below: ({ description }) => description,
    opens: ({ id }) => ({ to: "/deployments/$id", params: { id }, search }),
  }),
  {
    title: "Schedule",
    cell: (deployment) => (
      <span>
        {scheduleText(deployment)}
        {deployment.schedule !== null && (
          <span className="block text-sm text-soft">{deployment.schedule.timezone}</span>
        )}
      </span>
    ),
  },
  { title: "Agent", className: "md:min-w-32", cell: ({ agent }) => <Name id={agent.id} /> },
  {
    title: "Next",
    cell: ({ schedule, status, archived_at: archived }) => (
      <Time
        at={
          status === "active" && archived === null ? (schedule?.upcoming_runs_at[0] ?? null) : null
        }
        never="None"
        isShort
      />
    ),
  },
  { title: "Last", cell: ({ schedule }) => <Time at={schedule?.last_run_at ?? null} isShort /> },
];
