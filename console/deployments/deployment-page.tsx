// One deployment: when it runs, with what, and what came of it.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import type { Deployment } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../kit/server/workspace.ts";
import { FactRow, Facts, IdRow, MetadataRow } from "../kit/value/facts.tsx";
import { Name } from "../kit/value/name.tsx";
import { Time } from "../kit/value/time.tsx";
import { deploymentActs } from "./deployment-acts.tsx";
import { firstWordsOf } from "./deployment-draft.ts";
import { DeploymentState } from "./deployment-state.tsx";
import { deploymentQueries, scheduleText } from "./deployments.ts";
import { History } from "./history.tsx";
import { Upcoming } from "./upcoming.tsx";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const read = useQuery(deploymentQueries.one(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(deploymentQueries.one(other, id)),
  );
  return (
    <DetailPage
      back={{ to: "/deployments", search: home, label: "All deployments" }}
      noun="Deployment"
      read={read}
      isLooking={isLooking}
      titleOf={({ name }) => name}
      aboutOf={({ description }) => description}
      actsOf={(deployment) => deploymentActs(deployment, workspace, home, navigate)}
    >
      {(deployment) => (
        <>
          <DeploymentFacts deployment={deployment} />
          <History id={deployment.id} workspace={workspace} />
        </>
      )}
    </DetailPage>
  );
}

const link = "text-accent underline-offset-2 hover:underline";

function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { search: home } = useWorkspace();
  const { agent, environment_id: environment, budget, resources } = deployment;
  const toEnvironment = { to: "/environments/$id", params: { id: environment } } as const;
  return (
    <Facts>
      <FactRow name="State">
        <DeploymentState deployment={deployment} />
        {deployment.status === "paused" && (
          <span className="block text-sm text-soft">
            The schedule is held. It goes on with its next run once it is unpaused.
          </span>
        )}
      </FactRow>
      <ScheduleFacts deployment={deployment} />
      <FactRow name="Agent">
        <Link
          to="/agents/$id"
          params={{ id: agent.id }}
          search={{ ...home, version: String(agent.version) }}
          className={link}
        >
          <Name id={agent.id} />
        </Link>{" "}
        <span className="text-sm text-soft">version {agent.version}</span>
      </FactRow>
      <FactRow name="Environment">
        <Link {...toEnvironment} search={home} className={link}>
          <Name id={environment} />
        </Link>
      </FactRow>
      <FactRow name="Told first">
        <p className="line-clamp-6 whitespace-pre-wrap wrap-anywhere">{firstWordsOf(deployment)}</p>
        {deployment.initial_events.length > 1 && (
          <span className="text-sm text-soft">
            and {deployment.initial_events.length - 1} more events
          </span>
        )}
      </FactRow>
      {resources.length > 0 && (
        <FactRow name="Given">
          {resources.map((each, at) => (
            <span key={at} className="block font-mono text-sm wrap-anywhere">
              {givenText(each)}
            </span>
          ))}
        </FactRow>
      )}
      {budget !== null && (
        <FactRow name="Budget">
          ${(Number(budget.max_list_cost.amount) / 100).toFixed(2)} of each session
        </FactRow>
      )}
      <MetadataRow metadata={deployment.metadata} />
      <IdRow id={deployment.id} />
      <FactRow name="Created">
        <Time at={deployment.created_at} />
      </FactRow>
    </Facts>
  );
}

function ScheduleFacts({ deployment }: { deployment: Deployment }) {
  const { schedule, status } = deployment;
  return (
    <>
      <FactRow name="Schedule">
        {scheduleText(deployment)}
        {schedule !== null && (
          <span className="block text-sm text-soft">
            <code className="font-mono">{schedule.expression}</code>, {schedule.timezone}
          </span>
        )}
      </FactRow>
      {schedule !== null && schedule.upcoming_runs_at.length > 0 && (
        <FactRow name={status === "paused" ? "Would run" : "Next runs"}>
          <Upcoming
            times={schedule.upcoming_runs_at.map((at) => new Date(at))}
            timeZone={schedule.timezone}
          />
        </FactRow>
      )}
    </>
  );
}

/** By which a file, a memory store and a repository are named. */
function givenText(resource: Deployment["resources"][number]): string {
  const named = [resource["file_id"], resource["memory_store_id"], resource["url"]];
  return named.find((each) => typeof each === "string") ?? resource.type;
}
