// Setting the rates of one group of models; an empty field takes away what was set.
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { api, type Limiter, type RateLimit } from "../kit/server/api.ts";
import { isSetHere, limiterWords, renewLimits } from "./limits.ts";

/** `name` is that of the organization or of the workspace. */
export const changeRates = (rate: RateLimit, name: string): void =>
  openDialog({
    title: `Rates of ${rate.group.display_name}`,
    description:
      rate.workspace_id === null
        ? `A minute, for ${name} and all its workspaces together.`
        : `A minute, for ${name}. The organization's hold beside them, never instead.`,
    body: <RateForm rate={rate} name={name} />,
  });

const perMinuteMax = 1_000_000_000_000;
const wrongNumber = "Write a whole number up to 1,000,000,000,000, or nothing.";

/** Null: nothing is set; undefined: it is no number. */
function valueOf(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  // Between groups of three only: 12,5 must not become 125.
  if (!/^(\d+|\d{1,3}([,\s]\d{3})+)$/.test(text)) return undefined;
  const value = Number(text.replaceAll(/[,\s]/g, ""));
  return value > perMinuteMax ? undefined : value;
}

const isWrong = (typed: string | undefined) => valueOf(typed ?? "") === undefined;

function RateForm({ rate, name }: { rate: RateLimit; name: string }) {
  const types = rate.limits.map(({ type }) => type);
  const form = useForm({
    start: Object.fromEntries(
      rate.limits.map((each) => [each.type, isSetHere(each, rate) ? String(each.value) : ""]),
    ),
    faultsOf: (typed) =>
      Object.fromEntries(
        types.map((type) => [type, isWrong(typed[type]) ? wrongNumber : undefined]),
      ),
    save: (typed) =>
      api.rate_limits.set({
        body: {
          workspace_id: rate.workspace_id,
          group: rate.group.id,
          limits: types.map((type) => ({ type, value: valueOf(typed[type] ?? "") ?? null })),
        },
      }),
    done: () => `The rates of ${name} hold`,
    renew: renewLimits,
  });
  return (
    <Form form={form} label="Save" isReady>
      {rate.limits.map((each) => (
        <TextField
          key={each.type}
          label={`${limiterWords[each.type]} a minute`}
          inputMode="numeric"
          autoComplete="off"
          hint={hintOf(each, rate)}
          {...form.field(each.type)}
        />
      ))}
    </Form>
  );
}

function hintOf(limit: Limiter, rate: RateLimit): string {
  if (isSetHere(limit, rate)) return "Empty: what is set here is taken away.";
  return `Empty: ${limit.value.toLocaleString("en")} holds on.`;
}
