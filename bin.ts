// The one executable: reads the command line and hands over to the command that was asked for.
import { Command, CommanderError, Option } from "commander";
import { addCommands, CliError, processTerminal } from "./cli/main.ts";
import type { Terminal } from "./cli/terminal.ts";
import { systemClock } from "./kernel/base/clock.ts";
import { systemRandom } from "./kernel/base/random.ts";
import { ExitError } from "./kernel/base/failure.ts";
import { describeSettings } from "./kernel/settings/settings.ts";
import { version } from "./kernel/base/version.ts";

const usageExitCode = 2;

function program(terminal: Terminal): Command {
  const plinth = new Command("plinth")
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.note })
    .description("The whole model-and-agent platform, self-hosted, in front of any model.")
    .version(version, "-V, --version")
    .option(...configOption)
    // Options behind a command belong to the command: plinth memory get has a --version too.
    .enablePositionalOptions()
    .showHelpAfterError("(plinth --help shows what there is)")
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText("after", examples);

  withSettings(plinth.command("start"), startFlags)
    .description("start the server and print where it listens")
    .option("--adopt-blobs", "start a database whose files are lost for good, and say what is gone")
    .action(async (_flags, command: Command) =>
      (await import("./server/commands/start.ts")).start(command.optsWithGlobals()),
    );
  withSettings(plinth.command("init"), dataFlags)
    .description("create an organization with an owner and one secret of each kind")
    .option("--json", "print one JSON object (the only form that holds the secrets for programs)")
    .option("--organization <name>", "its name; an existing one is refused", "My organization")
    .addOption(
      new Option("--type <type>", "which routes it has")
        .choices(["platform", "enterprise", "platform_cloud"])
        .default("platform"),
    )
    .option("--email <address>", "the owner's e-mail", "owner@localhost.localdomain")
    .action(async (_flags, command: Command) =>
      (await import("./server/commands/init.ts")).init(command.optsWithGlobals()),
    );
  withSettings(plinth.command("setup-link"), dataFlags)
    .description("print a one-time link that lets an owner set a password")
    .option("--organization <name or id>", "whose owner; the unclaimed or only one when left out")
    .action(async (_flags, command: Command) =>
      (await import("./server/commands/init.ts")).setupLink(command.optsWithGlobals()),
    );
  withSettings(plinth.command("doctor"), startFlags)
    .description("say what works on this machine, what does not, and how to mend it")
    .option("--audit", "look at the audit log instead: every chain, from its first event")
    .option("--parts", "list what a process of the server has and starts, in order of needs")
    .option("--sweep", "remove built-in databases whose data directory is gone, and say which")
    .option("--json", "print one JSON object")
    .action(async (_flags, command: Command) =>
      (await import("./server/commands/doctor.ts")).doctor(command.optsWithGlobals()),
    );
  withSettings(plinth.command("migrate"), dataFlags)
    .description("bring the database to this version; start does it too")
    .action(async (_flags, command: Command) =>
      (await import("./server/commands/migrate.ts")).migrateNow(command.optsWithGlobals()),
    );
  withSettings(plinth.command("rotate-master-key"), dataFlags)
    .description(
      "make a new key for what is encrypted from now on; the old ones still decrypt what they encrypted",
    )
    .option("--reseal", "make none, and put all that is encrypted under the newest one")
    .option("--drop <id>", "make none, and remove an old one that nothing is encrypted under")
    .action(async (_flags, command: Command) =>
      (await import("./server/commands/rotate-master-key.ts")).rotateMasterKey(
        command.optsWithGlobals(),
      ),
    );
  addWorker(plinth, terminal);
  addCommands(plinth, terminal);
  addBridge(plinth, terminal);
  return plinth;
}

function addWorker(plinth: Command, terminal: Terminal): void {
  plinth
    .command("worker")
    .description("run the tools of a self-hosted environment's sessions on this machine")
    .requiredOption("--environment <id>", "whose work it takes")
    .option(...configOption)
    .option("--url <address>", "where the server is (default: PLINTH_BASE_URL, or this machine)")
    .option("--name <name>", "as the server counts it (default: this machine's name)")
    .option(
      "--provider <name>",
      "how sandboxes are made (default: sandbox.provider of the settings)",
    )
    .addOption(
      new Option(
        "--networking <type>",
        "what sandboxes reach: all of the internet, or --hosts alone (default: unrestricted)",
      ).choices(["unrestricted", "limited"]),
    )
    .option("--hosts <name...>", "limited networking: these hosts; *.example.com is all below it")
    .option("--directory <path>", "where it keeps files, its own (default: ~/.plinth-worker)")
    .option("--sessions <N>", "sessions at a time", "4")
    .option("--grace <seconds>", "how long calls that run may go on after Ctrl-C", "30")
    .option("--keep <days>", "how long files of sessions stay after their last call here", "7")
    .option("--json", "print one JSON object for each thing that happens")
    .addHelpText("after", workerExamples)
    .action(async (_flags, command: Command) =>
      (await import("./server/commands/worker.ts")).worker(command.optsWithGlobals(), terminal),
    );
}

