// `plinth environments …`: its commands and their help; what each does is loaded when it is asked for.
import { Option, type Command } from "commander";
import {
  packageManagers,
  type CheckFlags,
  type EnvironmentFlags,
  type NewKeyFlags,
  type StopFlags,
} from "./environments/options.ts";
import {
  idParser,
  jsonOption,
  positiveInteger,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import { fileOption, withMetadata } from "./request-body.ts";
import type { Terminal } from "./terminal.ts";
import { withPages, type ListFlags, type PageFlags } from "./workspace-calls.ts";

const environmentId = [
  "<id>",
  "the id of the environment",
  idParser("environment", "env_01m7"),
] as const;

export function addEnvironments(plinth: Command, terminal: Terminal): void {
  const environments = plinth
    .command("environments")
    .description("where tools of sessions run and what they reach; with the key in PLINTH_API_KEY")
    .addHelpText("after", examples);
  addWrites(environments, terminal);
  addReads(environments, terminal);
  addEnds(environments, terminal);
  addKeys(environments, terminal);
  addWork(environments, terminal);
}

function withFields(command: Command): Command {
  command
    .option("--name <name>", "what it is called")
    .option("--description <text>", "what it is for")
    .addOption(
      new Option("--networking <type>", "what it reaches").choices(["unrestricted", "limited"]),
    )
    .option("--hosts <name...>", "limited networking: these hosts; *.example.com is all below it")
    .option("--allow-mcp-servers", "limited networking: the MCP servers of the agent too")
    .option("--no-allow-mcp-servers", "not those any more")
    .option("--allow-package-managers", "limited networking: where packages come from too")
    .option("--no-allow-package-managers", "not those any more");
  for (const manager of packageManagers)
    command.option(`--${manager} <package...>`, `packages of ${manager} that it has`);
  return withMetadata(command)
    .option(...fileOption)
    .option(...jsonOption)
    .option(...urlOption);
}

function addWrites(environments: Command, terminal: Terminal): void {
  withFields(environments.command("create"))
    .description("make an environment, and print its id")
    .option("--self-hosted", "its tools run at workers of yours, not in containers of the server")
    .addHelpText("after", createHelp)
    .action(async (flags: EnvironmentFlags) =>
      (await import("./environments/write.ts")).create(terminal, flags),
    );
  withFields(environments.command("update"))
    .description("change what is named of an environment; the rest stays")
    .argument(...environmentId)
    .addHelpText("after", updateHelp)
    .action(async (id: string, flags: EnvironmentFlags) =>
      (await import("./environments/write.ts")).update(terminal, id, flags),
    );
}

function addReads(environments: Command, terminal: Terminal): void {
  withPages(
    environments
      .command("list")
      .description("the environments of the key's workspace, newest first")
      .option("--archived", "those that are archived as well"),
  ).action(async (flags: ListFlags) =>
    (await import("./environments/read.ts")).list(terminal, flags),
  );
  environments
    .command("show")
    .description("what is known of an environment")
    .argument(...environmentId)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./environments/read.ts")).show(terminal, id, flags),
    );
}

function addEnds(environments: Command, terminal: Terminal): void {
  const add = (name: string, description: string) =>
    environments
      .command(name)
      .description(description)
      .argument(...environmentId)
      .option(...yesOption)
      .option(...jsonOption)
      .option(...urlOption);
  add("archive", "close an environment for ever: no session begins in it").action(
    async (id: string, flags: YesFlags) =>
      (await import("./environments/write.ts")).archive(terminal, id, flags),
  );
  add("delete", "delete an environment with its keys").action(async (id: string, flags: YesFlags) =>
    (await import("./environments/write.ts")).remove(terminal, id, flags),
  );
}

