// How many streams of notices are open in this process, of whom, and how many addresses they watch.
import type { Context } from "../../../kernel/context.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import { part } from "../../../kernel/work/parts.ts";
import { limits } from "../limits.ts";

interface Open {
  streams: number;
  uris: number;
  byHolder: Map<string, number>;
}

export const noticeStreamsPart = part("open streams of notices", {
  make: (): Open => ({ streams: 0, uris: 0, byHolder: new Map() }),
});

export interface Place {
  /** Room for so many more addresses. */
  add(uris: number): void;
  leave(): void;
}

/** Rule MCE36. */
export function takePlace(context: Context, holderId: string): Place {
  const open = noticeStreamsPart.of(context);
  const own = open.byHolder.get(holderId) ?? 0;
  if (own >= limits.noticeStreamsPerHolder)
    throw full(
      `This caller has ${own} streams of notices open here, and ${limits.noticeStreamsPerHolder} are allowed. Close one, or ask for all that is wanted in one of them.`,
    );
  if (open.streams >= limits.noticeStreamsMax)
    throw full(
      `${open.streams} streams of notices are open in this process, and ${limits.noticeStreamsMax} are allowed. Try again later.`,
    );
  open.streams += 1;
  open.byHolder.set(holderId, own + 1);
  let [uris, isLeft] = [0, false];
  return {
    add: (more) => {
      if (open.uris + more > limits.watchedUrisMax)
        throw full(
          `${open.uris} resources are watched in this process, and ${limits.watchedUrisMax} are allowed. Try again later, or name fewer.`,
        );
      open.uris += more;
      uris += more;
    },
    leave: () => {
      if (isLeft) return;
      isLeft = true;
      open.streams -= 1;
      open.uris -= uris;
      const left = (open.byHolder.get(holderId) ?? 1) - 1;
      if (left === 0) open.byHolder.delete(holderId);
      else open.byHolder.set(holderId, left);
    },
  };
}

const full = (message: string) => new Failure("rate_limit_error", message);
