// Heartbeats: each keeps work for this worker, until it is lost, or the server wants it to end.
import { ApiError, type Client } from "../../contract/client.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import { limits } from "./limits.ts";
import { ask, mayPass } from "./requests.ts";

export interface Lease {
  /** Another worker may have the work from now on: its reason is a sentence. */
  lost: AbortSignal;
  /** Somebody has asked to stop it. */
  stopping: AbortSignal;
  /** No heartbeat is sent any more. */
  end(): Promise<void>;
}

interface Work {
  environment_id: string;
  work_id: string;
}

/** What stands in place of the heartbeat before, where there was none. */
const none = "NO_HEARTBEAT";

export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** A token that does nothing any more says that another worker has the work. */
export const lostWhereRefused = (error: unknown): unknown =>
  error instanceof ApiError && (error.status === 401 || error.status === 403)
    ? new LeaseLost(error.message)
    : error;

interface Holder {
  clock: Clock;
  client: Client;
  signal: AbortSignal;
}

/** Begins with the first heartbeat; throws where another worker was faster. */
export async function holdLease(holder: Holder, params: Work): Promise<Lease> {
  const { clock } = holder;
  const [lost, stopping, ended] = [0, 1, 2].map(() => new AbortController()) as [
    AbortController,
    AbortController,
    AbortController,
  ];
  const over = AbortSignal.any([holder.signal, ended.signal]);
  const beats = makeBeats({ ...holder, signal: over }, params, () => stopping.abort());
  while (!(await beats.tryToKeep())) await clock.sleep(limits.pauseMs, over);

  const beating = (async () => {
    try {
      for (let isKept = true; ;) {
        const pauseMs = isKept ? beats.everyMs() : limits.pauseMs;
        if (!(await clock.sleep(pauseMs, over))) return;
        isKept = await beats.tryToKeep();
      }
    } catch (error) {
      if (!over.aborted) lost.abort(error);
    }
  })();

  return {
    lost: lost.signal,
    stopping: stopping.signal,
    async end() {
      ended.abort();
      await beating;
    },
  };
}

function makeBeats({ clock, client, signal }: Holder, params: Work, onStopping: () => void) {
  let last = none;
  let ttlMs = limits.leaseSeconds * 1000;
  let keptUntilMs = clock.monotonicMs() + ttlMs;
  /** A heartbeat was sent, and its answer never came: it may have counted. */
  let isUnsure = false;

  const beat = async (expected: string): Promise<void> => {
    const sentMs = clock.monotonicMs();
    const leftMs = Math.max(keptUntilMs - sentMs, 1);
    const query = { expected_last_heartbeat: expected, desired_ttl_seconds: limits.leaseSeconds };
    const send = (until: AbortSignal) =>
      client.environments.work.heartbeat({ params, query, signal: until });
    const answer = await ask(clock, signal, send, Math.min(leftMs, ttlMs / 3));
    if (answer.state === "stopped") throw new LeaseLost("The work was stopped.");
    if (!answer.lease_extended) throw new LeaseLost("The server did not extend it.");
    last = answer.last_heartbeat;
    ttlMs = answer.ttl_seconds * 1000;
    keptUntilMs = sentMs + ttlMs;
    isUnsure = false;
    if (answer.state === "stopping") onStopping();
  };

  /** The token is of this handing-out alone: where a heartbeat may have counted, the one that holds is it. */
  const keep = async (): Promise<void> => {
    try {
      await beat(last);
    } catch (error) {
      const kept = heartbeatIn(error);
      if (!isUnsure || kept === undefined || kept === last) throw error;
      isUnsure = false;
      await beat(kept);
    }
  };

  return {
    everyMs: () => ttlMs / 3,
    /** False where it is to be tried again; throws where it is lost. */
    async tryToKeep(): Promise<boolean> {
      try {
        await keep();
        return true;
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLost) throw error;
        if (!mayPass(error)) throw new LeaseLost(refusal(error));
        isUnsure = true;
        if (clock.monotonicMs() >= keptUntilMs)
          throw new LeaseLost("The server has not answered for as long as the lease was.");
        return false;
      }
    },
  };
}

function heartbeatIn(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 412) return undefined;
  const state = error.details["current_state"] as { last_heartbeat?: unknown } | undefined;
  const kept = state?.last_heartbeat;
  return typeof kept === "string" ? kept : undefined;
}

const refusal = (error: unknown): string =>
  error instanceof ApiError && error.status === 412
    ? "Another worker holds it."
    : error instanceof Error
      ? error.message
      : String(error);
