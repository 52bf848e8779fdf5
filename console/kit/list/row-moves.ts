// Moving in a list by keys: `j` and `k` go from row to row, Enter does what the row has. The row that was opened last
// has the focus again when the list comes back.
import { useEffect, type MouseEvent, type RefObject } from "react";
import type { Command } from "../page/commands.ts";

type Box = RefObject<HTMLElement | null>;

/** By the path of the page. */
const openedLast = new Map<string, string>();

/** A row without a page of its own is entered at its acts. */
const entryOf = (row: Element): HTMLElement | null =>
  row.querySelector<HTMLElement>("[data-opens]") ?? row.querySelector<HTMLElement>("[data-acts]");

const entriesIn = (box: Box): HTMLElement[] =>
  [...(box.current?.querySelectorAll("[data-row]") ?? [])].flatMap((row) => entryOf(row) ?? []);

export function movesIn(box: Box): Command[] {
  const onPage = { group: "This page", inPalette: false } as const;
  const go = (step: 1 | -1) => () => {
    const entries = entriesIn(box);
    const at = entries.findIndex((entry) =>
      entry.closest("[data-row]")?.contains(document.activeElement),
    );
    const next = at === -1 ? (step === 1 ? 0 : entries.length - 1) : at + step;
    entries[next]?.focus();
  };
  return [
    { ...onPage, id: "list:next", label: "Next row", keys: "j", run: go(1) },
    { ...onPage, id: "list:previous", label: "Previous row", keys: "k", run: go(-1) },
  ];
}

/** What the list's box needs. Rows are there once `hasRows`. */
export function useRowReturn(box: Box, hasRows: boolean) {
  useEffect(() => {
    const { pathname } = window.location;
    const key = openedLast.get(pathname);
    if (!hasRows || key === undefined || document.activeElement !== document.body) return;
    openedLast.delete(pathname);
    const row = box.current?.querySelector(`[data-row="${CSS.escape(key)}"]`);
    if (row) entryOf(row)?.focus({ preventScroll: true });
  }, [box, hasRows]);
  return {
    onClickCapture: ({ target }: MouseEvent): void => {
      const way = target instanceof Element ? target.closest("[data-opens]") : null;
      const key = way?.closest("[data-row]")?.getAttribute("data-row");
      if (key != null) openedLast.set(window.location.pathname, key);
    },
  };
}
