// Setting, changing and removing a monthly spend limit.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { renewLimits } from "./limits.ts";
import { hundredthsOf, unitsText } from "../kit/value/money.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import type { SpendPlace } from "./spend-table.tsx";
import { say } from "../kit/page/say.ts";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

interface Props {
  place: SpendPlace | undefined;
  onClose: () => void;
}

export const notAnAmount =
  "This is no amount: write units with at most two decimals, as in 500 or 12.50, up to a billion.";

export function SpendForm({ place, onClose }: Props) {
  return (
    <Dialog
      open={place !== undefined}
      onClose={onClose}
      title={`Monthly spend limit of ${place?.name ?? ""}`}
      description="Requests that could pass it are refused until the next month begins (UTC), or until it is raised."
    >
      {place !== undefined && <Form place={place} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ place, onClose }: { place: SpendPlace; onClose: () => void }) {
  const { scope, amount: before, period_to_date_spend: spent } = place.limit;
  const [typed, setTyped] = useState(before === null ? "" : (Number(before) / 100).toFixed(2));
  const [error, setError] = useState<string>();
  const save = useAct({
    mutationFn: (amount: string) => api.spend_limits.set({ body: { scope, amount } }),
    onSuccess: async () => {
      await renewLimits();
      say.good(`The limit of ${place.name} holds`);
      onClose();
    },
  });
  const amount = hundredthsOf(typed);
  function submit(event: FormEvent): void {
    event.preventDefault();
    setError(amount === undefined ? notAnAmount : undefined);
    if (amount !== undefined) save.mutate(amount);
  }
  const isBelow = amount !== undefined && Number(amount) <= Number(spent);
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <TextField
        label="Units a month"
        inputMode="decimal"
        autoComplete="off"
        hint={`${unitsText(spent)} spent so far this month. Units are those of the models' prices.`}
        error={error}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {isBelow && (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-warn">
          As much is spent already: every request that costs something will be refused this month.
        </p>
      )}
      {save.error !== null && <TroubleBox error={save.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          {before === null ? "Set the limit" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}

export function RemoveSpendLimit({ place, onClose }: Props) {
  const remove = useAct({
    mutationFn: ({ limit: { scope } }: SpendPlace) =>
      api.spend_limits.delete({
        params: { scope_id: scope.type === "organization" ? "organization" : scope.workspace_id },
      }),
    onSuccess: async (_, { name }) => {
      await renewLimits();
      say.good(`${name} has no spend limit any more`);
      onClose();
    },
  });
  return (
    <Dialog
      open={place !== undefined}
      onClose={onClose}
      title={`Remove the spend limit of ${place?.name ?? ""}?`}
      description={
        place?.limit.scope.type === "workspace"
          ? "It may spend without end then, as far as the organization's limit allows."
          : "It may spend without end then; limits of workspaces stay."
      }
    >
      {remove.error !== null && <TroubleBox error={remove.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          busy={remove.isPending}
          onClick={() => place !== undefined && remove.mutate(place)}
        >
          Remove
        </Button>
      </DialogActions>
    </Dialog>
  );
}
