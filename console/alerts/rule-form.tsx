// Changing a rule: whether it is on, and its numbers; an empty field is the default again.
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { CheckField, TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { api, type AlertKind, type AlertRule, type AlertRuleChange } from "../kit/server/api.ts";
import { kindNotes, kindWords } from "./alerts.ts";
import { renewAlerts } from "./queries.ts";

export const changeRule = (rule: AlertRule): void =>
  openDialog({
    title: `Rule: ${kindWords[rule.kind]}`,
    description: `${kindNotes[rule.kind]}.`,
    body: <RuleForm rule={rule} />,
  });

interface NumberField {
  label: string;
  max: number;
}

const minutes = { label: "Minutes", max: 60 };
const numbersOf: Record<AlertKind, Record<string, NumberField>> = {
  spend: {},
  error_share: {
    percent: { label: "Percent of failed requests", max: 100 },
    minutes,
    requests_min: { label: "Requests at least", max: 1_000_000 },
  },
  upstream_down: { minutes, failures_min: { label: "Failures at least", max: 1_000_000 } },
  job_backlog: { minutes: { ...minutes, max: 1_440 } },
};

const percentsMax = 4;
const wrongPercents = "Write one to four whole numbers from 1 to 100, such as 80, 100, or nothing.";

/** Null: nothing is written; undefined: it is no number of these. */
function numberOf(typed: string, max: number): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= max ? value : undefined;
}

function percentsOf(typed: string): number[] | null | undefined {
  if (typed.trim() === "") return null;
  const percents = typed.split(/[\s,;%]+/).flatMap((part) => (part === "" ? [] : [part]));
  const values = percents.map((part) => numberOf(part, 100));
  const isWhole = values.every((value) => typeof value === "number");
  return isWhole && values.length > 0 && values.length <= percentsMax ? values : undefined;
}

type Typed = { enabled: boolean } & Record<string, string | boolean>;

const textIn = (typed: Typed, name: string) => String(typed[name] ?? "");

function RuleForm({ rule }: { rule: AlertRule }) {
  const { kind, enabled } = rule;
  const numbers = Object.entries(numbersOf[kind]);
  const start: Typed = { enabled };
  for (const [name] of numbers) start[name] = String(rule[name as "minutes"] ?? "");
  if (kind === "spend") start["percents"] = (rule.percents ?? []).join(", ");
  const form = useForm({
    start,
    faultsOf: (typed) => ({
      percents:
        kind === "spend" && percentsOf(textIn(typed, "percents")) === undefined
          ? wrongPercents
          : undefined,
      ...Object.fromEntries(
        numbers.map(([name, { max }]) => [
          name,
          numberOf(textIn(typed, name), max) === undefined
            ? `Write a whole number from 1 to ${max.toLocaleString("en")}, or nothing.`
            : undefined,
        ]),
      ),
    }),
    save: (typed, changed) =>
      api.alert_rules.update({ params: { kind }, body: bodyOf(kind, typed, changed) }),
    done: () => `The rule ${kindWords[kind]} holds`,
    renew: renewAlerts,
  });
  return (
    <Form form={form} label="Save">
      <CheckField
        label="On"
        hint="Off: what it told of is resolved, and nothing is told by it."
        checked={form.values.enabled}
        onChange={({ target }) => form.set({ enabled: target.checked })}
      />
      {kind === "spend" && (
        <TextField
          label="Percents of a limit"
          inputMode="numeric"
          autoComplete="off"
          hint="Each is an alert of its own; at 100 requests are refused. Empty: 80 and 100."
          {...form.field("percents")}
        />
      )}
      {numbers.map(([name, { label }]) => (
        <TextField
          key={name}
          label={label}
          inputMode="numeric"
          autoComplete="off"
          hint="Empty: as by default."
          {...form.field(name)}
        />
      ))}
    </Form>
  );
}

function bodyOf(kind: AlertKind, typed: Typed, changed: Partial<Typed>): AlertRuleChange {
  const isChanged = (name: string) => changed[name] !== undefined;
  const numbers = Object.entries(numbersOf[kind])
    .filter(([name]) => isChanged(name))
    .map(([name, { max }]) => [name, numberOf(textIn(typed, name), max) ?? null]);
  return {
    ...(isChanged("enabled") && { enabled: typed.enabled }),
    ...(isChanged("percents") && { percents: percentsOf(textIn(typed, "percents")) ?? null }),
    ...(Object.fromEntries(numbers) as object),
  };
}
