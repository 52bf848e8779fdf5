// A new agent, from nothing or from one that is there.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { BackLink } from "../../kit/page/detail-page.tsx";
import { PageHeader } from "../../kit/page/page-header.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { server } from "../../kit/server/api.ts";
import { inWorkspace, useWorkspace } from "../../kit/server/workspace.ts";
import { agentQueries, renewAgents } from "../agent-queries.ts";
import { configOfAgent } from "../agents.ts";
import { AgentForm } from "./agent-form.tsx";
import { blank, draftOf, type AgentDraft } from "./draft.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ from }] = useSearchState();
  const { data, error } = useQuery({
    ...agentQueries.one(workspace, from ?? ""),
    enabled: from !== undefined,
  });
  const copied = data && { ...draftOf(configOfAgent(data)), name: `Copy of ${data.name}` };
  return (
    <>
      <BackLink to="/agents" search={home} label="All agents" />
      <PageHeader title={data === undefined ? "New agent" : `Copy of ${data.name}`}>
        A model with a prompt, tools and skills. All of it can be changed later, and each change is
        kept as a version.
      </PageHeader>
      {error !== null && <TroubleBox error={error} />}
      {from !== undefined && data === undefined && error === null && <RowsSkeleton />}
      {(from === undefined || copied !== undefined) && (
        <NewForm key={workspace} workspace={workspace} typed={copied} />
      )}
    </>
  );
}

function NewForm({
  workspace,
  typed,
}: {
  workspace: string | undefined;
  typed: AgentDraft | undefined;
}) {
  const { search: home } = useWorkspace();
  const navigate = useNavigate();
  return (
    <AgentForm
      start={draftOf(blank)}
      typed={typed}
      workspace={workspace}
      label="Create agent"
      save={(body) => server.agents.create({ body, headers: inWorkspace(workspace) })}
      renew={renewAgents}
      done={({ name }) => `${name} is there`}
      next={({ id }) => void navigate({ to: "/agents/$id", params: { id }, search: home })}
    />
  );
}
