// What of the usage is looked at: a time, a grouping, and what it is narrowed to; all of it stands in the address.
import { useQuery } from "@tanstack/react-query";
import { CheckField } from "../kit/form/field.tsx";
import { FilterSelect } from "../kit/form/select.tsx";
import { Button } from "../kit/page/button.tsx";
import type { Search } from "../kit/page/search.ts";
import { useNames } from "../kit/value/names.ts";
import { spans, type Range } from "./range.ts";
import {
  dimensionOf,
  filterNames,
  groupings,
  measures,
  usageQueries,
  type FilterName,
  type Filters,
  type Grouping,
  type Measure,
} from "./usage.ts";

/** A name of its own for the workspace: another one in the address is the one that a person works in. */
export const filtersIn = (search: Search): Filters =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = search[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );

export interface Choice {
  search: Search;
  change: (patch: Search) => void;
  by: Grouping;
  measure: Measure;
}

export function TimeFilters({ search, change, by, measure }: Choice) {
  const isDrawn = search["from"] !== undefined;
  const choicesOf = (known: Readonly<Record<string, string>>) =>
    Object.entries(known).map(([value, label]) => ({ value, label }));
  const lasts = Object.entries(spans).map(([value, { title }]) => ({
    value,
    label: `Last ${title}`,
  }));
  return (
    <div className="mb-2 flex flex-wrap items-center gap-2">
      <FilterSelect
        label="Time"
        value={isDrawn ? "drawn" : (search["span"] ?? "30d")}
        onChange={(span) => change({ span, from: undefined, to: undefined })}
        choices={[...(isDrawn ? [{ value: "drawn", label: "As drawn" }] : []), ...lasts]}
      />
      <FilterSelect
        label="Group by"
        value={by}
        onChange={(chosen) => change({ by: chosen })}
        choices={choicesOf(groupings)}
      />
      <FilterSelect
        label="Measure"
        value={measure}
        onChange={(chosen) => change({ measure: chosen })}
        choices={choicesOf(measures)}
      />
      <CheckField
        label="Compare with before"
        checked={search["before"] !== "off"}
        onChange={({ target }) => change({ before: target.checked ? undefined : "off" })}
      />
      {isDrawn && (
        <Button onClick={() => change({ from: undefined, to: undefined })}>Zoom out</Button>
      )}
    </div>
  );
}

const words: Record<FilterName, { label: string; any: string }> = {
  model: { label: "Model", any: "Any model" },
  space: { label: "Workspace", any: "Any workspace" },
  key: { label: "API key", any: "Any API key" },
  person: { label: "Person", any: "Any person" },
};

/** One of each, among those that asked for something in this time. */
export function GroupFilters({
  range,
  filters,
  change,
}: {
  range: Range;
  filters: Filters;
  change: (patch: Search) => void;
}) {
  const isSet = Object.keys(filters).length > 0;
  return (
    <search aria-label="Filter usage" className="mb-4 flex flex-wrap items-center gap-2">
      {filterNames.map((name) => (
        <GroupFilter key={name} name={name} range={range} chosen={filters[name]} change={change} />
      ))}
      {isSet && (
        <Button
          look="quiet"
          onClick={() => change(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}

function GroupFilter({
  name,
  range,
  chosen,
  change,
}: {
  name: FilterName;
  range: Range;
  chosen: string | undefined;
  change: (patch: Search) => void;
}) {
  const { data = [] } = useQuery(usageQueries.choices(range, dimensionOf[name]));
  const nameOf = useNames();
  const kind = name === "model" ? "model" : undefined;
  const known = data.map(({ id, name: own }) => ({
    value: id,
    label: own ?? nameOf(id, kind) ?? id,
  }));
  // What was chosen stays so where there is nothing of it in another time.
  const missing =
    chosen !== undefined && known.every(({ value }) => value !== chosen)
      ? [{ value: chosen, label: nameOf(chosen, kind) ?? chosen }]
      : [];
  const { label, any } = words[name];
  return (
    <FilterSelect
      label={label}
      value={chosen ?? ""}
      choices={[{ value: "", label: any }, ...missing, ...known]}
      onChange={(value) => change({ [name]: value === "" ? undefined : value })}
    />
  );
}
