// The playground: a request to a model, filled in by hand, and its answer as it comes.
import { useQuery } from "@tanstack/react-query";
import { Boxes, Play, Square } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { Settings } from "./playground-settings.tsx";
import { Conversation } from "./playground-turns.tsx";
import { ToolResults } from "./tool-results.tsx";
import type { ModelInfo } from "../kit/server/api.ts";
import { useCommands } from "../kit/page/commands.ts";
import { useKeptState } from "../kit/server/kept.ts";
import { messageSnippets } from "./message-snippets.ts";
import type { Block } from "../../client/messages/message.ts";
import { endsInCall, openCalls } from "../messages/conversation.ts";
import {
  emptyDraft,
  faultsOf,
  fitted,
  newTurn,
  requestOf,
  revived,
  type Draft,
} from "./playground.ts";
import { useMe, useServerUrl } from "../kit/server/queries.ts";
import { useRun, type Run } from "./run.ts";
import { useSearchState } from "../kit/page/search.ts";
import { Answer } from "./answer.tsx";
import { Button } from "../kit/page/button.tsx";
import { Dialog } from "../kit/dialog/dialog.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { Kbd } from "../kit/page/kbd.tsx";
import { Card, PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { SnippetTabs } from "../kit/value/snippet.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { modelQueries } from "../models/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";

export function Page() {
  const { data, error, refetch } = useQuery(modelQueries.list);
  const models = data?.data.filter(({ lifecycle }) => lifecycle !== "retired");
  return (
    <>
      <PageHeader title="Playground">
        Ask a model by hand. What you write stays in this page; requests count and cost here too.
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton />}
      {models?.length === 0 && (
        <EmptyState icon={Boxes} title="No model to ask">
          There is none in the catalog. An administrator adds one on the page Models.
        </EmptyState>
      )}
      {models !== undefined && some(models) && <Bench models={models} />}
    </>
  );
}

type Models = readonly [ModelInfo, ...ModelInfo[]];
const some = (models: readonly ModelInfo[]): models is Models => models.length > 0;

/** The form, what runs, and everything that moves the one into the other. */
function useBench(models: Models) {
  const { user } = useMe();
  const [search, change] = useSearchState();
  const [draft, setDraft] = useKeptState(user.id, "playground", emptyDraft, revived);
  const { run, start, stop } = useRun();
  const model = models.find(({ id }) => id === search.model) ?? models[0];
  const { id: workspace } = useWorkspace();
  const shown = fitted(draft, model);
  const faults = faultsOf(shown, model);
  const running = run?.state === "running";
  const send = (next: Draft) => {
    if (!running && Object.keys(faultsOf(next, model)).length === 0)
      start(requestOf(next, model), workspace);
  };
  return {
    model,
    draft: shown,
    faults,
    run,
    running,
    stop,
    send: () => send(shown),
    patch: (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part })),
    setModel: (id: string) => change({ model: id }),
    /** The answer becomes a turn; what the user says to it comes after. */
    reply: (content: Block[], results?: Block[]) => {
      const answered = [...shown.turns, newTurn("assistant", "", content)];
      const next = { ...shown, turns: [...answered, newTurn("user", "", results)] };
      setDraft(next);
      if (results === undefined) requestAnimationFrame(focusLastTurn);
      else send(next);
    },
  };
}

function focusLastTurn(): void {
  [...document.querySelectorAll<HTMLTextAreaElement>("[data-turn]")].at(-1)?.focus();
}

