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
export type { HopKind, Ledger, NewHop, Outcome, Settlement } from "./schema.ts";

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

/** The process' own: made when it is first asked for. */
export const ledgerOf = (world: World): Ledger => ofProcess(world).ledger;

/** The place of this process among those that admit: what limits lease hangs on it. */
export const nodeOf = (world: World): Node => ofProcess(world).node;

/** Keeps the place of this process and settles what dead ones left; the result stops it, written to the end. */
export function startLedger(world: World): () => Promise<void> {
  const { ledger, node } = ofProcess(world);
  const stop = node.start();
  return async () => {
    await ledger.drain();
    await stop();
    if (ledger.underWay() > 0) return; // settled by whoever finds this process dead
    // A database that is gone gives the place back by itself, when its lease ends.
    await node.release().catch((error: Error) => {
      world.logger.warn({ error: error.message }, "the ledger's place was not given back");
    });
  };
}
