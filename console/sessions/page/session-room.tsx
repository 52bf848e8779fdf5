// A session's timeline, transcript and raw events beside each other; an address names the thread and the event.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { FilterSelect } from "../../kit/form/select.tsx";
import { Onward } from "../../kit/list/chunk.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Tab } from "../../kit/page/tab.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { Session, SessionThread } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { environmentQueries } from "../../environments/environments.ts";
import type { Followed, Past } from "../events/follow.ts";
import { RawEvents } from "../events/raw-events.tsx";
import { Timeline } from "../events/timeline.tsx";
import { useEvents } from "../events/use-events.ts";
import { SessionFiles } from "../files/session-files.tsx";
import { home } from "../files/workspace-entries.ts";
import { sessionQueries } from "../session-queries.ts";
import { isActive, statuses } from "../sessions.ts";
import { transcriptOf } from "../transcript/items.ts";
import { goToItem, Transcript } from "../transcript/transcript.tsx";
import { Composer } from "./composer.tsx";
import { SessionFacts } from "./session-facts.tsx";

export function SessionRoom({ session }: { session: Session }) {
  const [search, change] = useSearchState();
  const { threads, own, thread, threadId } = useThreads(session.id);
  const { followed, past, shown, place, isSeeking } = useShown(session.id, threadId, search.event);
  const select = (event: string) => {
    change({ event });
    const to = shown.places.get(event);
    if (to !== undefined) goToItem(to);
  };
  const isOver = session.status === "terminated";
  const environment = useEnvironmentType(session);
  const scene = {
    session: session.id,
    agentName: thread?.agent.name ?? session.agent.name,
    thread: threadId,
    environment,
    environmentId: session.environment_id,
    vaults: session.vault_ids,
    servers: (thread ?? session).agent.mcp_servers,
    isOver,
    progress: followed.progress,
    toThread: (to: string) =>
      change({ thread: to === own?.id ? undefined : to, event: undefined }, true),
  };
  const { events, previews, state } = followed;
  const known = { events, past, selected: search.event, onSelect: select };
  const isRunning = isActive(thread ?? session);
  return (
    <>
      {threads.length > 1 && (
        <Threads all={threads} shown={threadId ?? own?.id ?? ""} onShow={scene.toThread} />
      )}
      <Timeline {...known} />
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_380px]">
        <div className="min-w-0">
          <Connection followed={followed} />
          <Before past={past} isSeeking={isSeeking} />
          <Transcript shown={shown} previews={previews} scene={scene} selected={place} />
          {isRunning && previews.length === 0 && (
            <p className="mt-3 flex items-center gap-2 px-4 text-sm text-soft">
              <LoaderCircle size={15} aria-hidden />
              At work…
            </p>
          )}
          {/* What stands over the foot of the window does not cover what was said last. */}
          <div data-end className="scroll-mb-40" />
          {isOver || state === "deleted" ? (
            <p className="mt-4 text-soft">This session has ended: it takes no more messages.</p>
          ) : (
            <Composer
              session={session.id}
              thread={threadId}
              isRunning={isRunning}
              isLive={state === "live"}
            />
          )}
        </div>
        <Aside session={session} hasFiles={environment === "cloud"}>
          <RawEvents {...known} />
        </Aside>
      </div>
    </>
  );
}

/** What of a thread is shown, and where in it the event stands that the address names. */
function useShown(session: string, thread: string | undefined, event: string | undefined) {
  const { id: workspace } = useWorkspace();
  const { followed, past } = useEvents(workspace, session, thread);
  const { events, start } = followed;
  const isCut = past.isThere;
  const shown = useMemo(
    () => transcriptOf({ events, start, isCut }, thread),
    [events, start, isCut, thread],
  );
  const place = event === undefined ? undefined : shown.places.get(event);
  const isSeeking = useSeeking(followed.state, past, event !== undefined && place === undefined);
  useArrival(followed, place, event, isSeeking);
  return { followed, past, shown, place, isSeeking };
}

