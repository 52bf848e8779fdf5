// The switch of a workspace that keeps what is said, how much and how long, and what is taken out before.
import type { RequestBodySettings } from "../../../contract/types.ts";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { AreaField, CheckField, TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { SelectField } from "../../kit/form/select.tsx";
import { api } from "../../kit/server/api.ts";

type Rules = RequestBodySettings["redact"];

export const editKeptBodies = (settings: RequestBodySettings, renew: () => Promise<void>): void =>
  openDialog({
    title: "Change what is kept",
    body: <KeptBodiesForm settings={settings} renew={renew} />,
  });

interface Values {
  enabled: boolean;
  bytes: string;
  days: string;
  email: boolean;
  phone: boolean;
  card_number: boolean;
  fields: string;
  words: string;
}

const sizes = { "16384": "16 KiB", "65536": "64 KiB", "262144": "256 KiB", "1048576": "1 MiB" };

function valuesOf({
  enabled,
  max_bytes: bytes,
  kept_days: days,
  redact,
}: RequestBodySettings): Values {
  const has = (type: string) => redact.some((rule) => rule.type === type);
  const lines = (texts: string[]) => texts.join("\n");
  return {
    enabled,
    bytes: String(bytes),
    days: String(days),
    email: has("email"),
    phone: has("phone"),
    card_number: has("card_number"),
    fields: lines(redact.flatMap((rule) => (rule.type === "field" ? [rule.field] : []))),
    words: lines(redact.flatMap((rule) => (rule.type === "word" ? [rule.word] : []))),
  };
}

const linesOf = (text: string): string[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));

function rulesOf(values: Values): Rules {
  const kinds = (["email", "phone", "card_number"] as const).filter((kind) => values[kind]);
  return [
    ...kinds.map((type) => ({ type })),
    ...linesOf(values.fields).map((field) => ({ type: "field" as const, field })),
    ...linesOf(values.words).map((word) => ({ type: "word" as const, word })),
  ];
}

const isDays = (text: string) =>
  /^\d{1,2}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 30;
const isField = (name: string) => /^[^.[\]\s]+(\[\])*(\.[^.[\]\s]+(\[\])*)*$/.test(name);

const faultsOf = ({ days, fields, words }: Values) => ({
  days: isDays(days) ? undefined : "A whole number from 1 to 30.",
  fields: linesOf(fields).every(isField)
    ? undefined
    : "Names with dots between them, such as metadata.user_id; one in a line.",
  words: linesOf(words).every((word) => word.length >= 3 && word.length <= 200)
    ? undefined
    : "Each has 3 to 200 characters; one in a line.",
});

interface FormProps {
  settings: RequestBodySettings;
  renew: () => Promise<void>;
}

function useSettingsForm({ settings, renew }: FormProps) {
  return useForm({
    start: valuesOf(settings),
    save: (values, changed) => {
      const { enabled, bytes, days, ...rules } = changed;
      const body = {
        ...(enabled !== undefined && { enabled }),
        ...(bytes !== undefined && { max_bytes: Number(bytes) }),
        ...(days !== undefined && { kept_days: Number(days) }),
        ...(Object.keys(rules).length > 0 && { redact: rulesOf(values) }),
      };
      const params = { workspace_id: settings.workspace_id };
      return api.workspaces.request_bodies.update({ params, body });
    },
    faultOf: (values) =>
      rulesOf(values).length > 20
        ? `There are ${rulesOf(values).length} rules, and 20 at most.`
        : undefined,
    faultsOf,
    done: ({ enabled }) => (enabled ? "What is said is kept" : "What is said is not kept"),
    renew,
  });
}

type SettingsForm = ReturnType<typeof useSettingsForm>;

const check = (form: SettingsForm, name: "enabled" | "email" | "phone" | "card_number") => ({
  checked: form.values[name],
  onChange: () => form.set({ [name]: !form.values[name] }),
});

function KeptBodiesForm(props: FormProps) {
  const form = useSettingsForm(props);
  const { values } = form;
  // One that was set over the API stays a choice.
  const bytes = { [values.bytes]: `${values.bytes} bytes`, ...sizes };
  return (
    <Form form={form} label="Save">
      <CheckField
        label="Keep what is said in requests to models"
        hint="Encrypted, beside the log. Tell those who work here: their words can be read by administrators."
        {...check(form, "enabled")}
      />
      <SelectField
        label="At most"
        hint="Of a request, and of its answer; longer ones are cut."
        choices={Object.entries(bytes).map(([value, label]) => ({ value, label }))}
        {...form.choice("bytes", "max_bytes")}
      />
      <TextField
        label="Days"
        hint="How long each is kept: 1 to 30."
        inputMode="numeric"
        autoComplete="off"
        {...form.field("days", "kept_days")}
      />
      <RuleFields form={form} />
    </Form>
  );
}

function RuleFields({ form }: { form: SettingsForm }) {
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1.5 font-medium">Taken out before</legend>
        <p className="text-sm text-soft">
          Keys, tokens and passwords always go, and pictures and documents are a note of them.
        </p>
        <CheckField label="E-mail addresses" {...check(form, "email")} />
        <CheckField label="Phone numbers" {...check(form, "phone")} />
        <CheckField label="Card numbers" {...check(form, "card_number")} />
      </fieldset>
      <AreaField
        label="Fields"
        hint="By the names that lead to them, one in a line, such as metadata.user_id or tools[].name."
        rows={2}
        spellCheck={false}
        {...form.field("fields")}
      />
      <AreaField
        label="Words"
        hint="As they are written, one in a line, without case."
        rows={2}
        spellCheck={false}
        {...form.field("words")}
      />
    </>
  );
}
