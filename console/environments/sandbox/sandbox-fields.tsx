// The part of the form that says what the sandboxes of an environment must hold, and how small they are to be.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CheckField, TextField } from "../../kit/form/field.tsx";
import type { FormState } from "../../kit/form/form.tsx";
import type { SandboxFacts } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { plural } from "../../../client/text/words.ts";
import type { Draft } from "../environment-draft.ts";
import { asksForNothing, sizeFault } from "./sandbox-draft.ts";
import {
  guaranteeNames,
  guarantees,
  levels,
  sandboxQueries,
  sizeNames,
  sizes,
  sizeText,
  type GuaranteeName,
  type SizeName,
} from "./sandbox-words.ts";

const path = "config.sandbox";

export function SandboxFields({ form }: { form: FormState<Draft> }) {
  const { id: workspace } = useWorkspace();
  const { data: facts } = useQuery(sandboxQueries.facts(workspace));
  const [wasOpened, setOpened] = useState(false);
  const { sandbox } = form.values;
  const refused = form.errorWithin(`${path}.guarantees`);
  const errors = sizeNames.map(
    (name) =>
      sizeFault(name, sandbox.sizes[name], facts?.limits) ?? form.errorAt(`${path}.${name}`),
  );
  const isOpen = [refused, ...errors].some((error) => error !== undefined);
  return (
    // It stays open when what was wrong is mended.
    <details
      open={isOpen || wasOpened}
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
    >
      <summary className="font-medium">
        Sandboxes <span className="font-normal text-soft">{summaryOf(sandbox)}</span>
      </summary>
      <Guarantees form={form} facts={facts} refused={refused} />
      <Sizes form={form} facts={facts} errors={errors} />
    </details>
  );
}

interface PartProps {
  form: FormState<Draft>;
  /** Undefined until they are known. */
  facts: SandboxFacts | undefined;
}

function Guarantees({ form, facts, refused }: PartProps & { refused: string | undefined }) {
  const { sandbox } = form.values;
  const toggle = (name: GuaranteeName, isOn: boolean) => {
    const isAsked = (each: GuaranteeName) =>
      each === name ? isOn : sandbox.guarantees.includes(each);
    form.set({ sandbox: { ...sandbox, guarantees: guaranteeNames.filter(isAsked) } });
  };
  const hintOf = (name: GuaranteeName) => {
    const level = facts?.guarantees.find((each) => each.name === name)?.level;
    return level === undefined ? {} : { hint: `Here: ${levels[level].word.toLowerCase()}` };
  };
  return (
    <fieldset className="mt-3 grid gap-1">
      <legend className="mb-1 font-medium">What the machine must enforce</legend>
      <div className="grid grid-cols-2 gap-x-4">
        {guaranteeNames.map((name) => (
          <CheckField
            key={name}
            label={guarantees[name]}
            {...hintOf(name)}
            checked={sandbox.guarantees.includes(name)}
            onChange={({ target }) => toggle(name, target.checked)}
          />
        ))}
      </div>
      <p className="text-sm text-soft">
        Where the machine enforces less than what is chosen, no session begins.
      </p>
      {refused !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {refused}
        </p>
      )}
    </fieldset>
  );
}

function Sizes({ form, facts, errors }: PartProps & { errors: readonly (string | undefined)[] }) {
  const { sandbox } = form.values;
  const set = (name: SizeName, typed: string) =>
    form.set({ sandbox: { ...sandbox, sizes: { ...sandbox.sizes, [name]: typed } } });
  return (
    <fieldset className="mt-4">
      <legend className="mb-1 font-medium">The most that a sandbox may use</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {sizeNames.map((name, at) => (
          <TextField
            key={name}
            label={`Most ${sizes[name].asked}`}
            inputMode="decimal"
            autoComplete="off"
            {...(facts !== undefined && {
              placeholder: facts.limits[name].toString(),
              hint: `${sizeText(name, facts.limits[name])} where it is empty, and never more`,
            })}
            value={sandbox.sizes[name]}
            error={errors[at]}
            onChange={({ target }) => set(name, target.value)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function summaryOf(sandbox: Draft["sandbox"]): string {
  if (asksForNothing(sandbox)) return "As the settings have them";
  const count = sizeNames.filter((name) => sandbox.sizes[name].trim() !== "").length;
  const parts = [
    ...(sandbox.guarantees.length > 0 ? [plural(sandbox.guarantees.length, "guarantee")] : []),
    ...(count > 0 ? [plural(count, "limit")] : []),
  ];
  return parts.join(", ");
}