function Bench({ models }: { models: Models }) {
  const bench = useBench(models);
  const { permissions } = useMe();
  const prices = useQuery({
    ...modelQueries.entries,
    enabled: permissions.includes("models:write"),
    retry: false,
  });
  const { draft, faults, run, running } = bench;
  usePlaygroundCommands(bench.send, bench.stop);
  // Esc stops while one types, too; the shortcuts of the page are silent then.
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Escape" && running) bench.stop();
  }
  return (
    <div
      onKeyDown={onKeyDown}
      className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_300px]"
    >
      <div className="grid gap-6">
        <Card>
          <Conversation draft={draft} faults={faults} onChange={bench.patch} />
        </Card>
        <RunBar bench={bench} />
        {run !== undefined && (
          <Answer
            run={run}
            entries={prices.data?.data ?? []}
            after={<Next run={run} reply={bench.reply} turns={draft.turns.length} />}
          />
        )}
      </div>
      <SettingsPanel bench={bench} models={models} />
    </div>
  );
}

/** On a phone it stands first and closed, so that the answer comes right under the question. */
function SettingsPanel({ bench, models }: { bench: ReturnType<typeof useBench>; models: Models }) {
  const [open, setOpen] = useState(() => window.matchMedia("(width >= 1024px)").matches);
  const faulty = Object.keys(bench.faults).some((field) => field !== "turns");
  return (
    <aside aria-label="Settings" className="max-lg:order-first">
      <details
        open={open || faulty}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        className="rounded-lg border border-line bg-surface"
      >
        <summary className="px-4 py-2.5 max-md:min-h-10">
          <span className="font-medium">Settings</span>{" "}
          {!open && <span className="text-soft">{bench.model.display_name}</span>}
        </summary>
        <div className="border-t border-line p-4">
          <Settings {...bench} models={models} onChange={bench.patch} onModel={bench.setModel} />
        </div>
      </details>
    </aside>
  );
}

function RunBar({ bench }: { bench: ReturnType<typeof useBench> }) {
  const [copying, setCopying] = useState(false);
  const url = useServerUrl();
  const { draft, model, faults, running } = bench;
  const ready = Object.keys(faults).length === 0;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {running ? (
        <Button look="danger" onClick={bench.stop}>
          <Square size={14} aria-hidden />
          Stop
        </Button>
      ) : (
        <Button look="primary" disabled={!ready} onClick={bench.send}>
          <Play size={14} aria-hidden />
          Run
        </Button>
      )}
      <span className="max-md:hidden">
        <Kbd keys={running ? "esc" : "mod+Enter"} />
      </span>
      <span className="flex-1" />
      <Button disabled={!ready} onClick={() => setCopying(true)}>
        Copy as code
      </Button>
      <Dialog
        open={copying}
        onClose={() => setCopying(false)}
        title="This request as code"
        description="The key comes from the variable PLINTH_API_KEY."
        wide
      >
        {copying && (
          <SnippetTabs snippets={messageSnippets(url, requestOf(draft, model))} label="Request" />
        )}
      </Dialog>
    </div>
  );
}

function Next({
  run: { state, message, request },
  reply,
  turns,
}: {
  run: Run;
  reply: (content: Block[], results?: Block[]) => void;
  turns: number;
}) {
  // Once the conversation has gone on, this answer stands in it already.
  if (state !== "done" || message === undefined || turns !== request.messages.length) return null;
  // What was refused is no answer to go on from, and a call that was cut off can have no result.
  if (message.content.length === 0 || message.stop_reason === "refusal") return null;
  const calls = openCalls(message);
  if (calls.length === 0 && endsInCall(message))
    return (
      <p className="text-soft">
        The answer ends in the middle of a call. Allow more tokens and run it again.
      </p>
    );
  if (calls.length > 0)
    return (
      <ToolResults
        key={message.id}
        calls={calls}
        onContinue={(results) => reply(message.content, results)}
      />
    );
  return (
    <div>
      <Button onClick={() => reply(message.content)}>Reply to this</Button>
    </div>
  );
}

function usePlaygroundCommands(send: () => void, stop: () => void): void {
  useCommands([
    {
      id: "playground:run",
      label: "Run the request",
      group: "This page",
      keys: "mod+Enter",
      run: send,
    },
    {
      id: "playground:stop",
      label: "Stop the answer",
      group: "This page",
      keys: "Escape",
      inPalette: false,
      run: stop,
    },
  ]);
}