/** `?thread=…`: that of another agent, shown once it is known; without it the session's own. */
function useThreads(session: string) {
  const { id: workspace } = useWorkspace();
  const [search] = useSearchState();
  const { data: threads = [] } = useQuery(sessionQueries.threads(workspace, session));
  const own = threads.find(({ parent_thread_id: parent }) => parent === null);
  const thread = threads.find((each) => each.id === search.thread && each !== own);
  // Until the threads are known, the one that the address names is taken at its word.
  return { threads, own, thread, threadId: threads.length === 0 ? search.thread : thread?.id };
}

/** `children`: the raw events. What is shown of the files stands in the address. */
function Aside({
  session,
  hasFiles,
  children,
}: {
  session: Session;
  hasFiles: boolean;
  children: ReactNode;
}) {
  const [search, change] = useSearchState();
  const [chosen, choose] = useState("facts");
  const shown = hasFiles && search.files !== undefined ? "files" : chosen;
  const show = (tab: string) => {
    if (tab === "files") return change({ files: home }, true);
    choose(tab);
    if (search.files !== undefined) change({ files: undefined, file: undefined }, true);
  };
  return (
    <aside className="min-w-0 xl:sticky xl:top-4">
      <Tabs.Root value={shown} onValueChange={show}>
        <Tabs.List aria-label="About the session" className="mb-3 flex gap-1">
          <Tab value="facts">About</Tab>
          {hasFiles && <Tab value="files">Files</Tab>}
          <Tab value="events">Raw events</Tab>
        </Tabs.List>
        <Tabs.Panel value="facts">
          <SessionFacts session={session} />
        </Tabs.Panel>
        {hasFiles && (
          <Tabs.Panel value="files">
            <SessionFiles session={session} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="events">{children}</Tabs.Panel>
      </Tabs.Root>
    </aside>
  );
}

/** The tools of an agent's computer wait for a worker, or run here in a sandbox; undefined until it is known. */
function useEnvironmentType({ environment_id: id }: Session) {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery(environmentQueries.one(workspace, id));
  return data?.config.type;
}

const nearPx = 240;
const endOf = () => document.querySelector("[data-end]");

/** The event that the address names may be an old one: the log is read back to it. */
function useSeeking(state: Followed["state"], past: Past, isMissing: boolean): boolean {
  const isSeeking = isMissing && state === "live" && past.isThere && past.error === null;
  useEffect(() => {
    if (isSeeking && !past.isReading) past.read();
  }, [isSeeking, past.isReading]);
  return isSeeking;
}

/** Goes to the event that the address names, else to the end; and stays at the end while one is there. */
function useArrival(
  followed: Followed,
  selected: number | undefined,
  event: string | undefined,
  isSeeking: boolean,
) {
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
      if (isSeeking) return;
      hasArrived.current = true;
      if (event !== undefined) {
        if (selected !== undefined) goToItem(selected);
        return;
      }
    }
    if (wasAtEnd.current && event === undefined) endOf()?.scrollIntoView({ block: "end" });
  }, [followed.events, followed.previews, followed.state, isSeeking]);
}

/** What stands before the events that are shown. */
function Before({
  past: { isThere, isReading, error, read },
  isSeeking,
}: {
  past: Past;
  isSeeking: boolean;
}) {
  if (!isThere) return null;
  if (error !== null) return <TroubleBox error={error} retry={read} />;
  if (isSeeking)
    return (
      <p role="status" className="px-3 py-2 text-sm text-soft">
        Looking for the event of this address among older ones…
      </p>
    );
  return <Onward label="Load older events" isBusy={isReading} onSeen={read} />;
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
  shown: string;
  onShow: (thread: string) => void;
}) {
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <span className="text-sm text-soft">Thread</span>
      <FilterSelect
        label="Thread"
        value={shown}
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
