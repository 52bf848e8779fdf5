// Pages of a list that gives a cursor for the next one only: the way back is remembered.
import { useState } from "react";

export interface Paging {
  cursor: string | undefined;
  /** From 0. */
  place: number;
  next: (cursor: string) => void;
  previous: () => void;
}

/** Another list, or another filter, begins at its first page. */
export function usePaging(list: string): Paging {
  const [state, setState] = useState<{ list: string; cursors: string[] }>({ list, cursors: [] });
  const cursors = state.list === list ? state.cursors : [];
  const go = (to: string[]) => setState({ list, cursors: to });
  return {
    cursor: cursors.at(-1),
    place: cursors.length,
    next: (cursor) => go([...cursors, cursor]),
    previous: () => go(cursors.slice(0, -1)),
  };
}
