// Spend limits as people see and set them: amounts in cents, the ledger in nano-dollars.
import { forbidden, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { minorOf, nodeOf, spendOfMonth, type MonthSpend } from "../../usage/module.ts";
import * as workspaces from "../../workspaces/module.ts";
import { changeLimits } from "../change-limits.ts";
import { nanoPerMinor } from "../limits.ts";
import type { Scope, SetSpendLimit, SpendLimit } from "../schema-console.ts";
import * as queries from "../queries.ts";

/** An organization or a workspace; of the organization itself the id is empty. */
interface LimitTarget {
  id: string;
  name: string | null;
}

/** Rule LIM15: of the organization and all of its workspaces, or of those named. */
export async function listSpendLimits(context: Context, only?: readonly LimitTarget[]) {
  const { db, who } = context;
  const { organizationId } = who;
  const month = monthOf(context);
  const [targets, set, spent] = [
    only ?? (await allTargets(context)),
    await queries.selectSpends(db, organizationId),
    await spendOfMonth(context, organizationId, month),
  ];
  return {
    month,
    data: targets.map((target) => toSpendLimit(target, set, spent)),
  };
}

/** Rule WSP13: for people who may see it by their role in that workspace. */
export async function workspaceSpend(context: Context, id: string) {
  const { db, who } = context;
  if (!who.permissions.has("limits:read")) await expectReachable(context, id);
  const target = await workspaces.findWorkspace(db, who.organizationId, id);
  if (target === undefined) throw notFound("workspace", id);
  return listSpendLimits(context, [target]);
}

async function expectReachable(context: Context, id: string): Promise<void> {
  await workspaces.expectVisibleWorkspace(context, id);
  const reachable = await workspaces.usageReachOf(context);
  if (!reachable.includes(id))
    throw forbidden(
      `What the workspace ${id} spends is shown to its people with the role workspace_admin or workspace_billing, and to who may read the limits of the organization.`,
    );
}

const wholeOrganization: LimitTarget = { id: "", name: null };

/** Rule WSP10 for callers who read workspaces; those who read limits alone, as billing does, see the spend of all. */
async function allTargets(context: Context): Promise<LimitTarget[]> {
  const { db, who } = context;
  const targets = await workspaces.listWorkspaces(db, who.organizationId);
  const known = who.permissions.has("workspaces:read")
    ? await workspaces.visibleWorkspaceIds(context)
    : null;
  return [wholeOrganization, ...targets.filter(({ id }) => known === null || known.includes(id))];
}

/** Rules LIM11, LIM15 and LIM16. */
export async function setSpendLimit(context: Context, input: SetSpendLimit): Promise<SpendLimit> {
  const { db, who } = context;
  const { organizationId } = who;
  const { scope, amount } = input;
  const workspaceId = scope.type === "organization" ? "" : scope.workspace_id;
  const nano = BigInt(amount) * nanoPerMinor;
  await changeLimits(context, async (tx) => {
    if (workspaceId !== "") await workspaces.lockOpenWorkspace(tx, organizationId, workspaceId);
    const before = await limitOf(tx, organizationId, workspaceId);
    if (before === nano) return false;
    await queries.setSpend(tx, organizationId, workspaceId, nano);
    const details = { amount, amount_before: before === undefined ? null : minorOf(before) };
    await recordSpendChange(tx, context, "spend_limit.set", workspaceId, details);
    return true;
  });
  const set = await queries.selectSpends(db, organizationId);
  const target =
    workspaceId === ""
      ? wholeOrganization
      : await workspaces.findWorkspace(db, organizationId, workspaceId);
  if (target === undefined) throw notFound("workspace", workspaceId);
  return toSpendLimit(target, set, await spendOfMonth(context, organizationId, monthOf(context)));
}

export async function removeSpendLimit(context: Context, scopeId: string): Promise<void> {
  const { organizationId } = context.who;
  const workspaceId = scopeId === "organization" ? "" : scopeId;
  await changeLimits(context, async (tx) => {
    const before = await limitOf(tx, organizationId, workspaceId);
    if (before === undefined) throw notFound("spend limit", scopeId);
    await queries.setSpend(tx, organizationId, workspaceId, null);
    const details = { amount_before: minorOf(before) };
    await recordSpendChange(tx, context, "spend_limit.removed", workspaceId, details);
    return true;
  });
}

/** The ledger's month: by the database's clock, in UTC. */
const monthOf = (context: Context) => nodeOf(context).now().toISOString().slice(0, 7);

async function limitOf(tx: Tx, organizationId: string, workspaceId: string) {
  const set = await queries.selectSpends(tx, organizationId);
  const row = set.find((each) => each.workspaceId === workspaceId);
  return row && BigInt(row.nano);
}

function recordSpendChange(
  tx: Tx,
  context: Context,
  action: string,
  workspaceId: string,
  details: Record<string, unknown>,
) {
  const { organizationId } = context.who;
  const target =
    workspaceId === ""
      ? { type: "organization", id: organizationId }
      : { type: "workspace", id: workspaceId };
  const act = { organizationId, action, target, details };
  return audit.record(tx, context, audit.actorOf(context), act);
}

const scopeOf = (workspaceId: string): Scope =>
  workspaceId === "" ? { type: "organization" } : { type: "workspace", workspace_id: workspaceId };

function toSpendLimit(
  { id: workspaceId, name }: LimitTarget,
  set: readonly queries.SpendRow[],
  spent: readonly MonthSpend[],
): SpendLimit {
  const limit = set.find((row) => row.workspaceId === workspaceId);
  const rows = spent.filter((row) => workspaceId === "" || row.workspaceId === workspaceId);
  const sum = (values: readonly string[]) =>
    minorOf(values.reduce((total, value) => total + BigInt(value), 0n));
  return {
    type: "spend_limit",
    scope: scopeOf(workspaceId),
    workspace_name: name,
    period: "monthly",
    amount: limit === undefined ? null : minorOf(BigInt(limit.nano)),
    period_to_date_spend: sum(rows.map(({ spentNano }) => spentNano)),
    reserved: sum(rows.map(({ reservedNano }) => reservedNano)),
  };
}
