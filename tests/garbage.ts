// Garbage collected when a test says so, to see what is still held.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (what?: { type: "minor" }) => void;

export const collectGarbage = (): void => collect();

/** Bytes that outlive collections of young garbage after `act`; what is there before it is old by then. */
export function bytesKeptAfter(act: () => void): number {
  collect();
  collect();
  const before = process.memoryUsage().heapUsed;
  act();
  for (let i = 0; i < 3; i++) collect({ type: "minor" });
  return process.memoryUsage().heapUsed - before;
}
