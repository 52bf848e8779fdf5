// Statements about what agents were told of their mounts.
import type { World } from "../../../../kernel/context.ts";
import type { Queryable } from "../../../../kernel/sql/database.ts";
import { sql } from "../../../../kernel/sql/statement.ts";
import { type Note, type NoteKind, shownOf } from "../../../mounts/module.ts";
import { limits } from "./limits.ts";

/** The newest are kept. Nothing is written of a session that is gone. */
export async function insertNotes(
  { db, clock, ids }: World,
  sessionId: string,
  notes: readonly Note[],
): Promise<void> {
  const texts = notes.map(({ text }) => shownOf(text));
  await db.tx(async (tx) => {
    await tx.query(sql`
      insert into session_mount_notes (id, session_id, kind, memory_store_id, text, created_at)
      select given.id, session.id, given.kind, given.store_id, given.text, ${clock.now()}
      from unnest(
          ${notes.map(() => ids.next("note_"))}::text[], ${notes.map(({ kind }) => kind)}::text[],
          ${notes.map(({ storeId }) => storeId)}::text[], ${texts}::text[]
        ) as given (id, kind, store_id, text)
        join sessions as session on session.id = ${sessionId}`);
    await tx.query(sql`
      delete from session_mount_notes where session_id = ${sessionId} and id <= (
        select id from session_mount_notes where session_id = ${sessionId}
        order by id desc offset ${limits.keptNotesMax} limit 1)`);
  });
}

export interface NoteRow {
  id: string;
  kind: NoteKind;
  storeId: string | null;
  text: string;
  createdAt: Date;
}

/** Newest first: all that are kept. */
export function listNotes(on: Queryable, sessionId: string): Promise<NoteRow[]> {
  return on.query<NoteRow>(sql`
    select id, kind, memory_store_id as "storeId", text, created_at as "createdAt"
    from session_mount_notes where session_id = ${sessionId}
    order by id desc limit ${limits.keptNotesMax}`);
}
