// `plinth agents …`: its commands and their help; what each does is loaded when it is asked for.
import type { Command } from "commander";
import {
  idParser,
  jsonOption,
  positiveInteger,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import { skills, tools, type AgentFlags, type VersionFlags } from "./agents/options.ts";
import { fileOption, withMetadata } from "./request-body.ts";
import type { Terminal } from "./terminal.ts";
import { withPages, type ListFlags, type PageFlags } from "./workspace-calls.ts";

const agentId = ["<id>", "the id of the agent", idParser("agent", "agent_01m7")] as const;

export function addAgents(plinth: Command, terminal: Terminal): void {
  const agents = plinth
    .command("agents")
    .description("agents that are kept, with every version; with the key in PLINTH_API_KEY")
    .addHelpText("after", examples);
  addWrites(agents, terminal);
  addReads(agents, terminal);
  addArchive(agents, terminal);
}

const withFields = (command: Command): Command =>
  withMetadata(
    command
      .option("--name <name>", "what it is called")
      .option("--model <id>", "the model that it runs on")
      .option("--effort <level>", "how hard the model tries: low, medium, high, xhigh or max")
      .option("--system <text>", "its system prompt")
      .option("--description <text>", "what it is for")
      .option("--tools <names>", "tools of its computer: all, none, or names with commas", tools)
      .option(
        "--skills <ids>",
        "its skills: ids with commas, or none; id@version pins one",
        skills,
      ),
  )
    .option(...fileOption)
    .option(...jsonOption)
    .option(...urlOption);

function addWrites(agents: Command, terminal: Terminal): void {
  withFields(agents.command("create"))
    .description("make an agent, and print its id")
    .addHelpText("after", createHelp)
    .action(async (flags: AgentFlags) =>
      (await import("./agents/write.ts")).create(terminal, flags),
    );
  withFields(agents.command("update"))
    .description("change what is named of an agent, which makes its next version")
    .argument(...agentId)
    .option("--version <N>", "only if this is the newest version", positiveInteger)
    .addHelpText("after", updateHelp)
    .action(async (id: string, flags: AgentFlags & VersionFlags) =>
      (await import("./agents/write.ts")).update(terminal, id, flags),
    );
}

function addReads(agents: Command, terminal: Terminal): void {
  withPages(
    agents
      .command("list")
      .description("the agents of the key's workspace, newest first")
      .option("--archived", "those that are archived as well"),
  ).action(async (flags: ListFlags) => (await import("./agents/read.ts")).list(terminal, flags));
  agents
    .command("show")
    .description("what an agent is made of, with its prompt")
    .argument(...agentId)
    .option("--version <N>", "as it was in this version", positiveInteger)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags & VersionFlags) =>
      (await import("./agents/read.ts")).show(terminal, id, flags),
    );
  withPages(
    agents
      .command("versions")
      .description("the versions of an agent, newest first, and which fields each changed")
      .argument(...agentId),
  ).action(async (id: string, flags: PageFlags) =>
    (await import("./agents/read.ts")).versions(terminal, id, flags),
  );
}

function addArchive(agents: Command, terminal: Terminal): void {
  agents
    .command("archive")
    .description("close an agent for ever: it can be read, and no longer changed or used")
    .argument(...agentId)
    .option(...yesOption)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: YesFlags) =>
      (await import("./agents/write.ts")).archive(terminal, id, flags),
    );
}

const examples = `
Examples:
  ID=$(plinth agents create --name Helper --model sim-large --system "Be brief." --tools all)
  plinth agents update $ID --effort high --tools bash,read,edit
  plinth agents versions $ID
  plinth agents show $ID --version 1
  plinth agents show $ID --json > agent.json      change it there, and send it back:
  plinth agents update $ID --file agent.json      refused if somebody else was quicker

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;

const createHelp = `
The file is the body of the API, or what plinth agents show --json printed: with it, all of an agent
can be said, MCP servers, custom tools and members too.

Examples:
  plinth agents create --name Helper --model sim-large --metadata team=search
  plinth agents create --file agent.json --name "Another one"`;

const updateHelp = `
What is not named stays. An empty text takes a system prompt or a description away, --metadata key=
a key. --tools is about the agent's computer: custom tools, those of MCP servers, and what is
configured of each stay. --skills names all skills that it has from then on.

With --version, or a version in the file, the update goes through only if that is the newest. An update
that changes nothing makes no version, so that a script may send all of it at every start.

Examples:
  plinth agents update agent_01m7… --model sim-small --version 3
  plinth agents update agent_01m7… --system "$(cat prompt.md)"
  plinth agents update agent_01m7… --file agent.json`;
