// What the log shows of each request.
import { nameColumn } from "../../kit/list/columns.tsx";
import type { Column } from "../../kit/list/table.tsx";
import { timeText } from "../../kit/list/timeline.ts";
import type { LoggedRequest } from "../../kit/server/api.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { dollarsOf } from "../../kit/value/money.ts";
import { ObjectLink } from "../../kit/value/object-link.tsx";
import { Money } from "../../kit/value/money.tsx";
import { exactTime } from "../../kit/value/time.ts";
import { CallerName, WorkspaceName } from "../party.tsx";
import { kindOf, msText, statusTone, tokensIn } from "../requests.ts";

const none = <span className="text-soft">None</span>;

export const requestColumns: Column<LoggedRequest>[] = [
  nameColumn<LoggedRequest>({
    title: "Time",
    className: "md:w-[9%] tabular-nums",
    name: ({ at }) => (
      <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
        {timeText(at)}
      </time>
    ),
    // On a phone it stands in the heading.
    beside: (request) => (
      <span className="md:hidden">
        <Outcome request={request} />
      </span>
    ),
    opens: ({ id }) => ({ to: "/requests/$id", params: { id } }),
  }),
  {
    title: "Status",
    className: "md:w-[8%] max-md:hidden!",
    cell: (request) => <Outcome request={request} />,
  },
  {
    title: "What",
    className: "md:w-[24%]",
    cell: (request) => (
      <span className="min-w-0">
        {kindOf(request)}
        <Below request={request} />
      </span>
    ),
  },
  { title: "Model", className: "md:w-[15%]", cell: (request) => <Models request={request} /> },
  {
    title: "By",
    className: "md:w-[16%]",
    cell: (request) => (
      <span className="min-w-0">
        <CallerName request={request} />
        {request.workspace_id !== null && (
          <span className="block text-sm text-soft">
            <WorkspaceName id={request.workspace_id} />
          </span>
        )}
      </span>
    ),
  },
  {
    title: "Tokens",
    isNumber: true,
    className: "md:w-[9%] md:whitespace-nowrap",
    cell: ({ usage }) =>
      usage === null ? (
        none
      ) : (
        <span>
          {tokensIn(usage).toLocaleString("en")}
          <Arrow words="in, and out" />
          {usage.output_tokens.toLocaleString("en")}
        </span>
      ),
  },
  {
    title: "Cost",
    isNumber: true,
    className: "md:w-[9%]",
    cell: ({ cost }) =>
      cost === null ? (
        none
      ) : (
        <span title={`${cost.amount} cents (${cost.currency})`}>
          <Money dollars={dollarsOf(cost.amount)} places={6} />
        </span>
      ),
  },
  {
    title: "Took",
    isNumber: true,
    className: "md:w-[10%] md:whitespace-nowrap",
    cell: ({ duration_ms: ms, first_token_ms: first }) => (
      <span>
        {msText(ms)}
        {first !== null && <span className="block text-sm text-soft">first {msText(first)}</span>}
      </span>
    ),
  },
];

const Arrow = ({ words }: { words: string }) => (
  <>
    <span aria-hidden className="text-soft">
      {" → "}
    </span>
    <span className="sr-only"> {words} </span>
  </>
);

function Outcome({ request: { status, stop_reason: reason } }: { request: LoggedRequest }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={statusTone(status)}>{status}</Badge>
      {reason === "refusal" && <Badge tone="warn">Refused</Badge>}
    </span>
  );
}

/** Of what failed, why; of the rest, how it came. */
function Below({ request: { error, method, path, operation } }: { request: LoggedRequest }) {
  if (error !== null)
    return (
      <span
        title={error.message}
        className="line-clamp-2 text-sm text-bad wrap-anywhere"
      >{`${error.type}: ${error.message}`}</span>
    );
  return (
    <span className="line-clamp-1 text-sm text-soft break-all">
      {method === null ? (path ?? operation) : `${method} ${path ?? ""}`}
    </span>
  );
}

function Models({ request: { model, served_model: served } }: { request: LoggedRequest }) {
  if (model === null) return none;
  return (
    <span className="min-w-0 wrap-anywhere">
      <ObjectLink id={model} kind="model" />
      {served !== null && served !== model && (
        <span className="md:block">
          <Arrow words="answered by" />
          <ObjectLink id={served} kind="model" />
        </span>
      )}
    </span>
  );
}
