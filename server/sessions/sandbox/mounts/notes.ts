// What agents were told of their mounts, kept for the console.
import type { Context, World } from "../../../../kernel/context.ts";
import type { Notes } from "../../../mounts/module.ts";
import { expectSession } from "../../named-session.ts";
import { limits } from "./limits.ts";
import { insertNotes, listNotes } from "./queries.ts";
import type { MountNote } from "./schema.ts";

/** What the agent has not been told yet. */
export async function takeNotes(world: World, sessionId: string, notes: Notes): Promise<string[]> {
  const { taken, shown } = notes.take();
  if (taken.length > 0) await insertNotes(world, sessionId, taken.slice(0, limits.keptNotesMax));
  return shown;
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
