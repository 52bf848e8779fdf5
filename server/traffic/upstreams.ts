// Rules TRF2 and TRF3: how upstreams answer, by organization and minute.
import type { World } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { part } from "../../kernel/work/parts.ts";
import { makeMinuteSums, startWriting } from "./minute-sums.ts";
import { addAttempts, sumAttempts, type AttemptSum, type UpstreamSums } from "./queries.ts";

/** An attempt on a model, as the request log has it. */
export interface CountedAttempt {
  upstream: string;
  /** Null where the model was never asked: a guard or a classifier had refused. */
  askedMs: number | null;
  firstMs: number | null;
  outcome: string | null;
  why: string | null;
}

export interface UpstreamTraffic {
  count(organizationId: string, attempts: readonly CountedAttempt[]): void;
  flush(): Promise<void>;
}

const name = "attempts on upstreams";

/** Times until the first word are told apart up to these; the last takes all that is longer. */
const bounds = [
  100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000,
  60_000, 600_000,
] as const;
/** Where no word was heard on its way: the answer came whole, or not at all. */
const unheard = 0;

function boundOf({ askedMs, firstMs }: CountedAttempt): number {
  if (firstMs === null || askedMs === null) return unheard;
  const ms = firstMs - askedMs;
  for (const bound of bounds) if (ms <= bound) return bound;
  return bounds[bounds.length - 1] ?? unheard;
}

/** The upstream works, and the request was wrong. */
const requestsOwn: ReadonlySet<string | null> = new Set([
  "invalid_request_error",
  "conflict_error",
]);

/** Undefined for what says nothing of the upstream: it was not asked, or its client did not wait for it. */
function outcomeOf({ askedMs, outcome, why }: CountedAttempt): "answered" | "failed" | undefined {
  if (askedMs === null || outcome === null || outcome === "cut") return undefined;
  if (outcome !== "failed") return "answered";
  if (why === "client_gone") return undefined;
  return requestsOwn.has(why) ? "answered" : "failed";
}

function makeUpstreamTraffic(world: World): UpstreamTraffic {
  const { clock } = world;
  const sums = makeMinuteSums<UpstreamSums>(world, {
    name,
    make: () => new Map(),
    merge: (into, more) => {
      for (const { attempts, ...sum } of more.values()) {
        const { upstream, outcome, firstMsMax, lastAt } = sum;
        add(into, { upstream, outcome, firstMsMax }, attempts, lastAt);
      }
    },
    write: addAttempts,
  });
  return {
    count: (organizationId, attempts) => {
      for (const attempt of attempts) {
        const outcome = outcomeOf(attempt);
        if (outcome === undefined) continue;
        const at = clock.now();
        const step = { upstream: attempt.upstream, outcome, firstMsMax: boundOf(attempt) };
        add(sums.of(organizationId, at), step, 1, at);
      }
    },
    flush: sums.flush,
  };
}

function add(
  sums: UpstreamSums,
  { upstream, outcome, firstMsMax }: Omit<AttemptSum, "attempts" | "lastAt">,
  attempts: number,
  at: Date,
): void {
  const key = `${outcome} ${firstMsMax} ${upstream}`;
  const known = sums.get(key);
  if (known === undefined) sums.set(key, { upstream, outcome, firstMsMax, attempts, lastAt: at });
  else {
    known.attempts += attempts;
    if (at > known.lastAt) known.lastAt = at;
  }
}

export const upstreamTrafficPart = part("traffic of upstreams", {
  make: (world: World) => makeUpstreamTraffic(world),
  start: (world, { flush }) => startWriting(world, name, flush),
});

export interface UpstreamHealth {
  upstream: string;
  answered: number;
  failed: number;
  /** Until the first word of answers that were streamed; null where none was. */
  firstMsMedian: number | null;
  firstMs95: number | null;
  lastAnsweredAt: Date | null;
  lastFailedAt: Date | null;
}

/** Of the minutes that began within the time, from all processes; no upstream that was not asked. */
export async function upstreamHealth(
  on: Queryable,
  organizationId: string,
  within: { from: Date; until: Date },
): Promise<UpstreamHealth[]> {
  const rows = await sumAttempts(on, organizationId, within);
  return [...Map.groupBy(rows, ({ upstream }) => upstream)].map(([upstream, sums]) => {
    const of = (outcome: AttemptSum["outcome"]) => sums.filter((sum) => sum.outcome === outcome);
    const [answered, failed] = [of("answered"), of("failed")];
    return {
      upstream,
      answered: total(answered),
      failed: total(failed),
      firstMsMedian: quantile(answered, 0.5),
      firstMs95: quantile(answered, 0.95),
      lastAnsweredAt: latest(answered),
      lastFailedAt: latest(failed),
    };
  });
}

const total = (sums: readonly AttemptSum[]) =>
  sums.reduce((sum, { attempts }) => sum + attempts, 0);

const latest = (sums: readonly AttemptSum[]) =>
  sums.reduce<Date | null>(
    (last, { lastAt }) => (last !== null && last > lastAt ? last : lastAt),
    null,
  );

/** Within the bound that holds it, as though the times there were spread evenly. */
function quantile(sums: readonly AttemptSum[], share: number): number | null {
  const heard = sums
    .filter(({ firstMsMax }) => firstMsMax !== unheard)
    .toSorted((one, other) => one.firstMsMax - other.firstMsMax);
  const wanted = total(heard) * share;
  let before = 0;
  for (const { firstMsMax, attempts } of heard) {
    if (before + attempts < wanted) {
      before += attempts;
      continue;
    }
    const from = bounds.findLast((bound) => bound < firstMsMax) ?? 0;
    return Math.round(from + ((firstMsMax - from) * (wanted - before)) / attempts);
  }
  return null;
}
