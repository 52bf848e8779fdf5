// The workspace that a request works in.
import { forbidden, invalid } from "../../kernel/base/failure.ts";
import type { Actor, Principal } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { findWorkspaceWithRoles, type UsableWorkspaceRow } from "./members/queries.ts";

/** The workspace that the requested objects belong to: such routes require a credential that has one. */
export function workspaceOf({ who }: Pick<Actor, "who">): string {
  if (who.workspaceId === null)
    throw invalid("This credential stands above workspaces: use an API key of a workspace.");
  return who.workspaceId;
}

const administrators: ReadonlySet<string | null> = new Set(["admin", "owner", "primary_owner"]);

/**
 * Rule WSP9. The workspace of that id, or the default one for null, where this caller may work; undefined when the
 * caller has no access to it.
 */
export async function findUsableWorkspace(
  db: Queryable,
  who: Principal,
  id: string | null,
): Promise<UsableWorkspaceRow | undefined> {
  const workspace = await findWorkspaceWithRoles(db, who.organizationId, id, who.userId);
  if (workspace === undefined || workspace.is_default) return workspace;
  if (who.permissions.has("workspaces:write") || administrators.has(workspace.organization_role))
    return workspace;
  if (workspace.member_role === "workspace_billing")
    throw forbidden(
      `Your role in the workspace ${workspace.id} is workspace_billing, which sees its usage and does not work in it. One of its administrators can give you another.`,
    );
  return workspace.member_role === null ? undefined : workspace;
}

/** The permissions for work inside a workspace. */
export const workspaceUsePermissions: readonly string[] = [
  "messages:use",
  "batches:use",
  "files:use",
  "memory:use",
  "agents:use",
  "environments:use",
  "environment_keys:use",
  "vaults:use",
  "skills:use",
  "sessions:use",
  "workspace_webhooks:use",
  "deployments:use",
];
