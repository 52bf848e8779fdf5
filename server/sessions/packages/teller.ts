// Tells of a layer that is being built what its package manager said last, every so often.
import type { World } from "../../../kernel/context.ts";
import { every } from "../../../kernel/work/every.ts";
import type { Held } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import type { PackageManager } from "../../sandboxes/module.ts";
import { packageLimits } from "./limits.ts";
import { layerLeases, tellProgress, type ClaimedLayer } from "./queries.ts";

export interface Teller {
  tell(manager: PackageManager, line: string): void;
  stop(): Promise<void>;
}

export function makeTeller(world: World, id: string, held: Held<ClaimedLayer & Lease>): Teller {
  let newest: { manager: PackageManager; words: string } | undefined;
  const stop = every(world, packageLimits.toldMs, {
    name: "telling how packages are installed",
    act: async () => {
      const said = newest;
      newest = undefined;
      if (said === undefined) return;
      await world.db.tx(async (tx) => {
        await layerLeases.fenced(tx, held.lease);
        await tellProgress(tx, id, said);
      });
    },
  });
  const tell = (manager: PackageManager, words: string): void => {
    if (words !== "") newest = { manager, words };
  };
  return { tell, stop };
}
