// What a credential of a worker reaches: its environment, and of that what it holds.
import { conflict, notFound } from "../../../kernel/base/failure.ts";
import type { Context, Principal } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { hashSecret, secretKind } from "../../../kernel/secret/token.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { findEnvironment, type EnvironmentRow } from "../queries.ts";
import { findToken, type KnownWorkToken } from "./queries-workers.ts";
import type { WorkRow } from "./queries.ts";

/** Whose a worker's token is; undefined where this server never made it, or its work is gone. */
export const findWorkToken = async (
  on: Queryable,
  secret: string,
): Promise<KnownWorkToken | undefined> =>
  secretKind(secret) === "session" ? findToken(on, hashSecret(secret)) : undefined;

/** Work that has ended, or that another worker holds, is not this token's any more. */
export const isLate = ({ state, epoch, holderEpoch, lastEpoch }: KnownWorkToken): boolean =>
  state === "queued" || state === "stopped" || epoch !== (holderEpoch ?? lastEpoch);

/** To a worker of another environment it does not exist. */
export async function expectEnvironment(
  context: Context,
  id: string,
  on: Queryable = context.db,
): Promise<EnvironmentRow> {
  const own = context.who.worker?.environmentId;
  const isOwn = own === undefined || own === id;
  const row = isOwn ? await findEnvironment(on, workspaceOf(context), id) : undefined;
  if (row === undefined) throw notFound("environment", id);
  return row;
}

/** To a worker that has a token for other work it does not exist. */
export function expectWork(who: Principal, id: string, row: WorkRow | undefined): WorkRow {
  const own = who.worker?.workId;
  if (row === undefined || (own !== undefined && own !== id)) throw notFound("work", id);
  return row;
}

export const isWorker = ({ worker }: Principal): boolean => worker !== undefined;

/** Of a token alone: what comes with an environment key cannot be told apart. */
export const isHeldByOther = ({ worker }: Principal, { holderEpoch }: WorkRow): boolean =>
  worker?.epoch !== undefined && holderEpoch !== null && holderEpoch !== worker.epoch;

/** Held by another worker, or handed out to another one since: of a token alone, too. */
export const isOthers = ({ worker }: Principal, { holderEpoch, epoch }: WorkRow): boolean =>
  worker?.epoch !== undefined && worker.epoch !== (holderEpoch ?? epoch);

export const lost = (id: string) =>
  conflict(`The work ${id} is another worker's: this one has lost it. Poll for more.`, {
    code: "work_lease_lost",
  });
