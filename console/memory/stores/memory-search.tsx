// The search over all memories of a workspace: what matches, with the words in their surroundings.
import { Link } from "@tanstack/react-router";
import { FileSearch } from "lucide-react";
import type { MemoryMatch } from "../../kit/server/api.ts";
import { usePagedList } from "../../kit/list/list.ts";
import { memoryQueries, type Workspace } from "../memory-queries.ts";
import { plural } from "../../../client/text/words.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function MemorySearch({ workspace, q }: { workspace: Workspace; q: string }) {
  const list = usePagedList(memoryQueries.search(workspace, q));
  const { rows: matches, more } = list;
  return (
    <>
      {list.error !== null && <TroubleBox error={list.error} retry={list.refetch} />}
      {list.isPending && <RowsSkeleton />}
      {matches.length > 0 && (
        <ul
          aria-label="Memories that match"
          className="divide-y divide-line rounded-lg border border-line bg-surface"
        >
          {matches.map((match) => (
            <Match key={match.memory_id} match={match} />
          ))}
        </ul>
      )}
      {!list.isPending && list.error === null && matches.length === 0 && (
        <EmptyState icon={FileSearch} title="Nothing says that">
          No memory of this workspace has these words in its path or its text. Try fewer of them.
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {matches.length > 0 &&
          `${plural(matches.length, "memory", "memories")}${more ? ", and there are more" : ""}`}
      </p>
      {more !== undefined && (
        <Button className="mt-2" busy={list.isReadingMore} onClick={more}>
          Show more
        </Button>
      )}
    </>
  );
}

function Match({ match }: { match: MemoryMatch }) {
  const { search } = useWorkspace();
  const { memory_store_id: id, memory_id: memory, path, store_name: store, snippet } = match;
  return (
    <li className="grid gap-1 px-3 py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Link
          to="/memory/$id"
          params={{ id }}
          search={{ ...search, memory }}
          className="font-mono text-sm font-medium underline-offset-2 wrap-anywhere hover:underline"
        >
          {path}
        </Link>
        <span className="text-sm text-soft">
          in {store}, changed <Time at={match.updated_at} />
        </span>
      </div>
      <p className="text-sm text-soft wrap-anywhere">
        {snippet.map(({ text, is_match: isMatch }, at) =>
          isMatch ? (
            <mark key={at} className="rounded-xs bg-warn-soft font-medium text-ink">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </p>
    </li>
  );
}
