// POSIX cron expressions, and when they fire next in a time zone by its wall clock: a time that the
// spring skips does not fire, a time that the autumn has twice fires twice.
import { invalid } from "../base/failure.ts";
import { RecentMap } from "../base/recent-map.ts";

export interface Cron {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** The day fields that are not a bare `*`; when both are, a day that matches either of them fires. */
  daysRestricted: boolean;
  weekdaysRestricted: boolean;
}

interface Field {
  noun: string;
  min: number;
  max: number;
}

const fields = {
  minutes: { noun: "minute", min: 0, max: 59 },
  hours: { noun: "hour", min: 0, max: 23 },
  days: { noun: "day of month", min: 1, max: 31 },
  months: { noun: "month", min: 1, max: 12 },
  weekdays: { noun: "day of week", min: 0, max: 7 },
} satisfies Record<string, Field>;

const expressionCharsMax = 256;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The rarest expression, 29 February, can pause for eight years (1896 to 1904, 2096 to 2104). */
const searchMs = 9 * 366 * dayMs;
/**
 * More than lies between any two offsets that a zone had since 1800 (Apia: 25.5 hours), and less than lies between
 * two changes (a week): a look at both ends of so long a time tells whether the offset changed within.
 */
const jumpMs = 26 * hourMs;

export function parseCron(expression: string): Cron {
  const parts = expression.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = parts;
  if (
    expression.length > expressionCharsMax ||
    parts.length !== 5 ||
    minute === undefined ||
    hour === undefined ||
    day === undefined ||
    month === undefined ||
    weekday === undefined
  ) {
    throw invalid(
      `"${expression.slice(0, expressionCharsMax)}" is not a cron expression: it takes five fields ` +
        `(minute, hour, day of month, month, day of week), at most ${expressionCharsMax} characters.`,
    );
  }
  const weekdays = parseField(weekday, fields.weekdays);
  if (weekdays.delete(7)) weekdays.add(0);
  return {
    minutes: parseField(minute, fields.minutes),
    hours: parseField(hour, fields.hours),
    days: parseField(day, fields.days),
    months: parseField(month, fields.months),
    weekdays,
    daysRestricted: day !== "*",
    weekdaysRestricted: weekday !== "*",
  };
}

function parseField(text: string, field: Field): Set<number> {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const [, from, to, step] = /^(\*|\d+)(?:-(\d+))?(?:\/(\d{1,4}))?$/.exec(item) ?? [];
    if (from === undefined || (from === "*" && to !== undefined)) throw badField(text, field);
    const first = from === "*" ? field.min : parseValue(from, field);
    // `5/10` is "from 5 on, every 10th"; a value without a step is itself alone.
    const open = from === "*" || (step !== undefined && to === undefined);
    const last = open ? lastOf(field) : to === undefined ? first : parseValue(to, field);
    const by = step === undefined ? 1 : Number(step);
    if (first === undefined || last === undefined || first > last || by < 1) {
      throw badField(text, field);
    }
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return values;
}

/** 7 is a second name of Sunday; a `*` that counted it would make `*\/7` fire on Sunday by both. */
const lastOf = (field: Field) => (field.noun === "day of week" ? 6 : field.max);

function parseValue(text: string, field: Field): number | undefined {
  const value = Number(text);
  return /^\d{1,2}$/.test(text) && value >= field.min && value <= field.max ? value : undefined;
}

function badField(text: string, { noun, min, max }: Field) {
  return invalid(
    `"${text}" is not a ${noun} of a cron expression: it takes *, numbers from ${min} to ${max}, ` +
      `ranges (${Math.max(min, 1)}-5), steps (*/2) and lists of these; no names, and none of L, W, #, ? and @.`,
  );
}

/** The next moments at which it fires, at most `count`; none where it never does. */
export function nextCrons(cron: Cron, timeZone: string, after: Date, count: number): Date[] {
  const times: Date[] = [];
  while (times.length < count) {
    const next = nextCron(cron, timeZone, times.at(-1) ?? after);
    if (next === undefined) break;
    times.push(next);
  }
  return times;
}

