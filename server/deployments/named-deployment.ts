// The deployment that a request names.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { workspaceOf } from "../workspaces/module.ts";
import * as queries from "./queries.ts";

export async function expectDeployment(
  context: Context,
  id: string,
  on: Queryable = context.db,
): Promise<queries.DeploymentRow> {
  const row = await queries.findDeployment(on, workspaceOf(context), id);
  if (row === undefined) throw notFound("deployment", id);
  return row;
}

export async function lockDeployment(
  tx: Tx,
  context: Context,
  id: string,
): Promise<queries.DeploymentRow> {
  const row = await queries.lockDeployment(tx, workspaceOf(context), id);
  if (row === undefined) throw notFound("deployment", id);
  return row;
}

export async function lockOpenDeployment(
  tx: Tx,
  context: Context,
  id: string,
): Promise<queries.DeploymentRow> {
  const row = await lockDeployment(tx, context, id);
  if (row.archivedAt === null) return row;
  throw invalid(
    `The deployment ${id} is archived: it is neither run nor changed any more. Make another one.`,
    { code: "deployment_archived" },
  );
}
