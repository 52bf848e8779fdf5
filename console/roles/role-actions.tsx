// The choice of what a role gives: capabilities, models, administration.
import { useQuery } from "@tanstack/react-query";
import {
  allCapabilities,
  allModels,
  modelAction,
  modelsOf,
  stableCapabilities,
  type Action,
} from "../groups/groups.ts";
import { Badge } from "../kit/value/badge.tsx";
import { SelectField } from "../kit/form/select.tsx";
import { modelQueries } from "../models/queries.ts";

interface Props {
  words: Action[];
  actions: string[];
  onChange: (actions: string[]) => void;
}

export function RoleActions(props: Props) {
  return (
    <>
      <Capabilities {...props} />
      <Models {...props} />
      <Administration {...props} />
    </>
  );
}

const isCapability = (action: string) => action.startsWith("capability_");
const isModel = (action: string) => action.startsWith("model_access");

/** What a blanket covers is not chosen beside it. */
function Capabilities({ words, actions, onChange }: Props) {
  const blanket = words.find(
    ({ action, is_blanket }) => is_blanket && isCapability(action) && actions.includes(action),
  );
  const single = words.filter(({ action, is_blanket }) => isCapability(action) && !is_blanket);
  const others = actions.filter((action) => !isCapability(action));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">Capabilities</legend>
      <SelectField
        label="Which capabilities"
        value={blanket?.action ?? ""}
        hint="A blanket also covers what later versions of the server bring."
        choices={[
          { value: "", label: "Those that are chosen below" },
          { value: stableCapabilities, label: "All but betas" },
          { value: allCapabilities, label: "All" },
        ]}
        onChange={(chosen) => onChange(chosen === "" ? others : [chosen, ...others])}
      />
      {blanket === undefined && <Checks words={single} actions={actions} onChange={onChange} />}
    </fieldset>
  );
}

function Models({ actions, onChange }: Props) {
  const { data } = useQuery(modelQueries.list);
  const named = modelsOf(actions);
  const listed = data?.data.map(({ id }) => id) ?? [];
  // A role may name a model that the server does not have any more, or not yet.
  const ids = [...listed, ...named.filter((id) => !listed.includes(id))];
  const others = actions.filter((action) => !isModel(action));
  const words = ids.map((id) => ({
    action: modelAction(id),
    gives: listed.includes(id) || data === undefined ? id : `${id} (this server has no such model)`,
    grants_owner_access: false,
  }));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">Models</legend>
      <SelectField
        label="Which models"
        value={actions.includes(allModels) ? allModels : ""}
        choices={[
          { value: "", label: "Those that are chosen below" },
          { value: allModels, label: "Every model, later ones too" },
        ]}
        onChange={(chosen) => onChange(chosen === "" ? others : [chosen, ...others])}
      />
      {!actions.includes(allModels) && (
        <Checks words={words} actions={actions} onChange={onChange} />
      )}
    </fieldset>
  );
}

function Administration({ words, actions, onChange }: Props) {
  const own = words.filter(({ variant }) => variant === "permission");
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">Administration</legend>
      <Checks words={own} actions={actions} onChange={onChange} />
    </fieldset>
  );
}

type Word = Pick<Action, "action" | "gives" | "grants_owner_access">;

function Checks({ words, actions, onChange }: Omit<Props, "words"> & { words: Word[] }) {
  return (
    <div className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
      {words.map(({ action, gives, grants_owner_access }) => (
        <label key={action} className="flex cursor-pointer items-baseline gap-2.5 py-0.5">
          <input
            type="checkbox"
            className="accent-accent"
            checked={actions.includes(action)}
            onChange={({ target }) =>
              onChange(
                target.checked ? [...actions, action] : actions.filter((other) => other !== action),
              )
            }
          />
          <span className="min-w-0 wrap-anywhere">
            {gives} {grants_owner_access && <Badge tone="warn">Owner access</Badge>}
          </span>
        </label>
      ))}
    </div>
  );
}
