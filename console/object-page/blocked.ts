// Which requests are refused now because of a limit, in plain words.
import type { Period, RateLimit, SpendLimit, SpendSummary } from "../kit/server/api.ts";
import { dollarsText } from "../kit/value/money.ts";
import { heldBy } from "../limits/limits.ts";

const limiterNouns: Record<string, string> = {
  requests_per_minute: "requests",
  input_tokens_per_minute: "input tokens",
  output_tokens_per_minute: "output tokens",
};

/** When what was spent counts for nothing again. */
const periodEnds: Record<Period, string> = {
  daily: "the day ends (UTC)",
  weekly: "the week ends on Sunday (UTC)",
  monthly: "the month ends (UTC)",
};
const periodNouns: Record<Period, string> = { daily: "day", weekly: "week", monthly: "month" };

const isReached = (amount: string | null, gone: number): amount is string =>
  amount !== null && gone >= Number(amount);

const spendSentence = (whose: string, amount: string, period: Period): string =>
  `${whose} limit of ${dollarsText(amount)} a ${periodNouns[period]} is reached: requests that cost something are refused until ${periodEnds[period]}, or the limit is raised.`;

/** With whose they are: `The organization's`. */
export function spendBlocks(places: readonly { limit: SpendLimit; whose: string }[]): string[] {
  return places.flatMap(({ limit, whose }) => {
    const { amount, period_to_date_spend: spent, reserved, period } = limit;
    const gone = Number(spent) + Number(reserved);
    return isReached(amount, gone) ? [spendSentence(whose, amount, period)] : [];
  });
}

export function memberBlocks(summaries: readonly SpendSummary[]): string[] {
  return summaries.flatMap(({ amount, period_to_date_spend: spent, period }) =>
    isReached(amount, Number(spent)) ? [spendSentence("Their own", amount, period)] : [],
  );
}

export function rateBlocks(rates: readonly RateLimit[]): string[] {
  return rates.flatMap(({ group, limits }) =>
    limits
      .filter((limit) => limit.used >= heldBy(limit))
      .map((limit) => {
        const noun = limiterNouns[limit.type] ?? limit.type;
        const held = heldBy(limit).toLocaleString("en");
        return `${group.display_name}: all ${held} ${noun} of a minute are used, and more are refused until some are a minute old.`;
      }),
  );
}
