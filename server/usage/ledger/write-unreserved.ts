// Attempts that were never reserved, written as they ended in the transaction that keeps their results.
import assert from "node:assert/strict";
import type { Tx } from "../../../kernel/sql/database.ts";
import type { Node } from "../node.ts";
import { writeCloses } from "./queries.ts";
import { countSettled, insertSettled } from "./queries-settled.ts";
import { hopRowOf, type CloseRow } from "./hop-row.ts";
import { expectAmounts } from "./ledger.ts";
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
  const rows = rowsOf(node, settled);
  for (let at = 0; at < rows.length; at += limits.groupRowsMax)
    await insertSettled(tx, rows.slice(at, at + limits.groupRowsMax));
  for (const { settlement } of settled)
    for (const statement of settlement.with ?? []) await tx.query(statement);
  return () => countSettled(tx, lease.id, rows);
}

/**
 * The same of many callers, through the journal: no counter is locked, and they are in the ledger once they are posted,
 * which those who read it do first. None of them has rows that commit with it.
 */
export async function journalSettledAttempts(
  tx: Tx,
  node: Node,
  settled: readonly SettledAttempt[],
): Promise<void> {
  for (const { settlement } of settled) expectAmounts(settlement);
  // At the very start of a process it has none yet, and what ended elsewhere may be settled here already.
  const lease = node.lastLease() ?? (await node.acquire());
  const rows = rowsOf(node, settled);
  for (let at = 0; at < rows.length; at += limits.groupRowsMax)
    await writeCloses(tx, lease, rows.slice(at, at + limits.groupRowsMax));
}

function rowsOf(node: Node, settled: readonly SettledAttempt[]): CloseRow[] {
  const day = node.now().toISOString().slice(0, 10);
  const payers = makePayerRows();
  return settled.map(({ hop, settlement }) => ({ hop: hopRowOf(hop, day, payers), settlement }));
}
