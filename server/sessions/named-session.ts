// The session that a request names.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Actor, Context, Principal } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import * as queries from "./queries.ts";

export async function expectSession(
  context: Context,
  id: string,
  on: Pick<Tx, "query"> = context.db,
): Promise<queries.ListedSession> {
  const row = await queries.findSession(on, workspaceOf(context), id);
  if (row === undefined || !isReached(context.who, row)) throw notFound("session", id);
  return row;
}

/** A worker sees the sessions of its environment, or the one that it works for; others see all. */
const isReached = ({ worker }: Principal, { id, environmentId }: queries.SessionRow): boolean =>
  worker === undefined ||
  (worker.environmentId === environmentId &&
    (worker.sessionId ?? id) === id &&
    worker.sessionId !== null);

export async function lockSession(
  tx: Tx,
  context: Actor,
  id: string,
): Promise<queries.LockedSession> {
  const row = await queries.lockSession(tx, workspaceOf(context), id);
  if (row === undefined || !isReached(context.who, row)) throw notFound("session", id);
  return row;
}

/** Until the end of the transaction no other one adds to its log. */
export async function lockOpenSession(
  tx: Tx,
  context: Actor,
  id: string,
): Promise<queries.LockedSession> {
  const row = await lockSession(tx, context, id);
  if (row.status !== "terminated") return row;
  throw invalid(`The session ${id} has ended: it takes nothing more. Make another one.`, {
    code: "session_terminated",
  });
}

export const recordSessionEvent = (tx: Tx, context: Context, verb: string, id: string) =>
  recordByCaller(tx, context, { action: `session.${verb}`, target: { type: "session", id } });
