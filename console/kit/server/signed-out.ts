// A sign-in that ends while something is typed: the page stays, and goes on after another sign-in.
import { useEffect } from "react";
import { sharedState } from "./shared-state.ts";
import { useShared } from "./use-shared.ts";

/** One for each form or text that holds what is not saved. */
const unsaved = new Set<symbol>();
/** Of the person of this page: another one may have come meanwhile. */
type SignedOut = "signed_in" | "signed_out" | "another_person";
const out = sharedState<SignedOut>("signed_in");

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
export function staysSignedOut(code: string | undefined): boolean {
  if (unsaved.size === 0) return false;
  out.set(code === "another_person" ? code : "signed_out");
  return true;
}

export const signedInAgain = (): void => out.set("signed_in");

export const useSignedOut = (): SignedOut => useShared(out);
