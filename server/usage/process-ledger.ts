// The ledger of this process, and the node that it writes as.
import type { World } from "../../kernel/context.ts";
import { part } from "../../kernel/work/parts.ts";
import { catalogPart } from "../models/module.ts";
import { postJournal } from "./journal/post.ts";
import { makeLedger, type ProcessLedger } from "./ledger/ledger.ts";
import { makeNode } from "./node.ts";
import type { Ledger } from "./schema.ts";

/** Slices of limits belong to it. The ledger starts it, and ends first. */
export const nodePart = part("node", { make: (world: World) => makeNode(world) });

export const nodeOf = nodePart.of;

/** Attempts that end at the stop are written before the connections to their upstreams close. */
export const ledgerPart = part("ledger", {
  needs: [catalogPart, nodePart],
  make: (world: World) => makeLedger(world, nodeOf(world)),
  start: keepLedger,
});

export const ledgerOf: (world: World) => Ledger = ledgerPart.of;

/** For a process of which no other part is started. */
export const startLedger = (world: World) => keepLedger(world, ledgerPart.of(world));

/** Keeps the node of this process and settles what dead ones left; the result stops it, written to the end. */
function keepLedger(world: World, ledger: ProcessLedger): () => Promise<void> {
  const node = nodeOf(world);
  const stop = node.start();
  return async () => {
    await ledger.drain();
    await stop();
    if (ledger.underWay() > 0) return; // settled by the process that finds this one dead
    try {
      // Against limits counts of a free node what is posted, and nothing else.
      await postJournal(world);
      await node.release();
    } catch (error) {
      // Where the database is gone, the node becomes free by itself when its lease ends.
      world.logger.warn({ error: String(error) }, "the node of this process was not given back");
    }
  };
}
