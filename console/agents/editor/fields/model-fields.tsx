// Which model an agent is, and how much effort it takes.
import { useQuery } from "@tanstack/react-query";
import { SelectField } from "../../../kit/form/select.tsx";
import { TroubleBox } from "../../../kit/page/trouble-box.tsx";
import type { ModelInfo } from "../../../kit/server/api.ts";
import { effortsOf } from "../../../models/capabilities.ts";
import { modelQueries } from "../../../models/queries.ts";
import type { AgentDraft } from "../draft.ts";

type Chosen = Pick<AgentDraft, "model" | "effort">;

interface Props {
  draft: Chosen;
  error: string | undefined;
  effortError: string | undefined;
  onChange: (patch: Chosen) => void;
}

export function ModelFields({ draft: { model, effort }, error, effortError, onChange }: Props) {
  const { data, error: trouble, refetch } = useQuery(modelQueries.list);
  const models = data?.data.filter(({ lifecycle }) => lifecycle !== "retired") ?? [];
  const chosen = models.find(({ id }) => id === model);
  const levels = chosen === undefined ? [] : effortsOf(chosen);
  // A name that leads to a model is kept, and so is one that was retired since.
  const isOther = model !== "" && chosen === undefined;
  return (
    <>
      {trouble !== null && <TroubleBox error={trouble} retry={() => void refetch()} />}
      <div className="grid items-start gap-4 sm:grid-cols-[2fr_1fr]">
        <SelectField
          label="Model"
          value={model}
          error={error}
          choices={[
            ...(model === "" ? [{ value: "", label: "Choose a model" }] : []),
            ...(isOther ? [{ value: model, label: model, hint: "As it was named" }] : []),
            ...models.map(({ id, display_name: name, lifecycle }) => ({
              value: id,
              label: name,
              hint: lifecycle === "active" ? id : `${id}, ${lifecycle}`,
            })),
          ]}
          onChange={(id) => onChange({ model: id, effort: effortFor(models, id, effort) })}
        />
        <SelectField
          label="Effort"
          value={effort}
          error={effortError}
          disabled={levels.length === 0}
          {...(chosen !== undefined && levels.length === 0 && { hint: "This model takes none." })}
          choices={[
            ...(effort === "" || isOther
              ? [{ value: effort, label: effort === "" ? "As the model has it" : effort }]
              : []),
            ...levels.map((level) => ({
              value: level,
              label: level === chosen?.recommended_effort ? `${level}, recommended` : level,
            })),
          ]}
          onChange={(level) => onChange({ model, effort: level })}
        />
      </div>
    </>
  );
}

/** The one from before where the model takes it, else the one that it recommends. */
function effortFor(models: readonly ModelInfo[], id: string, before: string): string {
  const model = models.find((each) => each.id === id);
  if (model === undefined) return "";
  return effortsOf(model).includes(before) ? before : (model.recommended_effort ?? "");
}
