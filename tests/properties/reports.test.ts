// Reports equal the ledger, to the last nano-dollar: whatever is grouped, whenever rows come, however much is summed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { advanceSums } from "../../server/usage/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { writeAttempts, readAll, type Query, type AttemptRow } from "../rules/reports-house.ts";
import { queryPosted } from "../posted.ts";

const clock = makeManualClock(new Date("2028-03-20T07:08:09Z"));
let house: House;
let tenant: Tenant;
before(async () => {
  house = await openHouse({ clock });
  tenant = house.organizations.platform;
});
after(() => house[Symbol.asyncDispose]());

const hourMs = 3_600_000;
/** From the end of January over the leap day into March, mostly at the borders of hours, days and months. */
const moment = fc.oneof(
  fc.integer({ min: Date.parse("2028-02-27T00:00:00Z"), max: Date.parse("2028-03-20T07:00:00Z") }),
  fc
    .tuple(
      fc.constantFrom("2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z", "2028-03-20T05:00:00Z"),
      fc.constantFrom(-1, 0, 1, -hourMs, hourMs - 1),
    )
    .map(([text, apart]) => Date.parse(text) + apart),
);
const tokens = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(200_001));
const attempt = fc.record({
  at: moment,
  model: fc.constantFrom("one", "two", "three"),
  credentialId: fc.constantFrom("apikey_a", "apikey_b", "signin_c"),
  userId: fc.constantFrom(null, "user_a", "svac_b"),
  kind: fc.constantFrom("message", "batch", "guard", "web_search" as const),
  speed: fc.constantFrom(null, "fast"),
  sessionId: fc.constantFrom(null, null, "sesn_a", "sesn_b"),
  keyMakerId: fc.constantFrom(null, "user_a", "user_b"),
  isPriced: fc.boolean(),
  counts: fc.record({
    input: tokens,
    output: tokens,
    cacheWrite5m: tokens,
    cacheWrite1h: tokens,
    cacheRead: tokens,
  }),
  amount: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 ** 40 })),
});

function rowOf({
  at,
  counts,
  amount,
  isPriced,
  ...hop
}: typeof attempt extends fc.Arbitrary<infer T> ? T : never): AttemptRow {
  const prices = { input: 3, output: 15, cacheWrite5m: 4, cacheWrite1h: 6, cacheRead: 1 };
  return {
    tenant,
    at: new Date(at),
    hop: { ...hop, ...(isPriced && { prices }) },
    settlement: { counts, amountNano: amount, listAmountNano: amount + 1 },
  };
}

const dimensions = [
  "model",
  "api_key_id",
  "actor",
  "actor_type",
  "service_tier",
  "context_window",
  "speed",
  "product",
  "session_id",
  "member",
  "origin",
];
const question = fc.record({
  group_by: fc.uniqueArray(fc.constantFrom(...dimensions), { maxLength: 5 }),
  width: fc.constantFrom(undefined, "1h", "1d"),
  offset: fc.constantFrom("Z", "+05:45", "-11:00"),
  from: fc.constantFrom("2028-02-28T00:00:00", "2028-02-29T00:00:00", "2028-03-01T13:00:00"),
  days: fc.constantFrom(1, 2, 19),
  limit: fc.constantFrom(5, 1000),
  order: fc.constantFrom("asc", "desc"),
  isTimed: fc.boolean(),
});

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(attempt, { minLength: 1, maxLength: 12 }).map((rows) => ({ rows })),
  },
  { weight: 2, arbitrary: fc.constant({ advance: true as const }) },
  { weight: 3, arbitrary: question.map((asked) => ({ asked })) },
);

interface UsageRow {
  starting_at: string;
  ending_at: string;
  group: Record<string, unknown>;
  usage: Record<string, number> & {
    cache_creation: Record<string, number>;
    server_tool_use: Record<string, number>;
  };
}
interface CostRow {
  cost: { amount: string; list_amount: string };
}

const nanoOf = (amount: string) => {
  const [whole = "0", part = ""] = amount.split(".");
  return BigInt(whole + part.padEnd(8, "0"));
};

