// How the model is asked: everything beside the conversation, as far as the chosen model takes it.
import type { ModelInfo } from "../kit/server/api.ts";
import {
  exampleTool,
  exampleTools,
  fallbackModelsMax,
  parseTools,
  takesTemperature,
  type Draft,
  type Faults,
} from "./playground.ts";
import { effortsOf, thinkingOf } from "../models/capabilities.ts";
import { spaced } from "../kit/value/words.ts";
import { Button } from "../kit/page/button.tsx";
import { AreaField, CheckField, TextField } from "../kit/form/field.tsx";
import { SelectField } from "../kit/form/select.tsx";

interface Props {
  draft: Draft;
  model: ModelInfo;
  faults: Faults;
  onChange: (patch: Partial<Draft>) => void;
}

export function Settings({
  models,
  beside,
  onModel,
  onBeside,
  ...props
}: Props & {
  models: readonly ModelInfo[];
  beside: ModelInfo | undefined;
  onModel: (id: string) => void;
  onBeside: (id: string) => void;
}) {
  const { draft, model, faults, onChange } = props;
  return (
    <div className="grid gap-4">
      <SelectField
        label="Model"
        value={model.id}
        hint={model.lifecycle === "active" ? model.id : `${model.id}, ${model.lifecycle}`}
        choices={models.map(({ id, display_name }) => ({ value: id, label: display_name }))}
        onChange={onModel}
      />
      {models.length > 1 && (
        <SelectField
          label="Side by side with"
          value={beside?.id ?? ""}
          choices={[
            { value: "", label: "None" },
            ...models
              .filter(({ id }) => id !== model.id)
              .map(({ id, display_name }) => ({ value: id, label: display_name })),
          ]}
          onChange={onBeside}
        />
      )}
      <TextField
        label="Max tokens"
        inputMode="numeric"
        value={draft.maxTokens}
        error={faults.maxTokens}
        onChange={({ target }) => onChange({ maxTokens: target.value })}
      />
      <TextField
        label="Temperature"
        inputMode="decimal"
        placeholder="Default"
        value={draft.temperature}
        error={faults.temperature}
        disabled={!takesTemperature(draft)}
        {...(!takesTemperature(draft) && { hint: "Not sent: a model that thinks takes none." })}
        onChange={({ target }) => onChange({ temperature: target.value })}
      />
      <Effort {...props} />
      <Thinking {...props} />
      <Fallbacks {...props} />
      <Tools {...props} />
      <CheckField
        label="Stream the answer"
        checked={draft.stream}
        onChange={({ target }) => onChange({ stream: target.checked })}
      />
    </div>
  );
}

const asTheModel = { value: "", label: "Default" };

function Effort({ draft, model, onChange }: Props) {
  const levels = effortsOf(model);
  return (
    <SelectField
      label="Effort"
      value={draft.effort}
      disabled={levels.length === 0}
      {...(levels.length === 0 && { hint: "This model takes no effort." })}
      {...(model.recommended_effort !== null && {
        hint: `Recommended: ${model.recommended_effort}`,
      })}
      choices={[asTheModel, ...levels.map((level) => ({ value: level, label: level }))]}
      onChange={(effort) => onChange({ effort })}
    />
  );
}

function Thinking({ draft, model, faults, onChange }: Props) {
  const types = thinkingOf(model);
  return (
    <>
      <SelectField
        label="Thinking"
        value={draft.thinking}
        disabled={types.length === 0}
        choices={[asTheModel, ...types.map((type) => ({ value: type, label: spaced(type) }))]}
        onChange={(thinking) => onChange({ thinking })}
      />
      {draft.thinking === "enabled" && (
        <TextField
          label="Tokens for thinking"
          inputMode="numeric"
          value={draft.budget}
          error={faults.budget}
          onChange={({ target }) => onChange({ budget: target.value })}
        />
      )}
    </>
  );
}

function Fallbacks({ draft, model, faults, onChange }: Props) {
  const allowed = model.allowed_fallback_models ?? [];
  const chosen = draft.fallbackModels;
  const choose = (id: string, on: boolean) =>
    onChange({ fallbackModels: on ? [...chosen, id] : chosen.filter((other) => other !== id) });
  return (
    <div className="grid gap-2">
      <SelectField
        label="When it refuses"
        value={draft.fallbacks}
        error={faults.fallbacks}
        {...(allowed.length === 0 && { hint: "This model has no fallback models." })}
        choices={[
          { value: "off", label: "Show the refusal" },
          { value: "default", label: "Fall back as the model says" },
          { value: "list", label: "Fall back to these models", disabled: allowed.length === 0 },
        ]}
        onChange={(fallbacks) => onChange({ fallbacks })}
      />
      {draft.fallbacks === "list" && (
        <fieldset className="pl-1">
          <legend className="sr-only">
            Fallback models, in the order in which they are chosen
          </legend>
          {allowed.map((id) => {
            const place = chosen.indexOf(id);
            return (
              <CheckField
                key={id}
                label={place === -1 ? id : `${place + 1}. ${id}`}
                checked={place !== -1}
                disabled={place === -1 && chosen.length >= fallbackModelsMax}
                onChange={({ target }) => choose(id, target.checked)}
              />
            );
          })}
        </fieldset>
      )}
    </div>
  );
}

function Tools({ draft, faults, onChange }: Props) {
  return (
    <div className="grid gap-2">
      <AreaField
        label="Tools"
        rows={2}
        spellCheck={false}
        value={draft.tools}
        error={faults.tools}
        placeholder="[ ] as JSON; none when empty"
        className="font-mono text-sm"
        onChange={({ target }) => onChange({ tools: target.value })}
      />
      {draft.tools.trim() === "" ? (
        <div>
          <Button onClick={() => onChange({ tools: exampleTools })}>Insert an example</Button>
        </div>
      ) : (
        <div>
          <Button disabled={faults.tools !== undefined} onClick={() => onChange(withTool(draft))}>
            Add a tool
          </Button>
        </div>
      )}
    </div>
  );
}

/** One more of them, to write on. */
function withTool({ tools }: Draft): Partial<Draft> {
  const all = parseTools(tools);
  const more = Array.isArray(all) ? all : [];
  const name = `tool_${more.length + 1}`;
  return { tools: JSON.stringify([...more, { ...exampleTool, name }], null, 2) };
}
