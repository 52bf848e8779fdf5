// The limits of this process, one for each database.
import type { World } from "../../../kernel/context.ts";
import { nodeOf } from "../../usage/module.ts";
import { makeLimits, type Limits } from "./service.ts";

const byDatabase = new WeakMap<World["db"], Limits>();

/** Made when they are first asked for. */
export function limitsOf(world: World): Limits {
  let made = byDatabase.get(world.db);
  if (made === undefined) {
    // Not the world itself: it may be the scope of one request.
    const { clock, db, hints, ids, logger } = world;
    made = makeLimits({ clock, db, hints, ids, logger }, nodeOf(world));
    byDatabase.set(world.db, made);
  }
  return made;
}
