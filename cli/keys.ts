// `plinth keys …`: its commands and their help; what each does is loaded when it is asked for.
import type { Command } from "commander";
import {
  idParser,
  idsOption,
  jsonOption,
  oneOf,
  positiveInteger,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import { consoleAddressOf } from "./server-calls.ts";
import { CliError, type Terminal } from "./terminal.ts";
import type { ListFlags, Status } from "./keys/options.ts";

const key = ["<id>", "the id of the key", idParser("key", "apikey_01m7")] as const;

export function addKeys(plinth: Command, terminal: Terminal): void {
  const keys = plinth
    .command("keys")
    .description("the organization's keys, with the key in PLINTH_ADMIN_KEY or signed in")
    .addHelpText("after", help);
  addReads(keys, terminal);
  addChanges(keys, terminal);
  keys
    .command("create")
    .description("say where keys are made")
    .argument("[words...]")
    .allowUnknownOption()
    .option(...urlOption)
    .action(async (_: string[], { url }: Flags) => {
      const home = await consoleAddressOf(terminal, url, ["PLINTH_ADMIN_KEY"]);
      throw new CliError(
        `Keys are made in the console, by a person who sees the secret once: open ${home}/console/keys?new=api. A program without a key signs in by federation.`,
      );
    });
}

function addReads(keys: Command, terminal: Terminal): void {
  keys
    .command("list")
    .description("API keys and admin keys, newest first")
    .option("--workspace <id>", "those of this workspace", idParser("workspace", "wrkspc_01m7"))
    .option("--status <status>", "active, inactive, expired or archived", oneOf(statuses))
    .option("--by <user>", "those that this person made", idParser("member", "user_01m7"))
    .option(
      "--unused [days]",
      "those neither made nor used within so many days, 30 where none are said",
      positiveInteger,
    )
    .option("--limit <N>", "how many, up to 1000", positiveInteger, 20)
    .option(
      "--after <id>",
      "those that come after this one in the list",
      idParser("key", "apikey_"),
    )
    .option(...idsOption)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (flags: ListFlags) => (await import("./keys/read.ts")).list(terminal, flags));
  keys
    .command("show")
    .description("what is known of a key")
    .argument(...key)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./keys/read.ts")).show(terminal, id, flags),
    );
}

function addChanges(keys: Command, terminal: Terminal): void {
  const add = (name: string, description: string) =>
    keys
      .command(name)
      .description(description)
      .argument(...key)
      .option(...jsonOption)
      .option(...urlOption);
  add("rename", "give a key another name")
    .argument("<name>", "the new name")
    .action(async (id: string, name: string, flags: Flags) =>
      (await import("./keys/change.ts")).rename(terminal, id, name, flags),
    );
  add("activate", "let a deactivated key in again").action(async (id: string, flags: Flags) =>
    (await import("./keys/change.ts")).setStatus(terminal, id, "active", flags),
  );
  add("deactivate", "refuse a key, on every process within a second, until it is activated")
    .option(...yesOption)
    .action(async (id: string, flags: YesFlags) =>
      (await import("./keys/change.ts")).setStatus(terminal, id, "inactive", flags),
    );
  add("archive", "refuse a key for ever")
    .option(...yesOption)
    .action(async (id: string, flags: YesFlags) =>
      (await import("./keys/change.ts")).setStatus(terminal, id, "archived", flags),
    );
}

const statuses: readonly Status[] = ["active", "inactive", "expired", "archived"];

const help = `
Keys are made in the console, where a person sees the secret once: no command makes one.

Examples:
  plinth keys list --status active --workspace wrkspc_01m7…
  plinth keys list --unused 90 --status active
  plinth keys deactivate apikey_01m7… --yes
  plinth keys archive apikey_01m7…

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
