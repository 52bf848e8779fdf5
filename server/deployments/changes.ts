// All that happens to deployments and their runs passes here, in the transaction that makes it so.
import type { Actor } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { record, type AuditActor } from "../audit/module.ts";

interface Change {
  /** `deployment.…` or `deployment_run.…`. */
  event: `${"deployment" | "deployment_run"}.${string}`;
  id: string;
  details?: Record<string, unknown>;
}

export function recordChange(
  tx: Tx,
  actor: Actor,
  by: AuditActor,
  { event, id, details = {} }: Change,
): Promise<void> {
  const [type = ""] = event.split(".");
  const { organizationId } = actor.who;
  return record(tx, actor, by, { action: event, target: { type, id }, details, organizationId });
}
