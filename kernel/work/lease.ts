// The one lease primitive: a row belongs to one owner for a while, and every claim raises its epoch.
// A table takes part with the columns `lease_owner text`, `lease_epoch bigint not null default 0` and
// `lease_until timestamptz`. Time is always the database's, never Node's.
import type { Database, Queryable, Tx } from "../sql/database.ts";
import { givenRows } from "../sql/rows/given-rows.ts";
import { empty, identifier, preparedAs, sql, type Statement } from "../sql/statement.ts";
import { leaseLimits } from "./limits.ts";

/** How long a row stays with its owner, and how soon that is seen to. */
export interface LeaseTimes {
  /** How long a row stays with an owner that sends no heartbeat: a dead one is replaced after this. */
  leaseMs: number;
  /** Three heartbeats fit into a lease, so one that is lost or late costs nothing. */
  heartbeatMs: number;
}

export interface Lease {
  id: string;
  owner: string;
  epoch: number;
}

/** Another owner has the row by now, or may have it: the former holder must write nothing more. */
export class LeaseLost extends Error {
  constructor(table: string, lease: Lease) {
    super(`${lease.owner} no longer holds ${lease.id} of ${table} (epoch ${lease.epoch}).`);
    this.name = "LeaseLost";
  }
}

/** `locked`: a transaction had the row just then. The lease holds, and its end is as before. */
export type Renewal = "renewed" | "locked";

interface Taking {
  owner: string;
  leaseMs?: number;
  /** Columns of the row to read back, as `row.name, …`. */
  returning?: Statement;
  /** More assignments, as `name = …, …`; `row` is the row as it was. */
  set?: Statement;
  /** Prepared under this name; the statement must then be the same text each time. */
  name?: string;
}

export interface Claiming extends Taking {
  /** Which rows may be taken, in words of `row`. */
  where: Statement;
  orderBy: Statement;
  limit: number;
}

export interface Leasable {
  /**
   * Takes up to `limit` free rows: never leased, released, or lapsed. Rows locked by others are passed by. They are
   * answered in the order of their ids.
   */
  claim<Row extends object>(on: Queryable, claiming: Claiming): Promise<(Row & Lease)[]>;
  /**
   * Takes the rows whose ids `picked` selects; it must lock them and must leave out leased ones. `also` is done with
   * it, as `name as (…)`: it finds the rows as they were.
   */
  take<Row extends object>(
    on: Queryable,
    taking: Taking & { picked: Statement; also?: Statement },
  ): Promise<(Row & Lease)[]>;
  /** Prolongs all of one owner's leases in one statement. What the answer does not name is lost. */
  renewAll(
    on: Queryable,
    leases: readonly Lease[],
    leaseMs?: number,
  ): Promise<Map<string, Renewal>>;
  /** Prolongs one lease whose row may be locked: waits for it, so long at most. False where the lease is lost. */
  renewLocked(on: Pick<Database, "tx">, lease: Lease, times: LeaseTimes): Promise<boolean>;
  /** Gives rows back at once; leases that another owner has taken over stay as they are. */
  release(on: Queryable, leases: readonly Lease[]): Promise<void>;
  /**
   * Locks those of the rows that are still held until the commit, so that no other owner can claim them meanwhile;
   * answers their ids.
   */
  lockHeld(tx: Tx, leases: readonly Lease[]): Promise<Set<string>>;
  /**
   * Stands first in every write on behalf of the row: locks it, and throws LeaseLost unless owner, epoch and time
   * are still those of the lease.
   */
  fenced(tx: Tx, lease: Lease): Promise<void>;
  /**
   * Prolongs leases whose rows this transaction has locked while they were held: no other owner can have claimed
   * them since, however long it takes.
   */
  prolong(tx: Tx, leases: readonly Lease[], leaseMs?: number): Promise<void>;
}

interface LeasableOptions {
  idColumn?: string;
  /** What `lease_until` becomes of a row that is given back, in words of `row`: null, or a moment that has passed. */
  givenBackAt?: Statement;
}

