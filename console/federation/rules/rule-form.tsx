// Which tokens of an issuer become tokens of a service account: for a new rule, and for one that is there.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { platformChoices, platformOf, presets, type Platform } from "../federation-presets.ts";
import {
  federationQueries,
  renewFederation,
  useWorkspaces,
  type Issuer,
  type Rule,
} from "../federation.ts";
import { useMe } from "../../kit/server/queries.ts";
import { AreaField, RadioCards, TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { SelectField } from "../../kit/form/select.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Pairs } from "../../kit/form/pairs.tsx";
import { draftOf, faultOf, matchOf, newDraft, saveRule } from "./rule-draft.ts";
import { RuleTarget, type RuleFields } from "./rule-target.tsx";

export const newRule = (): void =>
  openDialog({ title: "New rule", wide: true, body: <RuleForm /> });

export const editRule = (rule: Rule): void =>
  openDialog({ title: "Edit the rule", wide: true, body: <RuleForm rule={rule} /> });

/** A choice that is not there yet would be empty, and could not be sent: all of them are read first. */
function RuleForm({ rule }: { rule?: Rule }) {
  const { workspaces } = useMe();
  const issuers = useQuery(federationQueries.issuers(false));
  const accounts = useQuery(federationQueries.liveAccounts);
  const { isLoading } = useWorkspaces();
  if (issuers.data === undefined || accounts.data === undefined || isLoading)
    return <RowsSkeleton rows={4} />;
  if (rule !== undefined) return <EditForm rule={rule} />;
  const home = workspaces.find(({ is_default: isDefault }) => isDefault)?.id ?? "";
  return <NewForm issuers={issuers.data.data} home={home} />;
}

function NewForm({ issuers, home }: { issuers: Issuer[]; home: string }) {
  const navigate = useNavigate();
  const [first] = issuers;
  const [platform, setPlatform] = useState<Platform>(platformOf(first));
  const form = useForm({
    start: newDraft(platform, first?.id ?? "", home),
    faultOf,
    save: (draft) => saveRule(draft, undefined),
    done: ({ name }) => `${name} is there`,
    renew: renewFederation,
    next: ({ id }) => void navigate({ to: "/federation/$id", params: { id } }),
  });
  const begin = (next: Platform) => {
    setPlatform(next);
    form.set(matchOf(next));
  };
  return (
    <Form form={form} label="Create rule" isReady>
      <WhoseTokens form={form} issuers={issuers} platform={platform} begin={begin} />
      <Naming form={form} />
      <Match form={form} help={presets[platform].help} />
      <RuleTarget form={form} />
    </Form>
  );
}

function EditForm({ rule }: { rule: Rule }) {
  const form = useForm({
    start: draftOf(rule),
    faultOf,
    save: (draft) => saveRule(draft, rule),
    done: () => "Saved",
    renew: renewFederation,
  });
  return (
    <Form form={form} label="Save" isReady>
      <Naming form={form} />
      <Match form={form} />
      <RuleTarget form={form} rule={rule} />
    </Form>
  );
}

function WhoseTokens({
  form,
  issuers,
  platform,
  begin,
}: RuleFields & { issuers: Issuer[]; platform: Platform; begin: (next: Platform) => void }) {
  return (
    <>
      <SelectField
        label="Issuer"
        required
        hint="It stays: a rule for another issuer is another rule."
        value={form.values.issuer}
        choices={issuers.map(({ id, name, issuer_url: url }) => ({
          value: id,
          label: name,
          hint: url,
        }))}
        onChange={(issuer) => {
          form.set({ issuer });
          begin(platformOf(issuers.find(({ id }) => id === issuer)));
        }}
      />
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

function Naming({ form }: RuleFields) {
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="Small letters, digits and hyphens, such as shop-main."
        {...form.field("name")}
      />
      <TextField
        label="Description"
        maxLength={1000}
        autoComplete="off"
        {...form.field("description")}
      />
    </>
  );
}

function Match({ form, help }: RuleFields & { help?: string }) {
  return (
    <fieldset className="grid gap-4 rounded-lg border border-line p-4">
      <legend className="px-1 font-semibold">Tokens that it takes</legend>
      <p className="text-soft">All that is filled in must hold.</p>
      {help !== undefined && <p className="text-sm text-soft wrap-anywhere">{help}</p>}
      <TextField
        label="Subject"
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="The whole claim sub; with * at the end, how it begins."
        {...form.field("subject")}
      />
      <Pairs
        legend="Claims"
        pairs={form.values.claims}
        most={{ pairs: 50, key: 200, value: 1000 }}
        onChange={(claims) => form.set({ claims })}
      />
      <AreaField
        label="Condition"
        maxLength={2000}
        rows={1}
        spellCheck={false}
        className="font-mono text-sm"
        hint="In CEL, for what the others cannot say: claims.environment == 'production'"
        {...form.field("condition", "match.condition")}
      />
      <TextField
        label="Audience"
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        placeholder={window.location.origin}
        hint="What its tokens have as aud, if it is not the address of this server."
        {...form.field("audience")}
      />
    </fieldset>
  );
}
