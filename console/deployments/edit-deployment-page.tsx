// Changes a deployment, for the sessions that it begins from then on.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Form, useForm } from "../kit/form/form.tsx";
import { BackLink } from "../kit/page/detail-page.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { server, type Agent, type Deployment, type Environment } from "../kit/server/api.ts";
import { inWorkspace, useWorkspace } from "../kit/server/workspace.ts";
import { choiceQueries } from "../sessions/choice-queries.ts";
import { changesOf, draftOf, faultsOf, isPlain } from "./deployment-draft.ts";
import { DeploymentFields } from "./deployment-fields.tsx";
import { deploymentQueries, renewDeployments } from "./deployments.ts";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const read = useQuery(deploymentQueries.one(workspace, id));
  const agents = useQuery(choiceQueries.agents(workspace));
  const environments = useQuery(choiceQueries.environments(workspace));
  const error = read.error ?? agents.error ?? environments.error;
  const isReady =
    read.data !== undefined && agents.data !== undefined && environments.data !== undefined;
  return (
    <>
      <BackLink to="/deployments" search={home} label="All deployments" />
      <PageHeader title="Edit deployment">
        Sessions that have begun stay as they are; the next one has what stands here.
      </PageHeader>
      {error !== null && <TroubleBox error={error} />}
      {!isReady && error === null && <RowsSkeleton />}
      {isReady && (
        <EditForm
          key={id}
          deployment={read.data}
          agents={agents.data}
          environments={environments.data}
        />
      )}
    </>
  );
}

interface Edited {
  deployment: Deployment;
  agents: readonly Agent[];
  environments: readonly Environment[];
}

function EditForm({ deployment, agents, environments }: Edited) {
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const { id } = deployment;
  const form = useForm({
    start: draftOf(deployment),
    save: (draft, changed) =>
      server.deployments.update({
        params: { deployment_id: id },
        body: changesOf(draft, changed),
        headers: inWorkspace(workspace),
      }),
    faultsOf,
    renew: renewDeployments,
    done: () => "Saved",
    next: () => void navigate({ to: "/deployments/$id", params: { id }, search: home }),
  });
  return (
    <div className="max-w-2xl">
      <Form form={form} label="Save" inPage>
        <DeploymentFields
          form={form}
          agents={agents}
          environments={environments}
          hasMessage={isPlain(deployment)}
        />
      </Form>
    </div>
  );
}
