// A dialog opened from an act: a page says what is in it, and holds nothing of whether it is open.
import { useEffect, useSyncExternalStore, type ReactNode } from "react";
import type { DialogProps } from "./dialog.tsx";

export interface Opened extends Pick<DialogProps, "title" | "description" | "locked" | "wide"> {
  body: ReactNode;
}

let opened: { dialog: Opened; key: number } | undefined;
let keys = 0;
const listeners = new Set<() => void>();

function set(dialog: Opened | undefined): void {
  opened = dialog && { dialog, key: (keys += 1) };
  for (const listener of listeners) listener();
}

/** What was open gives way: the next step of a form takes the place of the one before. */
export const openDialog = (dialog: Opened): void => set(dialog);
export const closeDialog = (): void => set(undefined);

export const useIsDialogOpen = (): boolean =>
  useSyncExternalStore(subscribe, () => opened !== undefined);

/** For what stands in the dialog: while something is under way, a stray press does not close it. */
export function useDialogLock(isLocked: boolean): void {
  useEffect(() => {
    if (opened === undefined) return;
    opened = { ...opened, dialog: { ...opened.dialog, locked: isLocked } };
    for (const listener of listeners) listener();
  }, [isLocked]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useOpened = () => useSyncExternalStore(subscribe, () => opened);
