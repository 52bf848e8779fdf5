// `plinth models …`: its commands and their help; what each does is loaded when it is asked for.
import type { Command } from "commander";
import type { ModelListFlags } from "./models/read.ts";
import { jsonOption, oneOf, positiveInteger, urlOption, type Flags } from "./options.ts";
import type { Terminal } from "./terminal.ts";

export function addModels(plinth: Command, terminal: Terminal): void {
  const models = plinth
    .command("models")
    .description("the models that the server answers with, with PLINTH_API_KEY or signed in")
    .addHelpText("after", help);
  models
    .command("list")
    .description("the models, newest first; retired ones only where asked for")
    .option("--lifecycle <state>", "active, deprecated or retired", oneOf(lifecycles))
    .option("--limit <N>", "how many, up to 1000", positiveInteger, 100)
    .option("--after <id>", "those that come after this model in the list")
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (flags: ModelListFlags) =>
      (await import("./models/read.ts")).list(terminal, flags),
    );
  models
    .command("show")
    .description("what is known of a model, and what it can do")
    .argument("<id>", "its id, or another name of it")
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./models/read.ts")).show(terminal, id, flags),
    );
}

const lifecycles = ["active", "deprecated", "retired"] as const;

const help = `
Which models there are stands in the settings file and on the console's page Models.

Examples:
  plinth models list
  plinth models show sim-large
  plinth models list --lifecycle deprecated --json

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
