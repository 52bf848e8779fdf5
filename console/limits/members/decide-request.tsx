// An answer to a member who asked for a higher limit: an amount, or no.
import { confirm } from "../../kit/dialog/confirmation.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { api, type IncreaseRequest } from "../../kit/server/api.ts";
import { hundredthsOf, notAnAmount, typedDollars, dollarsText } from "../../kit/value/money.ts";
import { renewLimits } from "../limits.ts";
import { nameOf, periodWords, soFarWords } from "./spend.ts";

const paramsOf = ({ id }: IncreaseRequest) => ({ spend_limit_increase_request_id: id });

export const approveRequest = (request: IncreaseRequest): void =>
  openDialog({
    title: `More a ${periodWords[request.period]} for ${nameOf(request.actor)}`,
    description: `It becomes their limit a ${periodWords[request.period]} at once, on every process within two seconds.`,
    body: <Approve request={request} />,
  });

function Approve({ request }: { request: IncreaseRequest }) {
  const { period, spend_summary: summary, actor } = request;
  const before = summary?.amount ?? null;
  const form = useForm({
    start: { dollars: typedDollars(before) },
    faultsOf: ({ dollars }) => ({
      dollars: hundredthsOf(dollars) === undefined ? notAnAmount : undefined,
    }),
    save: async ({ dollars }) => {
      const amount = hundredthsOf(dollars) ?? "";
      await api.spend_limit_increase_requests.approve({
        params: paramsOf(request),
        body: { amount },
      });
      return amount;
    },
    done: (amount) => `${nameOf(actor)} may spend ${dollarsText(amount)} a ${periodWords[period]}`,
    renew: renewLimits,
    failed: renewLimits,
  });
  const amount = hundredthsOf(form.values.dollars);
  const isNoMore = amount !== undefined && before !== null && Number(amount) <= Number(before);
  const spent = `${dollarsText(summary?.period_to_date_spend ?? "0")} spent ${soFarWords[period]}`;
  return (
    <Form form={form} label="Approve" isReady>
      <TextField
        label={`Dollars a ${periodWords[period]}`}
        inputMode="decimal"
        autoComplete="off"
        hint={
          before === null
            ? `${spent}; they have no limit a ${periodWords[period]} now.`
            : `${spent} of ${dollarsText(before)}.`
        }
        onFocus={({ target }) => target.select()}
        {...form.field("dollars")}
      />
      {isNoMore && (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-warn">
          This is no more than they have now.
        </p>
      )}
    </Form>
  );
}

export const denyRequest = (request: IncreaseRequest): void =>
  confirm({
    title: `Deny the request of ${nameOf(request.actor)}?`,
    label: "Deny",
    run: () => api.spend_limit_increase_requests.deny({ params: paramsOf(request), body: {} }),
    done: `The request of ${nameOf(request.actor)} is denied`,
    renew: renewLimits,
    failed: renewLimits,
    children: (
      <p>
        Their limit a {periodWords[request.period]} stays as it is. They see your answer on their
        page Account, and may ask again.
      </p>
    ),
  });
