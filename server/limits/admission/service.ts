// Admission: what a request may need is taken out of every limit that it falls under, from memory.
import type { Node } from "../../usage/module.ts";
import {
  type Admission,
  type AdmissionRequest,
  type AdmissionContext,
  headersFor,
  type LimitsWorld,
  needOf,
  type LimitScope,
  ProcessAdmission,
} from "./admission.ts";
import { rateReached, spendReached } from "./headers.ts";
import { nextDayMs, spanOf, type Period } from "../periods.ts";
import { makePolicies, type Policies } from "./policy.ts";
import type { SpendScope } from "../queries.ts";
import { makeRateSlices, type RatePool, type RateSlices } from "./rate-slices.ts";
import { limits, rateTypes, type LimitsSection } from "../schema.ts";
import { makeSpendSlices, type SpendPool, type SpendSlices } from "./spend-slices.ts";

export interface Limits {
  admit(context: AdmissionContext, asked: AdmissionRequest): Admission | Promise<Admission>;
  /** What the file says of limits. */
  configure(section: LimitsSection): void;
  /** Limits of this organization were changed, here: others hear of it. */
  changed(organizationId: string): void;
  /** Gives back what other processes ask for; the result stops it. */
  start(): () => void;
}

interface AdmissionState {
  world: LimitsWorld;
  node: Node;
  policies: Policies;
  rates: RateSlices;
  spends: SpendSlices;
  scopes: Map<string, LimitScope>;
}

export function makeLimits(world: LimitsWorld, node: Node): Limits {
  const { clock, hints, ids } = world;
  let section: LimitsSection = {};
  const own: AdmissionState = {
    world,
    node,
    policies: makePolicies(world, () => section),
    rates: makeRateSlices(world, ids.next("limits_")),
    spends: makeSpendSlices(world, node),
    scopes: new Map(),
  };
  const { scopes, policies } = own;

  function admit(
    context: AdmissionContext,
    asked: AdmissionRequest,
  ): Admission | Promise<Admission> {
    const { organizationId, workspaceId, userId = null } = context.who;
    const key = `${organizationId}/${workspaceId}/${userId}/${asked.model.group}`;
    const scope = scopeFor(scopes.get(key), asked);
    if (scope !== undefined) {
      const nowMs = clock.monotonicMs();
      const ageMs = nowMs - scope.policy.loadedMs;
      if (ageMs > limits.policyFreshMs && scope.policy.loading === undefined)
        policies.renew(scope.policy);
      const isKnown =
        ageMs < limits.policyTrustMs && !scope.policy.replaced && nowMs < scope.monthUntilMs;
      if (isKnown && lacks(own, scope, asked, nowMs) === undefined)
        return take(own, scope, context, asked, nowMs);
    }
    return admitSlowly(own, key, context, asked);
  }

  return {
    admit,
    configure: (set) => {
      section = set;
      scopes.clear();
    },
    changed: (organizationId) => {
      policies.forget(organizationId);
      hints.send(policyChannel, organizationId);
    },
    start: () => {
      const deaf = [
        hints.listen("limits", (key) => {
          own.rates.release(key);
          own.spends.release(key);
        }),
        hints.listen(policyChannel, (organizationId) => policies.forget(organizationId)),
      ];
      return () => deaf.forEach((stop) => stop());
    },
  };
}

const policyChannel = "limits_changed";

/** Work in the background falls under the limits of money alone. */
function scopeFor<Known extends LimitScope | undefined>(
  scope: Known,
  asked: AdmissionRequest,
): Known | LimitScope {
  if (scope === undefined || asked.isBackground === undefined) return scope;
  return (scope.background ??= { ...scope, rates: [] });
}

type Lack = { pool: RatePool; need: number } | { pool: SpendPool; need: number };

/** The first limit that has not enough in memory. */
function lacks(
  { node }: AdmissionState,
  scope: LimitScope,
  asked: AdmissionRequest,
  nowMs: number,
): Lack | undefined {
  for (const pool of scope.rates) {
    const need = needOf(pool, asked);
    if (pool.free < need || nowMs >= pool.untilMs) return { pool, need };
  }
  if (scope.spends.length === 0) return undefined;
  const lease = node.heldLease();
  for (const pool of scope.spends) {
    if (pool.unlimited) continue;
    if (pool.free < asked.reserveNano || lease === undefined || pool.lease !== lease)
      return { pool, need: asked.reserveNano };
  }
  return undefined;
}

