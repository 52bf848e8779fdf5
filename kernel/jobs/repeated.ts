// Work that comes again and again: its kind, and the schedule of the same name.
import type { JobKind } from "./run.ts";
import type { Schedule, Timing } from "./schedules/schedules.ts";

export const everyHour: Timing = { everyMs: 60 * 60 * 1000 };

interface Repeated<World> extends Pick<JobKind<World>, "concurrency" | "timeoutMs" | "run"> {
  kind: string;
  timing: Timing;
  /** Of those that have not begun, one is enough. */
  isOneEnough?: boolean;
}

/** Where no process ran when it was due, it comes once when one does. It may run twice, as all jobs. */
export function repeated<World>({ kind, timing, isOneEnough = false, ...how }: Repeated<World>): {
  kind: JobKind<World>;
  schedule: Schedule;
} {
  const job = () => ({ kind, payload: {}, ...(isOneEnough && { key: kind }) });
  return { kind: { kind, ...how }, schedule: { name: kind, timing, missed: "once", job } };
}
