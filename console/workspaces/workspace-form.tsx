// What a workspace says of itself: name, colour, tags, and where its requests may be answered.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { renewWorkspaces, type Workspace } from "./workspaces.ts";
import { Button } from "../kit/page/button.tsx";
import { DialogActions } from "../kit/form/dialog.tsx";
import { RadioCards, TextField } from "../kit/form/field.tsx";
import { FormTrouble } from "../kit/form/form-trouble.tsx";
import { say } from "../kit/page/toast.tsx";
import { Pairs, pairsOf, recordOf, type Pair } from "../kit/form/pairs.tsx";

/** Names, so that a choice of colour can be read aloud. */
const colors: Record<string, string> = {
  "#2F6FDE": "Blue",
  "#0E8A6A": "Green",
  "#B7791F": "Amber",
  "#C2410C": "Orange",
  "#BE3455": "Red",
  "#8B5CF6": "Violet",
  "#0E7490": "Teal",
  "#5B6B8C": "Slate",
};

type Places = "anywhere" | "us" | "global";

interface Draft {
  name: string;
  color: string;
  places: Places;
  pairs: Pair[];
}

const draftOf = (workspace: Workspace | undefined): Draft => ({
  name: workspace?.name ?? "",
  color: workspace?.display_color ?? Object.keys(colors)[0] ?? "",
  places: workspace === undefined ? "anywhere" : placesOf(workspace),
  pairs: pairsOf(workspace?.tags ?? {}),
});

function placesOf({ data_residency: { allowed_inference_geos: allowed } }: Workspace): Places {
  if (allowed === "unrestricted" || allowed.length > 1) return "anywhere";
  return allowed[0] ?? "anywhere";
}

function residencyOf(places: Places, before: Workspace | undefined) {
  // What the form does not show stays as it is.
  if (before !== undefined && placesOf(before) === places) return undefined;
  return places === "anywhere"
    ? { allowed_inference_geos: "unrestricted" as const, default_inference_geo: "global" as const }
    : { allowed_inference_geos: [places], default_inference_geo: places };
}

function save(draft: Draft, before: Workspace | undefined): Promise<Workspace> {
  const tags = recordOf(draft.pairs);
  const residency = residencyOf(draft.places, before);
  const facts = {
    name: draft.name.trim(),
    display_color: draft.color,
    ...(residency !== undefined && { data_residency: residency }),
  };
  if (before === undefined) return api.workspaces.create({ body: { ...facts, tags } });
  // A tag that is not there any more must be named to go.
  const gone = Object.fromEntries(Object.keys(before.tags).map((key) => [key, null]));
  const body = { ...facts, tags: { ...gone, ...tags } };
  return api.workspaces.update({ params: { workspace_id: before.id }, body });
}

export function WorkspaceForm({
  workspace,
  onClose,
  onMade,
}: {
  /** Undefined for a new one. */
  workspace?: Workspace;
  onClose: () => void;
  onMade?: (workspace: Workspace) => void;
}) {
  const [draft, setDraft] = useState(draftOf(workspace));
  const change = (patch: Partial<Draft>) => setDraft((before) => ({ ...before, ...patch }));
  const saving = useAct({
    mutationFn: () => save(draft, workspace),
    onSuccess: async (saved) => {
      await renewWorkspaces();
      say.good(workspace === undefined ? `${saved.name} is there` : "Saved");
      onClose();
      onMade?.(saved);
    },
  });
  const wrongName = fieldError(saving.error, "name");
  function submit(event: FormEvent): void {
    event.preventDefault();
    saving.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Name"
        hint="A team, a product or a stage, such as Search or Production."
        value={draft.name}
        required
        maxLength={200}
        autoComplete="off"
        error={wrongName}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Colors value={draft.color} onChange={(color) => change({ color })} />
      <RadioCards
        legend="Where requests may ask to be answered"
        name="places"
        value={draft.places}
        onChange={(places) => change({ places })}
        choices={[
          { value: "anywhere", label: "Anywhere", hint: "Any inference_geo is taken" },
          { value: "us", label: "United States", hint: "Another inference_geo is refused" },
          { value: "global", label: "Global", hint: "Another inference_geo is refused" },
        ]}
      />
      <Pairs
        legend="Tags"
        pairs={draft.pairs}
        most={{ pairs: 50, key: 64, value: 256 }}
        onChange={(pairs) => change({ pairs })}
      />
      <FormTrouble fault={undefined} error={wrongName === undefined ? saving.error : null} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={saving.isPending}
          disabled={draft.name.trim() === ""}
        >
          {workspace === undefined ? "Create workspace" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}

function Colors({ value, onChange }: { value: string; onChange: (color: string) => void }) {
  // One that was set over the API stays a choice.
  const choices = Object.hasOwn(colors, value) ? colors : { [value]: value, ...colors };
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">Colour</legend>
      <div className="flex flex-wrap gap-1.5">
        {Object.entries(choices).map(([color, name]) => (
          <label
            key={color}
            title={name}
            className="grid size-9 cursor-pointer place-items-center rounded-md border border-transparent has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:size-10"
          >
            <input
              type="radio"
              name="color"
              className="sr-only"
              aria-label={name}
              checked={value === color}
              onChange={() => onChange(color)}
            />
            <span
              aria-hidden
              className="size-5 rounded-full border border-line"
              style={{ backgroundColor: color }}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
