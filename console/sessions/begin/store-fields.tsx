// Which memory stores a session is given, and whether it may write to each.
import { CheckField } from "../../kit/form/field.tsx";
import { FilterSelect } from "../../kit/form/select.tsx";
import type { MemoryStore } from "../../kit/server/api.ts";
import { limits } from "../sessions.ts";
import type { ChosenStore } from "./session-draft.ts";

const accesses = [
  { value: "read_write", label: "Reads and writes" },
  { value: "read_only", label: "Reads" },
] as const;

export function StoreFields({
  stores,
  chosen,
  onChange,
}: {
  stores: readonly MemoryStore[];
  chosen: readonly ChosenStore[];
  onChange: (chosen: ChosenStore[]) => void;
}) {
  const isFull = chosen.length >= limits.storesMax;
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">Memory stores</legend>
      <p className="mb-1 text-sm text-soft">
        At most {limits.storesMax}, and none is added later. One that others lean on is safer read
        only.
      </p>
      <ul className="grid max-h-72 gap-1 overflow-y-auto rounded-md border border-line p-2">
        {stores.map(({ id, name }) => {
          const own = chosen.find((each) => each.id === id);
          return (
            <li key={id} className="flex min-h-9 flex-wrap items-center justify-between gap-2">
              <CheckField
                label={name}
                checked={own !== undefined}
                disabled={own === undefined && isFull}
                onChange={({ target }) =>
                  onChange(
                    target.checked
                      ? [...chosen, { id, access: "read_write" }]
                      : chosen.filter((each) => each.id !== id),
                  )
                }
              />
              {own !== undefined && (
                <FilterSelect
                  label={`What it may do with ${name}`}
                  value={own.access}
                  choices={accesses}
                  onChange={(access) =>
                    onChange(chosen.map((each) => (each.id === id ? { id, access } : each)))
                  }
                />
              )}
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
