// What of batches runs now, in one line, over all workspaces; nothing where nothing runs.
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import type { Batch } from "../kit/server/api.ts";
import { batchQueries } from "./batch-queries.ts";
import { doneOf, sizeOf } from "../../client/batches/counts.ts";
import { isRunning } from "./batch.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { plural } from "../../client/text/words.ts";

/** Each is a request of its own. */
const workspacesMax = 10;
const batchesMax = 100;

export function BatchesUnderWay() {
  const { workspaces, searchOf } = useWorkspace();
  const places = workspaces.slice(0, workspacesMax);
  const running = useQueries({
    queries: places.map(({ id }) => batchQueries.newest(id, batchesMax)),
    combine: (lists) => lists.map(({ data }) => data?.data.filter(isRunning) ?? []),
  });
  const lines = places.flatMap((workspace, place) => {
    const batches = running[place] ?? [];
    return batches.length === 0 ? [] : [{ workspace, batches }];
  });
  if (lines.length === 0) return null;
  return (
    <ul aria-label="Batches under way" className="mb-8 grid gap-2">
      {lines.map(({ workspace: { id, name }, batches }) => (
        <li
          key={id}
          className="flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-lg border border-line bg-surface px-4 py-2.5"
        >
          <Layers size={16} aria-hidden className="text-soft" />
          <Link
            to="/batches"
            search={searchOf(id)}
            className="font-medium text-accent underline underline-offset-2"
          >
            {plural(batches.length, "batch", "batches")} under way
          </Link>
          <span className="text-soft">
            {places.length > 1 && `in ${name}: `}
            {wholeWords(batches)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function wholeWords(batches: readonly Batch[]): string {
  const sum = (count: (batch: Batch) => number) =>
    batches.reduce((all, batch) => all + count(batch), 0).toLocaleString("en");
  return `${sum(({ request_counts: counts }) => doneOf(counts))} of ${sum(sizeOf)} requests done`;
}
