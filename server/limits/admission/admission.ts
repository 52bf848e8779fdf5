// What one request has taken out of its limits, and what it gives back when it has ended.
import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import type { Principal, World } from "../../../kernel/context.ts";
import type { Model } from "../../models/module.ts";
import { type Prefix, rateHeaders } from "./headers.ts";
import type { Policy } from "./policy.ts";
import type { RatePool } from "./rate-slices.ts";
import type { SpendPool } from "./spend-slices.ts";

export interface AdmissionRequest {
  model: Pick<Model, "group">;
  inputTokens: number;
  outputTokensMax: number;
  reserveNano: number;
  /** Of work in the background: no rate limit holds it up, and it uses up none. */
  isBackground?: true;
  /** What the names of the headers begin with that show the limits. */
  prefix?: Prefix;
}

export interface ActualUsage {
  inputTokens: number;
  outputTokens: number;
  nano: number;
}

export interface Admission {
  /** The rate-limit headers, as of now. */
  readonly headers: Record<string, string>;
  /** After the close is durable: what was taken and not used goes back. The second time it does nothing. */
  settle(used: ActualUsage): void;
}

/** Who asks, as far as limits tell callers apart. */
export interface AdmissionCaller {
  who: Pick<Principal, "organizationId" | "workspaceId"> & Partial<Pick<Principal, "userId">>;
}

/** The limits that one workspace falls under with one group of models. */
export interface LimitScope {
  policy: Policy;
  rates: readonly RatePool[];
  spends: readonly SpendPool[];
  /** Another month, or day where a member has limits, has begun after this, by the monotonic clock. */
  periodUntilMs: number;
  /** The same for work in the background. */
  background?: LimitScope;
}

/** Metrics are for processes that show some. */
export type LimitsWorld = Pick<World, "clock" | "db" | "hints" | "ids" | "logger"> &
  Partial<Pick<World, "instruments">>;

/** Requests rarely use all of max_tokens: a small limit of output must not shut out every request. */
export function needOf({ type, perMinute }: RatePool, request: AdmissionRequest): number {
  if (type === "requests") return 1;
  return type === "input_tokens"
    ? request.inputTokens
    : Math.min(request.outputTokensMax, perMinute);
}

/** A class, because it owns what was taken, and because its headers cost 2 µs that not every caller wants. */
export class ProcessAdmission implements Admission {
  readonly #world: LimitsWorld;
  readonly #scope: LimitScope;
  readonly #request: AdmissionRequest;
  #taken: readonly number[] | undefined;
  readonly #leases;

  constructor(
    world: LimitsWorld,
    scope: LimitScope,
    request: AdmissionRequest,
    taken: readonly number[],
  ) {
    this.#world = world;
    this.#scope = scope;
    this.#request = request;
    this.#taken = taken;
    this.#leases = scope.spends.map(({ lease }) => lease);
  }

  get headers(): Record<string, string> {
    return headersFor(this.#world, this.#scope, this.#request);
  }

  settle({ inputTokens, outputTokens, nano }: ActualUsage): void {
    const taken = this.#taken;
    if (taken === undefined) return;
    // NaN would make a limit endless: every comparison with it is false.
    assert(nano >= 0 && inputTokens >= 0 && outputTokens >= 0, "what was used is not negative");
    this.#taken = undefined;
    const nowMs = this.#world.clock.monotonicMs();
    for (const [index, pool] of this.#scope.rates.entries()) {
      if (pool.type === "requests") continue;
      const used = pool.type === "input_tokens" ? inputTokens : outputTokens;
      giveBack(pool, (taken[index] ?? 0) - used, nowMs);
    }
    // A slice that was taken anew knows nothing of this request.
    for (const [index, pool] of this.#scope.spends.entries())
      if (pool.lease === this.#leases[index]) pool.free += this.#request.reserveNano - nano;
  }
}

/** Never more than the database believes this process to hold; the rest goes back with the next round. */
function giveBack(pool: RatePool, unused: number, nowMs: number): void {
  const room = nowMs < pool.untilMs ? pool.held - pool.free : 0;
  const here = Math.min(unused, Math.max(0, room));
  pool.free += here;
  pool.refund += unused - here;
}

export function headersFor(
  world: LimitsWorld,
  scope: LimitScope,
  { prefix = "vendor" }: AdmissionRequest,
) {
  const { clock } = world;
  return rateHeaders(prefix, scope.rates, clock.monotonicMs(), clock.now().getTime());
}

/** The word that the client's version header begins with. */
export const headerPrefixOf = (headers: IncomingHttpHeaders): Prefix =>
  headers["vendor-version"] === undefined && headers["anthropic-version"] !== undefined
    ? "anthropic"
    : "vendor";
