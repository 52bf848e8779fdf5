// The limits of this process.
import type { World } from "../../../kernel/context.ts";
import { part } from "../../../kernel/work/parts.ts";
import { ledgerPart, nodeOf, nodePart } from "../../usage/module.ts";
import { makeLimits } from "./admit.ts";

/** Its node is held for as long as the ledger runs. */
export const limitsPart = part("limits", {
  needs: [nodePart, ledgerPart],
  make: (world: World) => {
    const limits = makeLimits(world, nodeOf(world));
    limits.configure(world.sections?.["limits"] ?? {});
    return limits;
  },
  start: (_world, limits) => limits.start(),
});

export const limitsOf = limitsPart.of;
