// `plinth org`: the organization that commands work on.
import type { Command } from "commander";
import { urlOption } from "./options.ts";
import { ask, factsTable, jsonOption, organizationOf, tell, type Flags } from "./organization.ts";
import { harmless } from "./print-answer.ts";
import { homeOf } from "./speak.ts";
import type { Terminal } from "./terminal.ts";

export function addOrg(plinth: Command, terminal: Terminal): void {
  plinth
    .command("org")
    .description("the organization of the key in PLINTH_ADMIN_KEY, or of whoever is signed in")
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (flags: Flags) => {
      const home = await homeOf(terminal, flags.url, ["PLINTH_ADMIN_KEY"]);
      const found = await ask(terminal, flags, (client) => organizationOf(client, home));
      tell(terminal, flags, found, () =>
        factsTable([
          ["id", found.id],
          ["name", harmless(found.name)],
        ]),
      );
    });
}
