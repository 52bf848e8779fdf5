// A sign-in that ends while something is typed: the page stays, and goes on after another sign-in.
import { useEffect, useSyncExternalStore } from "react";

/** One for each form or text that holds what is not saved. */
const unsaved = new Set<symbol>();
let isOut = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  isOut = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** What is typed here is not lost to the sign-in page. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const mark = Symbol("unsaved");
    unsaved.add(mark);
    return () => void unsaved.delete(mark);
  }, [isUnsaved]);
}

/** False where nothing is typed: then the sign-in page is the place to go. */
export function staysSignedOut(): boolean {
  if (unsaved.size === 0) return false;
  if (!isOut) set(true);
  return true;
}

export const signedInAgain = (): void => set(false);

export const useIsSignedOut = (): boolean => useSyncExternalStore(subscribe, () => isOut);
