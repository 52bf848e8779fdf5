// Setting, changing and removing a monthly spend limit.
import { confirm } from "../kit/dialog/confirmation.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { api } from "../kit/server/api.ts";
import { hundredthsOf, notAnAmount, typedDollars, dollarsText } from "../kit/value/money.ts";
import { renewLimits } from "./limits.ts";
import type { SpendPlace } from "./spend-limits.tsx";

export const setSpendLimit = (place: SpendPlace): void =>
  openDialog({
    title: `Monthly spend limit of ${place.name}`,
    description:
      "Requests that could pass it are refused until the next month begins (UTC), or until it is raised.",
    body: <SpendForm place={place} />,
  });

function SpendForm({ place: { name, limit } }: { place: SpendPlace }) {
  const { scope, amount: before, period_to_date_spend: spent } = limit;
  const form = useForm({
    start: { dollars: typedDollars(before) },
    faultsOf: ({ dollars }) => ({
      dollars: hundredthsOf(dollars) === undefined ? notAnAmount : undefined,
    }),
    save: ({ dollars }) =>
      api.spend_limits.set({ body: { scope, amount: hundredthsOf(dollars) ?? "" } }),
    done: () => `The limit of ${name} holds`,
    renew: renewLimits,
  });
  const amount = hundredthsOf(form.values.dollars);
  return (
    <Form form={form} label={before === null ? "Set the limit" : "Save"} isReady>
      <TextField
        label="Dollars a month"
        inputMode="decimal"
        autoComplete="off"
        hint={`${dollarsText(spent)} spent so far this month.`}
        {...form.field("dollars")}
      />
      {amount !== undefined && Number(amount) <= Number(spent) && (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-warn">
          As much is spent already: every request that costs something will be refused this month.
        </p>
      )}
    </Form>
  );
}

export const removeSpendLimit = ({ name, limit: { scope } }: SpendPlace): void =>
  confirm({
    title: `Remove the spend limit of ${name}?`,
    label: "Remove",
    run: () =>
      api.spend_limits.delete({
        params: { scope_id: scope.type === "organization" ? "organization" : scope.workspace_id },
      }),
    done: `${name} has no spend limit any more`,
    renew: renewLimits,
    children: (
      <p>
        {scope.type === "workspace"
          ? "It may spend without end then, as far as the organization's limit allows."
          : "It may spend without end then; limits of workspaces stay."}
      </p>
    ),
  });
