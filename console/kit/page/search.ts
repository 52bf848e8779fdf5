// Filters live in the address, as plain words, so that a view can be shared and the back button works.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";

export type Search = Record<string, string | undefined>;

export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text));

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === "string" && value !== "") params.set(name, value);
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * The query of the address, and a way to change parts of it: without a new step in the history, or, for what is opened,
 * with one, so that Back closes it.
 */
export function useSearchState(): [Search, (patch: Search, isStep?: boolean) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (patch: Search, isStep = false) =>
      void navigate({
        to: ".",
        search: (before: Search) => ({ ...before, ...patch }),
        replace: !isStep,
        // What is opened beside something leaves that where it is.
        resetScroll: !isStep,
      }),
    [navigate],
  );
  return [search, change];
}

/**
 * `?new=group`: what an address asks to be opened. It is asked once: a reload does not ask again.
 * Undefined while it is not known yet what this person may open.
 */
export function useAskedFor(asked: Record<string, (() => void) | undefined> | undefined): void {
  const [{ new: name }, change] = useSearchState();
  useEffect(() => {
    if (name === undefined || asked === undefined) return;
    asked[name]?.();
    change({ new: undefined });
  }, [name, change, asked === undefined]);
}
