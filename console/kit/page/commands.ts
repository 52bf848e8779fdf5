// The one registry of what can be done from the keyboard: shortcuts, palette and cheat sheet all read it.
import type { LucideIcon } from "lucide-react";
import { useEffect, useLayoutEffect, useRef } from "react";

export interface Command {
  id: string;
  label: string;
  group: "Go to" | "Actions" | "Workspaces" | "This page" | "Help";
  /** `mod+k`, `?`, `g k` (one after the other). */
  keys?: string;
  icon?: LucideIcon;
  /** More words that the palette finds it by. */
  words?: string;
  /** Moves inside a page make sense on a keyboard only. */
  inPalette?: boolean;
  /** In the palette once something is typed: there may be hundreds. */
  whenTyped?: boolean;
  run: () => void;
}

const registered = new Set<{ current: Command[] }>();

/** Makes commands known for as long as the component is there. */
export function useCommands(commands: Command[]): void {
  const latest = useRef(commands);
  useLayoutEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    registered.add(latest);
    return () => void registered.delete(latest);
  }, []);
}

export const allCommands = (): Command[] => [...registered].flatMap(({ current }) => current);

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** `mod+k` -> [`Ctrl`, `K`]; `g k` -> [`G`, `K`]. */
export const keyCaps = (keys: string): string[] =>
  keys
    .split(/[ +]/)
    .map((key) =>
      key === "mod"
        ? isMac
          ? "⌘"
          : "Ctrl"
        : key === "esc" || key === "Escape"
          ? "Esc"
          : key.toUpperCase(),
    );

const sequenceMs = 1_000;
/** A box to tick takes no text; a select takes the beginning of what is looked for. */
const typing =
  "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], " +
  "[role=combobox], [role=listbox]";

/** Listens on the whole window; the shell starts it once. */
export function listenToKeys(): () => void {
  let before: { key: string; at: number } | undefined;

  function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const mod = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!mod && (isTyping(event.target) || isDialogOpen())) return;

    const started = before !== undefined && event.timeStamp - before.at < sequenceMs;
    const wanted = mod ? [`mod+${key}`] : started ? [`${before?.key} ${key}`, key] : [key];
    before = mod ? undefined : { key, at: event.timeStamp };
    const command = wanted
      .map((keys) => allCommands().findLast((one) => one.keys === keys))
      .find((found) => found !== undefined);
    // Acts of the page behind a dialog would be done unseen.
    if (command === undefined || (command.group === "This page" && isDialogOpen())) return;
    event.preventDefault();
    before = undefined;
    command.run();
  }

  window.addEventListener("keydown", onKeyDown);
  return () => window.removeEventListener("keydown", onKeyDown);
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest(typing) !== null;

/** What fades away is in the way of no key: a quick hand types on meanwhile. */
const isDialogOpen = () =>
  document.querySelector(
    ":is([role=dialog], [role=alertdialog], [role=menu]):not([data-closed])",
  ) !== null;
