// How often a worker asks for work: a machine on which all of it fails leaves it to others, more and more.
import type { Clock } from "../../kernel/base/clock.ts";
import { limits } from "./limits.ts";
import type { Tell } from "./report.ts";

export interface Pace {
  /** How work has ended. What another worker has got says nothing of this one. */
  take(outcome: "done" | "failed"): void;
  /** Before work is asked for, and before it is begun. False where the signal ended it. */
  wait(signal: AbortSignal): Promise<boolean>;
}

/** Work that is done shows that the machine is well. */
export function makePace({ clock, tell }: { clock: Clock; tell: Tell }): Pace {
  let failures = 0;
  let waitsUntilMs = 0;
  return {
    take(outcome) {
      failures = outcome === "done" ? 0 : failures + 1;
      const { failurePauseMs, failurePauseMsMax } = limits;
      const pauseMs = Math.min(failurePauseMs * 2 ** (failures - 1), failurePauseMsMax);
      waitsUntilMs = failures === 0 ? 0 : clock.monotonicMs() + pauseMs;
      if (failures === 0) return;
      const what =
        failures === 1 ? "Work has failed" : `${failures} pieces of work in a row failed`;
      tell({ type: "waiting", reason: `${what}: more is asked for in ${pauseMs / 1000} s.` });
    },
    async wait(signal) {
      // What ends meanwhile may have moved it.
      for (;;) {
        const leftMs = waitsUntilMs - clock.monotonicMs();
        if (leftMs <= 0) return true;
        if (!(await clock.sleep(leftMs, signal))) return false;
      }
    },
  };
}
