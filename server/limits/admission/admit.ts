// Admission: what a request may need is taken out of every limit that it falls under, from memory.
import assert from "node:assert/strict";
import type { Node } from "../../usage/module.ts";
import {
  type Admission,
  type AdmissionRequest,
  type AdmissionCaller,
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
import { limits } from "../limits.ts";
import { rateTypes, type LimitsSection } from "../schema.ts";
import { makeSpendSlices, type SpendPool, type SpendSlices } from "./spend-slices.ts";

export interface Limits {
  admit(caller: AdmissionCaller, request: AdmissionRequest): Admission | Promise<Admission>;
  /** What the file says of limits. */
  configure(section: LimitsSection): void;
  /** Limits of this organization were changed, here: the other processes learn of it. */
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
  const state: AdmissionState = {
    world,
    node,
    policies: makePolicies(world, () => section),
    rates: makeRateSlices(world, ids.next("limits_")),
    spends: makeSpendSlices(world, node),
    scopes: new Map(),
  };
  const { scopes, policies } = state;

  function admit(
    caller: AdmissionCaller,
    request: AdmissionRequest,
  ): Admission | Promise<Admission> {
    const { organizationId, workspaceId, userId = null } = caller.who;
    const key = `${organizationId}/${workspaceId}/${userId}/${request.model.group}`;
    const scope = scopeFor(scopes.get(key), request);
    if (scope !== undefined) {
      const nowMs = clock.monotonicMs();
      const ageMs = nowMs - scope.policy.loadedMs;
      if (ageMs > limits.policyFreshMs && scope.policy.loading === undefined)
        policies.renew(scope.policy);
      const isKnown =
        ageMs < limits.policyTrustMs && !scope.policy.replaced && nowMs < scope.periodUntilMs;
      if (isKnown && lacks(state, scope, request, nowMs) === undefined)
        return take(state, scope, request, nowMs);
    }
    return admitSlowly(state, key, caller, request);
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
      const stops = [
        hints.listen("limits", (key) => {
          state.rates.release(key);
          state.spends.release(key);
        }),
        hints.listen(policyChannel, (organizationId) => policies.forget(organizationId)),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

const policyChannel = "limits_changed";

/** Work in the background falls under the limits of money alone. */
function scopeFor<Known extends LimitScope | undefined>(
  scope: Known,
  request: AdmissionRequest,
): Known | LimitScope {
  if (scope === undefined || request.isBackground === undefined) return scope;
  return (scope.background ??= { ...scope, rates: [] });
}

type Lack = { pool: RatePool; need: number } | { pool: SpendPool; need: number };

/** The first limit that has not enough in memory. */
function lacks(
  { node }: AdmissionState,
  scope: LimitScope,
  request: AdmissionRequest,
  nowMs: number,
): Lack | undefined {
  for (const pool of scope.rates) {
    const need = needOf(pool, request);
    if (pool.free < need || nowMs >= pool.untilMs) return { pool, need };
  }
  if (scope.spends.length === 0) return undefined;
  const lease = node.heldLease();
  for (const pool of scope.spends) {
    if (pool.unlimited) continue;
    if (pool.free < request.reserveNano || lease === undefined || pool.lease !== lease)
      return { pool, need: request.reserveNano };
  }
  return undefined;
}

function take(
  state: AdmissionState,
  scope: LimitScope,
  request: AdmissionRequest,
  nowMs: number,
): Admission {
  assert(request.reserveNano >= 0, "a request reserves no negative sum");
  const taken: number[] = [];
  for (const pool of scope.rates) {
    const need = needOf(pool, request);
    pool.free -= need;
    taken.push(need);
    if (pool.free < pool.low || nowMs > pool.renewMs) {
      pool.renewMs = Infinity;
      pool.low = -Infinity;
      state.rates.prefetch(pool);
    }
  }
  for (const pool of scope.spends) {
    pool.free -= request.reserveNano;
    assert(pool.unlimited || pool.free >= 0, "no more is admitted than a slice has");
    if (pool.free < pool.low) {
      pool.low = -Infinity;
      state.spends.prefetch(pool);
    }
  }
  return new ProcessAdmission(state.world, scope, request, taken);
}

const roundsMax = 4;

async function admitSlowly(
  state: AdmissionState,
  key: string,
  caller: AdmissionCaller,
  request: AdmissionRequest,
): Promise<Admission> {
  const { clock } = state.world;
  const tries = new Map<RatePool | SpendPool, number>();
  for (;;) {
    const scope = scopeFor(await scopeOf(state, key, caller, request), request);
    const nowMs = clock.monotonicMs();
    const lack = lacks(state, scope, request, nowMs);
    if (lack === undefined) return take(state, scope, request, nowMs);
    const { pool, need } = lack;
    const count = (tries.get(pool) ?? 0) + 1;
    tries.set(pool, count);
    const isKnown = need >= pool.deniedNeed && nowMs < pool.deniedUntilMs;
    const isHopeless = pool.kind === "rate" && need > pool.perMinute;
    // Others may have been faster after a round that was good: it is worth another.
    const isDenied = count > 1 && (pool.free < need || count > roundsMax);
    if (isKnown || isHopeless || isDenied) {
      if (!isKnown) deny(state, pool, need, nowMs);
      countRefusal(state.world, pool);
      throw pool.kind === "spend"
        ? spendReached(pool.scope)
        : rateReached(pool, need, nowMs, headersFor(state.world, scope, request));
    }
    await (pool.kind === "rate" ? state.rates.more(pool, need) : state.spends.more(pool, need));
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

/** Rule LIM23. */
function countRefusal({ instruments }: LimitsWorld, pool: RatePool | SpendPool): void {
  const kind = pool.kind === "spend" ? "spend" : pool.type;
  instruments?.limitRefusals.with(kind, scopeNameOf(pool)).inc();
}

function scopeNameOf(pool: RatePool | SpendPool): string {
  if (pool.kind === "spend" && pool.scope.user !== undefined) return "member";
  const isShared = pool.kind === "spend" ? pool.scope.holderId === "" : pool.isShared;
  return isShared ? "organization" : "workspace";
}

const whoseOf = (workspaceId: string) =>
  workspaceId === "" ? "this organization" : "this workspace";

async function scopeOf(
  state: AdmissionState,
  key: string,
  caller: AdmissionCaller,
  request: AdmissionRequest,
): Promise<LimitScope> {
  const { clock } = state.world;
  const { organizationId, workspaceId, userId = null } = caller.who;
  const { policies, scopes, node } = state;
  const policy = await policies.get(organizationId, userId);
  const known = scopes.get(key);
  if (known?.policy === policy && clock.monotonicMs() < known.periodUntilMs) return known;
  // The node's clock is the database's: without one the month would be this machine's.
  if (policy.spends.length + policy.memberSpends.length > 0) await node.acquire();
  const now = node.now();
  const month = now.toISOString().slice(0, 7);
  const monthEndMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const nextMs = policy.memberSpends.length > 0 ? nextDayMs(now) : monthEndMs;
  const scopeIds = workspaceId === null ? [""] : ["", workspaceId];
  const { group } = request.model;
  const scope: LimitScope = {
    policy,
    periodUntilMs: clock.monotonicMs() + nextMs - now.getTime(),
    rates: scopeIds.flatMap((scopeId) =>
      rateTypes.flatMap((type) => {
        const perMinute = policies.perMinute(policy, scopeId, group, type);
        const whose = `${whoseOf(scopeId)} for ${group}`;
        const poolKey = `${organizationId}/${scopeId}/${group}/${type}`;
        return perMinute === undefined
          ? []
          : [state.rates.pool({ key: poolKey, type, whose, perMinute, isShared: scopeId === "" })];
      }),
    ),
    spends: [
      ...policy.spends
        .filter((spend) => scopeIds.includes(spend.workspaceId))
        .map((spend) =>
          state.spends.pool(
            { organizationId, holderId: spend.workspaceId, periodKey: month },
            spend.nano,
          ),
        ),
      ...policy.memberSpends.map(({ period, nano }) =>
        state.spends.pool(ofMember(caller, period, now), nano),
      ),
    ],
  };
  if (scopes.size >= limits.scopesMax) {
    scopes.clear();
    state.rates.forget();
    state.spends.forget();
  }
  scopes.set(key, scope);
  return scope;
}

/** Rule LIM18. */
function ofMember({ who }: AdmissionCaller, period: Period, now: Date): SpendScope {
  const id = who.userId ?? "";
  const { key, from, until } = spanOf(period, now);
  const user = { id, period, from, until };
  return { organizationId: who.organizationId, holderId: id, periodKey: key, user };
}
