// Where a request stands.
import { forbidden, invalid } from "../../kernel/base/failure.ts";
import type { Context, Principal } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { findWorkspaceWithRoles, type UsableWorkspaceRow } from "./members/queries.ts";

/** The workspace that what it asks for belongs to: such routes want a credential that has one. */
export function workspaceOf({ who }: Context): string {
  if (who.workspaceId === null)
    throw invalid("This credential stands above workspaces: use an API key of a workspace.");
  return who.workspaceId;
}

const administrators: ReadonlySet<string | null> = new Set(["admin", "owner", "primary_owner"]);

/**
 * Rule WSP9. The workspace of that id, or the default one for null, where this caller may work; undefined when it
 * is not there for them.
 */
export async function findUsableWorkspace(
  db: Queryable,
  who: Principal,
  id: string | null,
): Promise<UsableWorkspaceRow | undefined> {
  const place = await findWorkspaceWithRoles(db, who.organizationId, id, who.userId);
  if (place === undefined || place.is_default) return place;
  if (who.permissions.has("workspaces:write") || administrators.has(place.organization_role))
    return place;
  if (place.member_role === "workspace_billing")
    throw forbidden(
      `Your role in the workspace ${place.id} is workspace_billing, which sees its usage and does not work in it. One of its administrators can give you another.`,
    );
  return place.member_role === null ? undefined : place;
}

/** What is done inside a workspace, each by a permission of its own. */
export const workspaceUsePermissions: readonly string[] = [
  "messages:use",
  "batches:use",
  "files:use",
  "memory:use",
];
