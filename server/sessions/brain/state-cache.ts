// The states of threads that this process worked on last: their next turns begin there and read only what is new.
import { limits } from "../limits.ts";
import type { ThreadState } from "../conversation/state.ts";

export interface StateCache {
  /** A state is in one place: it is changed where it lies. */
  take(threadId: string): ThreadState | undefined;
  keep(state: ThreadState): void;
}

export function makeStateCache(): StateCache {
  const states = new Map<string, ThreadState>();
  let tokens = 0;
  const take = (threadId: string): ThreadState | undefined => {
    const state = states.get(threadId);
    if (state === undefined) return undefined;
    states.delete(threadId);
    tokens -= weightOf(state);
    return state;
  };
  return {
    take,
    keep: (state) => {
      take(state.id);
      states.set(state.id, state);
      tokens += weightOf(state);
      for (const [oldest] of states) {
        if (states.size <= limits.keptStatesMax && tokens <= limits.keptStatesTokensMax) return;
        take(oldest);
      }
    },
  };
}

/** As its model counts it, which is near enough. */
const weightOf = ({ contextTokens, waiting }: ThreadState): number =>
  limits.stateTokensMin + contextTokens + waiting.length * limits.stateTokensMin;
