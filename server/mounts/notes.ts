// What the agent is told of its mounts, once for each cause.
import { limits } from "./limits.ts";

export const noteKinds = ["conflict", "refused", "file", "output", "sandbox"] as const;
export type NoteKind = (typeof noteKinds)[number];

export interface Note {
  kind: NoteKind;
  storeId: string | null;
  text: string;
}

export interface Notes {
  /** Not again for the same subject in the same state: then false. */
  tell(note: Note, subject: string, state: string): boolean;
  /** What was told before of the subject is over. */
  settle(subject: string): void;
  /** What the agent has not been told yet: all of it, and the lines that it is shown. */
  take(): { taken: readonly Note[]; shown: string[] };
}

export function makeNotes(): Notes {
  const told = new Map<string, string>();
  let waiting: Note[] = [];
  return {
    tell(note, subject, state) {
      if (told.get(subject) === state) return false;
      told.set(subject, state);
      waiting.push(note);
      return true;
    },
    settle: (subject) => void told.delete(subject),
    take() {
      const taken = waiting;
      waiting = [];
      const shown = taken.slice(0, limits.notesMax).map(({ text }) => shownOf(text));
      const rest = taken.length - shown.length;
      if (rest > 0) shown.push(`${rest} more files have problems of this kind.`);
      return { taken, shown };
    },
  };
}

/** As much of a note as is shown and kept. */
export const shownOf = (text: string): string =>
  text.slice(0, limits.noteCharactersMax).toWellFormed();
