// Short messages to the person: said here, shown by toasts.tsx, whose code comes with the first of them.
import { sentenceOf } from "../server/errors.ts";
import { sharedState } from "../server/shared-state.ts";
import { useShared } from "../server/use-shared.ts";

export interface Said {
  title: string;
  isBad: boolean;
}

const waiting: Said[] = [];
let show: ((said: Said) => void) | undefined;
const isAny = sharedState(false);

function tell(said: Said): void {
  if (show === undefined) waiting.push(said);
  else show(said);
  isAny.set(true);
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

export const useHasSaid = (): boolean => useShared(isAny);
