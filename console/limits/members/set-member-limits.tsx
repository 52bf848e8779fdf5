// Setting, changing and taking away what a member may spend by day, week and month.
import { confirm } from "../../kit/dialog/confirmation.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { api, type Period, type SpendSummary } from "../../kit/server/api.ts";
import { hundredthsOf, notAnAmount, typedDollars, dollarsText } from "../../kit/value/money.ts";
import { renewLimits } from "../limits.ts";
import { periods, periodWords, soFarWords, type MemberSpend } from "./spend.ts";

export const setMemberLimits = (member: MemberSpend): void =>
  openDialog({
    title: `Limits of ${member.name}`,
    description:
      "Requests of theirs that could pass one of them are refused until the day, week or month (UTC) ends, or until it is raised.",
    body: <LimitsForm member={member} />,
  });

type Typed = Record<Period, string>;

const byPeriod = <T,>(of: (period: Period) => T) =>
  Object.fromEntries(periods.map((period) => [period, of(period)])) as Record<Period, T>;

const isWrong = (typed: string) => typed.trim() !== "" && hundredthsOf(typed) === undefined;

function LimitsForm({ member }: { member: MemberSpend }) {
  const summaries = byPeriod((period) => member.summaries.find((each) => each.period === period));
  const before: Typed = byPeriod((period) => typedDollars(summaries[period]?.amount));
  const form = useForm({
    start: before,
    faultsOf: (typed) => byPeriod((period) => (isWrong(typed[period]) ? notAnAmount : undefined)),
    save: async (typed) => {
      for (const period of periods)
        if (typed[period] !== before[period])
          await write(member.id, period, typed[period], summaries[period]?.spend_limit_id ?? null);
    },
    done: () => `The limits of ${member.name} hold`,
    renew: renewLimits,
    failed: renewLimits,
  });
  const reached = periods.filter((period) => isSpent(form.values[period], summaries[period]));
  return (
    <Form form={form} label="Save" isReady>
      {periods.map((period) => (
        <TextField
          key={period}
          label={`Dollars a ${periodWords[period]}`}
          inputMode="decimal"
          autoComplete="off"
          hint={hintOf(period, summaries[period])}
          {...form.field(period)}
        />
      ))}
      {reached.length > 0 && (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-warn">
          As much is spent already {reached.map((period) => soFarWords[period]).join(" and ")}:
          every request of theirs that costs something will be refused.
        </p>
      )}
    </Form>
  );
}

async function write(user_id: string, period: Period, typed: string, id: string | null) {
  const amount = hundredthsOf(typed);
  if (amount !== undefined) {
    const scope = { type: "user", user_id } as const;
    await api.user_spend_limits.set({ body: { scope, period, amount } });
  } else if (id !== null) await api.user_spend_limits.delete({ params: { spend_limit_id: id } });
}

function isSpent(typed: string, summary: SpendSummary | undefined): boolean {
  const amount = hundredthsOf(typed);
  if (amount === undefined || summary === undefined) return false;
  return Number(amount) <= Number(summary.period_to_date_spend);
}

function hintOf(period: Period, summary: SpendSummary | undefined): string {
  const spent = `${dollarsText(summary?.period_to_date_spend ?? "0")} spent ${soFarWords[period]}.`;
  return summary?.amount == null
    ? `${spent} Empty: no limit a ${periodWords[period]}.`
    : `${spent} Empty: this limit is taken away.`;
}

export function removeMemberLimits({ name, summaries }: MemberSpend): void {
  const set = summaries.flatMap(({ spend_limit_id: id, amount, period }) =>
    id === null
      ? []
      : [
          {
            id,
            words: `${amount === null ? "none" : dollarsText(amount)} a ${periodWords[period]}`,
          },
        ],
  );
  confirm({
    title: `Remove the limits of ${name}?`,
    label: "Remove",
    run: async () => {
      for (const { id } of set)
        await api.user_spend_limits.delete({ params: { spend_limit_id: id } });
    },
    done: `${name} has no limits of their own any more`,
    renew: renewLimits,
    failed: renewLimits,
    children: (
      <p>
        {`Now: ${set.map(({ words }) => words).join(", ")}. They may spend then as much as the limits of the organization and the workspace allow.`}
      </p>
    ),
  });
}
