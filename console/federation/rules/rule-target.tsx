// What a rule gives: for which service account, how much, where, and for how long.
import { useQuery } from "@tanstack/react-query";
import { federationQueries, scopeWords, useWorkspaces, type Rule } from "../federation.ts";
import { RadioCards, SelectField, TextField } from "../../kit/form/field.tsx";
import { standsAbove, type RuleDraft } from "./rule-draft.ts";

interface Fields {
  draft: RuleDraft;
  change: (patch: Partial<RuleDraft>) => void;
}

export function RuleTarget({ draft, change, rule }: Fields & { rule?: Rule }) {
  return (
    <fieldset className="grid gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 font-semibold">What it gives for them</legend>
      <Account draft={draft} change={change} />
      <RadioCards
        legend="Scope"
        name="scope"
        value={draft.scope}
        choices={scopeChoices(draft.scope)}
        onChange={(scope) => change({ scope })}
      />
      {!standsAbove(draft) && <Where draft={draft} change={change} {...(rule && { rule })} />}
      <TextField
        label="Longest life of a token, in seconds"
        type="number"
        min={60}
        max={86_400}
        required
        value={draft.life}
        hint="At most twice what is left of the token that was presented, and at least a minute."
        onChange={({ target }) => change({ life: target.value })}
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

function Account({ draft, change }: Fields) {
  const { data } = useQuery(federationQueries.liveAccounts);
  const wantsAdmin = draft.scope.includes("org:admin");
  return (
    <SelectField
      label="Service account"
      value={draft.account}
      required
      hint={
        data?.data.length === 0
          ? "There is none yet: make one on the page Service accounts."
          : "Under whose name the workload acts."
      }
      onChange={({ target }) => change({ account: target.value })}
    >
      <option value="">Choose one</option>
      {data?.data.map(({ id, name, organization_role: role }) => (
        <option key={id} value={id} disabled={wantsAdmin && role !== "admin"}>
          {name}
          {role === "admin" && " (administrator)"}
        </option>
      ))}
    </SelectField>
  );
}

function Where({ draft, change, rule }: Fields & { rule?: Rule }) {
  const { live } = useWorkspaces();
  const hasSome = (rule?.workspace_ids.length ?? 0) > 0;
  return (
    <>
      <RadioCards
        legend="Where its tokens work"
        name="where"
        value={draft.where}
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
        onChange={(where) => change({ where })}
      />
      {draft.where === "some" && !hasSome && (
        <SelectField
          label="Workspace"
          value={draft.workspace}
          required
          onChange={({ target }) => change({ workspace: target.value })}
        >
          <option value="">Choose one</option>
          {live.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
    </>
  );
}
