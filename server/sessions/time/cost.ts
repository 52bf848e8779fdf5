// What the time of a session costs, as far as it is settled and since then.
import type { World } from "../../../kernel/context.ts";
import type { UsageSums } from "../queries.ts";
import { hourNanoOf } from "./settings.ts";

const hourMs = 3_600_000n;

export interface TimedSession {
  environmentType: "cloud" | "self_hosted";
  usage: UsageSums;
  /** What its time has cost that is settled. */
  timeNano: number;
  /** Milliseconds in which it ran since then. */
  unsettledMs: number;
}

/** Of its models, of the web, and of its time up to now. */
export function listCostNano(
  world: Pick<World, "sections">,
  { environmentType, usage, timeNano, unsettledMs }: TimedSession,
): number {
  const hourNano = priceOfTime(world, environmentType);
  return usage.listAmountNano + timeNano + costOfTime(unsettledMs, hourNano);
}

/** Where the tools of a session run on machines of others, its time costs nothing here. */
export const priceOfTime = (
  world: Pick<World, "sections">,
  environmentType: TimedSession["environmentType"],
): number => (environmentType === "cloud" ? hourNanoOf(world) : 0);

/** Rounded up to a whole nano-dollar, as the statement does it that settles. */
const costOfTime = (ms: number, hourNano: number): number =>
  Number((BigInt(ms) * BigInt(hourNano) + hourMs - 1n) / hourMs);
