// A dialog opened from an act: a page says what is in it, and holds nothing of whether it is open.
import { useEffect, type ReactNode } from "react";
import { sharedState } from "../server/shared-state.ts";
import { useShared } from "../server/use-shared.ts";
import type { DialogProps } from "./dialog.tsx";

export interface Opened extends Pick<DialogProps, "title" | "description" | "locked" | "wide"> {
  body: ReactNode;
}

const opened = sharedState<{ dialog: Opened; key: number } | undefined>(undefined);
let keys = 0;

/** What was open gives way: the next step of a form takes the place of the one before. */
export const openDialog = (dialog: Opened): void => opened.set({ dialog, key: (keys += 1) });
export const closeDialog = (): void => opened.set(undefined);

export const useOpened = () => useShared(opened);
export const useIsDialogOpen = (): boolean => useShared(opened) !== undefined;

/** For what stands in the dialog: while something is under way, a stray press does not close it. */
export function useDialogLock(isLocked: boolean): void {
  useEffect(() => {
    const now = opened.get();
    if (now !== undefined) opened.set({ ...now, dialog: { ...now.dialog, locked: isLocked } });
  }, [isLocked]);
}
