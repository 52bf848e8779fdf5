// Rate limits as people see and set them.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { catalogOf } from "../../models/module.ts";
import { usedSince, type RecentUsage } from "../../usage/module.ts";
import * as workspaces from "../../workspaces/module.ts";
import { changeLimits } from "../change-limits.ts";
import type { LimiterType, RateLimit, RateLimitQuery, SetRateLimit } from "../schema-console.ts";
import * as queries from "../queries.ts";
import { defaultRates } from "../limits.ts";
import { type LimitsSection, rateTypes, type RateType } from "../schema.ts";

const limiterOf: Record<RateType, LimiterType> = {
  requests: "requests_per_minute",
  input_tokens: "input_tokens_per_minute",
  output_tokens: "output_tokens_per_minute",
};
const usedOf: Record<RateType, (used: RecentUsage) => number> = {
  requests: ({ requests }) => requests,
  input_tokens: ({ inputTokens }) => inputTokens,
  output_tokens: ({ outputTokens }) => outputTokens,
};

/** Rule LIM14. */
export async function listRateLimits(context: Context, { workspace_id: given }: RateLimitQuery) {
  const { db, clock, who } = context;
  const { organizationId } = who;
  if (given !== undefined) await expectSeen(context, given);
  const workspaceId = given ?? "";
  const set = await queries.selectRates(db, organizationId);
  const since = new Date(clock.now().getTime() - 60_000);
  const used = await usedSince(context, organizationId, since);
  const groups = groupsOf(context);
  const known = set.filter((row) => row.workspaceId === workspaceId).map(({ group }) => group);
  const names = [...new Set([...groups.keys(), ...known])].toSorted();
  return {
    data: names.map((group) =>
      toRateLimit({ context, workspaceId, group, models: groups.get(group) ?? [], set, used }),
    ),
  };
}

/** Rule WSP10 for callers who read workspaces; those who read limits alone, as billing does, see all. */
async function expectSeen(context: Context, id: string): Promise<void> {
  const { db, who } = context;
  const workspace = who.permissions.has("workspaces:read")
    ? await workspaces.expectVisibleWorkspace(context, id)
    : await workspaces.findWorkspace(db, who.organizationId, id);
  if (workspace === undefined) throw notFound("workspace", id);
}

/** Rules LIM11, LIM14 and LIM16. */
export async function setRateLimit(context: Context, input: SetRateLimit): Promise<RateLimit> {
  const { db, who } = context;
  const { group } = input;
  const workspaceId = input.workspace_id ?? "";
  await changeRates(context, { workspaceId, group, limits: input.limits });
  const set = await queries.selectRates(db, who.organizationId);
  const models = groupsOf(context).get(group) ?? [];
  const since = new Date(context.clock.now().getTime() - 60_000);
  const used = await usedSince(context, who.organizationId, since);
  return toRateLimit({ context, workspaceId, group, models, set, used });
}

interface AskedChange {
  /** Empty: the organization. */
  workspaceId: string;
  group: string;
  limits: SetRateLimit["limits"];
}

export async function changeRates(context: Context, asked: AskedChange): Promise<void> {
  const { organizationId } = context.who;
  const { workspaceId, group, limits } = asked;
  const types = limits.map(({ type }) => type);
  const twice = types.find((type, index) => types.indexOf(type) !== index);
  if (twice !== undefined) throw invalid(`limits: ${twice} is there twice; say it once.`);
  await changeLimits(context, async (tx) => {
    if (workspaceId !== "") await workspaces.lockOpenWorkspace(tx, organizationId, workspaceId);
    const rows = await queries.selectRates(tx, organizationId);
    const before = new Map(
      rows.flatMap((row) =>
        row.workspaceId === workspaceId && row.group === group
          ? [[limiterOf[row.type], row.perMinute] as const]
          : [],
      ),
    );
    if (before.size === 0 && !groupsOf(context).has(group))
      throw invalid(`group: there is no group of models named ${group}. See the page Models.`);
    const changed = limits.filter(({ type, value }) => (before.get(type) ?? null) !== value);
    for (const { type, value } of changed) {
      const row = { workspaceId, group, type: typeOf(type), perMinute: value };
      await queries.setRate(tx, organizationId, row);
    }
    if (changed.length > 0)
      await recordRateChange(tx, context, { workspaceId, group, changed, before });
    return changed.length > 0;
  });
}

const typeOf = (limiter: LimiterType): RateType =>
  rateTypes.find((type) => limiterOf[type] === limiter) ?? "requests";

interface Change {
  workspaceId: string;
  group: string;
  changed: SetRateLimit["limits"];
  before: ReadonlyMap<LimiterType, number>;
}

function recordRateChange(
  tx: Tx,
  context: Context,
  { workspaceId, group, changed, before }: Change,
) {
  const { organizationId } = context.who;
  return audit.recordByCaller(tx, context, {
    action: "rate_limit.set",
    target:
      workspaceId === ""
        ? { type: "organization", id: organizationId }
        : { type: "workspace", id: workspaceId },
    details: {
      name: group,
      ...Object.fromEntries(changed.map(({ type, value }) => [type, value])),
      before: Object.fromEntries(changed.map(({ type }) => [type, before.get(type) ?? null])),
    },
  });
}

/** The models of each group. */
export function groupsOf(context: Context): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, group } of catalogOf(context).list())
    groups.set(group, [...(groups.get(group) ?? []), id]);
  return groups;
}

export interface Facts {
  context: Context;
  /** Empty: the organization. */
  workspaceId: string;
  group: string;
  models: readonly string[];
  set: readonly queries.RateRow[];
  used: readonly RecentUsage[];
}

function toRateLimit(facts: Facts): RateLimit {
  const { workspaceId, group, models } = facts;
  return {
    type: "rate_limit",
    workspace_id: workspaceId === "" ? null : workspaceId,
    group: { id: group, type: "model_group", display_name: group },
    models: [...models],
    limits: rateTypes.map((type) => ({
      type: limiterOf[type],
      ...valueOf(facts, type),
      used: sumOf(facts, usedOf[type]),
    })),
  };
}

export function valueOf(
  { context, workspaceId, group, set }: Pick<Facts, "context" | "workspaceId" | "group" | "set">,
  type: RateType,
) {
  const section = (context.sections?.["limits"] ?? {}) as LimitsSection;
  const setFor = (scopeId: string) =>
    set.find((row) => row.workspaceId === scopeId && row.group === group && row.type === type)
      ?.perMinute;
  const organization = setFor("");
  const configured = section.organization?.[type];
  const orgLimit = organization ?? configured ?? defaultRates[type];
  if (workspaceId === "") {
    const source =
      organization !== undefined
        ? "organization"
        : configured === undefined
          ? "default"
          : "settings";
    return { value: orgLimit, org_limit: null, source: { type: source } } as const;
  }
  const override = setFor(workspaceId);
  const value = override ?? section.workspace?.[type];
  const source =
    override !== undefined ? "workspace" : value === undefined ? "organization" : "settings";
  return { value: value ?? orgLimit, org_limit: orgLimit, source: { type: source } } as const;
}

function sumOf({ workspaceId, models, used }: Facts, count: (used: RecentUsage) => number): number {
  return used
    .filter((row) => workspaceId === "" || row.workspaceId === workspaceId)
    .filter(({ model }) => models.includes(model))
    .reduce((sum, row) => sum + count(row), 0);
}