export function leasable(
  table: string,
  { idColumn = "id", givenBackAt = sql`null` }: LeasableOptions = {},
): Leasable {
  const rows = identifier(table);
  const id = identifier(idColumn);

  const take: Leasable["take"] = (on, taking) => takeRows(on, rows, id, taking);

  const lockHeld: Leasable["lockHeld"] = async (tx, leases) => {
    // In one order, so that two transactions with the same rows cannot wait for each other.
    const statement = sql`
      select row.${id} as id from ${rows} as row, ${leaseRows(leases)}
      where ${isHeldLease(id)}
      order by row.${id}
      for no key update of row`;
    const held = await tx.query<{ id: string }>(preparedAs(`${table}_fence`, statement));
    return new Set(held.map((row) => row.id));
  };

  return {
    take,
    renewAll: (on, leases, leaseMs) => renewAll(on, table, id, { leases, leaseMs }),
    renewLocked: (on, lease, { leaseMs, heartbeatMs }) =>
      on.tx(async (tx) => {
        await tx.query(sql`select set_config('lock_timeout', ${String(heartbeatMs)}, true)`);
        const statement = sql`
          update ${rows} as row set lease_until = ${after(leaseMs)}
          from ${leaseRows([lease])} where ${isHeldLease(id)}
          returning row.${id} as id`;
        const renewed = await tx.query(preparedAs(`${table}_renew_locked`, statement));
        return renewed.length > 0;
      }),
    claim: (on, { where, orderBy, limit, ...taking }) => {
      const picked = sql`
        select row.${id} as id from ${rows} as row
        where (${where}) and ${isFree}
        order by ${orderBy}
        limit ${limit}
        for no key update skip locked`;
      return take(on, { ...taking, picked });
    },
    release: async (on, leases) => {
      const statement = sql`
        update ${rows} as row set lease_owner = null, lease_until = ${givenBackAt}
        from ${leaseRows(leases)}
        where ${isHeldLease(id)}`;
      await on.query(preparedAs(`${table}_release`, statement));
    },
    lockHeld,
    fenced: async (tx, lease) => {
      if ((await lockHeld(tx, [lease])).size === 0) throw new LeaseLost(table, lease);
    },
    prolong: async (tx, leases, leaseMs) => {
      const statement = sql`
        update ${rows} as row set lease_until = ${after(leaseMs)}
        from ${leaseRows(leases)}
        where row.${id} = asked.id and row.lease_owner = asked.owner and row.lease_epoch = asked.epoch`;
      await tx.query(preparedAs(`${table}_prolong`, statement));
    },
  };
}

async function takeRows<Row extends object>(
  on: Queryable,
  rows: Statement,
  id: Statement,
  {
    picked,
    also,
    owner,
    leaseMs,
    returning,
    set,
    name,
  }: Taking & { picked: Statement; also?: Statement },
): Promise<(Row & Lease)[]> {
  const statement = sql`
    with picked as materialized (${picked})${also === undefined ? empty : sql`, ${also}`}
    update ${rows} as row
    set lease_owner = ${owner}::text, lease_epoch = row.lease_epoch + 1,
      lease_until = ${after(leaseMs)}${set === undefined ? empty : sql`, ${set}`}
    from picked
    where row.${id} = picked.id
    returning row.${id} as id, row.lease_owner as owner, row.lease_epoch as epoch
      ${returning === undefined ? empty : sql`, ${returning}`}`;
  const taken = await on.query<Row & Lease>(
    name === undefined ? statement : preparedAs(name, statement),
  );
  // PostgreSQL answers them as they happen to lie in the table.
  return taken.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * A row that a transaction has locked is held by us (fenced) and is passed by, not waited for: one long transaction
 * must not stop the heartbeat of all.
 */
async function renewAll(
  on: Queryable,
  table: string,
  id: Statement,
  { leases, leaseMs }: { leases: readonly Lease[]; leaseMs: number | undefined },
): Promise<Map<string, Renewal>> {
  const rows = identifier(table);
  const statement = sql`
    with ours as (
      select row.${id} as id from ${rows} as row, ${leaseRows(leases)}
      where ${isHeldLease(id)}
    ), free as materialized (
      select row.${id} as id from ${rows} as row, ${leaseRows(leases)}
      where ${isHeldLease(id)}
      for no key update of row skip locked
    ), renewed as (
      update ${rows} as row set lease_until = ${after(leaseMs)}
      from free where row.${id} = free.id
      returning row.${id} as id
    )
    select ours.id, case when renewed.id is null then 'locked' else 'renewed' end as renewal
    from ours left join renewed on renewed.id = ours.id`;
  const answers = await on.query<{ id: string; renewal: Renewal }>(
    preparedAs(`${table}_renew`, statement),
  );
  return new Map(answers.map((answer) => [answer.id, answer.renewal]));
}

// statement_timestamp(), not now(): inside a transaction that began long ago now() would be long ago.
// Not clock_timestamp() either, which is volatile and so would keep the planner from using an index.
const isFree = sql`(row.lease_until is null or row.lease_until < statement_timestamp())`;

// clock_timestamp() where a lease begins: after the wait for a lock the statement's time is already old.
function after(ms: number = leaseLimits.leaseMs): Statement {
  return sql`clock_timestamp() + ${ms} * interval '1 millisecond'`;
}

/** For statements on `row` that act on leases: the leases as a table `asked`. */
export function leaseRows(leases: readonly Lease[]): Statement {
  const column = <K extends keyof Lease>(key: K) => leases.map((lease) => lease[key]);
  return givenRows("asked", {
    id: ["text", column("id")],
    owner: ["text", column("owner")],
    epoch: ["bigint", column("epoch")],
  });
}

/** For the same statements: the row is held under the lease that was asked for, and its time is not over. */
export function isHeldLease(id: Statement = identifier("id")): Statement {
  return sql`row.${id} = asked.id and row.lease_owner = asked.owner
    and row.lease_epoch = asked.epoch and row.lease_until > clock_timestamp()`;
}
