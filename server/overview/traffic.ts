// Rules OVR1 and OVR4: how many requests there were, and whether the upstreams answer as they should.
import type { Context } from "../../kernel/context.ts";
import { lastHours, upstreamHealth, type UpstreamHealth } from "../traffic/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { Overview, Upstream } from "./schema.ts";

const hourMs = 60 * 60 * 1000;
const minuteMs = 60 * 1000;

export async function requestsOf({ db, clock, who }: Context): Promise<Overview["requests"]> {
  const { lastHour, hourBefore, byMinute } = await lastHours(db, who.organizationId, clock.now());
  return {
    last_hour: lastHour,
    hour_before: hourBefore,
    by_minute: byMinute,
    has_asked_a_model: await queries.hasAskedModel(db, who.organizationId),
  };
}

/** Of two whole hours, this minute in the last one. */
export async function upstreamsOf({ db, who, clock }: Context): Promise<Upstream[]> {
  const untilMs = (Math.floor(clock.now().getTime() / minuteMs) + 1) * minuteMs;
  const hour = (ago: number) =>
    upstreamHealth(db, who.organizationId, {
      from: new Date(untilMs - (ago + 1) * hourMs),
      until: new Date(untilMs - ago * hourMs),
    });
  const [last, before] = [await hour(0), await hour(1)];
  const names = new Set([...last, ...before].map(({ upstream }) => upstream));
  return [...names].toSorted().map((name) => {
    const of = (all: readonly UpstreamHealth[]) => all.find(({ upstream }) => upstream === name);
    const [now, then] = [of(last), of(before)];
    return {
      name,
      state: stateOf(now, then),
      last_hour: answersOf(now),
      hour_before: answersOf(then),
      last_answered_at: textOf(now?.lastAnsweredAt ?? then?.lastAnsweredAt),
      last_failed_at: textOf(now?.lastFailedAt ?? then?.lastFailedAt),
    };
  });
}

const textOf = (at: Date | null | undefined) => at?.toISOString() ?? null;

const answersOf = (health: UpstreamHealth | undefined): Upstream["last_hour"] => ({
  answered: health?.answered ?? 0,
  failed: health?.failed ?? 0,
  first_ms_median: health?.firstMsMedian ?? null,
  first_ms_95: health?.firstMs95 ?? null,
});

function stateOf(
  now: UpstreamHealth | undefined,
  before: UpstreamHealth | undefined,
): Upstream["state"] {
  if (now === undefined) return "quiet";
  const { answered, failed, firstMsMedian: median } = now;
  if (answered === 0) return "failing";
  const isMuch = failed * limits.failingOneIn >= answered + failed;
  if (isMuch && failed >= limits.failingFrom) return "failing";
  if (median === null) return "answering";
  const usual = before?.firstMsMedian ?? null;
  const isSlower =
    usual !== null && median >= usual * limits.slowerTimes && median >= usual + limits.slowerByMs;
  return isSlower || median >= limits.slowFirstMs ? "slow" : "answering";
}
