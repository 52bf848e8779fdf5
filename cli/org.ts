// `plinth org`: the organization that commands work on.
import type { Command } from "commander";
import { askAsAdmin, organizationOf } from "./administration.ts";
import { jsonOption, urlOption, type Flags } from "./options.ts";
import { detailsTable, printResult } from "./print-result.ts";
import { escapeControls } from "./print-answer.ts";
import { consoleAddressOf } from "./server-calls.ts";
import type { Terminal } from "./terminal.ts";

export function addOrg(plinth: Command, terminal: Terminal): void {
  plinth
    .command("org")
    .description(
      "the organization of the key in PLINTH_ADMIN_KEY, or of the person who is signed in",
    )
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (flags: Flags) => {
      const home = await consoleAddressOf(terminal, flags.url, ["PLINTH_ADMIN_KEY"]);
      const found = await askAsAdmin(terminal, flags, (client) => organizationOf(client, home));
      printResult(terminal, flags, found, () =>
        detailsTable([
          ["id", found.id],
          ["name", escapeControls(found.name)],
        ]),
      );
    });
}
