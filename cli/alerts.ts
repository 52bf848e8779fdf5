// `plinth alerts …`: its commands and their help; what each does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import type { ListFlags, MailFlags, RuleFlags } from "./alerts/options.ts";
import { kinds, type Kind, type RuleNumber } from "./alerts/options.ts";
import { jsonOption, oneOf, urlOption, type Flags } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages } from "./workspace-calls.ts";

const withOutput = (command: Command): Command =>
  command.option(...jsonOption).option(...urlOption);

export function addAlerts(plinth: Command, terminal: Terminal): void {
  const alerts = plinth
    .command("alerts")
    .description(
      "what is not as it should be, and the rules of that, with PLINTH_ADMIN_KEY or signed in",
    )
    .addHelpText("after", help);
  withPages(alerts.command("list", { isDefault: true }))
    .description("what fires now, newest first")
    .option("--all", "what was resolved as well")
    .action(async (flags: ListFlags) => (await import("./alerts/list.ts")).list(terminal, flags));
  withOutput(alerts.command("rules"))
    .description("the rules by which alerts fire, with their numbers")
    .action(async (flags: Flags) => (await import("./alerts/rules.ts")).rules(terminal, flags));
  withOutput(alerts.command("set"))
    .description("switch a rule on or off, or change its numbers")
    .argument("<kind>", `the rule: ${kinds.join(", ")}`, oneOf(kinds))
    .option("--on", "switch it on")
    .option("--off", "switch it off: what it told of is resolved")
    .option("--percents <N...>", "of spend: parts of a limit, each an alert of its own")
    .option("--percent <N>", "of error_share: failed requests", number)
    .option("--minutes <N>", "of all but spend: for how long", number)
    .option("--requests <N>", "of error_share: fewer requests say nothing", number)
    .option("--failures <N>", "of upstream_down: fewer failures say nothing", number)
    .action(async (kind: Kind, flags: RuleFlags) =>
      (await import("./alerts/rules.ts")).setRule(terminal, kind, flags),
    );
  withOutput(alerts.command("mail"))
    .description("whom alerts are mailed to; with options, change it")
    .option("--to <addresses...>", "these addresses instead of those that are named, or none")
    .option("--administrators", "owners and administrators as well")
    .option("--no-administrators", "no owners and administrators")
    .action(async (flags: MailFlags) => (await import("./alerts/rules.ts")).mail(terminal, flags));
}

/** `default` takes back what was set. */
function number(text: string): RuleNumber {
  if (text === "default") return text;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number from 1, or default.");
  return Number(text);
}

const help = `
The server looks every 30 seconds. In place of a number, default takes back what was set.

Examples:
  plinth alerts
  plinth alerts --all --limit 50
  plinth alerts set spend --percents 50 80 100
  plinth alerts set error_share --percent 10 --minutes 5
  plinth alerts set upstream_down --off
  plinth alerts mail --to ops@example.com --no-administrators

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
