// `plinth sessions …`: its commands and their help; what each does is loaded when it is asked for.
import { Argument, Option, type Command } from "commander";
import {
  idParser,
  jsonOption,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import { withMetadata } from "./request-body.ts";
import {
  budget,
  budgetOrNone,
  names,
  statuses,
  store,
  vaultOption,
  type AnswerFlags,
  type ConfirmFlags,
  type EventFlags,
  type RunFlags,
  type SendFlags,
  type SessionListFlags,
  type UpdateFlags,
} from "./sessions/options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages } from "./workspace-calls.ts";

const parseSession = idParser("session", "sesn_01m7");
const sessionId = ["<id>", "the id of the session", parseSession] as const;
const callId = ["<call>", "the id of the call's event", idParser("call", "sevt_01m7")] as const;
const eventJson = ["--json", "print the event that was sent as one JSON object"] as const;

export function addSessions(plinth: Command, terminal: Terminal): void {
  const sessions = plinth
    .command("sessions")
    .description("runs of agents: begin one, talk to it, watch it; with the key in PLINTH_API_KEY")
    .addHelpText("after", examples);
  addRun(sessions, terminal);
  addReads(sessions, terminal);
  addSends(sessions, terminal);
  addAnswers(sessions, terminal);
  addUpdate(sessions, terminal);
  addEnds(sessions, terminal);
}

function addRun(sessions: Command, terminal: Terminal): void {
  sessions
    .command("run")
    .description("begin a session of an agent, or go on with one, and follow it until it rests")
    .argument("[agent]", "id of the agent, or its name; not with --session")
    .argument("[text]", "what it is told; - reads it from standard input")
    .option("--session <id>", "go on with this session", parseSession)
    .option(
      "--environment <id>",
      "where its tools run; may be left out where there is one alone",
      idParser("environment", "env_01m7"),
    )
    .option("--title <text>", "what the session is called")
    .option("--budget <dollars>", "what it may cost, such as 2.50", budget)
    .option("--store <id[:read_only]>", "a memory store that it has; once for each", store)
    .option(...vaultOption)
    .option("--json", "print session, events and the session at its end, a JSON object a line")
    .option(...urlOption)
    .addHelpText("after", runHelp)
    .action(async (agent: string | undefined, text: string | undefined, flags: RunFlags) =>
      (await import("./sessions/run.ts")).run(terminal, agent, text, flags),
    );
}

function addReads(sessions: Command, terminal: Terminal): void {
  withPages(
    sessions
      .command("list")
      .description("the sessions of the key's workspace, newest first")
      .option("--agent <agent>", "those of this agent, by its id or name")
      .addOption(new Option("--status <status...>", "those that are so").choices(statuses))
      .option("--archived", "those that are archived as well; they are all terminated"),
  ).action(async (flags: SessionListFlags) =>
    (await import("./sessions/read.ts")).list(terminal, flags),
  );
  sessions
    .command("show")
    .description("how a session stands, what it has and what it has cost")
    .argument(...sessionId)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./sessions/read.ts")).show(terminal, id, flags),
    );
  sessions
    .command("events")
    .description("what has happened in a session, oldest first")
    .argument(...sessionId)
    .option("--follow", "go on with what happens from now on, until Ctrl-C or its end")
    .option("--types <types>", "events of these types, with commas", names)
    .option("--since <time>", "what was processed from then on, such as 2026-11-26T08:00:00Z")
    .option("--json", "print a JSON object a line, as the API gives it")
    .option(...urlOption)
    .addHelpText("after", eventsHelp)
    .action(async (id: string, flags: EventFlags) =>
      (await import("./sessions/read.ts")).events(terminal, id, flags),
    );
}

function addSends(sessions: Command, terminal: Terminal): void {
  sessions
    .command("send")
    .description("say something to a session; while it runs, that waits for its turn")
    .argument(...sessionId)
    .argument("<text>", "what it is told; - reads it from standard input")
    .option("--wait", "until it rests, and print what the agent says")
    .option("--json", "print the event as one JSON object; with --wait as run does")
    .option(...urlOption)
    .action(async (id: string, text: string, flags: SendFlags) =>
      (await import("./sessions/write.ts")).send(terminal, id, text, flags),
    );
  sessions
    .command("interrupt")
    .description("end what runs in a session; it can be talked to again")
    .argument(...sessionId)
    .option(...eventJson)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./sessions/write.ts")).interrupt(terminal, id, flags),
    );
}

