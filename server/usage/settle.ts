// Attempts that were never reserved, written as they ended in the transaction of whoever keeps their results.
import type { World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import type { Node } from "./node.ts";
import { writeGroup } from "./queries-group.ts";
import { limits, type NewHop, type Settlement } from "./schema.ts";

export interface Settled {
  hop: NewHop;
  settlement: Settlement;
}

export async function enterSettled(
  tx: Tx,
  node: Node,
  { logger }: Pick<World, "logger">,
  settled: readonly Settled[],
): Promise<void> {
  const lease = node.last();
  if (lease === undefined) throw new Error("this process has no place in the ledger yet");
  const month = node.now().toISOString().slice(0, 7);
  const closes = settled.map(({ hop, settlement }) => ({ hop: { ...hop, month }, settlement }));
  for (let at = 0; at < closes.length; at += limits.groupRowsMax) {
    const group = closes.slice(at, at + limits.groupRowsMax);
    const { closed } = await writeGroup(tx, lease, { closes: group });
    if (closed < group.length)
      logger.error({ rows: group.length, closed }, "attempts of a batch were in the ledger before");
    for (const { settlement } of group)
      for (const statement of settlement.with ?? []) await tx.query(statement);
  }
}
