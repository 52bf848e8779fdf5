// What agents were told of their mounts, kept for the console.
import type { Context, World } from "../../../../kernel/context.ts";
import type { Notes } from "../../../mounts/module.ts";
import { expectSession } from "../../named-session.ts";
import { limits } from "./limits.ts";
import { listRepositories, type ListedRepository } from "../repositories/queries.ts";
import { beginningOf } from "../repositories/words.ts";
import { insertNotes, listNotes } from "./queries.ts";
import type { MountedRepository, MountNotes } from "./schema.ts";

/** What the agent has not been told yet. */
export async function takeNotes(world: World, sessionId: string, notes: Notes): Promise<string[]> {
  const { taken, shown } = notes.take();
  if (taken.length > 0) await insertNotes(world, sessionId, taken.slice(0, limits.keptNotesMax));
  return shown;
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
