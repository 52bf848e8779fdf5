// What a person writes is kept in this browser: for them alone, in one organization alone, and without secrets.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** Who is here. */
export interface Keeper {
  user: { id: string };
  organization: { id: string };
}

const prefix = "kept ";
const ofOrganization = ({ organization }: Keeper) => `${prefix}${organization.id} `;
const ofPerson = (keeper: Keeper) => `${ofOrganization(keeper)}${keeper.user.id} `;

/** Once it is known who is here: what others of the organization wrote is not for them to find. */
export function forgetOthersWork(keeper: Keeper): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(ofOrganization(keeper)) && !name.startsWith(ofPerson(keeper)))
      localStorage.removeItem(name);
}

/** Keys, tokens, and what stands where tokens of MCP servers stand. */
const secrets: readonly [RegExp, string][] = [
  [/\bsk-[\w-]{12,}/g, "sk-..."],
  [/\b(Bearer\s+)[\w.~+/=-]{12,}/g, "$1..."],
  [/(authorization_token\\*"\s*:\s*\\*")[^"\\]+/g, "$1..."],
];

export const withoutSecrets = (json: string): string =>
  secrets.reduce((text, [secret, shown]) => text.replaceAll(secret, shown), json);

/** Undefined where nothing is kept, or nothing that can be read. */
export function readKept(keeper: Keeper, of: string): unknown {
  try {
    const kept = localStorage.getItem(ofPerson(keeper) + of);
    return kept === null ? undefined : (JSON.parse(kept) as unknown);
  } catch {
    return undefined;
  }
}

/** False where the browser has no room for it, or keeps nothing at all. */
export function writeKept(keeper: Keeper, of: string, value: unknown): boolean {
  try {
    localStorage.setItem(ofPerson(keeper) + of, withoutSecrets(JSON.stringify(value)));
    return true;
  } catch {
    return false;
  }
}

/** A value that changes with every key is written once the typing pauses, and when the page goes. */
const pauseMs = 300;

/** As useState, but what it held comes back with the next visit: `revive` makes of it what this page works with. */
export function useKeptState<T>(
  keeper: Keeper,
  of: string,
  { initial, revive, kept }: { initial: () => T; revive: (kept: T) => T; kept: (value: T) => T },
) {
  const [value, setValue] = useState<T>(() => {
    const before = readKept(keeper, of);
    return before === undefined ? initial() : revive(before as T);
  });
  const latest = useRef({ keeper, value, isWritten: true });
  useLayoutEffect(() => {
    const isSame = latest.current.value === value;
    latest.current = { keeper, value, isWritten: isSame && latest.current.isWritten };
  });
  useEffect(() => {
    const write = () => {
      if (latest.current.isWritten) return;
      latest.current.isWritten = true;
      writeKept(latest.current.keeper, of, kept(latest.current.value));
    };
    const timer = setTimeout(write, pauseMs);
    window.addEventListener("pagehide", write);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", write);
    };
  }, [value, of, kept]);
  useEffect(
    () => () => {
      if (!latest.current.isWritten)
        writeKept(latest.current.keeper, of, kept(latest.current.value));
    },
    [of, kept],
  );
  return [value, setValue] as const;
}
