// What the agent is told of its mounts, once for each cause, and what the console shows of it.
import type { Context, World } from "../../../../kernel/context.ts";
import { expectSession } from "../../named-session.ts";
import { limits } from "./limits.ts";
import { insertNotes, listNotes } from "./queries.ts";
import type { MountNote, Note } from "./schema.ts";

export interface Notes {
  /** Not again for the same subject in the same state: then false. */
  tell(note: Note, subject: string, state: string): boolean;
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
      if (told.get(subject) === state) return false;
      told.set(subject, state);
      waiting.push(note);
      return true;
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

export async function listMountNotes(
  context: Context,
  sessionId: string,
): Promise<{ data: MountNote[] }> {
  await expectSession(context, sessionId);
  const rows = await listNotes(context.db, sessionId);
  return {
    data: rows.map(({ id, kind, storeId, text, createdAt }) => ({
      id,
      kind,
      memory_store_id: storeId,
      text,
      created_at: createdAt.toISOString(),
    })),
  };
}
