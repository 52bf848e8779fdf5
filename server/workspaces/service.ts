// Workspaces: the inner tenants of an organization.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Context, World } from "../../kernel/context.ts";
import { idWindow, toIdPage, type PageWindow } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { changedFields, fieldDifferences, fieldsOf, newFields, defaultFields } from "./fields.ts";
import * as queries from "./queries.ts";
import {
  expectMayManageWorkspaces,
  expectVisibleWorkspace,
  visibleWorkspaceIds,
} from "./members/reach.ts";
import { limits } from "./limits.ts";
import type { CreateWorkspace, UpdateWorkspace, Workspace, WorkspaceQuery } from "./schema.ts";

export async function createDefaultWorkspace(
  tx: Tx,
  { ids, clock }: World,
  organizationId: string,
): Promise<string> {
  const id = ids.next("wrkspc_");
  await queries.insertWorkspace(tx, organizationId, {
    ...defaultFields,
    id,
    name: "Default",
    isDefault: true,
    createdAt: clock.now(),
  });
  return id;
}

/** The workspace of that id, or the default one for null, held until the transaction ends. */
export async function lockOpenWorkspace(tx: Tx, organizationId: string, id: string | null) {
  const workspace = await queries.shareWorkspace(tx, organizationId, id);
  if (workspace === undefined) throw notFound("workspace", id ?? "default");
  if (workspace.archived_at !== null)
    throw invalid(`workspace_id: workspace ${workspace.id} is archived.`);
  return workspace;
}

export async function createWorkspace(context: Context, body: CreateWorkspace): Promise<Workspace> {
  const { db, ids, clock, random, who } = context;
  const { organizationId } = who;
  expectMayManageWorkspaces(context);
  const fields = newFields(body, random);
  const id = ids.next("wrkspc_");
  return db.tx(async (tx) => {
    await expectRoom(tx, organizationId);
    const createdAt = clock.now();
    await queries.insertWorkspace(tx, organizationId, {
      ...fields,
      id,
      isDefault: false,
      createdAt,
    });
    await recordWorkspaceEvent(tx, context, "created", id, { name: fields.name });
    return present(await expectVisibleWorkspace(context, id, tx));
  });
}

/** Rule WSP2: a concurrent creation waits for this one, and then counts its workspace too. */
async function expectRoom(tx: Tx, organizationId: string): Promise<void> {
  await queries.lockOrganization(tx, organizationId);
  const open = await queries.countOpen(tx, organizationId);
  if (open >= limits.workspacesPerOrganizationMax)
    throw invalid(
      `The organization has ${open} workspaces, the most there may be. Archive one that nobody needs first.`,
      { code: "workspace_limit_exceeded" },
    );
}

export async function listPage(context: Context, query: WorkspaceQuery) {
  const { db, who } = context;
  const window = idWindow(query, { itemsMax: limits.pageItemsMax, beyond: "refuse" });
  const known = await visibleWorkspaceIds(context);
  const ids = query.ids ?? null;
  const filter: queries.WorkspaceFilter = {
    ids: known === null ? ids : known.filter((id) => ids === null || ids.includes(id)),
    includesArchived: query.include_archived ?? false,
    includesDefault: query.include_default ?? false,
  };
  const walk = { after: window.after ?? null, before: window.before ?? null, rows: window.rows };
  await expectCursor(context, known, walk);
  const rows = await queries.listPage(db, who.organizationId, filter, walk);
  return toIdPage(rows.map(present), window);
}

/** Another organization's workspace is as unknown as one that never existed. */
async function expectCursor(
  { db, who }: Context,
  known: readonly string[] | null,
  { after, before }: PageWindow,
): Promise<void> {
  const id = after ?? before;
  if (id === null) return;
  const row = await queries.findWorkspace(db, who.organizationId, id);
  if (row !== undefined && (known === null || known.includes(id))) return;
  const field = after === null ? "before_id" : "after_id";
  throw invalid(`${field}: is not the id of a workspace of this list.`);
}

export async function retrieveWorkspace(context: Context, id: string): Promise<Workspace> {
  return present(await expectVisibleWorkspace(context, id));
}

export async function updateWorkspace(
  context: Context,
  id: string,
  body: UpdateWorkspace,
): Promise<Workspace> {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    await queries.lockWorkspace(tx, organizationId, id);
    const row = await expectVisibleWorkspace(context, id, tx);
    expectMayManageWorkspaces(context);
    if (row.archived_at !== null)
      throw invalid(`The workspace ${id} is archived: it is changed no more. Make another one.`);
    const fields = changedFields(fieldsOf(row), body);
    const changed = fieldDifferences(fieldsOf(row), fields);
    if (Object.keys(changed).length === 0) return present(row);
    await queries.setWorkspace(tx, organizationId, id, fields);
    await recordWorkspaceEvent(tx, context, "updated", id, changed);
    return present({ ...row, ...fields });
  });
}

/** Rules WSP7 and WSP8: within the transaction that ends its keys; false when it was archived before. */
export async function archiveWorkspace(
  tx: Tx,
  context: Context,
  id: string,
  endKeys: () => Promise<number>,
): Promise<Workspace> {
  const { organizationId } = context.who;
  await queries.lockWorkspace(tx, organizationId, id);
  const row = await expectVisibleWorkspace(context, id, tx);
  expectMayManageWorkspaces(context);
  if (row.is_default)
    throw invalid(
      `The workspace ${id} is the organization's default one, which is not archived: requests that name no workspace work in it.`,
    );
  if (row.archived_at !== null) return present(row);
  const archived_at = context.clock.now();
  await queries.setArchived(tx, organizationId, id, archived_at);
  const keys = await endKeys();
  await recordWorkspaceEvent(tx, context, "archived", id, { name: row.name, keys_archived: keys });
  return present({ ...row, archived_at });
}

const recordWorkspaceEvent = (
  tx: Tx,
  context: Context,
  verb: string,
  id: string,
  details: Record<string, unknown>,
): Promise<void> =>
  recordByCaller(tx, context, {
    action: `workspace.${verb}`,
    target: { type: "workspace", id },
    details,
  });

const present = (row: queries.WorkspaceRow): Workspace => ({
  id: row.id,
  type: "workspace",
  name: row.name,
  created_at: row.created_at.toISOString(),
  archived_at: row.archived_at?.toISOString() ?? null,
  compartment_id: row.id.replace(/^wrkspc_/, "cmprt_"),
  data_residency: {
    allowed_inference_geos: row.allowed_inference_geos ?? "unrestricted",
    default_inference_geo: row.default_inference_geo,
    workspace_geo: row.workspace_geo,
  },
  display_color: row.display_color,
  external_key_id: null,
  tags: row.tags,
  user_profile_id: null,
});
