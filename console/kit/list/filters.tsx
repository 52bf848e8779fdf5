// The bar of filters above a list. They stand in the address, so that a view can be shared and comes back.
import type { ReactNode } from "react";
import { CheckField, FilterSelect, SearchInput } from "../form/field.tsx";
import { useSearchState } from "../page/search.ts";

export type Filter =
  | { kind: "search"; name: string; label: string }
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
      /** It shows more, not less: where there is nothing, it is not what hides it. */
      widens?: boolean;
    };

/** Whether any of them narrows the list, and how to take all of them away. */
export function useFilters(filters: readonly Filter[]) {
  const [search, change] = useSearchState();
  const names = filters.map(({ name }) => name);
  return {
    isSet: filters.some(
      (filter) =>
        search[filter.name] !== undefined && !(filter.kind === "check" && filter.widens === true),
    ),
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
  const set = (name: string, value: string) => change({ [name]: value === "" ? undefined : value });
  return (
    <search aria-label={label} className="mb-4 flex flex-wrap items-center gap-2">
      {filters.map((filter) => {
        const { kind, name, label } = filter;
        const value = search[name] ?? "";
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
        if (kind === "search")
          return <SearchInput key={name} label={label} value={value} onChange={onChange} />;
        return (
          <FilterSelect key={name} label={label} value={value} onChange={onChange}>
            <option value="">{filter.any}</option>
            {filter.choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </FilterSelect>
        );
      })}
      {children}
    </search>
  );
}
