// The bar of filters above a list. They stand in the address, so that a view can be shared and comes back.
import { useEffect, type ComponentProps, type ReactNode } from "react";
import { CheckField, SearchInput } from "../form/field.tsx";
import { FilterSelect } from "../form/select.tsx";
import { useTyped } from "../form/typed.ts";
import { useSearchState, type Search } from "../page/search.ts";

export type Filter =
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
    };

/** What an address asks of a filter; a choice that is not offered counts as none. */
function valueOf(filter: Filter, search: Search): string | undefined {
  const value = search[filter.name];
  const isUnknown =
    filter.kind === "choice" && filter.choices.every((choice) => choice.value !== value);
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
  const [search, change] = useSearchState();
  useUnknownLeave(filters);
  const set = (name: string, value: string) => change({ [name]: value === "" ? undefined : value });
  return (
    <search aria-label={label} className="mb-4 flex flex-wrap items-center gap-2">
      {filters.map((filter) => {
        const { kind, name, label } = filter;
        const value = valueOf(filter, search) ?? "";
        if (kind === "check")
          return (
            <CheckField
              key={name}
              label={label}
              checked={value !== ""}
              onChange={({ target }) => set(name, target.checked ? "shown" : "")}
            />
          );
        const onChange = ({ target }: { target: { value: string } }) => set(name, target.value);
        if (kind === "search") {
          const { maxLength, isAsked = false } = filter;
          const Input = isAsked ? AskedSearch : SearchInput;
          return <Input key={name} {...{ label, value, maxLength, onChange }} />;
        }
        return (
          <FilterSelect
            key={name}
            label={label}
            value={value}
            choices={[{ value: "", label: filter.any }, ...filter.choices]}
            onChange={(chosen) => set(name, chosen)}
          />
        );
      })}
      {children}
    </search>
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
