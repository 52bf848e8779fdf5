// What the workers of a self-hosted environment have to do: how much waits, who polls, and whether one answers.
import { useQuery } from "@tanstack/react-query";
import { Activity, CircleStop } from "lucide-react";
import { plural } from "../../../client/text/words.ts";
import { confirm } from "../../kit/dialog/confirmation.tsx";
import { useAct } from "../../kit/form/act.ts";
import { nameColumn, timeColumn } from "../../kit/list/columns.tsx";
import { ListView } from "../../kit/list/list-view.tsx";
import { usePagedList } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { say } from "../../kit/page/say.ts";
import { server, type Environment, type Work } from "../../kit/server/api.ts";
import { inWorkspace, useWorkspace } from "../../kit/server/workspace.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { FactRow, Facts } from "../../kit/value/facts.tsx";
import { Time } from "../../kit/value/time.tsx";
import { environmentQueries, renewEnvironments, type Workspace } from "../environments.ts";

interface Place {
  environment: Environment;
  workspace: Workspace;
}

export function EnvironmentWork({ environment, workspace }: Place) {
  const { search } = useWorkspace();
  return (
    <Section
      title="Work"
      note="Each session that runs waits here for a worker. A check shows whether one takes what waits."
      actions={environment.archived_at === null && <CheckButton {...{ environment, workspace }} />}
    >
      <QueueFacts environment={environment} workspace={workspace} />
      <ListView
        label="Work of the environment"
        noun="piece of work"
        list={usePagedList(environmentQueries.work(workspace, environment.id))}
        columns={[
          nameColumn<Work>({
            title: "For",
            name: titleOf,
            below: ({ id }) => <span className="font-mono">{id}</span>,
            opens: ({ data: { type, id } }) =>
              type === "session" ? { to: "/sessions/$id", params: { id }, search } : undefined,
          }),
          ...columns,
        ]}
        nameOf={titleOf}
        acts={(work) => [
          {
            label: "Stop",
            icon: CircleStop,
            isBad: true,
            when: work.state !== "stopped",
            run: () => stop(work, workspace),
          },
        ]}
        empty={{ children: "No session has waited for a worker in the last days." }}
      />
    </Section>
  );
}

const titleOf = ({ data }: Work): string => (data.type === "session" ? data.id : "A check");

const states: Record<Work["state"], { words: string; tone: Tone }> = {
  queued: { words: "Waiting", tone: "warn" },
  starting: { words: "Taken", tone: "accent" },
  active: { words: "Worked on", tone: "good" },
  stopping: { words: "Stopping", tone: "accent" },
  stopped: { words: "Over", tone: "neutral" },
};

const columns: Column<Work>[] = [
  {
    title: "State",
    cell: ({ state, stopped_at: over }) => (
      <span>
        <Badge tone={states[state].tone}>{states[state].words}</Badge>{" "}
        {over !== null && <Time at={over} isShort />}
      </span>
    ),
  },
  {
    title: "Heartbeat",
    cell: ({ latest_heartbeat_at: at }) => <Time at={at} never="None" isShort />,
  },
  timeColumn("Since", ({ created_at: at }) => at),
];

function QueueFacts({ environment, workspace }: Place) {
  const { data } = useQuery(environmentQueries.stats(workspace, environment.id));
  if (data === undefined) return null;
  const { depth, pending, oldest_queued_at: oldest, workers_polling: workers } = data;
  return (
    <Facts>
      <FactRow name="Waiting">
        {depth + pending === 0 ? "Nothing" : depth + pending}
        {oldest !== null && (
          <span className="text-soft">
            , the oldest since <Time at={oldest} />
          </span>
        )}
      </FactRow>
      <FactRow name="Workers polling">
        {workers === null || workers === 0 ? "None" : plural(workers, "worker")}
      </FactRow>
    </Facts>
  );
}

function CheckButton({ environment, workspace }: Place) {
  const check = useAct({
    mutationFn: () =>
      server.console.environments.work.check({
        params: { environment_id: environment.id },
        headers: inWorkspace(workspace),
      }),
    onSuccess: async () => {
      await renewEnvironments();
      say.good("A check waits for the next worker");
    },
    onError: say.error,
  });
  return (
    <Button busy={check.isPending} onClick={() => check.mutate()}>
      <Activity size={16} aria-hidden />
      Check workers
    </Button>
  );
}

const stop = (work: Work, workspace: Workspace) =>
  confirm({
    title: "Stop this work?",
    label: "Stop the work",
    keep: "Let it go on",
    run: () =>
      server.environments.work.stop({
        params: { environment_id: work.environment_id, work_id: work.id },
        body: {},
        headers: inWorkspace(workspace),
      }),
    done: "The worker is told to stop",
    renew: renewEnvironments,
    children: (
      <p>
        Its worker is told with its next heartbeat. Where the session still wants a worker, the next
        one gets it.
      </p>
    ),
  });
