// The face of usage.
import type { World } from "../../kernel/context.ts";
import { makeLedger, type ProcessLedger } from "./ledger/ledger.ts";
import { makeNode, type Node } from "./node.ts";
import type { Ledger } from "./schema.ts";

export {
  spendOfMonth,
  usedSince,
  type MonthSpend,
  type RecentUsage,
} from "./sums/queries-recent.ts";
export { minorOf, minorOfHalves, priceOf } from "./price.ts";
export {
  type UsageSelection,
  type Dimension,
  type Horizon,
  type OrderBy,
  type Width,
} from "./sums/queries-facts.ts";
export { pricedClasses, readHorizon, selectUsage, type UsageSum } from "./sums/queries-report.ts";
export { kinds, schedules } from "./jobs.ts";
export { advanceSums } from "./sums/sums.ts";
export { makeLedger, type ProcessLedger } from "./ledger/ledger.ts";
export { insertSettledAttempts, type SettledAttempt } from "./ledger/settle.ts";
export { makeNode, type Node, type NodeWorld } from "./node.ts";
export type { HopKind, Ledger, NewHop, Origin, Outcome, Payer, Settlement } from "./schema.ts";

const byDatabase = new WeakMap<World["db"], { ledger: ProcessLedger; node: Node }>();

function ofProcess(world: World) {
  let made = byDatabase.get(world.db);
  if (made === undefined) {
    const node = makeNode(world);
    made = { node, ledger: makeLedger(world, node) };
    byDatabase.set(world.db, made);
  }
  return made;
}

/** The ledger of this process: made when it is first asked for. */
export const ledgerOf = (world: World): Ledger => ofProcess(world).ledger;

/** The node that this process is: slices of limits belong to it. */
export const nodeOf = (world: World): Node => ofProcess(world).node;

/** Keeps the node of this process and settles what dead ones left; the result stops it, written to the end. */
export function startLedger(world: World): () => Promise<void> {
  const { ledger, node } = ofProcess(world);
  const stop = node.start();
  return async () => {
    await ledger.drain();
    await stop();
    if (ledger.underWay() > 0) return; // settled by the process that finds this one dead
    // Where the database is gone, the node becomes free by itself when its lease ends.
    await node.release().catch((error: Error) => {
      world.logger.warn({ error: error.message }, "the node of this process was not given back");
    });
  };
}
