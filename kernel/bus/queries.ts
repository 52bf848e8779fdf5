// Statements about the processes that say where they are reached. They are few, and so are the rows.
import type { Queryable, Tx } from "../sql/database.ts";
import { preparedAs, sql } from "../sql/statement.ts";
import { leasable, type Lease } from "../work/lease.ts";

export const nodeLeases = leasable("bus_nodes");

export async function insertNode(tx: Tx, id: string, address: string): Promise<void> {
  await tx.query(sql`insert into bus_nodes (id, address) values (${id}, ${address})`);
}

export const claimNode = (tx: Tx, owner: string, id: string) =>
  nodeLeases.claim(tx, { owner, where: sql`row.id = ${id}`, orderBy: sql`row.id`, limit: 1 });

/** Of processes that died a while ago. */
export async function deleteDeadNodes(tx: Tx): Promise<void> {
  await tx.query(
    sql`delete from bus_nodes where lease_until < clock_timestamp() - interval '1 minute'`,
  );
}

export async function deleteNodes(on: Queryable, leases: readonly Lease[]): Promise<void> {
  const ids = leases.map(({ id }) => id);
  await on.query(sql`delete from bus_nodes where id = any(${ids}::text[])`);
}

/** Several processes may share one. */
export async function selectAddresses(on: Queryable, limit: number): Promise<string[]> {
  const rows = await on.query<{ address: string }>(
    preparedAs(
      "bus_addresses",
      sql`
        select distinct address from bus_nodes
        where lease_until > statement_timestamp()
        order by address
        limit ${limit}`,
    ),
  );
  return rows.map(({ address }) => address);
}
