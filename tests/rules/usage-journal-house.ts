// What the tests of the journal share: hops that settle at one price, and the books without posting.
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { makeLedger, makeNode, type Settlement } from "../../server/usage/module.ts";
import { hopOf } from "../flat-hop.ts";

export const ids = makeIds(systemClock, systemRandom);
export const at = new Date("2026-03-01T12:00:00Z");

export const newHop = (workspaceId = "wrkspc_1") =>
  hopOf({
    id: ids.next("hop_"),
    requestId: "req_1",
    organizationId: "org_1",
    workspaceId,
    credentialId: "key_1",
    userId: "user_1",
    model: "sim-large",
    upstream: "simulator",
    reserveNano: 1_000_000,
    at,
    kind: "message",
  });

export const settlement: Settlement = {
  outcome: "served",
  counts: { input: 10, output: 20, cacheWrite5m: 1, cacheWrite1h: 2, cacheRead: 5 },
  amountNano: 700,
  listAmountNano: 900,
  estimated: false,
};

/** Nothing is posted by itself: its pause does not end. */
export const patientClock = { ...systemClock, sleep: () => new Promise<boolean>(() => {}) };

export const worldOn = (db: Database, clock = systemClock) => ({
  clock,
  ids,
  logger: silentLogger,
  db,
});

export function ledgerOn(db: Database, clock = systemClock) {
  const node = makeNode(worldOn(db));
  return { node, ledger: makeLedger(worldOn(db, clock), node) };
}

/** Without posting. */
export async function books(db: Database) {
  const [row] = await db.query(sql`
    select (select count(*) from ledger) as rows,
      (select coalesce(sum(amount_nano), 0)::bigint from ledger) as nano,
      (select coalesce(sum(cache_write_1h_tokens), 0)::bigint from ledger) as written,
      (select count(*) from ledger where outcome <> 'served') as odd,
      (select coalesce(sum(requests), 0)::bigint from usage_days) as requests,
      (select coalesce(sum(amount_nano), 0)::bigint from usage_days) as days,
      (select coalesce(sum(spent_nano), 0)::bigint from spend_months) as months,
      (select coalesce(sum(spent_nano), 0)::bigint from spend_user_days) as users,
      (select count(*) from ledger_journal) as journal`);
  return row;
}

export const booksOf = (rows: number) => ({
  rows,
  nano: rows * 700,
  written: rows * 2,
  odd: 0,
  requests: rows,
  days: rows * 700,
  months: rows * 700,
  users: rows * 700,
  journal: 0,
});

export async function settle(
  db: Database,
  count: number,
  { ledger } = ledgerOn(db, patientClock),
): Promise<void> {
  for (let n = 0; n < count; n++) {
    const hop = newHop(`wrkspc_${n % 3}`);
    await ledger.open(hop);
    await ledger.close(hop.id, settlement);
  }
}

/** Posting, with something that happens to the journal just before one of its statements. */
export function interrupted(db: Database, name: string, act: () => Promise<unknown>): Database {
  return {
    ...db,
    tx: (work) =>
      db.tx((tx) =>
        work({
          ...tx,
          query: async (statement) => {
            if (statement.name === name) await act();
            return tx.query(statement);
          },
        }),
      ),
  };
}
