// A cron expression in words, for people who read it or are writing it.
import { parseCron } from "./cron.ts";

const monthNames =
  "January February March April May June July August September October November December".split(
    " ",
  );
const dayNames = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
/** Times of a day that are named one by one. */
const timesNamedMax = 6;

/** Rule CRN7: `0 9 * * 1-5` is "At 09:00, Monday to Friday". Throws what parsing throws. */
export function cronInWords(expression: string): string {
  const cron = parseCron(expression);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = expression
    .trim()
    .split(/\s+/);
  const days = daysOf(cron.days, day, cron.weekdays, weekday);
  const months =
    month === "*" ? "" : `in ${ranged(cron.months, (number) => monthNames[number - 1] ?? "")}`;
  const parts = [timesOf(cron.minutes, minute, cron.hours, hour), days, months];
  const text = parts.filter((part) => part !== "").join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function timesOf(
  minutes: ReadonlySet<number>,
  minute: string,
  hours: ReadonlySet<number>,
  hour: string,
): string {
  if (minutes.size * hours.size <= timesNamedMax) {
    const times = [...hours]
      .toSorted(byNumber)
      .flatMap((each) =>
        [...minutes].toSorted(byNumber).map((at) => `${twoDigits(each)}:${twoDigits(at)}`),
      );
    return `at ${listed(times)}`;
  }
  const every = stepOf(minute, 60);
  const within =
    minute === "*" || every === 1
      ? "every minute"
      : every !== undefined
        ? `every ${every} minutes`
        : hour === "*" && minutes.size === 1
          ? `every hour at minute ${[...minutes].join("")}`
          : `at ${minutes.size === 1 ? "minute" : "minutes"} ${ranged(minutes, String)}`;
  if (hour === "*") return within.startsWith("at ") ? `${within} of every hour` : within;
  const everyHours = stepOf(hour, 24);
  if (minutes.size === 1 && everyHours !== undefined && everyHours > 1)
    return `every ${everyHours} hours at minute ${[...minutes].join("")}`;
  const of =
    everyHours !== undefined && everyHours > 1
      ? `every ${everyHours} hours from midnight`
      : `the ${hours.size === 1 ? "hour" : "hours"} ${ranged(hours, twoDigits)}`;
  return `${within} ${within.startsWith("at ") ? "of" : "in"} ${of}`;
}

/** Of a plain step that divides the whole evenly; else it is no rhythm. */
function stepOf(field: string, whole: number): number | undefined {
  const step = Number(/^\*\/(\d+)$/.exec(field)?.[1] ?? Number.NaN);
  return step > 0 && step < whole && whole % step === 0 ? step : undefined;
}

function daysOf(
  days: ReadonlySet<number>,
  day: string,
  weekdays: ReadonlySet<number>,
  weekday: string,
): string {
  const ofMonth = `on day ${ranged(days, String)} of the month`;
  // Sunday stands last where it closes a range: 5-7 is Friday to Sunday.
  const numbers = new Set(
    [...weekdays].map((number) => (number === 0 && weekdays.has(6) ? 7 : number)),
  );
  const ofWeek = ranged(numbers, (number) => dayNames[number % 7] ?? "");
  if (day === "*" && weekday === "*") return "every day";
  if (weekday === "*") return ofMonth;
  if (day === "*") return weekdays.size === 7 ? "every day" : ofWeek;
  return `${ofMonth}, or on ${ofWeek}`;
}

const byNumber = (one: number, other: number) => one - other;
const twoDigits = (number: number) => String(number).padStart(2, "0");

/** `1 to 5 and 7` */
function ranged(numbers: ReadonlySet<number>, nameOf: (number: number) => string): string {
  const runs: number[][] = [];
  for (const number of [...numbers].toSorted(byNumber)) {
    const run = runs.at(-1);
    if (run?.at(-1) === number - 1) run.push(number);
    else runs.push([number]);
  }
  const texts = runs.flatMap((run) => {
    const [first = 0, last = first] = [run[0], run.at(-1)];
    return run.length > 2 ? [`${nameOf(first)} to ${nameOf(last)}`] : run.map(nameOf);
  });
  return listed(texts);
}

const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
