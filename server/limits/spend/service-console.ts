// Spend limits as people see and set them: amounts in hundredths of a unit, the ledger in nano-units.
import { notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { minorOf, nodeOf, spendOfMonth, type MonthSpend } from "../../usage/module.ts";
import * as workspaces from "../../workspaces/module.ts";
import { changeLimits } from "../change-limits.ts";
import type { Scope, SetSpendLimit, SpendLimit } from "../schema-console.ts";
import * as queries from "../queries.ts";

/** A hundredth of a unit. */
const nanoPerMinor = 10_000_000n;

/** Of the organization itself the id is empty. */
interface Place {
  id: string;
  name: string | null;
}

/** Rule LIM15: of the organization and all of its workspaces, or of those named. */
export async function listSpendLimits(context: Context, only?: readonly Place[]) {
  const { db, who } = context;
  const { organizationId } = who;
  const month = monthOf(context);
  const [places, set, spent] = [
    only ?? (await everyPlace(context)),
    await queries.selectSpends(db, organizationId),
    await spendOfMonth(db, organizationId, month),
  ];
  return {
    month,
    data: places.map((place) => toSpendLimit(place, set, spent)),
  };
}

const wholeOrganization: Place = { id: "", name: null };

/** Rule WSP10 for who reads workspaces; who reads limits without them, as billing does, is there for all spend. */
async function everyPlace(context: Context): Promise<Place[]> {
  const { db, who } = context;
  const places = await workspaces.listWorkspaces(db, who.organizationId);
  const known = who.permissions.has("workspaces:read")
    ? await workspaces.visibleWorkspaceIds(context)
    : null;
  return [wholeOrganization, ...places.filter(({ id }) => known === null || known.includes(id))];
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
    const before = await ownOf(tx, organizationId, workspaceId);
    if (before === nano) return false;
    await queries.setSpend(tx, organizationId, workspaceId, nano);
    const details = { amount, amount_before: before === undefined ? null : minorOf(before) };
    await note(tx, context, "spend_limit.set", workspaceId, details);
    return true;
  });
  const set = await queries.selectSpends(db, organizationId);
  const place =
    workspaceId === ""
      ? wholeOrganization
      : await workspaces.findWorkspace(db, organizationId, workspaceId);
  if (place === undefined) throw notFound("workspace", workspaceId);
  return toSpendLimit(place, set, await spendOfMonth(db, organizationId, monthOf(context)));
}

export async function removeSpendLimit(context: Context, scopeId: string): Promise<void> {
  const { organizationId } = context.who;
  const workspaceId = scopeId === "organization" ? "" : scopeId;
  await changeLimits(context, async (tx) => {
    const before = await ownOf(tx, organizationId, workspaceId);
    if (before === undefined) throw notFound("spend limit", scopeId);
    await queries.setSpend(tx, organizationId, workspaceId, null);
    const details = { amount_before: minorOf(before) };
    await note(tx, context, "spend_limit.removed", workspaceId, details);
    return true;
  });
}

/** The ledger's month: by the database's clock, in UTC. */
const monthOf = (context: Context) => nodeOf(context).now().toISOString().slice(0, 7);

async function ownOf(tx: Tx, organizationId: string, workspaceId: string) {
  const set = await queries.selectSpends(tx, organizationId);
  const own = set.find((row) => row.workspaceId === workspaceId);
  return own && BigInt(own.nano);
}

function note(
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
  { id: workspaceId, name }: Place,
  set: readonly queries.SpendRow[],
  spent: readonly MonthSpend[],
): SpendLimit {
  const own = set.find((row) => row.workspaceId === workspaceId);
  const rows = spent.filter((row) => workspaceId === "" || row.workspaceId === workspaceId);
  const sum = (values: readonly string[]) =>
    minorOf(values.reduce((total, value) => total + BigInt(value), 0n));
  return {
    type: "spend_limit",
    scope: scopeOf(workspaceId),
    workspace_name: name,
    period: "monthly",
    amount: own === undefined ? null : minorOf(BigInt(own.nano)),
    period_to_date_spend: sum(rows.map(({ spentNano }) => spentNano)),
    reserved: sum(rows.map(({ reservedNano }) => reservedNano)),
  };
}