function addBridge(plinth: Command, terminal: Terminal): void {
  const mcp = plinth.commands.find((command) => command.name() === "mcp");
  mcp
    ?.command("bridge [command...]")
    .usage("[options] (--url <address> | -- <command> [argument...])")
    .description("put an older MCP server, or a command, at an address of MCP 2026-07-28")
    .option("--url <address>", "the server behind, by streamable HTTP")
    .option("--listen <host:port>", "where it listens", "127.0.0.1:8790")
    .option("--pass-authorization", "send the caller's authorization header to the server behind")
    .option("--env <name...>", "variables of this shell that the command sees")
    .option("--folder <path...>", "directories that the command finds, read-only, below /mnt")
    .addOption(
      new Option(
        "--networking <type>",
        "what the command reaches: all of the internet, or --hosts alone (default: unrestricted)",
      ).choices(["unrestricted", "limited"]),
    )
    .option("--hosts <name...>", "limited networking: these hosts; *.example.com is all below it")
    .option("--no-sandbox", "run the command as you, with your PATH, HOME, files and network")
    .option("--directory <path>", "where sandboxes lie (default: ~/.plinth-mcp-bridge)")
    .option(...configOption)
    .option("--allow-host <name...>", "by which names clients may ask, beside loopback ones")
    .option("--sessions-max <N>", "sessions with the server behind, at a time", "16")
    .option("--held-seconds <N>", "how long a call waits for what its server asked", "300")
    .addHelpText("after", bridgeExamples)
    .action(async (words: string[], _flags, command: Command) =>
      (await import("./server/commands/mcp-bridge.ts")).bridge(
        words,
        command.optsWithGlobals(),
        terminal,
      ),
    );
}

const bridgeExamples = `
Examples:
  plinth mcp bridge -- npx -y @modelcontextprotocol/server-everything
  plinth mcp bridge --folder ./weather --networking limited -- node /mnt/weather/server.js
  plinth mcp bridge --url https://old.example.com/mcp --pass-authorization

Exit codes: 0 ended by a signal, 1 failed, 2 usage.`;

const dataFlags = ["--data-dir", "--database-url", "--log", "--log-level", "--public-url"];
const startFlags = [
  ...dataFlags,
  "--host",
  "--port",
  "--workers",
  "--lame-duck-seconds",
  "--drain-seconds",
  "--proxies",
  "--cors-origins",
];

const configOption = [
  "--config <file>",
  "settings file (default: plinth.config.json here or beside plinth)",
] as const;

/** The flags of a command come from the table of settings, so that help, file and environment agree. */
function withSettings(command: Command, flags: readonly string[]): Command {
  command.option(...configOption);
  for (const { flag, describe, fallback, name } of describeSettings()) {
    if (flag === undefined || !flags.includes(flag)) continue;
    const value =
      name === "port" || name === "workers" || name === "drain_seconds" || name === "proxies"
        ? "N"
        : name;
    command.option(`${flag} <${value}>`, `${describe} Default: ${fallback}.`);
  }
  return command;
}

const workerExamples = `
The key of the environment comes from PLINTH_ENVIRONMENT_KEY. Ctrl-C takes no more work, and lets
calls that run end; a second one ends at once. /workspace of a session stays on this machine.
Memory stores of a session lie in its sandbox at the paths that the session shows; what its agent
writes there is in the store after each call. Where work fails, more is asked for after pauses.

Examples:
  export PLINTH_ENVIRONMENT_KEY=$(plinth environments keys create env_01m7…)
  plinth worker --environment env_01m7… --url https://plinth.example.com
  plinth worker --environment env_01m7… --sessions 8 --keep 30 --directory /var/lib/plinth-worker

Exit codes: 0 stopped, 1 refused or failed, 2 usage, 3 key, 130 ended by a second Ctrl-C.`;

const examples = `
Examples:
  plinth start                          the server on http://127.0.0.1:8787, with its own database
  plinth start --port 0 --data-dir /tmp/p   another one beside it, on any free port
  plinth init --json --organization Acme    an organization, its owner and its first keys
  plinth message "What is a plinth?"        one question to a model, its answer as it comes
  plinth batch submit requests.jsonl        many of them in the background, at half the price
  plinth files upload report.pdf            a file that messages may name
  plinth memory edit notes:/todo.md         a text of a memory store in your editor
  plinth agents create --file agent.json    an agent, kept with every version of it
  plinth sessions run Helper "Sum it up."   a session of an agent, as it happens
  plinth worker --environment env_01m7…     their tools, on a machine of yours
  plinth doctor                         what works on this machine, and how to mend what does not

Settings come from plinth.config.json, over it PLINTH_* variables (DATABASE_URL too), over them flags.`;

/** The words behind `plinth`; gives the exit code. */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await program(terminal).parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageExitCode;
    if (error instanceof ExitError || error instanceof CliError) {
      terminal.note(`plinth: ${error.message}\n`);
      return error.exitCode;
    }
    throw error;
  }
}

if (import.meta.main) {
  // `plinth --help | head -1` closes the pipe early: its reader has gone, and that is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const terminal = processTerminal(process.env, systemClock, systemRandom);
  process.exitCode = await main(process.argv.slice(2), terminal);
}
