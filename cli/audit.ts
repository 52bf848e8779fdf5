// `plinth audit`: its flags and their help; what it does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import type { AuditFlags } from "./audit/show.ts";
import { idsOption, moment } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages } from "./workspace-calls.ts";

export function addAudit(plinth: Command, terminal: Terminal): void {
  withPages(plinth.command("audit"))
    .description("what was done in the organization, with PLINTH_ADMIN_KEY or signed in")
    .option("--action <action>", "an action, or how it begins: key. for all of keys")
    .option("--by <id>", "of this person, key, service account or operator")
    .option("--of <id>", "done to this key, person, workspace and so on")
    .option("--address <ip>", "from this address")
    .option("--from <time>", "from then on, such as 2026-11-26 or 2026-11-26T08:00:00Z", moment)
    .option("--to <time>", "until before then", moment)
    .option("--search <words>", "with these words anywhere; the last may be the beginning of one")
    .option("--after <sequence>", "all behind this number of the log, oldest first", sequence)
    .option("--follow", "go on with what is done from now on, or behind --after, until Ctrl-C")
    .option(...idsOption)
    .addHelpText("after", help)
    .action(async (flags: AuditFlags) => (await import("./audit/show.ts")).audit(terminal, flags));
}

function sequence(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(text);
}

const help = `
Newest first. --after and --follow give the log in its own order, without filters, each event once:
with --json one line each, whose "sequence" is what --after takes the next time. In an enterprise
organization the key needs the scope read:org_audit.

Examples:
  plinth audit --action key. --limit 5            what was done to keys
  plinth audit --of apikey_01m7…                  what was done to one of them
  plinth audit --search ann --from 2026-11-01
  plinth audit --follow --json >>audit.jsonl
  plinth audit --after 1200 --follow --json       where that broke off

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
