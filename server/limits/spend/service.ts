// Spend limits over the API: members of enterprise organizations have theirs, platform organizations the shared ones.
import { forbidden, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context, World } from "../../../kernel/context.ts";
import { makeCursors, pageSize } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { minorOf } from "../../usage/module.ts";
import { changeLimits } from "../change-limits.ts";
import type { Period } from "../periods.ts";
import * as queries from "./queries.ts";
import { limits, nanoPerMinor } from "../limits.ts";
import type { LimitsSection } from "../schema.ts";
import { currency } from "./effective.ts";
import * as shared from "./service-console.ts";
import type { Scope, SetSpendLimit, SpendLimit, SpendLimitQuery } from "./schema.ts";

const switchOf = ({ sections }: Pick<World, "sections">) =>
  ((sections?.["limits"] ?? {}) as LimitsSection).spend_limits_api ?? "off";

/** Platform organizations have these routes where the operator says so. */
export const alsoFor = (world: World) => (switchOf(world) === "off" ? [] : (["platform"] as const));

/** Rule LIM20. */
function expectWritable(context: Context): void {
  if (context.who.organizationType === "enterprise" || switchOf(context) === "write") return;
  throw forbidden(
    "Spend limits are not set over the API here: set them in the console, or have the operator set limits.spend_limits_api to write.",
    { code: "spend_limits_admin_api_writes_not_enabled" },
  );
}

export function scopeOf({ workspaceId, userId }: queries.LimitRow): Scope {
  if (userId !== null) return { type: "user", user_id: userId };
  return workspaceId === ""
    ? { type: "organization" }
    : { type: "workspace", workspace_id: workspaceId };
}

