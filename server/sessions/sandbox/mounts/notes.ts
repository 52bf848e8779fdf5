// What the agent is told of its mounts, once for each cause, and what the console shows of it.
import type { Context, World } from "../../../../kernel/context.ts";
import { expectSession } from "../../named-session.ts";
import { limits } from "./limits.ts";
import { listRepositories, type ListedRepository } from "../repositories/queries.ts";
import { beginningOf } from "../repositories/words.ts";
import { insertNotes, listNotes } from "./queries.ts";
import type { MountedRepository, MountNotes, Note } from "./schema.ts";

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

export async function listMountNotes(context: Context, sessionId: string): Promise<MountNotes> {
  const { environmentType } = await expectSession(context, sessionId);
  const notes = await listNotes(context.db, sessionId);
  const all = environmentType === "cloud" ? await listRepositories(context.db, sessionId) : [];
  const data = notes.map(({ id, kind, storeId, text, createdAt }) => ({
    id,
    kind,
    memory_store_id: storeId,
    resource_id: all.find(({ shown }) => text.startsWith(beginningOf(shown)))?.id ?? null,
    text,
    created_at: createdAt.toISOString(),
  }));
  return { data, repositories: all.map((repository) => presentRepository(repository, data)) };
}

/** What was told last of it, unless it has been cloned since. */
function presentRepository(
  { id, shown, isCloned }: ListedRepository,
  notes: MountNotes["data"],
): MountedRepository {
  if (isCloned) return { id, state: "cloned", message: null, tried_at: null };
  const told = notes.find((note) => note.resource_id === id);
  if (told === undefined) return { id, state: "waiting", message: null, tried_at: null };
  const message = told.text.slice(beginningOf(shown).length);
  return { id, state: "failed", message, tried_at: told.created_at };
}
