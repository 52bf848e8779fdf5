// A session's timeline, transcript and raw events beside each other; an address names the thread and the event.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { FilterSelect } from "../../kit/form/select.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Tab } from "../../kit/page/tab.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { Session, SessionThread } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { environmentQueries } from "../../environments/environments.ts";
import type { Followed } from "../events/follow.ts";
import { RawEvents } from "../events/raw-events.tsx";
import { Timeline } from "../events/timeline.tsx";
import { useEvents } from "../events/use-events.ts";
import { sessionQueries } from "../session-queries.ts";
import { isActive, statuses } from "../sessions.ts";
import { transcriptOf } from "../transcript/items.ts";
import { goToItem, Transcript } from "../transcript/transcript.tsx";
import { Composer } from "./composer.tsx";
import { SessionFacts } from "./session-facts.tsx";

export function SessionRoom({ session }: { session: Session }) {
  const { id: workspace } = useWorkspace();
  const [search, change] = useSearchState();
  const { threads, others, thread, threadId } = useThreads(session.id);
  const followed = useEvents(workspace, session.id, threadId);
  const shown = useMemo(() => transcriptOf(followed.events, threadId), [followed.events, threadId]);
  const selected = search.event === undefined ? undefined : shown.places.get(search.event);
  useArrival(followed, selected, search.event);
  const select = (event: string) => {
    change({ event });
    const place = shown.places.get(event);
    if (place !== undefined) goToItem(place);
  };
  const isOver = session.status === "terminated";
  const scene = {
    session: session.id,
    agentName: thread?.agent.name ?? session.agent.name,
    isSelfHosted: useIsSelfHosted(session),
    isOver,
    toThread: (to: string) =>
      change(
        { thread: others.some(({ id }) => id === to) ? to : undefined, event: undefined },
        true,
      ),
  };
  return (
    <>
      {others.length > 0 && <Threads all={threads} shown={threadId} onShow={scene.toThread} />}
      <Timeline events={followed.events} selected={search.event} onSelect={select} />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_380px]">
        <div className="min-w-0">
          <Connection followed={followed} />
          <Transcript
            shown={shown}
            previews={followed.previews}
            scene={scene}
            selected={selected}
          />
          {isActive(thread ?? session) && followed.previews.length === 0 && (
            <p className="mt-3 flex items-center gap-2 px-4 text-sm text-soft">
              <LoaderCircle size={15} aria-hidden />
              At work…
            </p>
          )}
          {/* What stands over the foot of the window does not cover what was said last. */}
          <div data-end className="scroll-mb-40" />
          {isOver || followed.state === "deleted" ? (
            <p className="mt-4 text-soft">This session has ended: it takes no more messages.</p>
          ) : (
            <Composer
              session={session.id}
              thread={threadId}
              isRunning={isActive(thread ?? session)}
            />
          )}
        </div>
        <Aside session={session} followed={followed} selected={search.event} onSelect={select} />
      </div>
    </>
  );
}

/** `?thread=…`: that of another agent; without it the session's own. */
function useThreads(session: string) {
  const { id: workspace } = useWorkspace();
  const [search] = useSearchState();
  const { data: threads = [] } = useQuery(sessionQueries.threads(workspace, session));
  const others = threads.filter(({ parent_thread_id: parent }) => parent !== null);
  const thread = others.find(({ id }) => id === search.thread);
  // Until the threads are known, the one that the address names is taken at its word.
  return { threads, others, thread, threadId: threads.length === 0 ? search.thread : thread?.id };
}

function Aside({
  session,
  followed,
  selected,
  onSelect,
}: {
  session: Session;
  followed: Followed;
  selected: string | undefined;
  onSelect: (event: string) => void;
}) {
  return (
    <aside className="min-w-0 xl:sticky xl:top-4">
      <Tabs.Root defaultValue="facts">
        <Tabs.List aria-label="About the session" className="mb-3 flex gap-1">
          <Tab value="facts">About</Tab>
          <Tab value="events">Raw events</Tab>
        </Tabs.List>
        <Tabs.Panel value="facts">
          <SessionFacts session={session} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <RawEvents events={followed.events} selected={selected} onSelect={onSelect} />
        </Tabs.Panel>
      </Tabs.Root>
    </aside>
  );
}

/** The tools of an agent's computer wait for a worker there, and run here elsewhere. */
function useIsSelfHosted({ environment_id: id }: Session): boolean {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery(environmentQueries.one(workspace, id));
  return data?.config.type === "self_hosted";
}

const nearPx = 240;
const endOf = () => document.querySelector("[data-end]");

/** Goes to the event that the address names, else to the end; and stays at the end while one is there. */
function useArrival(followed: Followed, selected: number | undefined, event: string | undefined) {
  const hasArrived = useRef(false);
  const wasAtEnd = useRef(true);
  useEffect(() => {
    const note = () => {
      const bottom = endOf()?.getBoundingClientRect().bottom ?? 0;
      wasAtEnd.current = bottom < window.innerHeight + nearPx;
    };
    window.addEventListener("scroll", note, { passive: true });
    return () => window.removeEventListener("scroll", note);
  }, []);
  useEffect(() => {
    if (followed.state === "reading") {
      hasArrived.current = false;
      return;
    }
    if (!hasArrived.current) {
      hasArrived.current = true;
      if (event !== undefined) {
        if (selected !== undefined) goToItem(selected);
        return;
      }
    }
    if (wasAtEnd.current && event === undefined) endOf()?.scrollIntoView({ block: "end" });
  }, [followed.events, followed.previews, followed.state]);
}

function Connection({ followed: { state, error } }: { followed: Followed }) {
  if (state === "reading") return <RowsSkeleton />;
  if (state === "failed") return <TroubleBox error={error} />;
  if (state !== "lost") return null;
  return (
    <p role="status" className="mb-3 rounded-lg bg-warn-soft px-3 py-2 text-warn">
      The connection is lost. It is made again, and what happens meanwhile is not missed.
    </p>
  );
}

function Threads({
  all,
  shown,
  onShow,
}: {
  all: readonly SessionThread[];
  shown: string | undefined;
  onShow: (thread: string) => void;
}) {
  const own = all.find(({ parent_thread_id: parent }) => parent === null);
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <span className="text-sm text-soft">Thread</span>
      <FilterSelect
        label="Thread"
        value={shown ?? own?.id ?? ""}
        choices={all.map(({ id, agent, status, parent_thread_id: parent }) => ({
          value: id,
          label: parent === null ? `${agent.name}, the session's own` : agent.name,
          hint: statuses[status].word,
        }))}
        onChange={onShow}
      />
    </div>
  );
}
