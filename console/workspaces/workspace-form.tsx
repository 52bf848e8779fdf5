// What a workspace says of itself: name, colour, tags, and where its requests may be answered.
import { RadioCards, TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { Pairs, pairsOf, patchOf, recordOf, type Pair } from "../kit/form/pairs.tsx";
import { api } from "../kit/server/api.ts";
import { renewWorkspaces, type Workspace } from "./workspaces.ts";

export const newWorkspace = (onMade: (made: Workspace) => void): void =>
  openDialog({ title: "New workspace", body: <WorkspaceForm onMade={onMade} /> });

export const editWorkspace = (workspace: Workspace): void =>
  openDialog({ title: "Edit the workspace", body: <WorkspaceForm workspace={workspace} /> });

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

interface Values {
  name: string;
  color: string;
  places: Places;
  pairs: Pair[];
}

const valuesOf = (workspace: Workspace | undefined): Values => ({
  name: workspace?.name ?? "",
  color: workspace?.display_color ?? Object.keys(colors)[0] ?? "",
  places: workspace === undefined ? "anywhere" : placesOf(workspace),
  pairs: pairsOf(workspace?.tags ?? {}),
});

function placesOf({ data_residency: { allowed_inference_geos: allowed } }: Workspace): Places {
  if (allowed === "unrestricted" || allowed.length > 1) return "anywhere";
  return allowed[0] ?? "anywhere";
}

function residencyOf(places: Places) {
  return places === "anywhere"
    ? { allowed_inference_geos: "unrestricted" as const, default_inference_geo: "global" as const }
    : { allowed_inference_geos: [places], default_inference_geo: places };
}

function create({ name, color, places, pairs }: Values): Promise<Workspace> {
  const body = {
    name: name.trim(),
    display_color: color,
    data_residency: residencyOf(places),
    tags: recordOf(pairs),
  };
  return api.workspaces.create({ body });
}

function update(before: Workspace, { name, color, places, pairs }: Partial<Values>) {
  const body = {
    ...(name !== undefined && { name: name.trim() }),
    ...(color !== undefined && { display_color: color }),
    // More regions than the form can show stay as they are while it is not touched.
    ...(places && { data_residency: residencyOf(places) }),
    ...(pairs && { tags: patchOf(before.tags, recordOf(pairs)) }),
  };
  return api.workspaces.update({ params: { workspace_id: before.id }, body });
}

function WorkspaceForm({
  workspace,
  onMade,
}: {
  /** Undefined for a new one. */
  workspace?: Workspace;
  onMade?: (workspace: Workspace) => void;
}) {
  const form = useForm({
    start: valuesOf(workspace),
    save: (values, changed) =>
      workspace === undefined ? create(values) : update(workspace, changed),
    done: ({ name }) => (workspace === undefined ? `${name} is there` : "Saved"),
    renew: renewWorkspaces,
    ...(onMade && { next: onMade }),
  });
  const { name, color, places, pairs } = form.values;
  return (
    <Form
      form={form}
      label={workspace === undefined ? "Create workspace" : "Save"}
      isReady={name.trim() !== ""}
    >
      <TextField
        label="Name"
        hint="A team, a product or a stage, such as Search or Production."
        required
        maxLength={200}
        autoComplete="off"
        {...form.field("name")}
      />
      <Colors value={color} onChange={(chosen) => form.set({ color: chosen })} />
      <RadioCards
        legend="Where requests may ask to be answered"
        name="places"
        value={places}
        onChange={(chosen) => form.set({ places: chosen })}
        choices={[
          { value: "anywhere", label: "Anywhere", hint: "Any inference_geo is taken" },
          { value: "us", label: "United States", hint: "Another inference_geo is refused" },
          { value: "global", label: "Global", hint: "Another inference_geo is refused" },
        ]}
      />
      <Pairs
        legend="Tags"
        pairs={pairs}
        most={{ pairs: 50, key: 64, value: 256 }}
        onChange={(changed) => form.set({ pairs: changed })}
      />
    </Form>
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