const toLimit = (row: queries.LimitRow): SpendLimit => ({
  id: row.id,
  type: "spend_limit",
  scope: scopeOf(row),
  period: row.period,
  amount: row.nano === null ? null : minorOf(BigInt(row.nano)),
  currency,
  is_enabled: true,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

type Part = "shared" | "personal";

/** The shared ones, then those of members; each in the order of their ids. */
export async function listLimits(context: Context, query: SpendLimitQuery) {
  const { db, who, secrets } = context;
  const { organizationId } = who;
  expectFitting(context, query);
  const cursors = makeCursors(secrets);
  const from = (cursors.read("spend_limits", organizationId, query.page) ?? ["shared", ""]) as [
    Part,
    string,
  ];
  const size = pageSize(query.limit, { itemsMax: limits.listItemsMax });
  const rows: queries.LimitRow[] = [];
  const isWanted = (row: queries.LimitRow) =>
    (query.scope_type?.includes(scopeOf(row).type) ?? true) &&
    (query.workspace_id === undefined || row.workspaceId === query.workspace_id);
  if (from[0] === "shared") {
    // One for each workspace at most.
    const page = { after: from[1], rows: limits.listItemsMax + 1 };
    rows.push(...(await queries.listShared(db, organizationId, page)).filter(isWanted));
  }
  const wantsMembers = query.scope_type?.includes("user") ?? query.workspace_id === undefined;
  if (rows.length <= size && wantsMembers) {
    const page = { after: from[0] === "personal" ? from[1] : "", rows: size + 1 - rows.length };
    rows.push(...(await queries.listPersonal(db, organizationId, page)));
  }
  const data = rows.slice(0, size);
  const last = data.at(-1);
  const part = last?.userId === null ? "shared" : "personal";
  return {
    data: data.map(toLimit),
    next_page:
      rows.length > size && last !== undefined
        ? cursors.write("spend_limits", organizationId, [part, last.id])
        : null,
  };
}

const ofType = {
  platform: ["organization", "workspace", "usage_tier"],
  enterprise: [
    "organization",
    "seat_tier",
    "rbac_group",
    "organization_service",
    "user",
    "workspace",
  ],
} as const;

function expectFitting({ who }: Context, { scope_type, workspace_id }: SpendLimitQuery): void {
  const type = who.organizationType === "platform" ? "platform" : "enterprise";
  const known: readonly string[] = ofType[type];
  const strange = scope_type?.find((name) => !known.includes(name));
  if (strange !== undefined)
    throw invalid(`scope_type: ${strange} is nothing that ${type} organizations have.`);
  if (workspace_id !== undefined && type === "enterprise")
    throw invalid("workspace_id: goes with platform organizations only.");
}

export async function retrieveLimit({ db, who }: Context, id: string): Promise<SpendLimit> {
  const row = await queries.findLimit(db, who.organizationId, id);
  if (row === undefined) throw notFound("spend limit", id);
  return toLimit(row);
}

/** Rules LIM18 and LIM20. */
export async function setLimit(context: Context, input: SetSpendLimit): Promise<SpendLimit> {
  expectWritable(context);
  const { scope, amount, period = "monthly" } = input;
  if (scope.type === "user") {
    if (context.who.organizationType !== "enterprise")
      throw invalid("scope: members have limits of their own in enterprise organizations only.");
    return setUserLimit(context, { userId: scope.user_id, period, amount });
  }
  if (context.who.organizationType === "enterprise" && context.who.kind !== "console")
    throw invalid(
      `scope: over the API an enterprise organization sets limits of type user; that of the ${scope.type} is set in the console.`,
    );
  if (period !== "monthly") throw invalid("period: this limit is monthly.");
  if (amount === null)
    throw invalid("amount: this limit has an amount; to have none, delete the limit.");
  await shared.setSpendLimit(context, { scope, amount });
  const { organizationId } = context.who;
  const page = { after: "", rows: limits.listItemsMax + 1 };
  const scopeId = scope.type === "organization" ? "" : scope.workspace_id;
  const rows = await queries.listShared(context.db, organizationId, page);
  const row = rows.find(({ workspaceId }) => workspaceId === scopeId);
  if (row === undefined) throw notFound("spend limit", scopeId);
  return toLimit(row);
}

interface UserLimit {
  userId: string;
  period: Period;
  amount: string | null;
}

export async function setUserLimit(context: Context, limit: UserLimit): Promise<SpendLimit> {
  await changeLimits(context, async (tx) => {
    const details = await writeUserLimit(tx, context, limit);
    if (details === undefined) return false;
    await recordLimitChange(tx, context, "spend_limit.set", limit.userId, details);
    return true;
  });
  const { organizationId } = context.who;
  const rows = await queries.limitsOfUsers(context.db, organizationId, [limit.userId]);
  const row = rows.find(({ period }) => period === limit.period);
  if (row === undefined) throw notFound("spend limit", limit.userId);
  return toLimit(row);
}

/** Within a change of the limits, whose event it gives back; undefined where it was so already. */
export async function writeUserLimit(
  tx: Tx,
  context: Context,
  { userId, period, amount }: UserLimit,
): Promise<Record<string, unknown> | undefined> {
  const { organizationId } = context.who;
  const [member] = await queries.listMembers(tx, organizationId, {
    after: "",
    rows: 1,
    ids: [userId],
  });
  if (member === undefined) throw notFound("user", userId);
  const set = await queries.limitsOfUsers(tx, organizationId, [userId]);
  const before = set.find((row) => row.period === period);
  const nano = amount === null ? null : BigInt(amount) * nanoPerMinor;
  const isSame = before !== undefined && before.nano === (nano === null ? null : String(nano));
  if (isSame) return undefined;
  await queries.setUserLimit(tx, organizationId, {
    id: before?.id ?? context.ids.next("spl_"),
    userId,
    period,
    nano,
    at: context.clock.now(),
  });
  const amount_before = before?.nano == null ? null : minorOf(BigInt(before.nano));
  return { name: member.email, period, amount, amount_before };
}

export async function deleteLimit(context: Context, id: string) {
  expectWritable(context);
  const { organizationId, organizationType, kind } = context.who;
  const found = await queries.findLimit(context.db, organizationId, id);
  if (found === undefined) throw notFound("spend limit", id);
  if (found.userId === null) {
    if (organizationType === "enterprise" && kind !== "console")
      throw invalid("This limit is the organization's own: it is taken away in the console.");
    await shared.removeSpendLimit(
      context,
      found.workspaceId === "" ? "organization" : found.workspaceId,
    );
  } else
    await changeLimits(context, async (tx) => {
      const row = await queries.findLimit(tx, organizationId, id);
      if (row?.userId == null) throw notFound("spend limit", id);
      await queries.deleteUserLimit(tx, organizationId, id);
      const amount_before = row.nano === null ? null : minorOf(BigInt(row.nano));
      await recordLimitChange(tx, context, "spend_limit.removed", row.userId, {
        period: row.period,
        amount_before,
      });
      return true;
    });
  return { id, type: "spend_limit_deleted" } as const;
}

export function recordLimitChange(
  tx: Tx,
  context: Context,
  action: string,
  userId: string,
  details: Record<string, unknown>,
) {
  const target = { type: "user", id: userId };
  return audit.recordByCaller(tx, context, { action, target, details });
}
