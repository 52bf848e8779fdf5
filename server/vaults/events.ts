// What is told of changes of vaults and credentials, in the transaction of the change.
import type { Context, World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { actorOf, record, type AuditActor } from "../audit/module.ts";
import { workspaceEvents, type WorkspaceEventType } from "../webhooks/module.ts";
import { workspaceOf } from "../workspaces/module.ts";

export interface VaultChange {
  action: VaultAction;
  id: string;
  /** Of a credential. */
  vaultId?: string;
  /** For the audit log: names of fields, never what they hold. */
  details?: Record<string, unknown>;
}

/** Those of the audit log alone are of no interest to a program that keeps up with what there is. */
const untold = [
  "vault.updated",
  "vault_credential.updated",
  "vault_credential.validated",
  "vault_credential.refreshed",
  "vault_credential.used",
] as const;
type Untold = (typeof untold)[number];
type Told = Extract<WorkspaceEventType, `vault${string}`>;
export type VaultAction = Told | Untold;

const isTold = (action: VaultAction): action is Told =>
  !(untold as readonly string[]).includes(action);

interface Whose {
  organizationId: string;
  workspaceId: string;
  actor: AuditActor;
}

/** Every change passes here: to the audit log, and to the webhooks of the workspace. */
export async function recordChanges(
  tx: Tx,
  world: World,
  { organizationId, workspaceId, actor }: Whose,
  changes: readonly VaultChange[],
): Promise<void> {
  for (const { action, id, vaultId, details } of changes)
    await record(tx, world, actor, {
      organizationId,
      action,
      target: { type: action.split(".")[0] ?? "", id },
      details: { ...(vaultId !== undefined && { vault_id: vaultId }), ...details },
    });
  const told = changes.flatMap(({ action, id, vaultId }) =>
    isTold(action)
      ? [{ workspaceId, type: action, id, ...(vaultId !== undefined && { vaultId }) }]
      : [],
  );
  await workspaceEvents(tx, world, told);
}

/** What this server does by itself. */
const byItself = (name: string): AuditActor => ({
  type: "system",
  id: null,
  name,
  address: "local",
  requestId: null,
});
export const renewing = byItself("the renewal of tokens");
export const using = byItself("a session");

export const recordByCaller = (tx: Tx, context: Context, ...changes: VaultChange[]) =>
  recordChanges(
    tx,
    context,
    {
      organizationId: context.who.organizationId,
      workspaceId: workspaceOf(context),
      actor: actorOf(context),
    },
    changes,
  );

/** The same of each credential of a vault. */
export const ofEach = (
  action: VaultAction,
  vaultId: string,
  ids: readonly string[],
): VaultChange[] => ids.map((id) => ({ action, id, vaultId }));
