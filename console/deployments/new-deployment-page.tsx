// Makes a deployment: which agent runs, where, what it is told, and when.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Form, useForm } from "../kit/form/form.tsx";
import { BackLink } from "../kit/page/detail-page.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { server, type Agent, type Environment } from "../kit/server/api.ts";
import { inWorkspace, useWorkspace } from "../kit/server/workspace.ts";
import { choiceQueries } from "../sessions/choice-queries.ts";
import { bodyOf, draftOf, faultsOf } from "./deployment-draft.ts";
import { DeploymentFields } from "./deployment-fields.tsx";
import { renewDeployments } from "./deployments.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const agents = useQuery(choiceQueries.agents(workspace));
  const environments = useQuery(choiceQueries.environments(workspace));
  const error = agents.error ?? environments.error;
  return (
    <>
      <BackLink to="/deployments" search={home} label="All deployments" />
      <PageHeader title="New deployment">
        An agent that runs by a schedule, each time in a session of its own.
      </PageHeader>
      {error !== null && <TroubleBox error={error} />}
      {error === null && (agents.isPending || environments.isPending) && <RowsSkeleton />}
      {agents.data !== undefined && environments.data !== undefined && (
        <Ready key={workspace} agents={agents.data} environments={environments.data} />
      )}
    </>
  );
}

interface Choices {
  agents: readonly Agent[];
  environments: readonly Environment[];
}

const link = "text-accent underline underline-offset-2";

function Ready(choices: Choices) {
  const { search: home } = useWorkspace();
  if (choices.agents.length > 0 && choices.environments.length > 0) return <NewForm {...choices} />;
  return (
    <p className="rounded-lg border border-dashed border-line-strong bg-surface p-4">
      A deployment names an agent and an environment.{" "}
      {choices.agents.length === 0 ? (
        <Link to="/agents/new" search={home} className={link}>
          Make an agent
        </Link>
      ) : (
        <Link to="/environments" search={{ ...home, new: "environment" }} className={link}>
          Make an environment
        </Link>
      )}
    </p>
  );
}

/** `?agent=ID` chooses the agent; where there is one of a kind, it is chosen. */
function NewForm({ agents, environments }: Choices) {
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const [{ agent }] = useSearchState();
  const only = (all: readonly { id: string }[]) => (all.length === 1 ? (all[0]?.id ?? "") : "");
  const form = useForm({
    start: {
      ...draftOf(),
      agent: agents.find(({ id }) => id === agent)?.id ?? only(agents),
      environment: only(environments),
    },
    save: (draft) =>
      server.deployments.create({ body: bodyOf(draft), headers: inWorkspace(workspace) }),
    faultsOf,
    renew: renewDeployments,
    done: ({ name }) => `${name} is there`,
    next: ({ id }) => void navigate({ to: "/deployments/$id", params: { id }, search: home }),
  });
  return (
    <div className="max-w-2xl">
      <Form form={form} label="Create deployment" isReady inPage>
        <DeploymentFields form={form} agents={agents} environments={environments} />
      </Form>
    </div>
  );
}
