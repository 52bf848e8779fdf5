// Attempts that were never reserved, written as they ended in the transaction that keeps their results.
import assert from "node:assert/strict";
import type { Tx } from "../../../kernel/sql/database.ts";
import type { Node } from "../node.ts";
import { countSettled, insertSettled } from "./queries-settled.ts";
import { hopRowOf } from "./hop-row.ts";
import { makePayerRows } from "./payers.ts";
import { limits } from "../limits.ts";
import type { NewHop, Settlement } from "../schema.ts";

export interface SettledAttempt {
  hop: NewHop;
  settlement: Settlement;
}

/**
 * Of one caller. Ids must be new: one that is in the ledger already fails them all. The result counts them: call it
 * last in the transaction, because others wait for the counters.
 */
export async function insertSettledAttempts(
  tx: Tx,
  node: Node,
  settled: readonly SettledAttempt[],
): Promise<() => Promise<void>> {
  const lease = node.lastLease();
  assert(lease !== undefined, "this process has no node in the ledger yet");
  const day = node.now().toISOString().slice(0, 10);
  const payers = makePayerRows();
  const rows = settled.map(({ hop, settlement }) => ({
    hop: hopRowOf(hop, day, payers),
    settlement,
  }));
  for (let at = 0; at < rows.length; at += limits.groupRowsMax)
    await insertSettled(tx, rows.slice(at, at + limits.groupRowsMax));
  for (const { settlement } of settled)
    for (const statement of settlement.with ?? []) await tx.query(statement);
  return () => countSettled(tx, lease.id, rows);
}
