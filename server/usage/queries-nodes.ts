// Statements about nodes: the leased rows of processes that admit.
import { leasable } from "../../kernel/work/lease.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";

export const nodeLeases = leasable("ledger_nodes");

/** Nodes whose lease has lapsed while a process had it: taken by this one, so that their late writes fail. */
export const claimDead = (tx: Tx, owner: string) =>
  nodeLeases.claim(tx, {
    owner,
    where: sql`row.lease_owner is not null`,
    orderBy: sql`row.id`,
    limit: 4,
  });

/** A node that was given back. */
export const claimFree = (on: Queryable, owner: string) =>
  nodeLeases.claim(on, {
    owner,
    where: sql`row.lease_owner is null`,
    orderBy: sql`row.id`,
    limit: 1,
  });

export const claimNamed = (on: Queryable, owner: string, id: string) =>
  nodeLeases.claim(on, { owner, where: sql`row.id = ${id}`, orderBy: sql`row.id`, limit: 1 });

export async function insertNode(on: Queryable, id: string): Promise<void> {
  await on.query(sql`insert into ledger_nodes (id) values (${id})`);
}

/** The database's clock, which decides what month it is. */
export async function readNow(on: Queryable): Promise<Date> {
  const [row] = await on.query<{ now: Date }>(
    preparedAs("ledger_now", sql`select clock_timestamp() as now`),
  );
  return row?.now ?? new Date(0);
}

/** Part of a statement: the node is still held under this epoch. What a process marks as its own ends with it so. */
export const holdsNode = (id: Statement, epoch: Statement): Statement => sql`exists (
  select 1 from ledger_nodes as held
  where held.id = ${id} and held.lease_epoch = ${epoch} and held.lease_owner is not null
    and held.lease_until > clock_timestamp()
)`;
