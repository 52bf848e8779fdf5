// The worker of a self-hosted environment: asks for work, and does as much of it at a time as it may.
import { ApiError, type Client } from "../../contract/client.ts";
import type { Work } from "../../contract/types.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import type { Random } from "../../kernel/base/random.ts";
import type { NetworkPolicy } from "../sandboxes/module.ts";
import { limits } from "./limits.ts";
import { makePace, type Pace } from "./pace.ts";
import type { Tell } from "./report.ts";
import { ask, makePauses, mayPass, wordsOf } from "./requests.ts";
import { clientWith, doWork, type WorkScope } from "./work.ts";
import { openWorkspaces, type Workspaces } from "./workspaces.ts";

export interface WorkerOptions {
  clock: Clock;
  random: Random;
  /** The server's address, without a slash at the end. */
  baseUrl: string;
  environmentId: string;
  environmentKey: string;
  /** As the server counts its workers. */
  workerId: string;
  directory: string;
  sections: Readonly<Record<string, unknown>>;
  sessionsMax: number;
  graceMs: number;
  keepMs: number;
  network: NetworkPolicy;
  tell: Tell;
  /** No more work is taken; what runs has the time of `graceMs` to end. */
  leaving: AbortSignal;
  /** All ends at once. */
  ending: AbortSignal;
}

/** Until it is told to leave; throws where the server has no work for this key. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const workspaces = await openWorkspaces(options);
  try {
    await takeWork(options, workspaces);
  } finally {
    await workspaces.close();
  }
}

async function takeWork(options: WorkerOptions, workspaces: Workspaces): Promise<void> {
  const { baseUrl, environmentKey, workerId, sessionsMax, graceMs, tell } = options;
  const client = clientWith(baseUrl, environmentKey, { "anthropic-worker-id": workerId });
  const refused = new AbortController();
  const leaving = AbortSignal.any([options.leaving, refused.signal]);
  const underWay = new Map<string, Promise<void>>();
  const running = { calls: 0 };
  const isFull = () => underWay.size >= sessionsMax;
  const pace = makePace(options);
  const scope: WorkScope = { ...options, workspaces, leaving, isFull, running, pace };
  const sayLeaving = () =>
    tell({ type: "stopping", calls: running.calls, seconds: graceMs / 1000 });
  options.leaving.addEventListener("abort", sayLeaving, { once: true });
  try {
    await pollForWork({ ...options, leaving }, { client, workspaces, pace }, async (work) => {
      // Of one session the work before, which was lost, ends first: it would stop what this one begins.
      const before = underWay.get(work.data.id);
      const doing = (async () => {
        await before;
        // What a poll under way was handed meanwhile: without an acknowledgement another worker gets it.
        if (await pace.wait(leaving)) await doWork(scope, work);
      })();
      underWay.set(work.data.id, doing);
      const forget = () => underWay.get(work.data.id) === doing && underWay.delete(work.data.id);
      void doing.finally(forget);
      while (isFull() && !leaving.aborted)
        await Promise.race([...underWay.values(), aborted(leaving)]);
    });
  } finally {
    refused.abort();
    await Promise.all(underWay.values());
    options.leaving.removeEventListener("abort", sayLeaving);
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

async function pollForWork(
  { clock, environmentId, leaving, baseUrl, workerId, tell }: WorkerOptions,
  { client, workspaces, pace }: { client: Client; workspaces: Workspaces; pace: Pace },
  take: (work: Work) => Promise<void>,
): Promise<void> {
  const pauses = makePauses(clock, limits.pollPauseMsMax);
  const params = { environment_id: environmentId };
  let isConnected = false;
  while (!leaving.aborted) {
    if (!(await pace.wait(leaving))) return;
    const beganMs = clock.monotonicMs();
    let work: Work | undefined;
    try {
      const query = { block_ms: limits.blockMs };
      work = await ask(clock, leaving, (signal) =>
        client.environments.work.poll({ params, query, signal }),
      );
    } catch (error) {
      if (leaving.aborted) return;
      if (!mayPass(error)) throw refusalOf(error, environmentId);
      tell({ type: "waiting", reason: `${wordsOf(error)} Trying again.` });
      isConnected = false;
      await pauses.next(leaving);
      continue;
    }
    pauses.reset();
    if (!isConnected) {
      const [environment, sandboxes] = [environmentId, workspaces.summary];
      tell({ type: "connected", url: baseUrl, environment, worker: workerId, sandboxes });
      isConnected = true;
    }
    if (work !== undefined) await take(work);
    else
      await clock.sleep(Math.max(0, beganMs + limits.pollEveryMs - clock.monotonicMs()), leaving);
  }
}

function refusalOf(error: unknown, environmentId: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const again = `Make a key with: plinth environments keys create ${environmentId}`;
  const key = "the key in PLINTH_ENVIRONMENT_KEY";
  const request = `(request ${error.requestId ?? "unknown"})`;
  if (error.status === 401)
    return new ExitError(
      `The server does not take ${key}: ${error.message} ${request}. ${again}`,
      3,
    );
  if (error.status === 403 || error.status === 404)
    return new ExitError(
      `To ${key} there is no environment ${environmentId} here: ${error.message} ${request}. ${again}`,
      3,
    );
  return new ExitError(`The server refuses: ${error.message} ${request}`);
}
