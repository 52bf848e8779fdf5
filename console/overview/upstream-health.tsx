// Upstreams that were asked lately: whether they answer, and how soon, beside the hour before; in words.
import { Link } from "@tanstack/react-router";
import { plural } from "../../client/text/words.ts";
import { Section } from "../kit/page/page-header.tsx";
import { Badge, type Tone } from "../kit/value/badge.tsx";
import { percent } from "../kit/value/money.ts";
import { Time } from "../kit/value/time.tsx";
import { msText } from "../requests/requests.ts";
import { lastHour } from "./links.ts";
import type { Overview } from "./queries.ts";

type Upstream = NonNullable<Overview["upstreams"]>[number];

const states: Record<Upstream["state"], { words: string; tone: Tone }> = {
  answering: { words: "Answers", tone: "good" },
  slow: { words: "Slow", tone: "warn" },
  failing: { words: "Failing", tone: "bad" },
  quiet: { words: "Not asked in the last hour", tone: "neutral" },
};

export function UpstreamHealth({ overview }: { overview: Overview }) {
  const { upstreams } = overview;
  if (upstreams === null) return null;
  return (
    <Section title="Upstreams" note="How they answered in the last hour, beside the hour before.">
      {upstreams.length === 0 ? (
        <p className="text-soft">No upstream was asked in the last two hours.</p>
      ) : (
        <ul aria-label="Upstreams" className="rounded-lg border border-line bg-surface">
          {upstreams.map((upstream) => (
            <li key={upstream.name} className="grid gap-1 border-line px-4 py-3 not-last:border-b">
              <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <Link
                  to="/requests"
                  search={{ upstream: upstream.name, ...lastHour(overview) }}
                  className="font-medium text-accent underline underline-offset-2 wrap-anywhere"
                >
                  {upstream.name}
                </Link>
                <Badge tone={states[upstream.state].tone}>{states[upstream.state].words}</Badge>
              </span>
              <Answers upstream={upstream} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Answers({ upstream }: { upstream: Upstream }) {
  const { state, last_hour: now, hour_before: before, last_answered_at: lastAnswer } = upstream;
  const asked = now.answered + now.failed;
  return (
    <span className="text-sm text-soft">
      {asked > 0 && (
        <>
          {now.answered.toLocaleString("en")} answered,{" "}
          <span className={state === "failing" ? "font-medium text-bad" : ""}>
            {now.failed.toLocaleString("en")} failed{failedShare(now)}
          </span>
          {"; "}
        </>
      )}
      the hour before {plural(before.answered + before.failed, "attempt")}
      {before.failed > 0 &&
        `, ${before.failed.toLocaleString("en")} failed${failedShare(before)}`}.{" "}
      {now.first_ms_median !== null && (
        <>
          First word within{" "}
          <span className={state === "slow" ? "font-medium text-warn" : ""}>
            {msText(now.first_ms_median)} (median), {msText(now.first_ms_95 ?? 0)} (95%)
          </span>
          {before.first_ms_median !== null &&
            `; before ${msText(before.first_ms_median)}, ${msText(before.first_ms_95 ?? 0)}`}
          .{" "}
        </>
      )}
      {state === "failing" && (
        <>
          Last answer: <Time at={lastAnswer} never="none in two hours" isShort />.
        </>
      )}
    </span>
  );
}

const failedShare = ({ answered, failed }: Upstream["last_hour"]) =>
  failed === 0 ? "" : ` (${percent(failed / (answered + failed))})`;
