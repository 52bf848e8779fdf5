// Cron in the zones of the world against Temporal, and odd expressions against a plain reading of POSIX.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextCron, parseCron } from "../../kernel/cron/cron.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
const zones = Intl.supportedValuesOf("timeZone");
/** At hours at which clocks are changed somewhere, and one that says nothing of days. */
const expressions = [
  { text: "30 2 * * *", hours: [2], minutes: [30] },
  { text: "0,30 0-3 * * *", hours: [0, 1, 2, 3], minutes: [0, 30] },
  { text: "15 23 * * *", hours: [23], minutes: [15] },
  { text: "59 1 * * *", hours: [1], minutes: [59] },
] as const;
const [firstYear, years] = [2024, 3];

/** Each wall time of each day, asked of Temporal: one that is skipped has no moment, one that comes twice has two. */
function byTemporal(zone: string, { hours, minutes }: (typeof expressions)[number]): number[] {
  const moments: number[] = [];
  const end = Temporal.PlainDate.from({ year: firstYear + years, month: 1, day: 1 });
  let day = Temporal.PlainDate.from({ year: firstYear, month: 1, day: 1 });
  for (; Temporal.PlainDate.compare(day, end) < 0; day = day.add({ days: 1 }))
    for (const hour of hours)
      for (const minute of minutes) {
        const wall = day.toPlainDateTime({ hour, minute });
        const found = new Set(
          (["earlier", "later"] as const)
            .map((disambiguation) => wall.toZonedDateTime(zone, { disambiguation }))
            .filter((at) => at.toPlainDateTime().equals(wall))
            .map((at) => at.epochMilliseconds),
        );
        moments.push(...found);
      }
  return moments.toSorted((a, b) => a - b);
}

function byCron(zone: string, text: string, fromMs: number, untilMs: number): number[] {
  const cron = parseCron(text);
  const moments: number[] = [];
  let at = nextCron(cron, zone, new Date(fromMs - 1));
  for (; at !== undefined && at.getTime() <= untilMs; at = nextCron(cron, zone, at))
    moments.push(at.getTime());
  return moments;
}

function expectSame(zone: string, expression: (typeof expressions)[number]): void {
  const expected = byTemporal(zone, expression);
  const [first = 0, last = 0] = [expected[0], expected.at(-1)];
  const found = byCron(zone, expression.text, first, last);
  assert.deepEqual(found, expected, `${expression.text} in ${zone}`);
}

test("[CRN1] [CRN2] [CRN3] three years in zones of the world are what Temporal makes of each wall time", () => {
  assert.ok(zones.length > 400, `${zones.length} zones`);
  if (isLong) {
    for (const [at, zone] of zones.entries())
      expectSame(zone, expressions[at % expressions.length] ?? expressions[0]);
    return;
  }
  const always = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"];
  for (const zone of always) expectSame(zone, expressions[1]);
  fc.assert(fc.property(fc.constantFrom(...zones), fc.constantFrom(...expressions), expectSame), {
    numRuns: 12,
  });
});

/** A field read item by item, as the manual of cron says it. */
function valuesOf(field: string, min: number, max: number): Set<number> {
  const values = new Set<number>();
  for (const item of field.split(",")) {
    const [range = "", step = "1"] = item.split("/");
    const [low = "", high] = range.split("-");
    const from = low === "*" ? min : Number(low);
    const to =
      low === "*" || (high === undefined && item.includes("/")) ? max : Number(high ?? low);
    for (let value = from; value <= to; value++)
      if ((value - from) % Number(step) === 0) values.add(value);
  }
  return values;
}

/** Day by day, and of each day every minute, until there are so many. */
function byReading(text: string, after: number, count: number): string[] {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = text.split(" ");
  const sundays = new Set([...valuesOf(weekday, 0, 6)].map((value) => value % 7));
  const [days, months] = [valuesOf(day, 1, 31), valuesOf(month, 1, 12)];
  const times = [...valuesOf(hour, 0, 23)].flatMap((h) =>
    [...valuesOf(minute, 0, 59)].map((m) => h * 60 + m),
  );
  times.sort((a, b) => a - b);
  const found: string[] = [];
  const dayMs = 86_400_000;
  for (let start = Math.floor(after / dayMs) * dayMs; found.length < count; start += dayMs) {
    if (start > after + 10 * 366 * dayMs) break;
    const date = new Date(start);
    const ofMonth = days.has(date.getUTCDate());
    const ofWeek = sundays.has(date.getUTCDay());
    const isDay =
      day === "*" ? weekday === "*" || ofWeek : weekday === "*" ? ofMonth : ofMonth || ofWeek;
    if (!isDay || !months.has(date.getUTCMonth() + 1)) continue;
    for (const time of times) {
      const at = start + time * 60_000;
      if (at > after && found.length < count) found.push(new Date(at).toISOString());
    }
  }
  return found;
}

const oddItem = (min: number, max: number) =>
  fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: 99 }))
    .chain(([a, b, step]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      return fc.constantFrom(`${a}`, `${low}-${high}`, `${low}-${high}/${step}`, `0${min}`, `${a}`);
    });
const oddField = (min: number, max: number) =>
  fc.oneof(
    fc.constantFrom("*", "*", "*/1", `*/${max}`, `${min}-${max}`, `*,${min}`),
    fc.array(oddItem(min, max), { minLength: 1, maxLength: 4 }).map((items) => items.join(",")),
  );
const oddExpression = fc
  .tuple(oddField(0, 59), oddField(0, 23), oddField(1, 31), oddField(1, 12), oddField(0, 7))
  .map((fields) => fields.join(" "));

test("[CRN4] 200 odd expressions fire as a plain reading of them says", () => {
  fc.assert(
    fc.property(oddExpression, fc.integer({ min: 0, max: 3_000 }), (text, day) => {
      const after = Date.UTC(2026, 0, 1) + day * 86_400_000 + 3_723_000;
      const expected = byReading(text, after, 20);
      const cron = parseCron(text);
      const found: string[] = [];
      let at = nextCron(cron, "UTC", new Date(after));
      for (; at !== undefined && found.length < expected.length; at = nextCron(cron, "UTC", at))
        found.push(at.toISOString());
      assert.deepEqual(found, expected);
      if (expected.length === 0) assert.equal(at, undefined);
    }),
    { numRuns: 200 },
  );
});
