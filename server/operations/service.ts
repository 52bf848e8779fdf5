// Health, readiness, metrics, and the console's overview.
import { unauthenticated, unavailable } from "../../kernel/base/failure.ts";
import type { Context, RequestContext } from "../../kernel/context.ts";
import { json, text, type Reply } from "../../kernel/http/output/reply.ts";
import { metricsContentType } from "../../kernel/observe/metrics.ts";
import { isSameSecret } from "../../kernel/secret/token.ts";
import * as audit from "../audit/module.ts";
import * as identity from "../identity/module.ts";
import * as keys from "../keys/module.ts";
import { lastHour } from "../traffic/module.ts";
import * as workspaces from "../workspaces/module.ts";
import { limits } from "./limits.ts";

/** Rule OPS1. The header tells `plinth doctor` that Plinth has the port. */
export const health = () => json({ status: "ok" as const }, { server: "plinth" });

/** Rule OPS2. */
export async function readiness(context: RequestContext) {
  const { db, clock, server } = context;
  if (server.isDraining) throw unavailable("The server is shutting down; ask another one.", 5);
  const answered = new AbortController();
  const late = async () => {
    if (await clock.sleep(limits.readyWithinMs, answered.signal))
      throw unavailable("The database does not answer within a second.", 1);
  };
  try {
    await Promise.race([db.ping(), late()]);
  } finally {
    answered.abort();
  }
  const audit_export = audit.exportHealthOf(context);
  return { status: "ready" as const, ...(audit_export !== undefined && { audit_export }) };
}

/** Rule OPS3. */
export async function metricsText({ headers, metrics, server }: RequestContext): Promise<Reply> {
  const { metricsToken } = server;
  if (metricsToken !== null && !isSameSecret(headers.authorization ?? "", `Bearer ${metricsToken}`))
    throw unauthenticated(
      "The metrics want authorization: Bearer with the metrics_token of the settings.",
    );
  return text(await metrics.text(), metricsContentType);
}

/** Rule OPS4. */
export async function overview(context: Context) {
  const { db, clock, server, who } = context;
  const { organizationId } = who;
  const counts = await keys.countUses(db, organizationId, clock.now());
  const members = await identity.countMembers(db, organizationId);
  const rows = await workspaces.listWorkspaces(db, organizationId);
  const hour = await lastHour(db, organizationId, clock.now());
  return {
    keys: { active: counts.active, used_last_day: counts.used_last_day },
    members,
    workspaces: rows.length,
    requests: {
      last_hour: hour.requests,
      errors_last_hour: hour.errors,
      by_minute: hour.byMinute,
    },
    server: {
      version: server.version,
      node: process.version,
      database: server.database,
      started_at: server.startedAt.toISOString(),
      workers: server.workers,
      public_url: context.publicUrl,
    },
  };
}
