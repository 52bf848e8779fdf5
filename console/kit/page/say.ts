// Short messages to the person: said here, shown by toasts.tsx, whose code comes with the first of them.
import { useSyncExternalStore } from "react";
import { sentenceOf } from "../server/errors.ts";

export interface Said {
  title: string;
  isBad: boolean;
}

const waiting: Said[] = [];
let show: ((said: Said) => void) | undefined;
let isAny = false;
const listeners = new Set<() => void>();

function tell(said: Said): void {
  if (show === undefined) waiting.push(said);
  else show(said);
  isAny = true;
  for (const listener of listeners) listener();
}

export const say = {
  good: (title: string) => tell({ title, isBad: false }),
  bad: (title: string) => tell({ title, isBad: true }),
  error: (error: unknown) => say.bad(sentenceOf(error)),
};

/** What was said before is shown first. */
export function showSaid(by: (said: Said) => void): void {
  show = by;
  for (const said of waiting.splice(0)) by(said);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useHasSaid = (): boolean => useSyncExternalStore(subscribe, () => isAny);
