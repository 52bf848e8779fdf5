// The search over all memories of a workspace: what matches, with the words in their surroundings.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileSearch } from "lucide-react";
import type { MemoryMatch } from "../../kit/server/api.ts";
import { memoryQueries } from "../memory-queries.ts";
import { useTyped } from "../../kit/form/typed.ts";
import { plural } from "../../kit/value/words.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { SearchInput } from "../../kit/form/field.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function MemorySearchBox({
  value,
  onSettle,
}: {
  value: string;
  onSettle: (q: string) => void;
}) {
  const [typed, setTyped] = useTyped(value, onSettle);
  return (
    <SearchInput
      label="Search all memories"
      value={typed}
      maxLength={200}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

export function MemorySearch({ workspace, q }: { workspace: string | undefined; q: string }) {
  const list = useInfiniteQuery(memoryQueries.search(workspace, q));
  const matches = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
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
      {list.data !== undefined && matches.length === 0 && (
        <EmptyState icon={FileSearch} title="Nothing says that">
          No memory of this workspace has these words in its path or its text. Try fewer of them.
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {matches.length > 0 &&
          `${plural(matches.length, "memory", "memories")}${list.hasNextPage ? ", and there are more" : ""}`}
      </p>
      {list.hasNextPage && (
        <Button
          className="mt-2"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
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