function addKeys(environments: Command, terminal: Terminal): void {
  const keys = environments
    .command("keys")
    .description("what the workers of a self-hosted environment come in with")
    .addHelpText("after", keyExamples);
  keys
    .command("create")
    .description("make a key, and print its secret, which is shown this once")
    .argument(...environmentId)
    .option("--name <name>", "whose it is, such as a worker's name")
    .option("--json", "print one JSON object, with the secret as environment_key")
    .option(...urlOption)
    .action(async (id: string, flags: NewKeyFlags) =>
      (await import("./environments/keys.ts")).createKey(terminal, id, flags),
    );
  withPages(
    keys
      .command("list")
      .description("the keys of an environment, newest first, with those that are revoked")
      .argument(...environmentId),
  ).action(async (id: string, flags: PageFlags) =>
    (await import("./environments/keys.ts")).listKeys(terminal, id, flags),
  );
  keys
    .command("revoke")
    .description("end a key for ever, on every process within a second")
    .argument(...environmentId)
    .argument("<key>", "the id of the key", idParser("key", "envkey_01m7"))
    .option(...yesOption)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, key: string, flags: YesFlags) =>
      (await import("./environments/keys.ts")).revokeKey(terminal, id, key, flags),
    );
}

function addWork(environments: Command, terminal: Terminal): void {
  environments
    .command("check")
    .description("ask whether a worker of a self-hosted environment is there, and wait for it")
    .argument(...environmentId)
    .option("--wait <seconds>", "how long", positiveInteger, 30)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: CheckFlags) =>
      (await import("./environments/work.ts")).check(terminal, id, flags),
    );
  const work = environments
    .command("work")
    .description("what sessions want of the workers of a self-hosted environment")
    .addHelpText("after", workExamples);
  withPages(
    work
      .command("list")
      .description(
        "its work, newest first; with a key of the environment in PLINTH_ENVIRONMENT_KEY",
      )
      .argument(...environmentId),
  ).action(async (id: string, flags: PageFlags) =>
    (await import("./environments/work.ts")).listWork(terminal, id, flags),
  );
  work
    .command("stats")
    .description("how many wait, since when, and how many workers poll")
    .argument(...environmentId)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./environments/work.ts")).stats(terminal, id, flags),
    );
  work
    .command("stop")
    .description("ask the worker to stop; a session that still wants one gets another")
    .argument(...environmentId)
    .argument("<work>", "the id of the work", idParser("work", "work_01m7"))
    .option("--force", "it is over at once: calls that were under way get an unknown outcome")
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, workId: string, flags: StopFlags) =>
      (await import("./environments/work.ts")).stop(terminal, id, workId, flags),
    );
}

const workExamples = `
Examples:
  plinth environments check env_01m7… --wait 60
  plinth environments work stats env_01m7…
  PLINTH_ENVIRONMENT_KEY=sk-plinth-env-… plinth environments work list env_01m7…
  plinth environments work stop env_01m7… work_01m7… --force`;

const examples = `
Examples:
  plinth environments create --name python --pip numpy==2.0 pandas
  plinth environments create --name closed --hosts api.example.com "*.example.org"
  ID=$(plinth environments create --name ours --self-hosted)
  plinth environments keys create $ID --name "worker 1"
  plinth environments archive $ID --yes

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;

const createHelp = `
Without more than a name it is a container of the server that reaches everything. Packages under
limited networking want --allow-package-managers. The file is the body of the API, or what
plinth environments show --json printed.

Examples:
  plinth environments create --name data --pip "numpy>=2,<3" --apt ffmpeg
  plinth environments create --name closed --networking limited
  plinth environments create --file environment.json --name "Another one"`;

const updateHelp = `
What is not named stays, and so does its type. A list of hosts, or of one manager's packages, replaces
the one before; an empty text empties it. --metadata key= takes a key away.

Examples:
  plinth environments update env_01m7… --hosts api.example.com --allow-package-managers
  plinth environments update env_01m7… --pip ""
  plinth environments update env_01m7… --networking unrestricted`;

const keyExamples = `
The key in PLINTH_API_KEY makes them, or an admin key in PLINTH_ADMIN_KEY, in the default workspace.

Examples:
  KEY=$(plinth environments keys create env_01m7… --name "worker 1" --json | jq -r .environment_key)
  plinth environments keys list env_01m7…
  plinth environments keys revoke env_01m7… envkey_01m7… --yes`;
