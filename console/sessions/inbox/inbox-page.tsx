// What waits for a person in all sessions of a workspace: each call with its input, answered in place.
import { Link } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { usePagedList } from "../../kit/list/list.ts";
import { Button } from "../../kit/page/button.tsx";
import { PageHeader } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { SessionEvent, WaitingSession } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { jsonText } from "../../kit/text/json.ts";
import { Time } from "../../kit/value/time.tsx";
import { plural } from "../../../client/text/words.ts";
import { askedIn } from "../../../client/sessions/questions.ts";
import { Json } from "../../messages/message-blocks.tsx";
import { AnswerCall } from "../calls/answer-call.tsx";
import { callName, inputLabel } from "../events/content.ts";
import { forgetWaiting, sessionQueries } from "../session-queries.ts";
import { SessionTitle } from "../session-title.tsx";
import type { Need } from "../transcript/items.ts";

export function Page() {
  const { id: workspace } = useWorkspace();
  const list = usePagedList(sessionQueries.waiting(workspace));
  const { rows, error, isPending, more, isReadingMore } = list;
  return (
    <>
      <PageHeader title="Inbox">
        Calls that wait for a person: agents that ask before they use a tool, and tools whose result
        comes from you. Who answers first answers for all.
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={list.refetch} />}
      {isPending && error === null && <RowsSkeleton />}
      {!isPending && rows.length === 0 && error === null && (
        <EmptyState icon={Inbox} title="Nothing waits for you">
          A session comes here when its agent asks before it uses a tool, or calls a tool of your
          own. Which tools ask is said in the agent.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ul aria-label="Sessions that wait" className="grid max-w-4xl gap-4">
          {rows.map((session) => (
            <li key={session.id}>
              <Waiting session={session} />
            </li>
          ))}
        </ul>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 &&
          `${plural(rows.length, "session")}${more === undefined ? "" : " so far"}`}
      </p>
      {more !== undefined && (
        <Button className="mt-2" busy={isReadingMore} onClick={more}>
          Load more
        </Button>
      )}
    </>
  );
}

function Waiting({ session }: { session: WaitingSession }) {
  const { id: workspace, search: home } = useWorkspace();
  const { id, agent_name: agent, updated_at: at, calls, has_more_calls: isCut } = session;
  return (
    <section aria-label={`Session ${id}`} className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
        <h2 className="min-w-0 font-medium wrap-anywhere">
          <Link
            to="/sessions/$id"
            params={{ id }}
            search={home}
            className="text-accent underline-offset-2 hover:underline"
          >
            <SessionTitle session={session} />
          </Link>
        </h2>
        <span className="text-sm text-soft wrap-anywhere">
          {agent}, <Time at={at} isShort />
        </span>
      </div>
      <ul>
        {calls.map(({ event, needs }) => (
          <li
            key={`${event.id} ${needs}`}
            className="grid gap-3 border-line px-4 py-3 not-last:border-b"
          >
            <p className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-mono text-sm font-medium wrap-anywhere">{callName(event)}</span>
              <span className="text-sm text-soft">{wordsOf(event, needs)}</span>
            </p>
            {askedIn(event) === undefined && (
              <Json label={inputLabel(event)} text={jsonText(event["input"] ?? {})} />
            )}
            <AnswerCall
              session={id}
              call={event}
              need={needs}
              onDone={() => forgetWaiting(workspace)}
            />
          </li>
        ))}
      </ul>
      {isCut && (
        <p className="border-t border-line px-4 py-2.5 text-sm text-soft">
          More calls wait in this session: they come here as these are answered.
        </p>
      )}
    </section>
  );
}

function wordsOf(event: SessionEvent, needs: Need): string {
  if (needs === "confirmation") return "asks whether it may run";
  return askedIn(event) === undefined ? "waits for its result" : "waits for your answer";
}
