// `plinth mcp …`: the MCP servers of a workspace; what each command does is loaded when it is asked for.
import type { Command } from "commander";
import type { AddFlags, ConnectFlags } from "./mcp/mcp.ts";
import { jsonOption, urlOption, yesOption, type Flags, type YesFlags } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages, type ListFlags } from "./workspace-calls.ts";

const server = ["<server>", "its name, or its id"] as const;

export function addMcp(plinth: Command, terminal: Terminal): void {
  const mcp = plinth
    .command("mcp")
    .description("MCP servers of the workspace: their tools, and calls of them")
    .addHelpText("after", examples);
  const add = (name: string, description: string) =>
    mcp
      .command(name)
      .description(description)
      .option(...jsonOption)
      .option(...urlOption);
  withPages(
    mcp.command("list").description("the MCP servers of the key's workspace, newest first"),
  ).action(async (flags: ListFlags) => (await import("./mcp/mcp.ts")).list(terminal, flags));
  add("add", "add an MCP server to the workspace, and print its id")
    .argument("<name>", "what it is called")
    .argument("<address>", "where it is")
    .option("--vault <vault>", "the vault with the token for it: its name, or its id")
    .option("--description <text>", "what it is for")
    .action(async (name: string, address: string, flags: AddFlags) =>
      (await import("./mcp/mcp.ts")).add(terminal, { name, address }, flags),
    );
  add("connect", "sign in at the server by OAuth: the token goes into a vault")
    .argument("<server>", "its name, its id, or its address")
    .option("--vault <vault>", "where the token goes; else the vault of the server")
    .option("--client-id <id>", "a client that was registered there by hand")
    .option("--client-secret-file <file>", "its secret; - is standard input")
    .action(async (name: string, flags: ConnectFlags) =>
      (await import("./mcp/mcp.ts")).connect(terminal, name, flags),
    );
  add("tools", "ask it now which tools it has; exit code 1 where it does not answer")
    .argument(...server)
    .action(async (name: string, flags: Flags) =>
      (await import("./mcp/mcp.ts")).tools(terminal, name, flags),
    );
  add("call", "call a tool once; exit code 1 where it fails")
    .argument(...server)
    .argument("<tool>", "the name of the tool")
    .argument("[input]", "what it is given, as a JSON object; - is standard input")
    .action(async (name: string, tool: string, input: string | undefined, flags: Flags) =>
      (await import("./mcp/mcp.ts")).call(terminal, { name, tool, input }, flags),
    );
  add("remove", "take it off the workspace; agents that name its address keep it")
    .argument(...server)
    .option(...yesOption)
    .action(async (name: string, flags: YesFlags) =>
      (await import("./mcp/mcp.ts")).remove(terminal, name, flags),
    );
}

const examples = `
Examples:
  plinth mcp add docs https://docs.example.com/mcp --vault Support
  plinth mcp connect docs --vault Support
  plinth mcp tools docs
  plinth mcp call docs search '{"query": "limits"}'

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
