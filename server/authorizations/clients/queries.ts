// Statements about programs that registered themselves: they are of the server, not of an organization.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { ApplicationType } from "./redirects.ts";

/** How the ids of those begin that registered themselves. */
export const registeredIds = "oac_";

export interface ClientRow {
  id: string;
  name: string;
  redirect_uris: string[];
  /** When the document that it comes from was read; null where it registered. */
  read_at: Date | null;
}

export interface NewClient {
  id: string;
  name: string;
  applicationType: ApplicationType;
  redirectUris: readonly string[];
  address: string;
  at: Date;
}

export async function insertClient(tx: Tx, row: NewClient): Promise<void> {
  await tx.query(sql`
    insert into oauth_clients
      (id, name, application_type, redirect_uris, address, created_at, last_used_at)
    values (${row.id}, ${row.name}, ${row.applicationType}, ${row.redirectUris}, ${row.address},
            ${row.at}, ${row.at})`);
}

/** What a document says now, in place of what it said before. */
export async function putDocument(tx: Tx, row: NewClient): Promise<void> {
  await tx.query(sql`
    insert into oauth_clients
      (id, name, application_type, redirect_uris, address, created_at, last_used_at, read_at)
    values (${row.id}, ${row.name}, ${row.applicationType}, ${row.redirectUris}, ${row.address},
            ${row.at}, ${row.at}, ${row.at})
    on conflict (id) do update
    set name = excluded.name, application_type = excluded.application_type,
        redirect_uris = excluded.redirect_uris, read_at = excluded.read_at`);
}

export async function findClientRow(
  queries: Queryable,
  id: string,
): Promise<ClientRow | undefined> {
  const [row] = await queries.query<ClientRow>(sql`
    select id, name, redirect_uris, read_at from oauth_clients where id = ${id}`);
  return row;
}

/** Of those among the ids that are registered. */
export async function namesOfClients(
  queries: Queryable,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await queries.query<{ id: string; name: string }>(sql`
    select id, name from oauth_clients where id = any(${ids})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function noteClientUsed(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query(sql`update oauth_clients set last_used_at = ${at} where id = ${id}`);
}

/** All of them, and those that came from an address of late, with the oldest of these. */
export async function countClients(
  queries: Queryable,
  { address, since }: { address: string; since: Date },
): Promise<{ all: number; here: number; oldest: Date | null }> {
  const [row] = await queries.query<{ all: number; here: number; oldest: Date | null }>(sql`
    select (select count(*) from oauth_clients) as all, count(*) as here,
           min(created_at) as oldest
    from oauth_clients where address = ${address} and created_at > ${since}`);
  return row ?? { all: 0, here: 0, oldest: null };
}

/** No person has granted it anything yet; false where there is none such. */
export async function deleteOldestUnused(tx: Tx): Promise<boolean> {
  const deleted = await tx.query(sql`
    delete from oauth_clients where id =
      (select id from oauth_clients where last_used_at = created_at
       order by created_at, id limit 1)
    returning id`);
  return deleted.length === 1;
}

/** No person has granted them anything since, and no sign-in of theirs is kept. */
export async function deleteUnusedClients(tx: Tx, before: Date, rows: number): Promise<void> {
  await tx.query(sql`
    delete from oauth_clients where id in
      (select c.id from oauth_clients c
       where c.last_used_at < ${before}
         and not exists (select from token_families f where f.client_id = c.id)
       order by c.last_used_at limit ${rows})`);
}
