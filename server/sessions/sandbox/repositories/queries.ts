// Statements about repositories of sessions, and where they have been cloned.
import type { Database, Queryable } from "../../../../kernel/sql/database.ts";
import { sql } from "../../../../kernel/sql/statement.ts";

export interface RepositoryRow {
  id: string;
  shown: { url: string; mount_path: string; checkout: Checkout | null };
  /** Encrypted. */
  secret: string | null;
}

export type Checkout = { type: "branch"; name: string } | { type: "commit"; sha: string };

/** Those that the workspace on this host has not got yet. */
export function listMissing(
  on: Queryable,
  sessionId: string,
  hostId: string,
): Promise<RepositoryRow[]> {
  return on.query<RepositoryRow>(sql`
    select id, shown, secret from session_resources
    where session_id = ${sessionId} and type = 'github_repository'
      and cloned_host_id is distinct from ${hostId}
    order by id`);
}

export async function setCloned(
  db: Pick<Database, "tx">,
  { sessionId, id, hostId }: { sessionId: string; id: string; hostId: string },
): Promise<void> {
  await db.tx((tx) =>
    tx.query(sql`
      update session_resources set cloned_host_id = ${hostId} where session_id = ${sessionId} and id = ${id}`),
  );
}

export type ListedRepository = Pick<RepositoryRow, "id" | "shown"> & { isCloned: boolean };

/** In the order in which they were named. */
export function listRepositories(on: Queryable, sessionId: string): Promise<ListedRepository[]> {
  return on.query<ListedRepository>(sql`
    select id, shown, cloned_host_id is not null as "isCloned" from session_resources
    where session_id = ${sessionId} and type = 'github_repository' order by id`);
}
