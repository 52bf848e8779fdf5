// Adding a model, or changing one.
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, type ModelEntry, type NewModel, type Upstream } from "../kit/server/api.ts";
import { draftOf, efforts, entryOf, flags, thinkingTypes, type ModelDraft } from "./model-draft.ts";
import { queryClient } from "../kit/server/queries.ts";
import { spaced, takenBy } from "../kit/value/words.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../kit/form/field.tsx";
import { FormTrouble } from "../kit/form/form-trouble.tsx";
import { say } from "../kit/page/toast.tsx";

export interface ModelFormProps {
  /** What is changed; undefined for a new one. */
  entry: ModelEntry | undefined;
  /** What there is: a new one must not take the place of another unseen. */
  ids: readonly string[];
  upstreams: readonly Upstream[];
  onClose: () => void;
}

export function ModelForm({ open, ...props }: ModelFormProps & { open: boolean }) {
  const { entry, onClose } = props;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={entry === undefined ? "Add a model" : `Change ${entry.id}`}
      description={
        entry?.origin === "built-in"
          ? "It comes with Plinth. What you set here overrides it, until you remove it again."
          : undefined
      }
      wide
    >
      {open && <Form key={entry?.id ?? ""} {...props} />}
    </Dialog>
  );
}

interface PartProps {
  draft: ModelDraft;
  change: (patch: Partial<ModelDraft>) => void;
}

function useModelForm({ entry, ids, upstreams, onClose }: ModelFormProps) {
  const [draft, setDraft] = useState(() => draftOf(entry, upstreams[0]?.name ?? "simulator"));
  const [fault, setFault] = useState<string>();
  const change = (patch: Partial<ModelDraft>) => setDraft((before) => ({ ...before, ...patch }));
  const save = useMutation({
    mutationFn: (body: NewModel) => api.models.set({ body }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries();
      say.good(`${id} is in the catalog`);
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    const id = draft.id.trim();
    const isTaken = entry === undefined && ids.includes(id);
    const body = isTaken ? takenBy("model", id) : entryOf(draft, entry);
    setFault(typeof body === "string" ? body : undefined);
    if (typeof body !== "string") save.mutate(body);
  }
  return { draft, change, submit, fault, save };
}

function Form(props: ModelFormProps) {
  const { entry, upstreams, onClose } = props;
  const { draft, change, submit, fault, save } = useModelForm(props);
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Names draft={draft} change={change} upstreams={upstreams} isNew={entry === undefined} />
      <Limits draft={draft} change={change} />
      <Abilities draft={draft} change={change} />
      <TextField
        label="May fall back to"
        hint="Models by id, with commas between. Empty: it shows its refusals."
        value={draft.fallbackModels}
        autoComplete="off"
        onChange={({ target }) => change({ fallbackModels: target.value })}
      />
      <details>
        <summary className="py-1 font-medium">Everything else, as JSON</summary>
        <AreaField
          label="Further settings"
          hint="Classifiers, routing of fallbacks by category, guard, group of limits, and more: as in plinth.config.json."
          rows={4}
          spellCheck={false}
          className="font-mono text-sm"
          value={draft.rest}
          onChange={({ target }) => change({ rest: target.value })}
        />
      </details>
      <FormTrouble fault={fault} error={save.error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={draft.id.trim() === ""}
        >
          {entry === undefined ? "Add the model" : "Save"}
        </Button>
      </DialogActions>
    </form>
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
        onChange={({ target }) => change({ upstream: target.value })}
      >
        {upstreams.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
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
        onChange={({ target }) => change({ lifecycle: target.value as ModelDraft["lifecycle"] })}
      >
        <option value="active">Active</option>
        <option value="deprecated">Deprecated</option>
        <option value="retired">Retired</option>
      </SelectField>
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
      {field("Most input tokens", "maxInput")}
      {field("Most output tokens", "maxTokens")}
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
