// What is dear to open (a browser) is opened once for all test files of a process, and closed after the last.
import assert from "node:assert/strict";

const opened = new Map<string, Promise<AsyncDisposable>>();
let isShared = false;

/** Set by a process that takes several files. */
export function shareBetweenFiles(): void {
  isShared = true;
}

/** Also true: only the process closes it. */
export const sharesBetweenFiles = () => isShared;

/** The one of this process while it `isAlive`, else a new one. */
export async function shared<T extends AsyncDisposable>(
  name: string,
  open: () => Promise<T>,
  isAlive: (thing: T) => boolean,
): Promise<T> {
  assert.ok(isShared, "a file alone closes what it opens");
  const kept = opened.get(name) as Promise<T> | undefined;
  if (kept !== undefined && isAlive(await kept)) return kept;
  const made = open();
  opened.set(name, made);
  return made;
}

export async function closeShared(): Promise<void> {
  for (const thing of opened.values()) await (await thing)[Symbol.asyncDispose]();
  opened.clear();
}
