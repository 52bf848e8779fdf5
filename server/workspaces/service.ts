// Workspaces: the inner tenants of an organization.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as queries from "./queries.ts";

export async function createDefaultWorkspace(
  tx: Tx,
  { ids, clock }: World,
  organizationId: string,
): Promise<string> {
  const id = ids.next("wrkspc_");
  const createdAt = clock.now();
  await queries.insertWorkspace(tx, organizationId, {
    id,
    name: "Default",
    isDefault: true,
    createdAt,
  });
  return id;
}

/** The workspace of that id, or the default one for null, held until the transaction ends. */
export async function holdWorkspace(tx: Tx, organizationId: string, id: string | null) {
  const workspace = await queries.shareWorkspace(tx, organizationId, id);
  if (workspace === undefined) throw notFound("workspace", id ?? "default");
  if (workspace.archived_at !== null)
    throw invalid(`workspace_id: workspace ${workspace.id} is archived.`);
  return workspace;
}
