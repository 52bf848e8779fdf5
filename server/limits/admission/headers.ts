// The headers that show a client its rate limits, and the refusals by a limit.
import { Failure, rateLimited } from "../../../kernel/base/failure.ts";
import { wordOf } from "../periods.ts";
import type { SpendScope } from "../queries.ts";
import { levelOf, type RatePool } from "./rate-slices.ts";
import { rateTypes, type RateType } from "../schema.ts";

export type Prefix = "vendor" | "anthropic";

const words: Record<RateType, { header: string; text: string }> = {
  requests: { header: "requests", text: "requests" },
  input_tokens: { header: "input-tokens", text: "input tokens" },
  output_tokens: { header: "output-tokens", text: "output tokens" },
};

/** Put together once, not nine names for each request. */
const headerNames = { vendor: namesWith("vendor"), anthropic: namesWith("anthropic") };

function namesWith(prefix: Prefix) {
  const names = (type: RateType) => {
    const name = `${prefix}-ratelimit-${words[type].header}`;
    return { limit: `${name}-limit`, remaining: `${name}-remaining`, reset: `${name}-reset` };
  };
  return {
    requests: names("requests"),
    input_tokens: names("input_tokens"),
    output_tokens: names("output_tokens"),
  };
}

const secondTexts = new Map<number, string>();
const secondTextsMax = 256;

/** As `toISOString` writes it; up to its seconds the text is kept. */
function timeText(ms: number): string {
  const second = Math.floor(ms / 1000);
  let text = secondTexts.get(second);
  if (text === undefined) {
    if (secondTexts.size >= secondTextsMax) secondTexts.clear();
    text = new Date(second * 1000).toISOString().slice(0, 20);
    secondTexts.set(second, text);
  }
  return `${text}${String(ms - second * 1000).padStart(3, "0")}Z`;
}

/** Of the limits of a type, the one that is nearest. `reset` is when it is full again. */
export function rateHeaders(
  prefix: Prefix,
  pools: readonly RatePool[],
  nowMs: number,
  wallMs: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const type of rateTypes) {
    let nearest: RatePool | undefined;
    let remaining = Infinity;
    for (const pool of pools) {
      if (pool.type !== type) continue;
      const level = levelOf(pool, nowMs);
      if (level < remaining) [nearest, remaining] = [pool, level];
    }
    if (nearest === undefined) continue;
    const { perMinute } = nearest;
    const fullMs = perMinute === 0 ? 60_000 : ((perMinute - remaining) / perMinute) * 60_000;
    const names = headerNames[prefix][type];
    headers[names.limit] = String(perMinute);
    headers[names.remaining] = String(Math.floor(remaining));
    headers[names.reset] = timeText(Math.floor(wallMs + Math.ceil(fullMs)));
  }
  return headers;
}

/** Rule LIM4. */
export function rateReached(
  pool: RatePool,
  need: number,
  nowMs: number,
  headers: Record<string, string>,
): Failure {
  const { perMinute, whose } = pool;
  const { text } = words[pool.type];
  if (need > perMinute)
    return new Failure(
      "rate_limit_error",
      `This request needs ${need} ${text}, and ${whose} has ${perMinute} a minute: make it smaller or have the limit raised.`,
      { headers: { ...headers, "retry-after": "60", "x-should-retry": "false" } },
    );
  const missing = need - Math.min(levelOf(pool, nowMs), need);
  const seconds = Math.max(1, Math.ceil((missing / perMinute) * 60), deniedSeconds(pool, nowMs));
  return rateLimited(
    `The limit of ${perMinute} ${text} a minute of ${whose} is reached; try again in ${seconds} s.`,
    seconds,
    { headers },
  );
}

const deniedSeconds = (pool: RatePool, nowMs: number) =>
  Math.ceil(Math.max(0, pool.retryAtMs - nowMs) / 1000);

/** Rules LIM5 and LIM18. */
export function spendReached({ holderId, periodKey, user }: SpendScope): Failure {
  const whose =
    user !== undefined ? "this member" : holderId === "" ? "this organization" : "this workspace";
  const span = user === undefined ? "month" : wordOf(user.period);
  const when = user === undefined ? periodKey : user.from;
  return new Failure(
    "rate_limit_error",
    `The spend limit of ${whose} for the ${span} of ${when} is reached, or this request could pass it; have it raised, or wait for the next ${span} (UTC).`,
    { code: "enforced_spend_limit_reached", headers: { "x-should-retry": "false" } },
  );
}
