// What can be done with a deployment: run now, held, let go on, changed, closed.
import type { UseNavigateResult } from "@tanstack/react-router";
import { Archive, Copy, Pause, Pencil, Play, Zap } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import type { Search } from "../kit/page/search.ts";
import { say } from "../kit/page/say.ts";
import { server, type Deployment } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { errorText, renewDeployments, type Workspace } from "./deployments.ts";

export function deploymentActs(
  deployment: Deployment,
  workspace: Workspace,
  search: Search,
  navigate: UseNavigateResult<string>,
): MenuAct[] {
  const { id, archived_at: archived, status, schedule } = deployment;
  const isOpen = archived === null;
  const change = (run: () => Promise<unknown>, done: string) => void changed(run, done);
  const asked = { params: { deployment_id: id }, headers: inWorkspace(workspace) };
  return [
    {
      label: "Run now",
      icon: Zap,
      when: isOpen,
      button: "primary",
      run: () => void runNow(deployment, workspace),
    },
    {
      label: "Pause",
      icon: Pause,
      when: isOpen && status === "active" && schedule !== null,
      button: "plain",
      run: () => change(() => server.deployments.pause(asked), "The schedule is paused"),
    },
    {
      label: "Unpause",
      icon: Play,
      when: isOpen && status === "paused",
      button: "plain",
      run: () => change(() => server.deployments.unpause(asked), "The schedule goes on"),
    },
    {
      label: "Edit",
      icon: Pencil,
      when: isOpen,
      button: "plain",
      run: () => void navigate({ to: "/deployments/$id/edit", params: { id }, search }),
    },
    { label: "Copy id", icon: Copy, run: () => void copyId(deployment) },
    { label: "Archive", icon: Archive, when: isOpen, run: () => archive(deployment, workspace) },
  ];
}

async function changed(run: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await run();
    say.good(done);
  } catch (error) {
    say.error(error);
  }
  await renewDeployments();
}

async function runNow({ id }: Deployment, workspace: Workspace): Promise<void> {
  try {
    const run = await server.deployments.run({
      params: { deployment_id: id },
      headers: inWorkspace(workspace),
    });
    if (run.error === null) say.good("A session has begun");
    else say.error(new Error(`${errorText(run.error.type)}. ${run.error.message}`));
  } catch (error) {
    say.error(error);
  }
  await renewDeployments();
}

async function copyId({ id }: Deployment): Promise<void> {
  await navigator.clipboard.writeText(id);
  say.good("The id is copied");
}

const archive = (deployment: Deployment, workspace: Workspace) =>
  confirm({
    title: "Archive this deployment for ever?",
    label: "Archive the deployment",
    keep: "Keep it",
    run: () =>
      server.deployments.archive({
        params: { deployment_id: deployment.id },
        headers: inWorkspace(workspace),
      }),
    done: `${deployment.name} is archived`,
    renew: renewDeployments,
    children: (
      <p>
        <Named>{deployment.name}</Named> runs no more, neither by its schedule nor by hand. Its runs
        and their sessions stay.
      </p>
    ),
  });