async function compare(asked: typeof question extends fc.Arbitrary<infer T> ? T : never) {
  const { group_by, width, offset, from, days, limit, order, isTimed } = asked;
  const starting_at = `${from}${offset}`;
  const endMs = Date.parse(starting_at) + days * 24 * hourMs;
  const query: Query = {
    starting_at,
    ending_at: new Date(endMs).toISOString(),
    ...(width !== undefined && { time_bucket_width: width }),
    group_by,
    order,
    limit,
    ...(isTimed && { order_by: "time" }),
  };
  const reader = { house, tenant };
  const rows = await readAll<UsageRow>(reader, "analytics/usage", query);
  const keys = rows.map(({ starting_at: at, group }) => JSON.stringify([at, group]));
  assert.equal(new Set(keys).size, keys.length, "a row came twice");
  const stepMs = width === "1d" ? 24 * hourMs : hourMs;
  const down = Math.floor(Date.parse(starting_at) / stepMs) * stepMs;
  const up = (width === undefined ? Math.floor : Math.ceil)(endMs / stepMs) * stepMs;
  const [plain] = await queryPosted<Record<string, string>>(
    house.world.db,
    sql`
    select (count(*) filter (where kind <> 'web_search'))::text as requests,
      (count(*) filter (where kind = 'web_search'))::text as searches, coalesce(sum(input_tokens), 0)::text as input,
      coalesce(sum(output_tokens), 0)::text as output,
      coalesce(sum(cache_write_5m_tokens + cache_write_1h_tokens), 0)::text as written,
      coalesce(sum(cache_read_tokens), 0)::text as read,
      (coalesce(sum(amount_nano), 0) * 10)::text as amount,
      (coalesce(sum(list_amount_nano), 0) * 10)::text as list
    from ledger where organization_id = ${tenant.organization_id}
      and at >= ${new Date(down)} and at < ${new Date(up)}`,
  );
  const sum = (of: (row: UsageRow) => number) =>
    String(rows.reduce((all, row) => all + of(row), 0));
  assert.deepEqual(
    {
      requests: sum(({ usage }) => usage["requests"] ?? 0),
      searches: sum(({ usage }) => usage.server_tool_use["web_search_requests"] ?? 0),
      input: sum(({ usage }) => usage["uncached_input_tokens"] ?? 0),
      output: sum(({ usage }) => usage["output_tokens"] ?? 0),
      written: sum(
        ({ usage: { cache_creation: made } }) =>
          (made["ephemeral_5m_input_tokens"] ?? 0) + (made["ephemeral_1h_input_tokens"] ?? 0),
      ),
      read: sum(({ usage }) => usage["cache_read_input_tokens"] ?? 0),
    },
    {
      requests: plain?.["requests"],
      searches: plain?.["searches"],
      input: plain?.["input"],
      output: plain?.["output"],
      written: plain?.["written"],
      read: plain?.["read"],
    },
  );
  const ways = [[], ["token_type"], ["cost_type"]];
  for (const more of ways) {
    const costs = await readAll<CostRow>(reader, "analytics/cost", {
      ...query,
      group_by: [...group_by, ...more],
    });
    const total = (of: (row: CostRow) => string) =>
      String(costs.reduce((all, row) => all + nanoOf(of(row)), 0n));
    assert.equal(
      total(({ cost }) => cost.amount),
      plain?.["amount"],
      `by ${more.join()}`,
    );
    assert.equal(
      total(({ cost }) => cost.list_amount),
      plain?.["list"],
      `by ${more.join()}`,
    );
  }
}

test("[REP1] [REP9] sums over any grouping equal the ledger, while rows come late and sums are made", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const each of [...steps, { advance: true as const }]) {
        if ("rows" in each) await writeAttempts(house, each.rows.map(rowOf));
        // Promise, then sums; what came late joins them at once.
        else if ("advance" in each)
          for (const _ of [1, 2]) await advanceSums(house.world, { heardMs: 0, lateMs: 0 });
        else await compare(each.asked);
      }
    }),
    { numRuns: 12 },
  );
  const [made] = await house.world.db.query<{ sums: number; late: number }>(sql`
    select (select count(*) from usage_sums) as sums, (select count(*) from usage_late) as late`);
  assert.ok((made?.sums ?? 0) > 10, "nothing was ever summed");
});
