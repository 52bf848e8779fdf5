// The memory that the address names: read, and kept in sight also when it is deleted meanwhile.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileX, History } from "lucide-react";
import { useLast } from "../../kit/dialog/last.ts";
import type { Place } from "./memory-editor.ts";
import { memoryQueries } from "../memory-queries.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { buttonClass } from "../../kit/page/button.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { MemoryPanel } from "./memory-panel.tsx";
import { Skeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function OpenMemory({
  place,
  id,
  isArchived,
  onDeleted,
}: {
  place: Place;
  id: string;
  isArchived: boolean;
  onDeleted: () => void;
}) {
  const { search } = useWorkspace();
  const { data, error, refetch } = useQuery(memoryQueries.memory(place.workspace, place.store, id));
  const last = useLast(data ?? undefined);
  if (last !== undefined && data !== undefined)
    return <MemoryPanel memory={data} {...{ place, last, isArchived, onDeleted }} />;
  if (error !== null) return <TroubleBox error={error} retry={() => void refetch()} />;
  if (data === null)
    return (
      <EmptyState
        icon={FileX}
        title="This memory is not here any more"
        action={
          <Link
            to="/memory/$id/history"
            params={{ id: place.store }}
            search={{ ...search, memory: id }}
            className={buttonClass()}
          >
            <History size={16} aria-hidden />
            Its history
          </Link>
        }
      >
        It was deleted, or it never was in this store. What it said can be restored from its history
        for at least 30 days.
      </EmptyState>
    );
  return (
    <div role="status" className="grid gap-3">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-12" />
      <Skeleton className="h-[max(18rem,calc(100dvh-19.5rem))]" />
    </div>
  );
}
