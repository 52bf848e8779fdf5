// Which caller may do what with which keys, and how many there may be.
import { forbidden, invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as workspaces from "../workspaces/module.ts";
import * as queries from "./queries.ts";
import { limits } from "./limits.ts";
import type { CreateKey } from "./schema.ts";

/** Rule KEY16: null for callers above workspaces. */
export async function keyReachOfCaller(
  context: Context,
  act: "read" | "write",
  on: Queryable = context.db,
): Promise<queries.PersonKeyReach | null> {
  const reach = await workspaces.keyReachOf(context, act, on);
  if (reach === undefined) return null;
  if (reach.allKeysIn.length + reach.ownKeysIn.length === 0)
    throw forbidden(
      "Keys are managed by administrators and developers of the organization, and by administrators and developers of a workspace: ask one of them for such a role.",
    );
  return { ...reach, userId: context.who.userId ?? "" };
}

/** The workspace of a new key; null for an admin key, which stands above workspaces. */
export async function workspaceOfNewKey(
  tx: Tx,
  context: Context,
  { kind, workspace_id }: CreateKey,
): Promise<string | null> {
  const { organizationId } = context.who;
  const requested = workspace_id ?? null;
  if (kind === "admin") {
    expectMayMakeAdmin(context);
    return null;
  }
  expectWholeMaker(context);
  const reach = await keyReachOfCaller(context, "write", tx);
  if (requested !== null) await workspaces.expectVisibleWorkspace(context, requested, tx);
  const { id } = await workspaces.lockOpenWorkspace(tx, organizationId, requested);
  if (reach === null || reach.allKeysIn.includes(id) || reach.ownKeysIn.includes(id)) return id;
  throw forbidden(
    `workspace_id: your role in the workspace ${id} makes no keys there. Its administrators can give you workspace_developer.`,
  );
}

/** Rule KEY17: a key does everything in its workspace, with every model; managed members give no more than theirs. */
function expectWholeMaker({ who }: Context): void {
  if (who.isManaged !== true) return;
  const lacks = workspaces.workspaceUsePermissions.filter((use) => !who.permissions.has(use));
  if (lacks.length === 0 && who.models === undefined) return;
  throw forbidden(
    `kind: an API key does everything in its workspace, and your roles do not give you ${lacks.join(", ") || "every model"}. Ask an owner for a key, or for the role.`,
  );
}

/** Rule KEY17: only the organization's administrators change its keys. */
export function expectMayChange({ who }: Context, { kind }: Pick<queries.KeyRow, "kind">): void {
  if (kind !== "api" && who.isManaged === true)
    throw forbidden(
      "Admin keys are changed by administrators and owners of the organization: ask one of them.",
    );
}

/** Rule KEY15. */
function expectMayMakeAdmin({ who }: Context): void {
  if (!who.permissions.has("workspaces:write"))
    throw forbidden(
      "kind: admin keys are made by administrators and owners of the organization. Make an API key, or ask one of them.",
    );
  if (who.organizationType === "enterprise" && !who.permissions.has("admin_keys:scope"))
    throw forbidden(
      "kind: in an enterprise organization the primary owner alone makes admin keys, and chooses their scopes. Ask them for one.",
    );
}

/** Rule KEY14: a concurrent creation waits for this one, and then counts its key too. */
export async function expectBelowKeyLimit(
  tx: Tx,
  { clock, who }: Context,
  workspaceId: string | null,
): Promise<void> {
  const { organizationId } = who;
  await workspaces.lockOrganization(tx, organizationId);
  const active = await queries.countActive(tx, organizationId, workspaceId, clock.now());
  if (active.of_organization >= limits.keysPerOrganizationMax)
    throw invalid(
      `The organization has ${active.of_organization} active keys, the most there may be. Deactivate or archive some first.`,
      { code: "org_api_key_limit_exceeded" },
    );
  if (workspaceId !== null && active.of_workspace >= limits.keysPerWorkspaceMax)
    throw invalid(
      `The workspace ${workspaceId} has ${active.of_workspace} active keys, the most there may be. Deactivate or archive some first.`,
      { code: "workspace_api_key_limit_exceeded" },
    );
}
