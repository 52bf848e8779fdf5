// `plinth open`: its flags and their help; what it does is loaded when it is asked for.
import type { Command } from "commander";
import type { OpenFlags } from "./open/open.ts";
import { jsonOption, positiveInteger, urlOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

export function addOpen(plinth: Command, terminal: Terminal): void {
  plinth
    .command("open")
    .description("find anything by its id or name, and open it in the console")
    .argument(
      "<id or words...>",
      "an id, whole, or words of a name; of each its beginning is enough",
    )
    .option("--print", "print the address alone, and open nothing")
    .option(
      "--limit <N>",
      "how many to show where there are several, up to 100",
      positiveInteger,
      20,
    )
    .option(...jsonOption)
    .option(...urlOption)
    .addHelpText("after", help)
    .action(async (words: string[], flags: OpenFlags) =>
      (await import("./open/open.ts")).open(terminal, words.join(" "), flags),
    );
}

const help = `
With PLINTH_ADMIN_KEY it finds what that key may read: people, keys, workspaces, groups and so on.
With PLINTH_API_KEY it finds what is in the workspace of that key. With both it finds both; with
neither it finds what the person may who is signed in with plinth login.

Where one thing is found, its page opens in the browser, if a person is at the terminal. Where
several are, they are listed, those that are called exactly so first.

Examples:
  plinth open sesn_01m7…                 what it is, and its page
  plinth open nightly export             words in any order, each may be the beginning of one
  plinth open --print msgbatch_01m7…     the address alone
  plinth open --json report | jq -r '.data[].console_url'

Exit codes: 0 found, 1 nothing found, refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
