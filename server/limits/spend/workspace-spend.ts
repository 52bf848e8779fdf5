// Rule WSP13: what one workspace spends, for those who may see it by their role there.
import { forbidden, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import * as workspaces from "../../workspaces/module.ts";
import { listSpendLimits } from "./service-console.ts";

export async function workspaceSpend(context: Context, id: string) {
  const { db, who } = context;
  if (!who.permissions.has("limits:read")) await expectSeen(context, id);
  const place = await workspaces.findWorkspace(db, who.organizationId, id);
  if (place === undefined) throw notFound("workspace", id);
  return listSpendLimits(context, [place]);
}

async function expectSeen(context: Context, id: string): Promise<void> {
  await workspaces.expectVisibleWorkspace(context, id);
  const seen = await workspaces.usageReachOf(context);
  if (!seen.includes(id))
    throw forbidden(
      `What the workspace ${id} spends is shown to its people with the role workspace_admin or workspace_billing, and to who may read the limits of the organization.`,
    );
}
