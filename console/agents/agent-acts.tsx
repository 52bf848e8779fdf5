// What can be done with an agent.
import { useNavigate } from "@tanstack/react-router";
import { Archive, Copy, CopyPlus, Pencil, Play } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import type { Search } from "../kit/page/search.ts";
import { say } from "../kit/page/say.ts";
import { server, type Agent } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { inWorkspace, useWorkspace } from "../kit/server/workspace.ts";
import { renewAgents, type Workspace } from "./agent-queries.ts";

export interface AgentPlace {
  workspace: Workspace;
  /** Of the addresses that acts lead to. */
  search: Search;
  navigate: ReturnType<typeof useNavigate>;
  /** This person may begin sessions. */
  mayTry: boolean;
}

/** Where the acts of agents are offered. */
export function useAgentPlace(): AgentPlace {
  const { id: workspace, search } = useWorkspace();
  const { permissions } = useMe();
  return {
    workspace,
    search,
    navigate: useNavigate(),
    mayTry: permissions.includes("sessions:use"),
  };
}

export function agentActs(agent: Agent, place: AgentPlace): MenuAct[] {
  const { workspace, search, navigate, mayTry } = place;
  const isOpen = agent.archived_at === null;
  const { id } = agent;
  return [
    {
      label: "Try it",
      icon: Play,
      when: isOpen && mayTry,
      button: "primary",
      run: () => void navigate({ to: "/sessions/new", search: { ...search, agent: id } }),
    },
    {
      label: "Edit",
      icon: Pencil,
      when: isOpen,
      button: "plain",
      run: () => void navigate({ to: "/agents/$id/edit", params: { id }, search }),
    },
    {
      label: "Duplicate",
      icon: CopyPlus,
      run: () => void navigate({ to: "/agents/new", search: { ...search, from: id } }),
    },
    { label: "Copy id", icon: Copy, run: () => void copyId(agent) },
    {
      label: "Archive",
      icon: Archive,
      isBad: true,
      when: isOpen,
      run: () => archive(agent, workspace),
    },
  ];
}

async function copyId({ id }: Agent): Promise<void> {
  await navigator.clipboard.writeText(id);
  say.good("The id is copied");
}

const archive = ({ id, name }: Agent, workspace: Workspace) =>
  confirm({
    title: "Archive this agent for ever?",
    label: "Archive the agent",
    keep: "Keep it",
    run: () => server.agents.archive({ params: { agent_id: id }, headers: inWorkspace(workspace) }),
    done: `${name} is archived`,
    renew: renewAgents,
    children: (
      <>
        <p>
          <Named>{name}</Named> can be read from now on, with all its versions. No session begins
          with it any more, no other agent can take it in, and nothing of it changes.
        </p>
        <p>An archived agent never opens again: to go on with it, duplicate it.</p>
      </>
    ),
  });
