// `plinth limits …`: its commands and their help; what each does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import { idParser, idsOption, jsonOption, oneOf, urlOption, type Flags } from "./options.ts";
import {
  periods,
  statuses,
  type ApproveFlags,
  type MemberSpendFlags,
  type Rate,
  type RateFlags,
  type RequestFlags,
  type ShowFlags,
  type SpendFlags,
} from "./limits/options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages } from "./workspace-calls.ts";

const withOutput = (command: Command): Command =>
  command.option(...jsonOption).option(...urlOption);
const workspaceId = idParser("workspace", "wrkspc_01m7");
const requestId = ["<id>", "the id of the request", idParser("request", "slir_01m7")] as const;

export function addLimits(plinth: Command, terminal: Terminal): void {
  const limits = plinth
    .command("limits")
    .description("rate and spend limits, and their use, with PLINTH_ADMIN_KEY or signed in")
    .addHelpText("after", help);
  addShow(limits, terminal);
  addChanges(limits, terminal);
  addMembers(limits, terminal);
}

function addShow(limits: Command, terminal: Terminal): void {
  withOutput(limits.command("show", { isDefault: true }))
    .description("what holds, what the last minute used, and what the month has cost")
    .option("--workspace <id>", "of this workspace alone", workspaceId)
    .option("--all", "rates that are neither set nor used as well")
    .option(...idsOption)
    .action(async (flags: ShowFlags) => (await import("./limits/show.ts")).show(terminal, flags));
}

function addChanges(limits: Command, terminal: Terminal): void {
  withOutput(limits.command("rate"))
    .description("set rates a minute of a workspace, for one group of models")
    .argument("<workspace>", "the id of the workspace", workspaceId)
    .argument("<group>", "the group of models, as plinth limits names it")
    .option("--requests <N>", "requests a minute; none takes the limit away", rate)
    .option("--input-tokens <N>", "input tokens a minute that no cache had, or none", rate)
    .option("--output-tokens <N>", "output tokens a minute, or none", rate)
    .action(async (workspace: string, group: string, flags: RateFlags) =>
      (await import("./limits/set.ts")).setRate(terminal, { workspace, group }, flags),
    );
  withOutput(limits.command("spend"))
    .description("set what may be spent, in US dollars, such as 50 or 12.50; none is no limit")
    .argument("<amount>", "50, 12.50 or none", amount)
    .option("--member <member>", "of this person, by id or e-mail address")
    .option("--workspace <id>", "of this workspace", workspaceId)
    .option("--organization", "of the whole organization")
    .option("--period <period>", "daily, weekly or monthly", oneOf(periods))
    .action(async (sum: string, flags: SpendFlags) =>
      (await import("./limits/set.ts")).setSpend(terminal, sum, flags),
    );
}

function addMembers(limits: Command, terminal: Terminal): void {
  withPages(limits.command("members"))
    .description("what each member of an enterprise organization may spend, and has spent")
    .option("--member <member>", "this person alone, by id or e-mail address")
    .option("--period <period>", "daily, weekly or monthly", oneOf(periods))
    .action(async (flags: MemberSpendFlags) =>
      (await import("./limits/members.ts")).members(terminal, flags),
    );
  withPages(limits.command("requests"))
    .description("members who ask for more, newest first")
    .option("--status <status>", "pending, approved or denied", oneOf(statuses))
    .action(async (flags: RequestFlags) =>
      (await import("./limits/members.ts")).requests(terminal, flags),
    );
  withOutput(limits.command("approve"))
    .description("give a member who asked another limit")
    .argument(...requestId)
    .argument("<amount>", "the new limit in US dollars, such as 50 or 12.50", amount)
    .option("--period <period>", "of another period than was asked for", oneOf(periods))
    .action(async (id: string, sum: string, flags: ApproveFlags) =>
      (await import("./limits/members.ts")).approve(terminal, id, sum, flags),
    );
  withOutput(limits.command("deny"))
    .description("leave the limit of a member who asked as it is")
    .argument(...requestId)
    .action(async (id: string, flags: Flags) =>
      (await import("./limits/members.ts")).deny(terminal, id, flags),
    );
}

function rate(text: string): Rate {
  if (text === "none") return text;
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number from 0, or none.");
  return Number(text);
}

/** Hundredths as the API takes them, or none. */
function amount(text: string): string {
  if (text === "none") return text;
  const [, whole = "", rest = ""] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  if (whole === "")
    throw new InvalidArgumentError("It must be an amount such as 50 or 12.50, or none.");
  return String(Number(whole) * 100 + Number(rest.padEnd(2, "0")));
}

const help = `
Rates are set for workspaces of platform organizations; of the organization, in the console. What is
spent is that of this month (UTC). Over the API spend limits are those of members in an enterprise
organization; a platform organization sets its own here where its operator lets it.

Examples:
  plinth limits
  plinth limits --workspace wrkspc_01m7…
  plinth limits rate wrkspc_01m7… sim-large --requests 100 --output-tokens none
  plinth limits spend 50 --member ann@example.com --period weekly
  plinth limits requests --status pending

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
