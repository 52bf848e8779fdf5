// The filters of the audit log beside the search, and what it is narrowed to by an event's own facts.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Search } from "../kit/page/search.ts";
import { spaced } from "../kit/value/words.ts";
import { FilterChip } from "../kit/form/filter-parts.tsx";
import { FilterDay } from "../kit/form/field.tsx";
import { FilterSelect } from "../kit/form/select.tsx";
import { useNames } from "../kit/value/names.ts";
import { isDay } from "./audit.ts";
import { auditQueries } from "./queries.ts";

interface Props {
  search: Search;
  change: (patch: Search) => void;
}

const orNothing = (value: string) => (value === "" ? undefined : value);
const facts = { actor_id: "Actor", target_id: "Target", address: "Address" } as const;

export function AuditFilters({ search, change }: Props) {
  const nameOf = useNames();
  const set = (patch: Search) => change({ ...patch, event: undefined });
  useNoDaysLeave(search, change);
  const dayIn = (name: "from" | "to") => (isDay(search[name]) ? search[name] : undefined);
  const narrowed = Object.entries(facts).flatMap(([name, title]) => {
    const value = search[name];
    return value === undefined ? [] : [{ name, title, value }];
  });
  return (
    <>
      <Actions
        value={search["action"] ?? ""}
        onChange={(action) => set({ action: orNothing(action) })}
      />
      <FilterDay
        label="From"
        value={dayIn("from") ?? ""}
        max={dayIn("to")}
        onChange={(event) => set({ from: orNothing(event.target.value) })}
      />
      <FilterDay
        label="To"
        value={dayIn("to") ?? ""}
        min={dayIn("from")}
        onChange={(event) => set({ to: orNothing(event.target.value) })}
      />
      <div className="flex basis-full flex-wrap gap-2 empty:hidden">
        {narrowed.map(({ name, title, value }) => (
          <FilterChip
            key={name}
            title={title}
            value={value}
            onRemove={() => set({ [name]: undefined })}
          >
            {nameOf(value)}
          </FilterChip>
        ))}
      </div>
    </>
  );
}

/** What is no day counts as none, and leaves the address, as with every filter. */
function useNoDaysLeave(search: Search, change: Props["change"]): void {
  const isOdd = (name: "from" | "to") => search[name] !== undefined && !isDay(search[name]);
  const [from, to] = [isOdd("from"), isOdd("to")];
  useEffect(() => {
    if (from || to) change({ ...(from && { from: undefined }), ...(to && { to: undefined }) });
  }, [from, to, change]);
}

/** By noun: all that was done to it, or one act. */
function Actions({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { data } = useQuery(auditQueries.actions);
  const names = new Set(data?.data);
  if (value !== "" && !value.endsWith(".")) names.add(value);
  const byNoun = [...Map.groupBy([...names].sort(), (name) => name.split(".")[0] ?? "")];
  const choices = byNoun.flatMap(([noun, actions]) => [
    ...(actions.length > 1 || value === `${noun}.`
      ? [{ value: `${noun}.`, label: `${spaced(noun)}: everything` }]
      : []),
    ...actions.map((action) => ({ value: action, label: spaced(action) })),
  ]);
  return (
    <FilterSelect
      label="Action"
      value={value}
      onChange={onChange}
      choices={[{ value: "", label: "Any action" }, ...choices]}
    />
  );
}
