// Setting, changing and taking away what a member may spend by day, week and month.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { api, type Period, type SpendSummary } from "../../kit/server/api.ts";
import { renewLimits } from "../limits.ts";
import { hundredthsOf, unitsText } from "../../kit/value/money.ts";
import { useLast } from "../../kit/form/last.ts";
import { periods, periodWords, soFarWords, type MemberSpend } from "./spend.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { say } from "../../kit/page/say.ts";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { notAnAmount } from "../spend-form.tsx";

interface Props {
  member: MemberSpend | undefined;
  onClose: () => void;
}

export function MemberLimitsForm({ member, onClose }: Props) {
  const shown = useLast(member);
  return (
    <Dialog
      open={member !== undefined}
      onClose={onClose}
      title={`Limits of ${shown?.name ?? ""}`}
      description="Requests of theirs that could pass one of them are refused until the day, week or month (UTC) ends, or until it is raised."
    >
      {shown !== undefined && <Form key={shown.id} member={shown} onClose={onClose} />}
    </Dialog>
  );
}

type Typed = Record<Period, string>;

const typedOf = (summary: SpendSummary | undefined) =>
  summary?.amount == null ? "" : (Number(summary.amount) / 100).toFixed(2);

function Form({ member, onClose }: { member: MemberSpend; onClose: () => void }) {
  const summaryOf = (period: Period) => member.summaries.find((each) => each.period === period);
  const before = Object.fromEntries(
    periods.map((period) => [period, typedOf(summaryOf(period))]),
  ) as Typed;
  const [typed, setTyped] = useState(before);
  const [isTried, setTried] = useState(false);
  const isWrong = (period: Period) =>
    typed[period].trim() !== "" && hundredthsOf(typed[period]) === undefined;
  const save = useAct({
    mutationFn: async () => {
      for (const period of periods) {
        if (typed[period] !== before[period])
          await write(member.id, period, typed[period], summaryOf(period)?.spend_limit_id ?? null);
      }
    },
    onSuccess: async () => {
      await renewLimits();
      say.good(`The limits of ${member.name} hold`);
      onClose();
    },
    onError: renewLimits,
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!periods.some(isWrong)) save.mutate();
  }
  const reached = periods.filter((period) => isSpent(typed[period], summaryOf(period)));
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      {periods.map((period) => (
        <TextField
          key={period}
          label={`Units a ${periodWords[period]}`}
          inputMode="decimal"
          autoComplete="off"
          hint={hintOf(period, summaryOf(period))}
          error={isTried && isWrong(period) ? notAnAmount : undefined}
          value={typed[period]}
          onChange={({ target }) => setTyped({ ...typed, [period]: target.value })}
        />
      ))}
      {reached.length > 0 && (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-warn">
          As much is spent already {reached.map((period) => soFarWords[period]).join(" and ")}:
          every request of theirs that costs something will be refused.
        </p>
      )}
      {save.error !== null && <TroubleBox error={save.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
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
  const spent = `${unitsText(summary?.period_to_date_spend ?? "0")} spent ${soFarWords[period]}.`;
  return summary?.amount == null
    ? `${spent} Empty: no limit a ${periodWords[period]}.`
    : `${spent} Empty: this limit is taken away.`;
}

export function RemoveMemberLimits({ member, onClose }: Props) {
  const shown = useLast(member);
  const set = (shown?.summaries ?? []).filter(({ spend_limit_id: id }) => id !== null);
  const remove = useAct({
    mutationFn: async () => {
      for (const { spend_limit_id: id } of set)
        if (id !== null) await api.user_spend_limits.delete({ params: { spend_limit_id: id } });
    },
    onSuccess: async () => {
      await renewLimits();
      say.good(`${shown?.name ?? ""} has no limits of their own any more`);
      onClose();
    },
    onError: renewLimits,
  });
  const list = set.map(
    ({ amount, period }) =>
      `${amount === null ? "none" : unitsText(amount)} a ${periodWords[period]}`,
  );
  return (
    <Dialog
      open={member !== undefined}
      onClose={onClose}
      title={`Remove the limits of ${shown?.name ?? ""}?`}
      description={`Now: ${list.join(", ")}. They may spend then as much as the limits of the organization and the workspace allow.`}
    >
      {remove.error !== null && <TroubleBox error={remove.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  );
}
