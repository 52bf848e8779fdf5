// Models: what there is, what each takes; and, for those who may, where they are asked and at what price.
import { useQuery } from "@tanstack/react-query";
import { Boxes, Plus } from "lucide-react";
import { useState } from "react";
import { ModelForm } from "./model-form.tsx";
import { RemoveFromCatalog, type Removal } from "./remove-from-catalog.tsx";
import { UpstreamForm } from "./upstreams/upstream-form.tsx";
import type { ModelEntry, Upstream } from "../kit/server/api.ts";
import { useCommands } from "../kit/page/commands.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { plural } from "../kit/value/words.ts";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { SearchInput } from "../kit/form/field.tsx";
import { ModelTable, type ModelRow } from "./model-table.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { UpstreamTable } from "./upstreams/upstream-table.tsx";
import { modelQueries } from "./queries.ts";

type Open =
  | { form: "model"; entry?: ModelEntry }
  | { form: "upstream"; upstream?: Upstream }
  | { form: "remove"; removal: Removal };

/** The whole catalog belongs to the organization that runs the server: others read only. */
function useCatalog() {
  const mayAsk = useMe().permissions.includes("models:write");
  const models = useQuery(modelQueries.list);
  const entries = useQuery({ ...modelQueries.entries, enabled: mayAsk });
  const upstreams = useQuery({ ...modelQueries.upstreams, enabled: mayAsk });
  return {
    models,
    entries: entries.data,
    upstreams: upstreams.data?.data,
    error: models.error ?? entries.error ?? upstreams.error,
    // What is added is held against both lists: it would take the place of one that is not read yet.
    mayWrite: mayAsk && entries.isSuccess && upstreams.isSuccess,
  };
}

export function Page() {
  const { models, entries, upstreams = [], error, mayWrite } = useCatalog();
  const [search, change] = useSearchState();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = () => setOpen({ form: "model" });
  useListCommands(mayWrite ? add : undefined);
  const mayTry = useMe().permissions.includes("messages:use");
  const all = (models.data?.data ?? []).map((info): ModelRow => {
    return { info, entry: entries?.data.find(({ id }) => id === info.id) };
  });
  const rows = all.filter((row) => mentions(row, search.q ?? ""));
  return (
    <>
      <PageHeader title="Models" actions={mayWrite && <AddButton noun="model" onClick={add} />}>
        What requests may name, and what each takes.
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void models.refetch()} />}
      {entries?.problems.map((problem) => (
        <p key={problem} role="alert" className="mb-3 rounded-lg bg-warn-soft p-3 text-warn">
          {problem}
        </p>
      ))}
      <search aria-label="Filter models" className="mb-4 flex">
        <SearchInput
          label="Search name or alias"
          value={search.q ?? ""}
          onChange={({ target }) => change({ q: target.value === "" ? undefined : target.value })}
        />
      </search>
      {models.isPending && <RowsSkeleton rows={4} />}
      {rows.length > 0 && (
        <ModelTable
          rows={rows}
          mayTry={mayTry}
          {...(mayWrite && {
            onEdit: (entry: ModelEntry) => setOpen({ form: "model", entry }),
            onRemove: ({ id }: ModelEntry) =>
              setOpen({ form: "remove", removal: { noun: "model", name: id } }),
          })}
        />
      )}
      {models.data !== undefined && rows.length === 0 && (
        <EmptyState icon={Boxes} title="Nothing here">
          {all.length === 0 ? "The catalog is empty." : "No model is called that."}
        </EmptyState>
      )}
      <p role="status" className="mt-3 mb-8 text-sm text-soft">
        {rows.length > 0 && plural(rows.length, "model")}
      </p>
      {mayWrite && <Upstreams upstreams={upstreams} onOpen={setOpen} />}
      <Forms open={open} entries={entries?.data ?? []} upstreams={upstreams} onClose={close} />
    </>
  );
}

function Forms({
  open,
  entries,
  upstreams,
  onClose,
}: {
  open: Open | undefined;
  entries: readonly ModelEntry[];
  upstreams: readonly Upstream[];
  onClose: () => void;
}) {
  return (
    <>
      <ModelForm
        open={open?.form === "model"}
        entry={open?.form === "model" ? open.entry : undefined}
        ids={entries.map(({ id }) => id)}
        upstreams={upstreams}
        onClose={onClose}
      />
      <UpstreamForm
        open={open?.form === "upstream"}
        upstream={open?.form === "upstream" ? open.upstream : undefined}
        names={upstreams.map(({ name }) => name)}
        onClose={onClose}
      />
      <RemoveFromCatalog
        removal={open?.form === "remove" ? open.removal : undefined}
        onClose={onClose}
      />
    </>
  );
}

function Upstreams({
  upstreams,
  onOpen,
}: {
  upstreams: readonly Upstream[];
  onOpen: (open: Open) => void;
}) {
  const { data: health, error } = useQuery(modelQueries.upstreamHealth);
  return (
    <Section
      title="Upstreams"
      note={<>The servers that models are asked at. {health && wholeWords(health.processes)}</>}
      actions={<AddButton noun="upstream" onClick={() => onOpen({ form: "upstream" })} />}
    >
      {error !== null && <TroubleBox error={error} />}
      <UpstreamTable
        health={health?.data ?? []}
        upstreams={upstreams}
        onEdit={(upstream) => onOpen({ form: "upstream", upstream })}
        onRemove={({ name }) => onOpen({ form: "remove", removal: { noun: "upstream", name } })}
      />
    </Section>
  );
}

/** Whose numbers they are. */
function wholeWords({ asked, answered }: { asked: number; answered: number }): string {
  if (answered < asked)
    return `Their health is what ${plural(answered, "process", "processes")} of this server saw; ${asked - answered} did not answer in time.`;
  if (asked === 1) return "Their health is what this server saw.";
  return `Their health is what the ${asked} processes of this server saw.`;
}

function AddButton({ noun, onClick }: { noun: Removal["noun"]; onClick: () => void }) {
  return (
    <Button look={noun === "model" ? "primary" : "plain"} onClick={onClick}>
      <Plus size={16} aria-hidden />
      Add {noun === "model" ? "a model" : "an upstream"}
    </Button>
  );
}

function mentions({ info, entry }: ModelRow, typed: string): boolean {
  const words = [info.id, info.display_name, ...(entry?.aliases ?? []), entry?.upstream];
  return words.some((word) => word?.toLowerCase().includes(typed.toLowerCase()) === true);
}

function useListCommands(add: (() => void) | undefined): void {
  const onPage = { group: "This page", inPalette: false } as const;
  const focus = () => document.querySelector<HTMLInputElement>("[data-search]")?.focus();
  useCommands([
    { ...onPage, id: "models:search", label: "Search the list", keys: "/", run: focus },
    ...(add === undefined
      ? []
      : [{ ...onPage, id: "models:new", label: "Add a model", keys: "n", run: add }]),
  ]);
}
