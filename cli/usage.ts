// `plinth usage`: its flags and their help; what it does is loaded when it is asked for.
import { InvalidArgumentError, Option, type Command } from "commander";
import { oneOf, positiveInteger, urlOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { groupings, type UsageFlags } from "./usage/options.ts";

export function addUsage(plinth: Command, terminal: Terminal): void {
  plinth
    .command("usage")
    .description("what was asked of models, or its cost, with PLINTH_ADMIN_KEY or signed in")
    .option("--from <date>", "the first day, of UTC (default: six days before the last)", day)
    .option("--to <date>", "the last day, which counts too (default: today)", day)
    .addOption(
      new Option("--on <date>", "one day alone: a date, today or yesterday")
        .argParser(day)
        .conflicts(["from", "to"]),
    )
    .option("--by <what>", `${groupings.slice(0, -1).join(", ")} or day`, oneOf(groupings), "model")
    .option("--cost", "what it cost instead of tokens")
    .option("--limit <N>", "the N largest; the others stand together on one line", positiveInteger)
    .option("--json", "print it as one JSON object, with all numbers and totals")
    .option("--csv", "print it as CSV, one line each, without totals")
    .option(...urlOption)
    .addHelpText("after", help)
    .action(async (flags: UsageFlags) => (await import("./usage/show.ts")).usage(terminal, flags));
}

function day(text: string): string {
  if (text === "today" || text === "yesterday") return text;
  const at = new Date(`${text}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()))
    if (at.toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError(
    "It must be a day of the calendar, such as 2026-11-21, today or yesterday.",
  );
}

const help = `
Days are those of UTC, and a report begins at most 365 days back. Cost is in US dollars; --json and
--csv have it in cents, exactly as the API gives it. A member's line has what they
and their keys asked for; keys that are nobody's and service accounts have lines of their own.
Reports over the API are those of platform organizations; the console has them in every type.

Examples:
  plinth usage                                    the last seven days, by model
  plinth usage --by day --cost --from 2026-11-01
  plinth usage --by member --cost --on yesterday  who spent most
  plinth usage --by key --limit 10
  plinth usage --by workspace --cost --from 2026-01-01 --csv >cost.csv

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
