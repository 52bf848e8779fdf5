// How upstreams fare, over all processes of this server: what each has seen, added up.
import type { Context } from "../../../kernel/context.ts";
import { expectOperator } from "../../identity/module.ts";
import { healthTopic } from "../upstreams/adapters.ts";
import { catalogOf } from "../catalog/process-catalog.ts";
import type { ConsoleUpstreamHealth } from "../schema.ts";
import { minuteOf, type UpstreamHealth } from "./record.ts";
import { upstreamLimits } from "../upstreams/limits.ts";

/** Rule MDL15. */
export async function listUpstreamHealth(context: Context) {
  await expectOperator(context);
  const { answers, asked } = await context.peers.ask(healthTopic);
  const seen = answers as readonly (Record<string, UpstreamHealth> | null)[];
  const minute = minuteOf(context.clock.now());
  const names = [...catalogOf(context).assembled().upstreams.keys()];
  return {
    data: names.map((name) => {
      const known = seen.flatMap((each) => each?.[name] ?? []);
      return combineHealth(name, known, minute);
    }),
    processes: { asked, answered: seen.length },
  };
}

export function combineHealth(
  name: string,
  seen: readonly UpstreamHealth[],
  thisMinute: number,
): ConsoleUpstreamHealth {
  const lastSuccess = latest(seen.map(({ lastSuccessAt }) => lastSuccessAt));
  const lastFailure = latest(seen.map(({ lastFailureAt }) => lastFailureAt));
  const code = seen.find((each) => each.lastFailureAt === lastFailure)?.lastFailure ?? "";
  const failingSince = sinceWhen(seen, lastSuccess ?? 0);
  const minutes = byMinute(seen, thisMinute);
  return {
    name,
    state:
      failingSince !== null
        ? "failing"
        : lastSuccess !== null || lastFailure !== null
          ? "works"
          : "not_asked",
    failing_since: timeOf(failingSince),
    last_success_at: timeOf(lastSuccess),
    last_failure: lastFailure === null ? null : { at: new Date(lastFailure).toISOString(), code },
    open: sum(seen.map(({ open }) => open)),
    answer_ms: middle(seen.flatMap(({ answerMs }) => answerMs)),
    lately: {
      answered: sum(minutes.map(({ answered }) => answered)),
      failed: sum(minutes.map(({ failed }) => failed)),
      by_minute: minutes,
    },
  };
}

/** What one process saw fail may have worked for another since. */
function sinceWhen(seen: readonly UpstreamHealth[], lastSuccess: number): number | null {
  const starts = seen.flatMap(({ failingSince: since, lastFailureAt: last }) => {
    if (since === null || last === null || last < lastSuccess) return [];
    return [since < lastSuccess ? last : since];
  });
  return starts.length === 0 ? null : Math.min(...starts);
}

function byMinute(seen: readonly UpstreamHealth[], thisMinute: number) {
  const first = thisMinute - upstreamLimits.healthMinutes + 1;
  const sums = Array.from({ length: upstreamLimits.healthMinutes }, () => ({
    answered: 0,
    failed: 0,
  }));
  for (const { minute, answered, failed } of seen.flatMap(({ minutes }) => minutes)) {
    const counts = sums[minute - first];
    if (counts === undefined) continue; // counted by a process that is in another minute already
    counts.answered += answered;
    counts.failed += failed;
  }
  return sums;
}

function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function middle(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.floor((sorted.length - 1) / 2)];
  return found === undefined ? null : Math.ceil(found);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
