// What the agent is told of its mounts, once for each cause, and what the console shows of it.
import type { World } from "../../../../kernel/context.ts";
import { limits } from "./limits.ts";
import { insertNotes } from "./queries.ts";

export const noteKinds = ["conflict", "refused", "file", "output", "skill", "sandbox"] as const;
export type NoteKind = (typeof noteKinds)[number];

export interface Note {
  kind: NoteKind;
  storeId: string | null;
  text: string;
}

export interface Notes {
  /** Not again for the same subject in the same state. */
  tell(note: Note, subject: string, state: string): void;
  /** What was told before of the subject is over. */
  settle(subject: string): void;
  /** What the agent has not been told yet; it is kept for the console too. */
  take(world: World, sessionId: string): Promise<string[]>;
}

export function makeNotes(): Notes {
  const told = new Map<string, string>();
  let waiting: Note[] = [];
  return {
    tell(note, subject, state) {
      if (told.get(subject) === state) return;
      told.set(subject, state);
      waiting.push(note);
    },
    settle: (subject) => void told.delete(subject),
    async take(world, sessionId) {
      if (waiting.length === 0) return [];
      const taken = waiting;
      waiting = [];
      const shown = taken
        .slice(0, limits.notesMax)
        .map(({ text }) => text.slice(0, limits.noteCharactersMax).toWellFormed());
      const rest = taken.length - shown.length;
      if (rest > 0) shown.push(`${rest} more files have problems of this kind.`);
      await insertNotes(world, sessionId, taken.slice(0, limits.keptNotesMax));
      return shown;
    },
  };
}
