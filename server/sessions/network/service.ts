// What people see of refused connections.
import type { Static } from "typebox";
import { notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { findEnvironment } from "../../environments/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { expectSession } from "../named-session.ts";
import * as queries from "./queries.ts";
import type { RefusedConnections } from "./schema.ts";

type Listed = Static<typeof RefusedConnections>;

export async function listOfSession(context: Context, sessionId: string): Promise<Listed> {
  const workspaceId = workspaceOf(context);
  await expectSession(context, sessionId);
  return present(await queries.listOfSession(context.db, workspaceId, sessionId));
}

export async function listOfEnvironment(context: Context, environmentId: string): Promise<Listed> {
  const workspaceId = workspaceOf(context);
  if ((await findEnvironment(context.db, workspaceId, environmentId)) === undefined)
    throw notFound("environment", environmentId);
  return present(await queries.listOfEnvironment(context.db, workspaceId, environmentId));
}

const present = (rows: readonly queries.RefusalRow[]): Listed => ({
  data: rows.map(({ firstAt, lastAt, ...row }) => ({
    type: "refused_connection",
    ...row,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
  })),
});
