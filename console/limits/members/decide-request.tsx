// An answer to a member who asked for a higher limit: an amount, or no.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { api, type IncreaseRequest } from "../../kit/server/api.ts";
import { useLast } from "../../kit/form/last.ts";
import { renewLimits } from "../limits.ts";
import { hundredthsOf, unitsText } from "../../kit/value/money.ts";
import { nameOf, periodWords, soFarWords } from "./spend.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { say } from "../../kit/page/say.ts";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { notAnAmount } from "../spend-form.tsx";

export interface Deciding {
  kind: "approve" | "deny";
  request: IncreaseRequest;
}

interface Props {
  request: IncreaseRequest;
  onClose: () => void;
}

const paramsOf = ({ id }: IncreaseRequest) => ({ spend_limit_increase_request_id: id });

export function DecideRequest({
  deciding,
  onClose,
}: {
  deciding: Deciding | undefined;
  onClose: () => void;
}) {
  const shown = useLast(deciding);
  if (shown === undefined) return null;
  const { kind, request } = shown;
  const name = nameOf(request.actor);
  const period = periodWords[request.period];
  return (
    <Dialog
      open={deciding !== undefined}
      onClose={onClose}
      title={kind === "approve" ? `More a ${period} for ${name}` : `Deny the request of ${name}?`}
      description={
        kind === "approve"
          ? `It becomes their limit a ${period} at once, on every process within two seconds.`
          : `Their limit a ${period} stays as it is. They see your answer on their page Account, and may ask again.`
      }
    >
      {kind === "approve" ? (
        <Approve key={request.id} request={request} onClose={onClose} />
      ) : (
        <Deny key={request.id} request={request} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Approve({ request, onClose }: Props) {
  const { period, spend_summary: summary, actor } = request;
  const before = summary?.amount ?? null;
  const [typed, setTyped] = useState(before === null ? "" : (Number(before) / 100).toFixed(2));
  const [error, setError] = useState<string>();
  const approve = useAct({
    mutationFn: (amount: string) =>
      api.spend_limit_increase_requests.approve({ params: paramsOf(request), body: { amount } }),
    onSuccess: async (_, amount) => {
      await renewLimits();
      say.good(`${nameOf(actor)} may spend ${unitsText(amount)} a ${periodWords[period]}`);
      onClose();
    },
    onError: renewLimits,
  });
  const amount = hundredthsOf(typed);
  function submit(event: FormEvent): void {
    event.preventDefault();
    setError(amount === undefined ? notAnAmount : undefined);
    if (amount !== undefined) approve.mutate(amount);
  }
  const isNoMore = amount !== undefined && before !== null && Number(amount) <= Number(before);
  const spent = `${unitsText(summary?.period_to_date_spend ?? "0")} spent ${soFarWords[period]}`;
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <TextField
        label={`Units a ${periodWords[period]}`}
        inputMode="decimal"
        autoComplete="off"
        hint={
          before === null
            ? `${spent}; they have no limit a ${periodWords[period]} now.`
            : `${spent} of ${unitsText(before)}.`
        }
        error={error}
        value={typed}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setTyped(target.value)}
      />
      {isNoMore && (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-warn">
          This is no more than they have now.
        </p>
      )}
      {approve.error !== null && <TroubleBox error={approve.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={approve.isPending}>
          Approve
        </Button>
      </DialogActions>
    </form>
  );
}

function Deny({ request, onClose }: Props) {
  const deny = useAct({
    mutationFn: () =>
      api.spend_limit_increase_requests.deny({ params: paramsOf(request), body: {} }),
    onSuccess: async () => {
      await renewLimits();
      say.good(`The request of ${nameOf(request.actor)} is denied`);
      onClose();
    },
    onError: renewLimits,
  });
  return (
    <>
      {deny.error !== null && <TroubleBox error={deny.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={deny.isPending} onClick={() => deny.mutate()}>
          Deny
        </Button>
      </DialogActions>
    </>
  );
}