function take(
  own: AdmissionState,
  scope: LimitScope,
  context: AdmissionContext,
  asked: AdmissionRequest,
  nowMs: number,
): Admission {
  const taken: number[] = [];
  for (const pool of scope.rates) {
    const need = needOf(pool, asked);
    pool.free -= need;
    taken.push(need);
    if (pool.free < pool.low || nowMs > pool.renewMs) {
      pool.renewMs = Infinity;
      pool.low = -Infinity;
      own.rates.prefetch(pool);
    }
  }
  for (const pool of scope.spends) {
    pool.free -= asked.reserveNano;
    if (pool.free < pool.low) {
      pool.low = -Infinity;
      own.spends.prefetch(pool);
    }
  }
  return new ProcessAdmission(own.world, scope, context, asked, taken);
}

const roundsMax = 4;

async function admitSlowly(
  own: AdmissionState,
  key: string,
  context: AdmissionContext,
  asked: AdmissionRequest,
): Promise<Admission> {
  const { clock } = own.world;
  const tries = new Map<RatePool | SpendPool, number>();
  for (;;) {
    const scope = scopeFor(await scopeOf(own, key, context, asked), asked);
    const nowMs = clock.monotonicMs();
    const lack = lacks(own, scope, asked, nowMs);
    if (lack === undefined) return take(own, scope, context, asked, nowMs);
    const { pool, need } = lack;
    const count = (tries.get(pool) ?? 0) + 1;
    tries.set(pool, count);
    const isKnown = need >= pool.deniedNeed && nowMs < pool.deniedUntilMs;
    const isHopeless = pool.kind === "rate" && need > pool.perMinute;
    // Others may have been faster after a round that was good: it is worth another.
    const isDenied = count > 1 && (pool.free < need || count > roundsMax);
    if (isKnown || isHopeless || isDenied) {
      if (!isKnown) deny(own, pool, need, nowMs);
      throw pool.kind === "spend"
        ? spendReached(pool.scope)
        : rateReached(pool, need, nowMs, headersFor(own.world, scope, context, asked));
    }
    await (pool.kind === "rate" ? own.rates.more(pool, need) : own.spends.more(pool, need));
  }
}

/** Remembered for a moment, so that a flood of refused requests does not become one of questions. */
function deny(
  { world }: AdmissionState,
  pool: RatePool | SpendPool,
  need: number,
  nowMs: number,
): void {
  pool.deniedNeed = need;
  pool.deniedUntilMs = nowMs + limits.reachedMs;
  if (pool.kind === "rate") {
    pool.deniedUntilMs = Math.min(pool.deniedUntilMs, pool.retryAtMs);
    world.hints.send("limits", pool.key);
  }
}

const whoseOf = (workspaceId: string) =>
  workspaceId === "" ? "this organization" : "this workspace";

async function scopeOf(
  own: AdmissionState,
  key: string,
  context: AdmissionContext,
  asked: AdmissionRequest,
): Promise<LimitScope> {
  const { clock } = own.world;
  const { organizationId, workspaceId, userId = null } = context.who;
  const { policies, scopes, node } = own;
  const policy = await policies.get(organizationId, userId);
  const known = scopes.get(key);
  if (known?.policy === policy && clock.monotonicMs() < known.monthUntilMs) return known;
  // The place's clock is the database's: without one the month would be this machine's.
  if (policy.spends.length + policy.own.length > 0) await node.acquire();
  const now = node.now();
  const month = now.toISOString().slice(0, 7);
  const monthEndMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const nextMs = policy.own.length > 0 ? nextDayMs(now) : monthEndMs;
  const places = workspaceId === null ? [""] : ["", workspaceId];
  const { group } = asked.model;
  const scope: LimitScope = {
    policy,
    monthUntilMs: clock.monotonicMs() + nextMs - now.getTime(),
    rates: places.flatMap((place) =>
      rateTypes.flatMap((type) => {
        const perMinute = policies.perMinute(policy, place, group, type);
        const whose = `${whoseOf(place)} for ${group}`;
        const poolKey = `${organizationId}/${place}/${group}/${type}`;
        return perMinute === undefined
          ? []
          : [own.rates.pool({ key: poolKey, type, whose, perMinute })];
      }),
    ),
    spends: [
      ...policy.spends
        .filter((spend) => places.includes(spend.workspaceId))
        .map((spend) =>
          own.spends.pool({ organizationId, workspaceId: spend.workspaceId, month }, spend.nano),
        ),
      ...policy.own.map(({ period, nano }) =>
        own.spends.pool(ofMember(context, period, now), nano),
      ),
    ],
  };
  if (scopes.size >= limits.scopesMax) {
    scopes.clear();
    own.rates.forget();
    own.spends.forget();
  }
  scopes.set(key, scope);
  return scope;
}

/** Rule LIM18. */
function ofMember({ who }: AdmissionContext, period: Period, now: Date): SpendScope {
  const id = who.userId ?? "";
  const { key, from, until } = spanOf(period, now);
  const user = { id, period, from, until };
  return { organizationId: who.organizationId, workspaceId: id, month: key, user };
}
