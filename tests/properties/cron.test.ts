// Cron against a reference that looks at every minute, and the wall-clock rules by name.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { checkTimeZone, nextCron, nextCrons, parseCron } from "../../kernel/cron/cron.ts";
import { cronInWords } from "../../kernel/cron/words.ts";
import { nextOccurrence } from "../../kernel/jobs/schedules/schedules.ts";

const minuteMs = 60_000;

/** Slow and plain: the zone's own words for each minute, each field expanded by itself. */
function reference(expression: string, timeZone: string, after: Date, minutes: number) {
  const zone = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = expression.split(" ");
  const hits: string[] = [];
  let atMs = (Math.floor(after.getTime() / minuteMs) + 1) * minuteMs;
  for (const endMs = atMs + minutes * minuteMs; atMs < endMs; atMs += minuteMs) {
    const now = Object.fromEntries(zone.formatToParts(atMs).map((p) => [p.type, p.value]));
    const dow = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].indexOf(now["weekday"] ?? "");
    const isDay = has(day, Number(now["day"]), 1, 31);
    const isWeekday = has(weekday, dow, 0, 6);
    const either = day !== "*" && weekday !== "*";
    if (
      has(minute, Number(now["minute"]), 0, 59) &&
      has(hour, Number(now["hour"]), 0, 23) &&
      has(month, Number(now["month"]), 1, 12) &&
      (either ? isDay || isWeekday : isDay && isWeekday)
    ) {
      hits.push(new Date(atMs).toISOString());
    }
  }
  return hits;
}

function has(field: string, value: number, min: number, max: number): boolean {
  return field.split(",").some((item) => {
    const [range = "", step = "1"] = item.split("/");
    const [from = "", to] = range.split("-");
    const low = from === "*" ? min : Number(from);
    const high =
      from === "*" || (to === undefined && item.includes("/")) ? max : Number(to ?? from);
    return value >= low && value <= high && (value - low) % Number(step) === 0;
  });
}

function all(expression: string, timeZone: string, after: Date, minutes: number) {
  const cron = parseCron(expression);
  const endMs = (Math.floor(after.getTime() / minuteMs) + minutes) * minuteMs;
  const hits: string[] = [];
  for (let at: Date | undefined = after; ;) {
    at = nextCron(cron, timeZone, at);
    if (at === undefined || at.getTime() > endMs) return hits;
    hits.push(at.toISOString());
  }
}

const field = (min: number, max: number) => {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: 40 });
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(range, step).map(([text, by]) => `${text}/${by}`),
    fc.tuple(value, step).map(([from, by]) => `${from}/${by}`),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant("*") },
    { weight: 1, arbitrary: step.map((by) => `*/${by}`) },
    {
      weight: 3,
      arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((i) => i.join(",")),
    },
  );
};

// Sunday is 0 here, as an open `1/2` ends on Saturday; 7, its second name, is tested by itself below.
const expression = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
  .map((fields) => fields.join(" "));

// Around changes of the clocks: by an hour, by half an hour, at midnight, of a whole day, and none.
const moments = [
  ["Europe/Berlin", "2026-03-29T00:00:00Z"],
  ["Europe/Berlin", "2026-10-25T00:00:00Z"],
  ["America/New_York", "2026-03-08T06:00:00Z"],
  ["America/New_York", "2026-11-01T05:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T14:30:00Z"],
  ["Africa/Cairo", "2026-04-23T22:00:00Z"],
  ["Pacific/Apia", "2011-12-30T09:00:00Z"],
  ["Asia/Kathmandu", "2026-06-01T00:00:00Z"],
  ["UTC", "2028-02-29T00:00:00Z"],
] as const;

test("[CRN1] every occurrence of three days around a change is what looking at each minute finds", () => {
  const offset = fc.integer({ min: -36 * 3_600_000, max: 0 });
  fc.assert(
    fc.property(expression, fc.constantFrom(...moments), offset, (text, [zone, at], offsetMs) => {
      const after = new Date(Date.parse(at) + offsetMs);
      assert.deepEqual(all(text, zone, after, 2_880), reference(text, zone, after, 2_880));
    }),
    { numRuns: 40 },
  );
});

const times = (text: string, zone: string, after: string, count: number) => {
  let at: Date | undefined = new Date(after);
  return Array.from({ length: count }, () => {
    at = at && nextCron(parseCron(text), zone, at);
    return at?.toISOString();
  });
};

