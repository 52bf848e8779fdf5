// Lists what the agent of a session was told of its mounts.
import type { Context } from "../../../../kernel/context.ts";
import { expectSession } from "../../named-session.ts";
import { listNotes } from "./queries.ts";
import type { MountNote } from "./schema.ts";

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
