// Which tokens of an issuer become tokens of a service account: for a new rule, and for one that is there.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { fieldError } from "../../kit/server/errors.ts";
import { platformChoices, platformOf, presets, type Platform } from "../federation-presets.ts";
import {
  federationQueries,
  renewFederation,
  useWorkspaces,
  type Issuer,
  type Rule,
} from "../federation.ts";
import { useMe } from "../../kit/server/queries.ts";
import { Button } from "../../kit/page/button.tsx";
import { DialogActions } from "../../kit/form/dialog.tsx";
import { AreaField, RadioCards, SelectField, TextField } from "../../kit/form/field.tsx";
import { FormTrouble } from "../../kit/form/form-trouble.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { say } from "../../kit/page/toast.tsx";
import { Pairs } from "../../kit/form/pairs.tsx";
import { draftOf, faultOf, matchOf, newDraft, saveRule, type RuleDraft } from "./rule-draft.ts";
import { RuleTarget } from "./rule-target.tsx";

interface FormProps {
  /** Undefined for a new one. */
  rule?: Rule;
  onClose: () => void;
  onMade?: (rule: Rule) => void;
}

export function RuleForm(props: FormProps) {
  const issuers = useQuery(federationQueries.issuers(false));
  const accounts = useQuery(federationQueries.liveAccounts);
  // A choice that is not there yet would be empty, and could not be sent.
  const { isLoading } = useWorkspaces();
  if (issuers.data === undefined || accounts.data === undefined || isLoading)
    return <RowsSkeleton rows={4} />;
  return <Form {...props} issuers={issuers.data} />;
}

export interface RuleFields {
  draft: RuleDraft;
  error: unknown;
  change: (patch: Partial<RuleDraft>) => void;
}

function useDraft(rule: Rule | undefined, issuers: Issuer[]) {
  const { workspaces } = useMe();
  const home = workspaces.find(({ is_default: isDefault }) => isDefault)?.id ?? "";
  const [first] = issuers;
  const [platform, setPlatform] = useState<Platform>(platformOf(first));
  const [draft, setDraft] = useState(
    rule === undefined ? newDraft(platform, first?.id ?? "", home) : draftOf(rule),
  );
  const change = (patch: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...patch }));
  const begin = (next: Platform) => {
    setPlatform(next);
    change(matchOf(next));
  };
  return { draft, change, platform, begin };
}

function Form({ rule, issuers, onClose, onMade }: FormProps & { issuers: Issuer[] }) {
  const { draft, change, platform, begin } = useDraft(rule, issuers);
  const [fault, setFault] = useState<string>();
  const saving = useAct({
    mutationFn: () => saveRule(draft, rule),
    onSuccess: async (saved) => {
      await renewFederation();
      say.good(rule === undefined ? `${saved.name} is there` : "Saved");
      onClose();
      if (rule === undefined) onMade?.(saved);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    const found = faultOf(draft);
    setFault(found);
    if (found === undefined) saving.mutate();
  }
  const fields = { draft, error: saving.error, change };
  const inline = ["name", "match.condition"].some((field) => fieldError(saving.error, field));
  return (
    <form onSubmit={submit} className="grid gap-5">
      {rule === undefined && (
        <WhoseTokens {...fields} issuers={issuers} platform={platform} begin={begin} />
      )}
      <Naming {...fields} />
      <Match {...fields} {...(rule === undefined && { help: presets[platform].help })} />
      <RuleTarget {...fields} {...(rule !== undefined && { rule })} />
      <FormTrouble fault={fault} error={inline ? null : saving.error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={saving.isPending}>
          {rule === undefined ? "Create rule" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}

function WhoseTokens({
  draft,
  change,
  issuers,
  platform,
  begin,
}: RuleFields & { issuers: Issuer[]; platform: Platform; begin: (next: Platform) => void }) {
  return (
    <>
      <SelectField
        label="Issuer"
        value={draft.issuer}
        required
        hint="It stays: a rule for another issuer is another rule."
        onChange={({ target }) => {
          change({ issuer: target.value });
          begin(platformOf(issuers.find(({ id }) => id === target.value)));
        }}
      >
        {issuers.map(({ id, name, issuer_url: url }) => (
          <option key={id} value={id}>
            {name} ({url})
          </option>
        ))}
      </SelectField>
      <RadioCards
        legend="Begin with"
        name="platform"
        value={platform}
        choices={platformChoices}
        onChange={begin}
      />
    </>
  );
}

function Naming({ draft, error, change }: RuleFields) {
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="Small letters, digits and hyphens, such as shop-main."
        error={fieldError(error, "name")}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TextField
        label="Description"
        value={draft.description}
        maxLength={1000}
        autoComplete="off"
        onChange={({ target }) => change({ description: target.value })}
      />
    </>
  );
}

function Match({ draft, error, change, help }: RuleFields & { help?: string }) {
  return (
    <fieldset className="grid gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 font-semibold">Tokens that it takes</legend>
      <p className="text-soft">All that is filled in must hold.</p>
      {help !== undefined && <p className="text-sm text-soft wrap-anywhere">{help}</p>}
      <TextField
        label="Subject"
        value={draft.subject}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="The whole claim sub; with * at the end, how it begins."
        onChange={({ target }) => change({ subject: target.value })}
      />
      <Pairs
        legend="Claims"
        pairs={draft.claims}
        most={{ pairs: 50, key: 200, value: 1000 }}
        onChange={(claims) => change({ claims })}
      />
      <AreaField
        label="Condition"
        value={draft.condition}
        maxLength={2000}
        rows={1}
        spellCheck={false}
        className="font-mono text-sm"
        hint="In CEL, for what the others cannot say: claims.environment == 'production'"
        error={fieldError(error, "match.condition")}
        onChange={({ target }) => change({ condition: target.value })}
      />
      <TextField
        label="Audience"
        value={draft.audience}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        placeholder={window.location.origin}
        hint="What its tokens have as aud, if it is not the address of this server."
        onChange={({ target }) => change({ audience: target.value })}
      />
    </fieldset>
  );
}
