// Rate and spend limits with what is used of them, for programs.
import { notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import * as workspaces from "../workspaces/module.ts";
import * as rates from "./rates/service-console.ts";
import type { RateLimitQuery } from "./schema-console.ts";
import * as spend from "./spend/service-console.ts";

/** Rules LIM14, LIM15 and LIM22. */
export async function limitsInUse(context: Context, query: RateLimitQuery) {
  const { data: rateLimits } = await rates.listRateLimits(context, query);
  const { month, data } = await spend.listSpendLimits(context, await targetsOf(context, query));
  return { type: "limits" as const, rate_limits: rateLimits, spend_limits: data, month };
}

/** Undefined: the organization and all of its workspaces. */
async function targetsOf(context: Context, { workspace_id: id }: RateLimitQuery) {
  if (id === undefined) return undefined;
  const workspace = await workspaces.findWorkspace(context.db, context.who.organizationId, id);
  if (workspace === undefined) throw notFound("workspace", id);
  return [workspace];
}