function addAnswers(sessions: Command, terminal: Terminal): void {
  sessions
    .command("confirm")
    .description("allow or deny a call of a tool that asks first")
    .argument(...sessionId)
    .argument(...callId)
    .addArgument(new Argument("<answer>", "whether it may run").choices(["allow", "deny"]))
    .option("--why <text>", "why it is denied, for the agent to read")
    .option(...eventJson)
    .option(...urlOption)
    .action(async (id: string, call: string, answer: "allow" | "deny", flags: ConfirmFlags) =>
      (await import("./sessions/write.ts")).confirm(terminal, id, call, answer, flags),
    );
  sessions
    .command("answer")
    .description("give the result of a custom tool that the agent has called")
    .argument(...sessionId)
    .argument(...callId)
    .argument("<text>", "the result: a text, or an array of content as JSON; - is standard input")
    .option("--error", "the tool has failed, and the text says why")
    .option(...eventJson)
    .option(...urlOption)
    .action(async (id: string, call: string, text: string, flags: AnswerFlags) =>
      (await import("./sessions/write.ts")).answer(terminal, id, call, text, flags),
    );
}

function addUpdate(sessions: Command, terminal: Terminal): void {
  withMetadata(
    sessions
      .command("update")
      .description("change title, budget or metadata of a session; the rest stays")
      .argument(...sessionId)
      .option("--title <text>", 'what it is called; "" takes it away')
      .option("--budget <dollars>", "what it may cost; none takes it away for good", budgetOrNone),
  )
    .option(...jsonOption)
    .option(...urlOption)
    .addHelpText("after", updateHelp)
    .action(async (id: string, flags: UpdateFlags) =>
      (await import("./sessions/write.ts")).update(terminal, id, flags),
    );
}

function addEnds(sessions: Command, terminal: Terminal): void {
  const add = (name: string, description: string) =>
    sessions
      .command(name)
      .description(description)
      .argument(...sessionId)
      .option(...yesOption)
      .option(...jsonOption)
      .option(...urlOption);
  add("archive", "end a session for ever; it can be read").action(
    async (id: string, flags: YesFlags) =>
      (await import("./sessions/write.ts")).archive(terminal, id, flags),
  );
  add("delete", "delete a session that does not run, with its events").action(
    async (id: string, flags: YesFlags) =>
      (await import("./sessions/write.ts")).remove(terminal, id, flags),
  );
}

const examples = `
Examples:
  plinth sessions run Helper "Sum up the week." --title "Week 48" --budget 2.50
  plinth sessions run --session sesn_01m7… "Shorter, please."
  plinth sessions list --status running
  plinth sessions events sesn_01m7… --follow
  plinth sessions update sesn_01m7… --budget 5

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 4 a call waits, 130 Ctrl-C.`;

const runHelp = `
What the agent says goes to standard output, all else beside it: its calls, the work of other agents,
errors, and at the end what it has cost. It asks for what the agent may not do by itself, and for results of
custom tools. Where there is no terminal to ask at, it ends with 4 and says how to answer.

Ctrl-C interrupts the session and waits for its end; a second one leaves at once. With --session and
without a text it follows what is under way.

Examples:
  plinth sessions run Helper "Which files are large?" --environment env_01m7…
  plinth sessions run agent_01m7… - --store memstore_01m7…:read_only < question.txt
  plinth sessions run Helper "Check it." --json | jq -r 'select(.type == "agent.tool_use").name'
  plinth sessions run --session sesn_01m7…`;

const eventsHelp = `
Examples:
  plinth sessions events sesn_01m7… --types agent.message,session.error
  plinth sessions events sesn_01m7… --follow --since 2026-11-26T08:00:00Z --json`;

const updateHelp = `
A session that began without a budget gets none later. One that its budget has stopped goes on when that is
raised. --metadata key= takes a key away.

Examples:
  plinth sessions update sesn_01m7… --title "Week 48" --metadata team=search
  plinth sessions update sesn_01m7… --budget 5`;
