// `plinth overview`: its flags and their help; what it does is loaded when it is asked for.
import type { Command } from "commander";
import { jsonOption, oneOf, urlOption } from "./options.ts";
import type { OverviewFlags } from "./overview/show.ts";
import type { Terminal } from "./terminal.ts";

const periods = ["yesterday", "week", "month"] as const;

export function addOverview(plinth: Command, terminal: Terminal): void {
  plinth
    .command("overview")
    .description("what goes on, and what waits for a person, with PLINTH_ADMIN_KEY or signed in")
    .option("--period <period>", "who spends most: yesterday, week or month", oneOf(periods))
    .option(...jsonOption)
    .option(...urlOption)
    .addHelpText("after", help)
    .action(async (flags: OverviewFlags) =>
      (await import("./overview/show.ts")).show(terminal, flags),
    );
}

const help = `
Requests and upstreams are those of the last hour, beside the hour before. Who spends most is told of
whole days in UTC. What the key may not read is left out.

Examples:
  plinth overview                          is it healthy, who spent most yesterday, what waits
  plinth overview --period month
  plinth overview --json | jq '.upstreams[] | select(.state != "answering")'
  plinth logs --upstream backup            the requests behind an upstream's line
  plinth limits                            all limits

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
