// What a person has written is kept while they sign in again: in this tab alone, and for the same person alone.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

const keepers = new Set<() => void>();

/** Before the browser leaves for the sign-in page. */
export function keepWork(): void {
  for (const keep of keepers) keep();
}

const prefix = "kept ";
const ownBeginning = (userId: string) => `${prefix}${userId} `;

/** Once it is known who is here: what others wrote in this tab is not for them to find. */
export function forgetOthersWork(userId: string): void {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(prefix) && !name.startsWith(ownBeginning(userId)))
      sessionStorage.removeItem(name);
}

/** As useState, but what it held comes back after a sign-in; `revive` makes of it what this page works with. */
export function useKeptState<T>(
  userId: string,
  of: string,
  initial: () => T,
  revive: (kept: T) => T,
) {
  const name = ownBeginning(userId) + of;
  const [value, setValue] = useState<T>(() => {
    const kept = sessionStorage.getItem(name);
    return kept === null ? initial() : revive(JSON.parse(kept) as T);
  });
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  useEffect(() => {
    sessionStorage.removeItem(name);
    const keep = () => sessionStorage.setItem(name, JSON.stringify(latest.current));
    keepers.add(keep);
    return () => void keepers.delete(keep);
  }, [name]);
  return [value, setValue] as const;
}
