// What a rule gives: for which service account, how much, where, and for how long.
import { useQuery } from "@tanstack/react-query";
import { federationQueries, scopeWords, useWorkspaces, type Rule } from "../federation.ts";
import { RadioCards, TextField } from "../../kit/form/field.tsx";
import type { FormState } from "../../kit/form/form.tsx";
import { SelectField } from "../../kit/form/select.tsx";
import { standsAbove, type RuleDraft } from "./rule-draft.ts";

export interface RuleFields {
  form: FormState<RuleDraft>;
}
type Fields = RuleFields & { rule?: Rule | undefined };

export function RuleTarget({ form, rule }: Fields) {
  const { scope } = form.values;
  return (
    <fieldset className="grid gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 font-semibold">What it gives for them</legend>
      <Account form={form} />
      <RadioCards
        legend="Scope"
        name="scope"
        value={scope}
        choices={scopeChoices(scope)}
        onChange={(next) => form.set({ scope: next })}
      />
      {!standsAbove(form.values) && <Where form={form} rule={rule} />}
      <TextField
        label="Longest life of a token, in seconds"
        type="number"
        min={60}
        max={86_400}
        required
        hint="At most twice what is left of the token that was presented, and at least a minute."
        {...form.field("life")}
      />
    </fieldset>
  );
}

/** Scopes that were set together over the API stay a choice. */
const scopeChoices = (now: string) =>
  [...new Set([...Object.keys(scopeWords), now])].map((value) => ({
    value,
    label: scopeWords[value]?.name ?? value,
    hint: scopeWords[value]?.means ?? "As it is now.",
  }));

function Account({ form }: RuleFields) {
  const { data } = useQuery(federationQueries.liveAccounts);
  const wantsAdmin = form.values.scope.includes("org:admin");
  return (
    <SelectField
      label="Service account"
      required
      hint={
        data?.data.length === 0
          ? "There is none yet: make one on the page Service accounts."
          : "Under whose name the workload acts."
      }
      choices={[
        { value: "", label: "Choose one" },
        ...(data?.data ?? []).map(({ id, name, organization_role: role }) => ({
          value: id,
          label: role === "admin" ? `${name} (administrator)` : name,
          disabled: wantsAdmin && role !== "admin",
        })),
      ]}
      {...form.choice("account")}
    />
  );
}

function Where({ form, rule }: Fields) {
  const { live } = useWorkspaces();
  const { where } = form.values;
  const hasSome = (rule?.workspace_ids.length ?? 0) > 0;
  return (
    <>
      <RadioCards
        legend="Where its tokens work"
        name="where"
        value={where}
        choices={[
          {
            value: "some",
            label: "In named workspaces",
            hint: hasSome ? "Those that stand on the page of the rule." : "More are added later.",
          },
          {
            value: "all",
            label: "In all of the account's",
            hint: "Also in those that it is added to later.",
          },
        ]}
        onChange={(next) => form.set({ where: next })}
      />
      {where === "some" && !hasSome && (
        <SelectField
          label="Workspace"
          required
          choices={[
            { value: "", label: "Choose one" },
            ...live.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...form.choice("workspace")}
        />
      )}
    </>
  );
}