test("[CRN2] a time that spring skips does not fire that day", () => {
  assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3), [
    "2026-03-28T01:30:00.000Z",
    "2026-03-30T00:30:00.000Z",
    "2026-03-31T00:30:00.000Z",
  ]);
});

test("[CRN3] a time that autumn has twice fires twice", () => {
  assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 3), [
    "2026-10-25T00:30:00.000Z",
    "2026-10-25T01:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
});

test("[CRN3] both passes fire that evening though the calendar has passed the second, and in order", () => {
  // From within the first pass, and in the second; a year lies between the days that match.
  assert.deepEqual(times("*/30 2 25 10 *", "Europe/Berlin", "2026-10-25T00:10:00Z", 4), [
    "2026-10-25T00:30:00.000Z",
    "2026-10-25T01:00:00.000Z",
    "2026-10-25T01:30:00.000Z",
    "2027-10-25T00:00:00.000Z",
  ]);
  assert.deepEqual(times("50 2 25 10 *", "Europe/Berlin", "2026-10-25T00:55:00Z", 2), [
    "2026-10-25T01:50:00.000Z",
    "2027-10-25T00:50:00.000Z",
  ]);
  // Lord Howe goes back by half an hour at 02:00.
  assert.deepEqual(times("*/15 1 5 4 *", "Australia/Lord_Howe", "2026-04-04T14:40:00Z", 4), [
    "2026-04-04T14:45:00.000Z",
    "2026-04-04T15:00:00.000Z",
    "2026-04-04T15:15:00.000Z",
    "2027-04-04T14:30:00.000Z",
  ]);
  // Apia had no 30 December in 2011, Kwajalein no 21 August in 1993, and two 30 September in 1969.
  assert.deepEqual(times("0 12 30 12 *", "Pacific/Apia", "2011-01-01T00:00:00Z", 1), [
    "2012-12-29T22:00:00.000Z",
  ]);
  assert.deepEqual(times("0 12 21 8 *", "Pacific/Kwajalein", "1993-01-01T00:00:00Z", 1), [
    "1994-08-21T00:00:00.000Z",
  ]);
  assert.deepEqual(times("30 12 30 9 *", "Pacific/Kwajalein", "1969-01-01T00:00:00Z", 3), [
    "1969-09-30T01:30:00.000Z",
    "1969-10-01T00:30:00.000Z",
    "1970-10-01T00:30:00.000Z",
  ]);
});

/** How often a zone's clock is asked: what a search costs on a machine of any speed. */
function offsetLookups(t: TestContext, search: () => unknown): number {
  const asked = t.mock.method(Intl.DateTimeFormat.prototype, "formatToParts");
  search();
  asked.mock.restore();
  return asked.mock.callCount();
}

test("[CRN8] a rare expression asks for the zone's offset near its matches alone", (t) => {
  const after = new Date("2026-11-27T04:00:00Z");
  for (const [text, found] of [
    ["0 0 29 2 *", 5],
    ["30 2 29 3 *", 5],
    ["0 0 30 2 *", 0],
  ] as const)
    for (const zone of ["Europe/Lisbon", "America/Santiago", "Asia/Gaza", "Pacific/Chatham"]) {
      const cron = parseCron(text);
      const lookups = offsetLookups(t, () =>
        assert.equal(nextCrons(cron, zone, after, 5).length, found),
      );
      assert.ok(lookups > 0 && lookups <= 100, `${text} in ${zone}: ${lookups} look-ups`);
    }
});

test("[CRN4] Sunday as 7, either of two day fields, leap days, and days that never come", () => {
  assert.deepEqual(parseCron("0 0 * * 7").weekdays, new Set([0]));
  assert.deepEqual(parseCron("0 0 * * 5-7").weekdays, new Set([5, 6, 0]));
  assert.deepEqual(times("0 0 13 * 5", "UTC", "2026-11-01T00:00:00Z", 3), [
    "2026-11-06T00:00:00.000Z",
    "2026-11-13T00:00:00.000Z",
    "2026-11-20T00:00:00.000Z",
  ]);
  assert.deepEqual(times("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1), [
    "2104-02-29T00:00:00.000Z",
  ]);
  assert.deepEqual(times("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z", 1), [undefined]);
});

