// What runs in a workspace now: batches and sessions, each with the way to their list.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { batchQueries } from "../batches/batch-queries.ts";
import { isRunning } from "../batches/batch.ts";
import { Section } from "../kit/page/page-header.tsx";
import { useMe } from "../kit/server/queries.ts";
import { Fact } from "../kit/value/facts.tsx";
import { runningMax, workspaceQueries } from "./workspaces.ts";

/** Only for those who work in it: the lists are those of its members. */
export function UnderWay({ workspace }: { workspace: string }) {
  const { permissions, workspaces } = useMe();
  const mine = workspaces.some(({ id }) => id === workspace);
  const [mayBatches, maySessions] = ["batches:use", "sessions:use"].map(
    (each) => mine && permissions.includes(each),
  );
  if (mayBatches !== true && maySessions !== true) return null;
  return (
    <Section title="Under way">
      <dl className="flex flex-wrap gap-x-12 gap-y-3 rounded-lg border border-line bg-surface p-4">
        {mayBatches === true && <Batches workspace={workspace} />}
        {maySessions === true && <Sessions workspace={workspace} />}
      </dl>
    </Section>
  );
}

const linkClass = "text-accent underline-offset-2 hover:underline";

function Batches({ workspace }: { workspace: string }) {
  const { data } = useQuery(batchQueries.newest(workspace, runningMax));
  return (
    <Fact name="Batches">
      <Link to="/batches" search={{ workspace }} className={linkClass}>
        {countWords(data?.data.filter(isRunning).length, runningMax)}
      </Link>
    </Fact>
  );
}

function Sessions({ workspace }: { workspace: string }) {
  const { data } = useQuery(workspaceQueries.sessions(workspace));
  return (
    <Fact name="Sessions">
      <Link to="/sessions" search={{ workspace, status: "running" }} className={linkClass}>
        {countWords(data?.data.length, runningMax)}
      </Link>
    </Fact>
  );
}

const countWords = (count: number | undefined, most: number): string =>
  count === undefined ? "…" : count === 0 ? "None" : `${count}${count >= most ? " or more" : ""}`;
