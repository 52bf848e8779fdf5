// All that happens to deployments and their runs passes here, in the transaction that makes it so.
import type { Actor } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { record, type AuditActor } from "../audit/module.ts";
import { workspaceEvents, type WorkspaceEventType } from "../webhooks/module.ts";
import { workspaceOf } from "../workspaces/module.ts";

interface Change {
  /** `deployment.…` or `deployment_run.…`. */
  event: `${"deployment" | "deployment_run"}.${string}`;
  id: string;
  /** What webhooks are told; nothing of what they have no word for. */
  told?: readonly WorkspaceEventType[];
  details?: Record<string, unknown>;
}

export async function recordChange(
  tx: Tx,
  actor: Actor,
  by: AuditActor,
  { event, id, told = [], details = {} }: Change,
): Promise<void> {
  const [type = ""] = event.split(".");
  const { organizationId } = actor.who;
  await record(tx, actor, by, { action: event, target: { type, id }, details, organizationId });
  const workspaceId = workspaceOf(actor);
  await workspaceEvents(
    tx,
    actor,
    told.map((each) => ({ workspaceId, type: each, id })),
  );
}
