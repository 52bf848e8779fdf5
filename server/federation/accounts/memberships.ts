// Which service accounts work in which workspaces: one table behind two mirrors.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { verdictsOf } from "../../keys/module.ts";
import * as workspaces from "../../workspaces/module.ts";
import { accountOr404, lockLiveAccount } from "./service.ts";
import { actingId } from "../common.ts";
import * as queries from "./queries.ts";
import type { Membership, PageQuery, WorkspaceRole } from "./schema.ts";

interface MembershipId {
  service_account_id: string;
  workspace_id: string;
}

const sizes = { itemsMax: 1000 };

/** Rule SVA4. Adding it again replaces the role. */
export async function addMember(
  context: Context,
  { service_account_id, workspace_id }: MembershipId,
  role: WorkspaceRole,
): Promise<Membership> {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    await lockLiveAccount(tx, organizationId, service_account_id);
    await workspaces.lockOpenWorkspace(tx, organizationId, workspace_id);
    const membership = { service_account_id, workspace_id };
    const before = await queries.findMembership(
      tx,
      organizationId,
      service_account_id,
      workspace_id,
    );
    const row = await queries.upsertMembership(tx, organizationId, {
      ...membership,
      workspace_role: role,
      created_by: actingId(context),
      at: context.clock.now(),
    });
    await recordMembershipEvent(
      tx,
      context,
      before === undefined ? "added" : "updated",
      membership,
      {
        workspace_role: role,
        ...(before && { workspace_role_before: before.workspace_role }),
      },
    );
    return toMember(row ?? { ...membership, workspace_role: role, created_by: null });
  });
}

async function recordMembershipEvent(
  tx: Tx,
  context: Context,
  what: string,
  { service_account_id, workspace_id }: MembershipId,
  details: Record<string, unknown> = {},
): Promise<void> {
  // The rights of its tokens there follow the membership.
  await verdictsOf(context).revoke(tx);
  await audit.recordByCaller(tx, context, {
    action: `service_account_workspace.${what}`,
    target: { type: "service_account", id: service_account_id },
    details: { workspace_id, ...details },
  });
}

/** Changes only explicit memberships: that of the default workspace may be implicit. */
export async function updateMember(
  context: Context,
  membership: MembershipId,
  role: WorkspaceRole,
): Promise<Membership> {
  const { organizationId } = context.who;
  const { service_account_id, workspace_id } = membership;
  await expectOpenWorkspace(context.db, organizationId, workspace_id);
  await accountOr404(context.db, organizationId, service_account_id);
  const row = await queries.findMembership(
    context.db,
    organizationId,
    service_account_id,
    workspace_id,
  );
  if (row === undefined)
    throw notFound("membership of the service account", `${service_account_id} in ${workspace_id}`);
  return addMember(context, membership, role);
}

export async function removeMember(context: Context, membership: MembershipId) {
  const { organizationId } = context.who;
  const { service_account_id, workspace_id } = membership;
  return context.db.tx(async (tx) => {
    await lockLiveAccount(tx, organizationId, service_account_id);
    await workspaces.lockOpenWorkspace(tx, organizationId, workspace_id);
    if (await queries.deleteMembership(tx, organizationId, service_account_id, workspace_id))
      await recordMembershipEvent(tx, context, "removed", membership);
    return { type: "service_account_workspace_member_deleted" as const, ...membership };
  });
}

export async function retrieveMember(
  { db, who }: Context,
  membership: MembershipId,
): Promise<Membership> {
  const { organizationId } = who;
  const { service_account_id, workspace_id } = membership;
  const workspace = await expectOpenWorkspace(db, organizationId, workspace_id);
  const account = await accountOr404(db, organizationId, service_account_id);
  const row =
    account.archived_at === null
      ? await queries.findMembership(db, organizationId, service_account_id, workspace_id)
      : undefined;
  if (row !== undefined) return toMember(row);
  if (workspace.is_default && account.archived_at === null) return implicit(membership);
  throw notFound("membership of the service account", `${service_account_id} in ${workspace_id}`);
}

/** Rule SVA5. */
async function expectOpenWorkspace(db: Queryable, organizationId: string, id: string) {
  const workspace = await workspaces.findWorkspace(db, organizationId, id);
  if (workspace === undefined) throw notFound("workspace", id);
  if (workspace.archived_at !== null) throw invalid(`The workspace ${id} is archived.`);
  return workspace;
}

/** The implicit one comes first, in addition to the requested number of others. */
export async function listWorkspacesOf(context: Context, accountId: string, query: PageQuery) {
  const { db, secrets, who } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const list = `service_account_workspaces ${accountId}`;
  const after = cursors.read(list, organizationId, query.page) as string | undefined;
  const account = await accountOr404(db, organizationId, accountId);
  const size = pageSize(query.limit, sizes);
  if (account.archived_at !== null) return { data: [], next_page: null };
  const rows = await queries.listWorkspacesOf(db, organizationId, accountId, {
    after: after ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows.map(toMember), size, (last) =>
    cursors.write(list, organizationId, last.workspace_id),
  );
  const first = after === undefined ? await implicitOf(db, organizationId, accountId) : [];
  return { ...page, data: [...first, ...page.data] };
}

async function implicitOf(
  db: Queryable,
  organizationId: string,
  accountId: string,
): Promise<Membership[]> {
  const home = await workspaces.findWorkspace(db, organizationId, null);
  if (home === undefined) return [];
  const row = await queries.findMembership(db, organizationId, accountId, home.id);
  return row === undefined
    ? [implicit({ service_account_id: accountId, workspace_id: home.id })]
    : [];
}

export async function listAccountsOf(context: Context, workspaceId: string, query: PageQuery) {
  const { db, secrets, who } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const list = `workspace_service_accounts ${workspaceId}`;
  const after = cursors.read(list, organizationId, query.page) as string | undefined;
  await expectOpenWorkspace(db, organizationId, workspaceId);
  const size = pageSize(query.limit, sizes);
  const rows = await queries.listAccountsOf(db, organizationId, workspaceId, {
    after: after ?? null,
    rows: size + 1,
  });
  return toCursorPage(rows.map(toMember), size, (last) =>
    cursors.write(list, organizationId, last.service_account_id),
  );
}

const toMember = (row: queries.MembershipRow): Membership => ({
  type: "service_account_workspace_member",
  service_account_id: row.service_account_id,
  workspace_id: row.workspace_id,
  workspace_role: row.workspace_role,
  implicit: false,
  created_by_actor_id: row.created_by,
});

const implicit = (membership: MembershipId): Membership => ({
  type: "service_account_workspace_member",
  ...membership,
  workspace_role: "workspace_user",
  implicit: true,
  created_by_actor_id: null,
});
