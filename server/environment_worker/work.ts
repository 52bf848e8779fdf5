// One piece of work: acknowledged, kept by heartbeats while its session is worked on, and stopped.
import { ApiError, createClient, type Client } from "../../contract/client.ts";
import type { Work } from "../../contract/types.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import { parseShallow } from "../../kernel/base/json.ts";
import { holdLease, LeaseLost } from "./lease.ts";
import { limits } from "./limits.ts";
import type { Pace } from "./pace.ts";
import type { Tell } from "./report.ts";
import { ask, insist, makePauses, mayPass, wordsOf } from "./requests.ts";
import { workOnSession } from "./session/session.ts";
import type { Workspaces } from "./workspaces.ts";

export interface WorkScope {
  clock: Clock;
  baseUrl: string;
  workspaces: Workspaces;
  tell: Tell;
  graceMs: number;
  leaving: AbortSignal;
  ending: AbortSignal;
  isFull(): boolean;
  running: { calls: number };
  pace: Pace;
}

/** Never rejects: what goes wrong is told, and another worker gets it. */
export async function doWork(scope: WorkScope, work: Work): Promise<void> {
  const { tell, workspaces, clock, ending, baseUrl, pace } = scope;
  const { type, id } = work.data;
  // Whether a call has had its chance to begin, and no result: then it is not for another worker to run.
  const calls = { isUnanswered: false };
  let client: Client | undefined;
  try {
    // It becomes the name of files on this machine.
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw new Error("its session has no id.");
    client = clientWith(baseUrl, tokenOf(work));
    if (!(await acknowledge({ clock, client, ending }, work))) return;
    if (type === "healthcheck") {
      await stop({ clock, client, ending }, work);
      return tell({ type: "checked", work: work.id });
    }
    tell({ type: "took", session: id, work: work.id });
    await workspaces.begin(id);
    try {
      await workOn(scope, { work, client, calls });
    } finally {
      await workspaces.release(id);
    }
    pace.take("done");
  } catch (error) {
    if (ending.aborted) return;
    if (error instanceof LeaseLost) {
      await workspaces.stop(id);
      return tell({ type: "lost", session: id, work: work.id, reason: error.message });
    }
    const session = type === "session" ? { session: id } : {};
    tell({ type: "failed", ...session, reason: `${work.id}: ${wordsOf(error)}` });
    pace.take("failed");
    // Given back, unless the outcome of a call is unknown: then the end of the lease says so to its agent.
    if (client !== undefined && !calls.isUnanswered)
      await stop({ clock, client, ending }, work).catch(() => {});
  }
}

/** False where another worker was faster. After an answer that was lost the first heartbeat tells whose it is. */
async function acknowledge({ clock, client, ending }: Stopping, work: Work): Promise<boolean> {
  let tries = 0;
  try {
    await insist(
      clock,
      ending,
      (signal) => {
        tries += 1;
        return client.environments.work.ack({ params: paramsOf(work), signal });
      },
      (error) => mayPass(error) && !isConflict(error),
    );
    return true;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return tries > 1;
  }
}

interface Taken {
  work: Work;
  /** With the token of this handing-out. */
  client: Client;
  calls: { isUnanswered: boolean };
}

async function workOn(scope: WorkScope, { work, client, calls }: Taken): Promise<void> {
  const { clock, ending, graceMs, tell, workspaces } = scope;
  const sessionId = work.data.id;
  const lease = await holdLease({ clock, client, signal: ending }, paramsOf(work));
  const over = AbortSignal.any([ending, lease.lost]);
  const leaving = AbortSignal.any([scope.leaving, lease.stopping]);
  const finished = new AbortController();
  const late = lateAfter(clock, { leaving, finished: finished.signal, graceMs });
  let reason: string;
  try {
    reason = await workOnSession({
      ...scope,
      client,
      sessionId,
      over,
      leaving,
      late,
      unanswered: calls,
    });
  } catch (error) {
    if (lease.lost.aborted) throw lease.lost.reason;
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    reason = deleted;
  } finally {
    finished.abort();
    await lease.end();
  }
  await stop({ clock, client, ending }, work);
  tell({ type: "done", session: sessionId, work: work.id, reason });
  if (reason === deleted) await workspaces.destroy(sessionId, "it was deleted");
}

const deleted = "it was deleted";

/** Aborts when what runs has had its time since the worker was told to leave. */
function lateAfter(
  clock: Clock,
  { leaving, finished, graceMs }: Record<"leaving" | "finished", AbortSignal> & { graceMs: number },
): AbortSignal {
  const late = new AbortController();
  const wait = () => void clock.sleep(graceMs, finished).then((isLate) => isLate && late.abort());
  if (leaving.aborted) wait();
  else leaving.addEventListener("abort", wait, { once: true });
  return late.signal;
}

type Stopping = Pick<WorkScope, "clock" | "ending"> & { client: Client };

/** Where it is not to be had, the time that the lease was granted for ends it. */
async function stop({ clock, client, ending }: Stopping, work: Work): Promise<void> {
  const pauses = makePauses(clock);
  const params = paramsOf(work);
  for (let tried = 1; tried <= limits.stopTriesMax; tried++) {
    try {
      const body = { force: true };
      await ask(clock, ending, (signal) => client.environments.work.stop({ params, body, signal }));
      return;
    } catch (error) {
      // It is over already.
      if (isConflict(error) || isGone(error)) return;
      if (ending.aborted || !mayPass(error)) throw error;
    }
    await pauses.next(ending);
  }
}

const isConflict = (error: unknown) => error instanceof ApiError && error.status === 409;
const isGone = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.status === 404);

const paramsOf = ({ id, environment_id }: Work) => ({ environment_id, work_id: id });

export const clientWith = (
  baseUrl: string,
  secret: string,
  headers: Record<string, string> = {},
): Client => createClient({ baseUrl, headers: { ...headers, authorization: `Bearer ${secret}` } });

function tokenOf({ id, secret }: Work): string {
  const text = Buffer.from(secret ?? "", "base64url").toString("utf8");
  const read = text === "" ? {} : (parseShallow(text) as { sessions_token?: unknown } | null);
  const token = read?.sessions_token;
  if (typeof token === "string" && token !== "") return token;
  throw new Error(`The work ${id} came without a token.`);
}
