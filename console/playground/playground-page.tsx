// The playground: a request to a model, filled in by hand, and its answer as it comes.
import { useQuery } from "@tanstack/react-query";
import { Boxes } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { useCommands } from "../kit/page/commands.ts";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { Card, PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { modelQueries } from "../models/queries.ts";
import { Settings } from "./playground-settings.tsx";
import { Conversation } from "./playground-turns.tsx";
import { RunBar } from "./run-bar.tsx";
import { Answers } from "./runs/answers.tsx";
import { some, useBench, type Bench, type Models } from "./use-bench.ts";

export function Page() {
  const { data, error, refetch } = useQuery(modelQueries.list);
  const models = data?.data.filter(({ lifecycle }) => lifecycle !== "retired");
  return (
    <>
      <PageHeader title="Playground">
        Ask a model by hand. What you write is kept in this browser until you clear it; requests
        count and cost here too.
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

function Bench({ models }: { models: Models }) {
  const bench = useBench(models);
  const { draft, faults, running } = bench;
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
          {draft.prompt !== null && (
            <p className="mb-3 text-sm text-soft wrap-anywhere">
              From the saved prompt{" "}
              <span className="font-medium text-ink">{draft.prompt.name}</span>, version{" "}
              {draft.prompt.version}.
            </p>
          )}
          <Conversation draft={draft} faults={faults} onChange={bench.patch} />
        </Card>
        <RunBar bench={bench} />
        <Answers bench={bench} />
      </div>
      <SettingsPanel bench={bench} models={models} />
    </div>
  );
}

/** On a phone it stands first and closed, so that the answer comes right under the question. */
function SettingsPanel({ bench, models }: { bench: Bench; models: Models }) {
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
          {!open && (
            <span className="text-soft">
              {bench.model.display_name}
              {bench.beside !== undefined && ` beside ${bench.beside.display_name}`}
            </span>
          )}
        </summary>
        <div className="border-t border-line p-4">
          <Settings
            {...bench}
            models={models}
            onChange={bench.patch}
            onModel={bench.setModel}
            onBeside={bench.setBeside}
          />
        </div>
      </details>
    </aside>
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