/** The first moment after `after` at which the zone's wall clock matches, or none in nine years. */
export function nextCron(cron: Cron, timeZone: string, after: Date): Date | undefined {
  const endMs = after.getTime() + searchMs;
  // Within a stretch of one UTC offset wall time only grows, so each is searched by itself: skipped times
  // are in none of them, repeated times in two.
  let fromMs = after.getTime() + 1;
  while (fromMs < endMs) {
    const offsetMs = zoneOffsetMs(timeZone, fromMs);
    const match = nextMatch(cron, fromMs + offsetMs, endMs + offsetMs);
    const untilMs = match === undefined ? endMs : match - offsetMs;
    const probeMs = Math.min(untilMs, fromMs + jumpMs);
    const changeMs = offsetChange(timeZone, fromMs, offsetMs, probeMs);
    if (changeMs !== undefined) fromMs = changeMs;
    else if (match === undefined) return undefined;
    else if (untilMs === probeMs) return new Date(untilMs);
    // With no change so near, the clock never again shows a time before that of `fromMs`: this match is the next,
    // and another offset by then moves it by less than a jump.
    else fromMs = untilMs - jumpMs;
  }
  return undefined;
}

/** The first matching minute at or after a wall time, before `endMs`. Wall times are counted as if in UTC. */
function nextMatch(cron: Cron, wallMs: number, endMs: number): number | undefined {
  let atMs = Math.ceil(wallMs / minuteMs) * minuteMs;
  while (atMs < endMs) {
    const at = new Date(atMs);
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    const day = nextDay(cron, at);
    if (day === undefined) atMs = Date.UTC(year, month + 1, 1);
    else if (day !== at.getUTCDate()) atMs = Date.UTC(year, month, day);
    else if (!cron.hours.has(at.getUTCHours())) atMs = (Math.floor(atMs / hourMs) + 1) * hourMs;
    else if (!cron.minutes.has(at.getUTCMinutes())) atMs += minuteMs;
    else return atMs;
  }
  return undefined;
}

/** The first day of the month, from this one on, that matches. */
function nextDay(cron: Cron, at: Date): number | undefined {
  const month = at.getUTCMonth();
  if (!cron.months.has(month + 1)) return undefined;
  const first = at.getUTCDate();
  const last = new Date(Date.UTC(at.getUTCFullYear(), month + 1, 0)).getUTCDate();
  for (let day = first; day <= last; day++)
    if (isDay(cron, day, (at.getUTCDay() + day - first) % 7)) return day;
  return undefined;
}

function isDay(cron: Cron, dayOfMonth: number, dayOfWeek: number): boolean {
  const day = cron.days.has(dayOfMonth);
  const weekday = cron.weekdays.has(dayOfWeek);
  return cron.daysRestricted && cron.weekdaysRestricted ? day || weekday : day && weekday;
}

/** The first second after `fromMs`, up to and with `untilMs`, at which the offset is no longer that of `fromMs`. */
function offsetChange(
  timeZone: string,
  fromMs: number,
  offsetMs: number,
  untilMs: number,
): number | undefined {
  if (zoneOffsetMs(timeZone, untilMs) === offsetMs) return undefined;
  let low = Math.floor(fromMs / 1000);
  let high = Math.floor(untilMs / 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffsetMs(timeZone, middle * 1000) === offsetMs) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/** Making a formatter costs 50 µs, using one 2 µs; there are about 600 zones, each with many spellings by case. */
const formattersKeptMax = 1000;
const formatters = new RecentMap<string, Intl.DateTimeFormat>(formattersKeptMax);

/** How far the zone's wall clock is ahead of UTC at a moment. */
export function zoneOffsetMs(timeZone: string, atMs: number): number {
  const wholeMs = Math.floor(atMs / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(wholeMs)) {
    parts[type] = Number(value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeMs;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = makeFormatter(timeZone);
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

function makeFormatter(timeZone: string): Intl.DateTimeFormat {
  try {
    // "+02:00" is no zone: it has no rules for summer.
    if (!/^[A-Za-z]/.test(timeZone)) throw new RangeError("not a zone's name");
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (cause) {
    throw notZone(timeZone, { cause });
  }
}

/** IANA's names of three letters; the runtime knows more, such as IST, which is India's, Israel's and Ireland's. */
const shortNames = new Set("UTC GMT UCT EST MST HST CET MET EET WET PRC ROC ROK".split(" "));

/** Throws a Failure unless the name is a zone's. */
export function checkTimeZone(timeZone: string): void {
  const name = timeZone.toUpperCase();
  if (name.startsWith("SYSTEMV/") || (/^[A-Z]{3}$/.test(name) && !shortNames.has(name))) {
    throw notZone(timeZone);
  }
  formatterOf(timeZone);
}

const notZone = (timeZone: string, options?: ErrorOptions) =>
  invalid(
    `"${timeZone}" is not an IANA time zone; take one such as Europe/Berlin or UTC.`,
    options,
  );
