// What a list of batches shows of each: how far it is, and how long it still takes.
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import type { Search } from "../kit/page/search.ts";
import type { Batch } from "../kit/server/api.ts";
import { Badge } from "../kit/value/badge.tsx";
import { CopyIcon } from "../kit/value/copy-button.tsx";
import { Time } from "../kit/value/time.tsx";
import { plural } from "../../client/text/words.ts";
import { CountsBar, Pace } from "./batch-progress.tsx";
import { sizeOf } from "../../client/batches/counts.ts";
import { countWords, isRunning, states } from "./batch.ts";

/** `search` of the address of each batch. */
export const batchColumns = (search: Search): Column<Batch>[] => [
  nameColumn({
    title: "Batch",
    className: "group/name md:min-w-48",
    name: ({ id }) => (
      <span className="font-mono text-sm whitespace-nowrap" title={id}>
        <span aria-hidden>{shortId(id)}</span>
        <span className="sr-only">{id}</span>
      </span>
    ),
    beside: ({ id }) => <CopyIcon text={id} label={`Copy ${id}`} />,
    opens: ({ id }) => ({ to: "/batches/$id", params: { id }, search }),
  }),
  { title: "State", cell: (batch) => <BatchState batch={batch} /> },
  { title: "Requests", cell: (batch) => <Progress batch={batch} /> },
  timeColumn("Created", ({ created_at: at }) => at),
  { title: "Ends", cell: (batch) => <End batch={batch} /> },
];

/** Its end tells it from others: `msgbatch_…fjgw4t`. */
const shortId = (id: string): string => id.replace(/^([a-z]+_).*(.{6})$/, "$1…$2");

export function BatchState({ batch }: { batch: Batch }) {
  const { word, tone } = states[batch.processing_status];
  return <Badge tone={tone}>{word}</Badge>;
}

function Progress({ batch }: { batch: Batch }) {
  return (
    <div className="grid min-w-0 flex-1 gap-1 text-sm md:min-w-40 xl:min-w-64">
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

const End = ({ batch: { ended_at: ended, expires_at: expires } }: { batch: Batch }) => (
  <span className="text-sm">
    {ended === null ? "Expires" : "Ended"} <Time at={ended ?? expires} isShort />
  </span>
);
