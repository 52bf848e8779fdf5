// The bar of filters above a list. They stand in the address, so that a view can be shared and comes back.
import { useEffect, type ComponentProps, type ReactNode } from "react";
import { CheckField, FilterDay, SearchInput } from "../form/field.tsx";
import { FactFilter, RareFilters } from "../form/filter-parts.tsx";
import { FilterSelect } from "../form/select.tsx";
import { useTyped } from "../form/typed.ts";
import { useSearchState, type Search } from "../page/search.ts";

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
        <RareFilters isSet={rare.some((each) => valueOf(each, search) !== undefined)}>
          {rare.map((filter) => (
            <Field key={filter.name} filter={filter} />
          ))}
        </RareFilters>
      )}
      <div className="flex basis-full flex-wrap gap-2 empty:hidden">
        {facts.map((filter) => (
          <FactFilter key={filter.name} {...filter} />
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
