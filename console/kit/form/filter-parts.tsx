// Parts of a bar of filters: those that are wanted seldom, and what a link has narrowed a list to.
import { ListFilter, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../page/button.tsx";
import { useSearchState } from "../page/search.ts";
import { useNames } from "../value/names.ts";

/** Those that are wanted seldom: behind a button, until one of them is set. */
export function RareFilters({ isSet, children }: { isSet: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(isSet);
  return (
    <>
      <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ListFilter size={15} aria-hidden />
        {isOpen ? "Fewer filters" : isSet ? "More filters, some set" : "More filters"}
      </Button>
      {isOpen && <div className="flex basis-full flex-wrap items-center gap-2">{children}</div>}
    </>
  );
}

/** Away with a press. */
export function FactFilter({ name, label }: { name: string; label: string }) {
  const [search, change] = useSearchState();
  const nameOf = useNames();
  const value = search[name] ?? "";
  return (
    <FilterChip title={label} value={value} onRemove={() => change({ [name]: undefined })}>
      {nameOf(value)}
    </FilterChip>
  );
}

export function FilterChip({
  title,
  value,
  onRemove,
  children = <span className="font-mono">{value}</span>,
}: {
  title: string;
  value: string;
  onRemove: () => void;
  /** What the value is called. */
  children?: ReactNode;
}) {
  return (
    <button
      type="button"
      title={value}
      onClick={onRemove}
      className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 text-sm text-ink"
    >
      <span className="text-soft">{title}</span>
      <span className="truncate">{children}</span>
      <X size={14} aria-label="Take this filter away" className="shrink-0" />
    </button>
  );
}
