// Back and forth through the pages of a list.
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { Paging } from "../list/paging.ts";
import { Button } from "./button.tsx";

export function Pager({
  paging,
  next,
  label,
}: {
  paging: Paging;
  /** Leads to the page after this one; null where it is the last. */
  next: string | null;
  /** Names of the two ways. */
  label: [previous: string, next: string];
}) {
  if (paging.place === 0 && next === null) return null;
  return (
    <nav aria-label="Pages of the list" className="mt-3 flex gap-2">
      <Button disabled={paging.place === 0} onClick={paging.previous}>
        <ChevronLeft size={16} aria-hidden />
        {label[0]}
      </Button>
      <Button disabled={next === null} onClick={() => next !== null && paging.next(next)}>
        {label[1]}
        <ChevronRight size={16} aria-hidden />
      </Button>
    </nav>
  );
}
