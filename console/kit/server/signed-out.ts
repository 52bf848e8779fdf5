// A sign-in that ends while something is typed: the page stays, and goes on after another sign-in.
import { useEffect } from "react";
import { sharedState } from "./shared-state.ts";
import { useShared } from "./use-shared.ts";

/** One for each form or text that holds what is not saved. */
const unsaved = new Set<symbol>();
const isOut = sharedState(false);

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
  isOut.set(true);
  return true;
}

export const signedInAgain = (): void => isOut.set(false);

export const useIsSignedOut = (): boolean => useShared(isOut);
