// The table of batches: how far each is, and how long it still takes.
import { Link } from "@tanstack/react-router";
import type { Batch } from "../kit/server/api.ts";
import { countWords, isRunning, sizeOf, states } from "./batch.ts";
import { plural } from "../kit/value/words.ts";
import { Badge } from "../kit/value/badge.tsx";
import { CountsBar, Pace } from "./batch-progress.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";

export function BatchTable({
  batches,
  search,
}: {
  batches: Batch[];
  /** Of the address of each batch. */
  search: Record<string, string | undefined>;
}) {
  const columns: Column<Batch>[] = [
    {
      title: "Batch",
      heads: true,
      className: "md:min-w-32",
      cell: ({ id }) => (
        <Link
          to="/batches/$id"
          params={{ id }}
          search={search}
          className="font-mono text-sm underline-offset-2 wrap-anywhere hover:underline xl:whitespace-nowrap"
        >
          {id}
        </Link>
      ),
    },
    { title: "State", cell: (batch) => <BatchState batch={batch} /> },
    { title: "Requests", cell: (batch) => <Progress batch={batch} /> },
    { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
    { title: "Ends", cell: (batch) => <End batch={batch} /> },
  ];
  return <Table label="Batches" columns={columns} rows={batches} keyOf={({ id }) => id} />;
}

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

function End({ batch: { ended_at: ended, expires_at: expires } }: { batch: Batch }) {
  return (
    <span className="text-sm">
      {ended === null ? (
        <>
          Expires <Time at={expires} />
        </>
      ) : (
        <>
          Ended <Time at={ended} />
        </>
      )}
    </span>
  );
}
