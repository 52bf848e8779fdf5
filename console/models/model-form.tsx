// Adding a model, or changing one.
import { useQuery } from "@tanstack/react-query";
import { AreaField, CheckField, TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { SelectField } from "../kit/form/select.tsx";
import { api, type ModelEntry, type NewModel, type Upstream } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { spaced, takenBy } from "../kit/value/words.ts";
import { draftOf, efforts, entryOf, flags, thinkingTypes, type ModelDraft } from "./model-draft.ts";
import { modelQueries } from "./queries.ts";

export const addModel = (): void =>
  openDialog({ title: "Add a model", wide: true, body: <ModelForm /> });

export const changeModel = (entry: ModelEntry): void =>
  openDialog({
    title: `Change ${entry.id}`,
    ...(entry.origin === "built-in" && {
      description:
        "It comes with Plinth. What you set here overrides it, until you remove it again.",
    }),
    wide: true,
    body: <ModelForm entry={entry} />,
  });

interface PartProps {
  draft: ModelDraft;
  change: (patch: Partial<ModelDraft>) => void;
}

function ModelForm({ entry }: { entry?: ModelEntry }) {
  const ids = useQuery(modelQueries.entries).data?.data.map(({ id }) => id) ?? [];
  const upstreams = useQuery(modelQueries.upstreams).data?.data ?? [];
  const form = useForm({
    start: draftOf(entry, upstreams[0]?.name ?? "simulator"),
    // A new one must not take the place of another unseen.
    faultOf: (draft) => {
      const id = draft.id.trim();
      if (entry === undefined && ids.includes(id)) return takenBy("model", id);
      const body = entryOf(draft, entry);
      return typeof body === "string" ? body : undefined;
    },
    save: (draft) => api.models.set({ body: entryOf(draft, entry) as NewModel }),
    done: ({ id }) => `${id} is in the catalog`,
    renew: () => queryClient.invalidateQueries(),
  });
  const { values: draft, set: change } = form;
  return (
    <Form
      form={form}
      label={entry === undefined ? "Add the model" : "Save"}
      isReady={draft.id.trim() !== ""}
    >
      <Names draft={draft} change={change} upstreams={upstreams} isNew={entry === undefined} />
      <Limits draft={draft} change={change} />
      <Abilities draft={draft} change={change} />
      <TextField
        label="May fall back to"
        hint="Models by id, with commas between. Empty: it shows its refusals."
        autoComplete="off"
        {...form.field("fallbackModels")}
      />
      <details>
        <summary className="py-1 font-medium">Everything else, as JSON</summary>
        <AreaField
          label="Further settings"
          hint="Classifiers, routing of fallbacks by category, guard, group of limits, and more: as in plinth.config.json."
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
          {...form.field("rest")}
        />
      </details>
    </Form>
  );
}

function Names({
  draft,
  change,
  upstreams,
  isNew,
}: PartProps & { upstreams: readonly Upstream[]; isNew: boolean }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Id"
        hint={isNew ? "What clients send as model." : undefined}
        value={draft.id}
        required
        readOnly={!isNew}
        autoComplete="off"
        onChange={({ target }) => change({ id: target.value })}
      />
      <TextField
        label="Shown as"
        value={draft.displayName}
        autoComplete="off"
        onChange={({ target }) => change({ displayName: target.value })}
      />
      <SelectField
        label="Upstream"
        value={draft.upstream}
        choices={upstreams.map(({ name }) => ({ value: name, label: name }))}
        onChange={(upstream) => change({ upstream })}
      />
      <TextField
        label="Its name there"
        hint="Empty: the same."
        value={draft.upstreamModel}
        autoComplete="off"
        onChange={({ target }) => change({ upstreamModel: target.value })}
      />
      <TextField
        label="Aliases"
        hint="With commas between; * stands for anything."
        value={draft.aliases}
        autoComplete="off"
        onChange={({ target }) => change({ aliases: target.value })}
      />
      <SelectField
        label="Lifecycle"
        value={draft.lifecycle}
        choices={[
          { value: "active", label: "Active" },
          { value: "deprecated", label: "Deprecated" },
          { value: "retired", label: "Retired" },
        ]}
        onChange={(lifecycle) => change({ lifecycle })}
      />
    </div>
  );
}

function Limits({ draft, change }: PartProps) {
  const field = (
    label: string,
    name: "maxInput" | "maxTokens" | "priceIn" | "priceOut",
    hint?: string,
  ) => (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      value={draft[name]}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  );
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {field("Max input tokens", "maxInput")}
      {field("Max output tokens", "maxTokens")}
      {field("Price of a million input tokens", "priceIn", "Prices of the cache follow a change.")}
      {field("Price of a million output tokens", "priceOut")}
    </div>
  );
}

function Abilities({ draft, change }: PartProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Choices
        legend="Takes"
        choices={flags}
        chosen={draft.flags}
        onChange={(chosen) => change({ flags: chosen })}
      />
      <Choices
        legend="Effort"
        choices={efforts.map((level) => [level, level] as const)}
        chosen={draft.efforts}
        onChange={(chosen) => change({ efforts: chosen })}
      />
      <Choices
        legend="Thinking"
        choices={thinkingTypes.map((type) => [type, spaced(type)] as const)}
        chosen={draft.thinking}
        onChange={(chosen) => change({ thinking: chosen })}
      />
    </div>
  );
}

function Choices<T extends string>({
  legend,
  choices,
  chosen,
  onChange,
}: {
  legend: string;
  choices: readonly (readonly [T, string])[];
  chosen: T[];
  onChange: (chosen: T[]) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{legend}</legend>
      {choices.map(([value, label]) => (
        <CheckField
          key={value}
          label={label}
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChange(
              target.checked ? [...chosen, value] : chosen.filter((other) => other !== value),
            )
          }
        />
      ))}
    </fieldset>
  );
}
