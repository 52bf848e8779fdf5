// What a list of batches shows of each: how far it is, and how long it still takes.
import { nameColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import type { Search } from "../kit/page/search.ts";
import { Badge } from "../kit/value/badge.tsx";
import { CopyIcon } from "../kit/value/copy-button.tsx";
import { Time } from "../kit/value/time.tsx";
import { plural } from "../../client/text/words.ts";
import { CountsBar, Pace } from "./batch-progress.tsx";
import { sizeOf } from "../../client/batches/counts.ts";
import { Creator, Models, SpentCell } from "./batch-spent.tsx";
import { countWords, isRunning, states, type ToldBatch } from "./batch.ts";

/** `search` of the address of each batch. */
export const batchColumns = (search: Search): Column<ToldBatch>[] => [
  nameColumn({
    title: "Batch",
    className: "group/name xl:min-w-48",
    name: ({ id }) => (
      <span className="font-mono text-sm whitespace-nowrap" title={id}>
        <span aria-hidden>{shortId(id)}</span>
        <span className="sr-only">{id}</span>
      </span>
    ),
    beside: ({ id }) => <CopyIcon text={id} label={`Copy ${id}`} />,
    below: (batch) => <Models batch={batch} />,
    opens: ({ id }) => ({ to: "/batches/$id", params: { id }, search }),
  }),
  { title: "State", cell: (batch) => <BatchState batch={batch} /> },
  { title: "Requests", cell: (batch) => <Progress batch={batch} /> },
  { title: "Cost", className: "xl:min-w-36", cell: (batch) => <SpentCell batch={batch} /> },
  { title: "Created", className: "xl:min-w-32", cell: (batch) => <Created batch={batch} /> },
  { title: "Ends", cell: (batch) => <End batch={batch} /> },
];

/** Its end tells it from others: `msgbatch_…fjgw4t`. */
const shortId = (id: string): string => id.replace(/^([a-z]+_).*(.{6})$/, "$1…$2");

export function BatchState({ batch }: { batch: ToldBatch }) {
  const { word, tone } = states[batch.processing_status];
  return <Badge tone={tone}>{word}</Badge>;
}

const Created = ({ batch }: { batch: ToldBatch }) => (
  <span className="grid min-w-0 text-sm">
    <Creator batch={batch} />
    <span className="text-soft">
      <Time at={batch.created_at} isShort />
    </span>
  </span>
);

function Progress({ batch }: { batch: ToldBatch }) {
  return (
    <div className="grid min-w-0 flex-1 gap-1 text-sm md:min-w-28 xl:min-w-60">
      <span>{plural(sizeOf(batch), "request")}</span>
      <CountsBar batch={batch} />
      <span className="text-soft">{countWords(batch)}</span>
      {isRunning(batch) && (
        <span className="text-soft">
          <Pace batch={batch} />
        </span>
      )}
    </div>
  );
}

const End = ({ batch: { ended_at: ended, expires_at: expires } }: { batch: ToldBatch }) => (
  <span className="text-sm">
    {ended === null ? "Expires" : "Ended"} <Time at={ended ?? expires} isShort />
  </span>
);