test("[CRN4] a field with a step is restricted, and one that is a bare * is not", () => {
  // The 1st, 3rd, … of the month, or a Monday.
  assert.deepEqual(times("0 0 */2 * 1", "UTC", "2026-11-01T12:00:00Z", 4), [
    "2026-11-02T00:00:00.000Z",
    "2026-11-03T00:00:00.000Z",
    "2026-11-05T00:00:00.000Z",
    "2026-11-07T00:00:00.000Z",
  ]);
  assert.deepEqual(times("0 0 * * 1", "UTC", "2026-11-01T12:00:00Z", 2), [
    "2026-11-02T00:00:00.000Z",
    "2026-11-09T00:00:00.000Z",
  ]);
});

test("[CRN5] what is not POSIX is refused with the field that is wrong", () => {
  for (const [text, said] of [
    ["* * * *", /five fields/],
    ["* * * * * *", /five fields/],
    ["@daily", /five fields/],
    ["60 * * * *", /"60" is not a minute/],
    ["* 24 * * *", /"24" is not a hour/],
    ["* * 0 * *", /day of month/],
    ["* * L * *", /day of month/],
    ["* * ? * *", /day of month/],
    ["* * * 13 *", /month/],
    ["* * * * 8", /day of week/],
    ["* * * * 1#2", /day of week/],
    ["* * * * mon-fri", /day of week.*no names/],
    ["* * * JAN *", /month.*no names/],
    ["* * 15W * *", /day of month/],
    ["*/0 * * * *", /minute/],
    ["5-1 * * * *", /minute/],
    ["*-5 * * * *", /minute/],
    ["1, * * * *", /minute/],
    ["-1 * * * *", /minute/],
  ] as const) {
    assert.throws(() => parseCron(text), said, text);
  }
  assert.throws(() => checkTimeZone("Mars/Olympus"), /not an IANA time zone/);
  assert.throws(() => checkTimeZone("+02:00"), /not an IANA time zone/);
});

test("[CRN5] a zone's name that the runtime knows and IANA does not is refused", () => {
  for (const name of [
    "PST",
    "pst",
    "JST",
    "IST",
    "ECT",
    "ACT",
    "MIT",
    "SystemV/PST8",
    "systemv/EST5",
  ])
    assert.throws(
      () => checkTimeZone(name),
      new RegExp(`"${name}" is not an IANA time zone`),
      name,
    );
  const short = "UTC GMT UCT EST MST HST CET MET EET WET PRC ROC ROK utc";
  const long = "EST5EDT W-SU NZ GB GMT0 Zulu Cuba Etc/UTC Europe/Berlin europe/berlin";
  for (const name of [...short.split(" "), ...long.split(" ")]) checkTimeZone(name);
});

test("[CRN6] an interval means the same moments in every process", () => {
  const next = nextOccurrence({ everyMs: 30_000 }, new Date("2026-01-01T00:00:07Z"));
  assert.equal(next?.toISOString(), "2026-01-01T00:00:30.000Z");
  assert.equal(
    nextOccurrence({ everyMs: 30_000 }, next)?.toISOString(),
    "2026-01-01T00:01:00.000Z",
  );
});

test("[CRN7] an expression in words", () => {
  for (const [text, words] of [
    ["0 9 * * 1-5", "At 09:00, Monday to Friday"],
    ["*/15 * * * *", "Every 15 minutes, every day"],
    ["* * * * *", "Every minute, every day"],
    ["*/15 9-17 * * 1-5", "Every 15 minutes in the hours 09 to 17, Monday to Friday"],
    ["0 0 13 * 5", "At 00:00, on day 13 of the month, or on Friday"],
    ["30 2 * 1,3 7", "At 02:30, Sunday, in January and March"],
    ["7 * * * *", "Every hour at minute 7, every day"],
    ["0 */2 * * *", "Every 2 hours at minute 0, every day"],
    ["*/7 3 * * *", "At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of the hour 03, every day"],
    ["0 12 1-3,15 * *", "At 12:00, on day 1 to 3 and 15 of the month"],
    ["0 12 * * 5-7", "At 12:00, Friday to Sunday"],
  ])
    assert.equal(cronInWords(text ?? ""), words);
  assert.throws(() => cronInWords("0 9 * * mon"), /day of week/);
});
