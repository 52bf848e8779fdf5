// The face of limits.
import type { Context, World } from "../../kernel/context.ts";
import { nodeOf } from "../usage/module.ts";
import type { Admission, Asked } from "./admission.ts";
import { makeLimits, type Limits } from "./service.ts";

export { setRate, setSpend } from "./queries.ts";
export { limitsSection, rateTypes, type LimitsSection, type RateType } from "./schema.ts";
export type { Admission, Asked, Asking, Used } from "./admission.ts";
export { makeLimits, type Limits } from "./service.ts";

const byDatabase = new WeakMap<World["db"], Limits>();

/** The process' own: made when it is first asked for. */
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

/** Takes what a request may need out of its limits, or throws the 429 that says which is reached. */
export const admit = (context: Context, asked: Asked): Admission | Promise<Admission> =>
  limitsOf(context).admit(context, asked);
