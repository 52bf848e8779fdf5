// The bar of filters above a list. They stand in the address, so that a view can be shared and comes back.
import { ListFilter, X } from "lucide-react";
import { useEffect, useState, type ComponentProps, type ReactNode } from "react";
import { CheckField, FilterDay, SearchInput } from "../form/field.tsx";
import { FilterSelect } from "../form/select.tsx";
import { useTyped } from "../form/typed.ts";
import { Button } from "../page/button.tsx";
import { useSearchState, type Search } from "../page/search.ts";
import { useNames } from "../value/names.ts";

export type Filter = { isRare?: true } & (
  | {
      kind: "search";
      name: string;
      label: string;
      maxLength?: number;
      /** The server searches: it is asked once the typing has paused. */
      isAsked?: boolean;
    }
  | {
      kind: "choice";
      name: string;
      label: string;
      /** What stands for no choice. */
      any: string;
      choices: readonly { value: string; label: string }[];
    }
  | {
      kind: "check";
      name: string;
      label: string;
    }
  /** A day, or a moment, which no field shows: it can be taken away. */
  | {
      kind: "day";
      name: string;
      label: string;
      min?: string | undefined;
      max?: string | undefined;
    }
  /** What a link has narrowed the list to: it can be taken away. */
  | {
      kind: "fact";
      name: string;
      label: string;
    }
);

/** What an address asks of a filter; a choice that is not offered counts as none. */
function valueOf(filter: Filter, search: Search): string | undefined {
  const value = search[filter.name];
  const isUnknown =
    (filter.kind === "choice" && filter.choices.every((choice) => choice.value !== value)) ||
    (filter.kind === "day" && Number.isNaN(Date.parse(value ?? "")));
  return isUnknown ? undefined : value;
}

/** Whether any of them narrows the list, and how to take all of them away. */
export function useFilters(filters: readonly Filter[]) {
  const [search, change] = useSearchState();
  const names = filters.map(({ name }) => name);
  return {
    // A box shows more: it leaves nothing out.
    isSet: filters.some((each) => each.kind !== "check" && valueOf(each, search) !== undefined),
    clear: () => change(Object.fromEntries(names.map((name) => [name, undefined]))),
  };
}

export function FilterBar({
  label,
  filters,
  children,
}: {
  label: string;
  filters: readonly Filter[];
  children?: ReactNode;
}) {
  const [search] = useSearchState();
  useUnknownLeave(filters);
  const rare = filters.filter((each) => each.isRare === true && isField(each, search));
  const facts = filters.filter((each) => !isField(each, search) && search[each.name] !== undefined);
  return (
    <search aria-label={label} className="mb-4 flex flex-wrap items-center gap-2">
      {filters
        .filter((each) => each.isRare !== true && isField(each, search))
        .map((filter) => (
          <Field key={filter.name} filter={filter} />
        ))}
      {children}
      {rare.length > 0 && (
        <Rare isSet={rare.some((each) => valueOf(each, search) !== undefined)}>
          {rare.map((filter) => (
            <Field key={filter.name} filter={filter} />
          ))}
        </Rare>
      )}
      <div className="flex basis-full flex-wrap gap-2 empty:hidden">
        {facts.map((filter) => (
          <Fact key={filter.name} filter={filter} />
        ))}
      </div>
    </search>
  );
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

const isField = ({ kind, name }: Filter, { [name]: value = "" }: Search): boolean =>
  kind !== "fact" && (kind !== "day" || value === "" || isDay(value));

function Field({ filter }: { filter: Filter }) {
  const [search, change] = useSearchState();
  const { kind, name, label } = filter;
  const set = (value: string) => change({ [name]: value === "" ? undefined : value });
  const value = valueOf(filter, search) ?? "";
  const onChange = ({ target }: { target: { value: string } }) => set(target.value);
  switch (kind) {
    case "check":
      return (
        <CheckField
          label={label}
          checked={value !== ""}
          onChange={({ target }) => set(target.checked ? "shown" : "")}
        />
      );
    case "search": {
      const { maxLength, isAsked = false } = filter;
      const Input = isAsked ? AskedSearch : SearchInput;
      return <Input {...{ label, value, maxLength, onChange }} />;
    }
    case "day":
      return <FilterDay {...{ label, value, onChange }} min={filter.min} max={filter.max} />;
    case "choice":
      return (
        <FilterSelect
          label={label}
          value={value}
          choices={[{ value: "", label: filter.any }, ...filter.choices]}
          onChange={set}
        />
      );
    default:
      return null;
  }
}

/** Those that are wanted seldom: behind a button, until one of them is set. */
function Rare({ isSet, children }: { isSet: boolean; children: ReactNode }) {
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
function Fact({ filter: { name, label } }: { filter: Filter }) {
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

/** What is not offered leaves the address: a view that is passed on says what is seen. */
function useUnknownLeave(filters: readonly Filter[]): void {
  const [search, change] = useSearchState();
  const unknown = filters
    .filter((each) => search[each.name] !== undefined && valueOf(each, search) === undefined)
    .map(({ name }) => name)
    .join(" ");
  useEffect(() => {
    if (unknown !== "")
      change(Object.fromEntries(unknown.split(" ").map((name) => [name, undefined])));
  }, [unknown, change]);
}

type SearchProps = Omit<ComponentProps<typeof SearchInput>, "onChange"> & {
  onChange: (event: { target: { value: string } }) => void;
};

function AskedSearch({ value, onChange, ...rest }: SearchProps) {
  const [typed, type] = useTyped(value, (text) => onChange({ target: { value: text } }));
  return <SearchInput {...rest} value={typed} onChange={({ target }) => type(target.value)} />;
}
