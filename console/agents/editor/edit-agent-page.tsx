// Changing an agent: what differs is sent, with the version that it was read at.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { patchOf } from "../../kit/form/pairs.tsx";
import { Fault } from "../../kit/form/form.tsx";
import { BackLink } from "../../kit/page/detail-page.tsx";
import { useIdOfPage } from "../../kit/page/page-id.ts";
import { PageHeader } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { ApiError, server, type Agent } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace, useWorkspace, useWorkspaceOf } from "../../kit/server/workspace.ts";
import type { AgentsUpdateBody } from "../../../contract/types.ts";
import { agentQueries, renewAgents, type Workspace } from "../agent-queries.ts";
import { configOfAgent } from "../agents.ts";
import { AgentForm } from "./agent-form.tsx";
import { configOf, draftOf, type AgentDraft, type WholeConfig } from "./draft.ts";
import { openStaleEdit } from "./stale-edit.tsx";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const query = agentQueries.one(workspace, id);
  // What was read a while ago would be refused when it is saved.
  const read = useQuery({ ...query, staleTime: 0, refetchOnMount: "always" });
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(agentQueries.one(other, id)),
  );
  const { data, error, isFetchedAfterMount } = read;
  const isThere = data !== undefined && isFetchedAfterMount;
  return (
    <>
      <BackLink to="/agents/$id" params={{ id }} search={home} label={data?.name ?? "Agent"} />
      <PageHeader title={data === undefined ? "Edit the agent" : `Edit ${data.name}`}>
        What you save becomes the next version; sessions that run go on with theirs.
      </PageHeader>
      {error !== null && !isLooking && (
        <TroubleBox error={error} retry={() => void read.refetch()} />
      )}
      {(error === null || isLooking) && !isThere && <RowsSkeleton />}
      {isThere && <EditForm key={id} agent={data} workspace={workspace} />}
    </>
  );
}

interface Base {
  agent: Agent;
  /** What was typed from another version, put on this one. */
  typed?: AgentDraft;
}

/** What is read meanwhile changes nothing here: what is typed belongs to the version that it began from. */
function EditForm({ agent: first, workspace }: { agent: Agent; workspace: Workspace }) {
  const { search: home } = useWorkspace();
  const navigate = useNavigate();
  const [{ agent, typed }, setBase] = useState<Base>({ agent: first });
  const start = draftOf(configOfAgent(agent));
  if (agent.archived_at !== null) return <p>It is archived: nothing of it changes any more.</p>;
  return (
    <AgentForm
      key={agent.version}
      start={start}
      typed={typed}
      workspace={workspace}
      label={`Save version ${agent.version + 1}`}
      save={(config) => update(agent, config, workspace, setBase)}
      renew={renewAgents}
      done={({ version }) =>
        version === agent.version ? "Nothing was changed" : `Version ${version} is saved`
      }
      next={({ id }) => void navigate({ to: "/agents/$id", params: { id }, search: home })}
    />
  );
}

async function update(
  agent: Agent,
  config: WholeConfig,
  workspace: Workspace,
  goOn: (base: Base) => void,
): Promise<Agent> {
  const params = { agent_id: agent.id };
  const headers = inWorkspace(workspace);
  try {
    const body = changesOf(configOf(draftOf(configOfAgent(agent))), config);
    return await server.agents.update({
      params,
      body: { ...body, version: agent.version },
      headers,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "agent_version_conflict") throw error;
    const theirs = await server.agents.retrieve({ params, headers });
    openStaleEdit({
      before: agent,
      theirs,
      mine: config,
      onMine: (typed) => goOn({ agent: theirs, typed }),
      onTheirs: () => goOn({ agent: theirs }),
    });
    throw new Fault(
      `Not saved: version ${theirs.version} was saved while you were editing version ${agent.version}. Save again to choose how to go on.`,
    );
  }
}

/** What is not named stays: so only what differs is named. */
export function changesOf(before: WholeConfig, after: WholeConfig): AgentsUpdateBody {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof WholeConfig]),
  );
  const body: AgentsUpdateBody = Object.fromEntries(changed);
  if (body.metadata != null) body.metadata = patchOf(before.metadata, after.metadata);
  // The server merges this one into what is there: what was taken out of it must be said.
  if (body.multiagent?.type === "multiagent_20261001")
    body.multiagent = { subagents: null, workflows: null, advisor: null, ...body.multiagent };
  return body;
}
