// `plinth deployments …` and `plinth runs …`: commands and their help; what each does is loaded when it is asked for.
import { Option, type Command } from "commander";
import type {
  DeploymentFlags,
  DeploymentListFlags,
  NextFlags,
  RunListFlags,
} from "./deployments/options.ts";
import {
  idParser,
  idsOption,
  jsonOption,
  positiveInteger,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import { fileOption, withMetadata } from "./request-body.ts";
import { budgetOrNone, vaultOption } from "./sessions/options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages } from "./workspace-calls.ts";

const deployment = ["<deployment>", "its name or id"] as const;

export function addDeployments(plinth: Command, terminal: Terminal): void {
  const deployments = plinth
    .command("deployments")
    .description("agents that run by a schedule; with the key in PLINTH_API_KEY")
    .addHelpText("after", examples);
  addWrites(deployments, terminal);
  addReads(deployments, terminal);
  addActs(deployments, terminal);
  addNext(deployments, terminal);
  addRuns(plinth, terminal);
}

const withFields = (command: Command): Command =>
  withMetadata(
    command
      .option("--name <name>", "what it is called")
      .option("--description <text>", "what it is for")
      .option("--agent <agent>", "the agent, by name or id, at the version that it has now")
      .option("--environment <environment>", "where its sessions run, by name or id")
      .option("--message <text...>", "what each session is told first")
      .option("--cron <expression>", "when it runs: minute, hour, day, month, day of week")
      .option("--timezone <zone>", "whose wall clock counts, such as Europe/Berlin (UTC)")
      .option("--no-schedule", "by hand alone")
      .option(...vaultOption)
      .option("--no-vaults", "its sessions have none")
      .option("--budget <dollars>", "what each session may cost, or none", budgetOrNone),
  )
    .option(...fileOption)
    .option(...jsonOption)
    .option(...urlOption);

function addWrites(deployments: Command, terminal: Terminal): void {
  withFields(deployments.command("create"))
    .description("make a deployment, and print its id")
    .addHelpText("after", createHelp)
    .action(async (flags: DeploymentFlags) =>
      (await import("./deployments/write.ts")).create(terminal, flags),
    );
  withFields(deployments.command("update"))
    .description("change what is named of a deployment; the rest stays")
    .argument(...deployment)
    .action(async (text: string, flags: DeploymentFlags) =>
      (await import("./deployments/write.ts")).update(terminal, text, flags),
    );
}

function addReads(deployments: Command, terminal: Terminal): void {
  withPages(
    deployments
      .command("list")
      .description("the deployments of the key's workspace, newest first")
      .option("--archived", "those that are archived as well")
      .option("--agent <agent>", "of this agent alone, by name or id")
      .addOption(new Option("--status <status>", "these alone").choices(["active", "paused"])),
  ).action(async (flags: DeploymentListFlags) =>
    (await import("./deployments/read.ts")).list(terminal, flags),
  );
  deployments
    .command("show")
    .description("what is known of a deployment, and when it runs next")
    .argument(...deployment)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (text: string, flags: Flags) =>
      (await import("./deployments/read.ts")).show(terminal, text, flags),
    );
}

function addActs(deployments: Command, terminal: Terminal): void {
  const add = (name: string, description: string) =>
    deployments
      .command(name)
      .description(description)
      .argument(...deployment)
      .option(...jsonOption)
      .option(...urlOption);
  add("run", "begin a session now, and print its id").action(async (text: string, flags: Flags) =>
    (await import("./deployments/write.ts")).run(terminal, text, flags),
  );
  add("pause", "hold its schedule; by hand it still runs").action(
    async (text: string, flags: Flags) =>
      (await import("./deployments/write.ts")).act(terminal, text, flags, "pause"),
  );
  add("unpause", "let its schedule go on with the next run").action(
    async (text: string, flags: Flags) =>
      (await import("./deployments/write.ts")).act(terminal, text, flags, "unpause"),
  );
  add("archive", "end a deployment for ever: it is read, and runs no more")
    .option(...yesOption)
    .action(async (text: string, flags: YesFlags) =>
      (await import("./deployments/write.ts")).archive(terminal, text, flags),
    );
}

function addNext(deployments: Command, terminal: Terminal): void {
  deployments
    .command("next")
    .description("a cron expression in words, and when it fires next; needs no server")
    .argument("<expression>", 'in quotes, such as "0 9 * * 1-5"')
    .option("--timezone <zone>", "whose wall clock counts (this machine's)")
    .option("--count <N>", "how many moments", positiveInteger, 5)
    .option("--json", "print one JSON object")
    .action(async (expression: string, flags: NextFlags) =>
      (await import("./deployments/read.ts")).next(terminal, expression, flags),
    );
}

function addRuns(plinth: Command, terminal: Terminal): void {
  const runs = plinth
    .command("runs")
    .description("what came of deployments; with the key in PLINTH_API_KEY");
  withPages(
    runs
      .command("list")
      .description("the runs of the key's workspace, newest first")
      .option("--deployment <deployment>", "of this one alone, by name or id")
      .option("--failed", "those alone that began no session")
      .addOption(new Option("--trigger <trigger>", "these alone").choices(["schedule", "manual"]))
      .option(...idsOption),
  ).action(async (flags: RunListFlags) =>
    (await import("./deployments/read.ts")).listRuns(terminal, flags),
  );
  runs
    .command("show")
    .description("one run: the session that it began, or why it began none")
    .argument("<id>", "the id of the run", idParser("run", "drun_01m7"))
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./deployments/read.ts")).showRun(terminal, id, flags),
    );
}

const examples = `
Examples:
  plinth deployments next "0 9 * * 1-5" --timezone Europe/Berlin
  plinth deployments create --name Nightly --agent Helper --environment python \\
    --message "Write the report." --cron "0 9 * * 1-5" --timezone Europe/Berlin --vault Support
  plinth deployments run Nightly
  plinth runs list --deployment Nightly --failed

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;

const createHelp = `
Without --cron it is run by hand alone. The file is the body of the API, or what
plinth deployments show --json printed: resources and other first events are said there.

Examples:
  plinth deployments create --name Hourly --agent Helper --environment python --message "Look." --cron "0 * * * *"
  plinth deployments create --file deployment.json --name "Another one"`;
