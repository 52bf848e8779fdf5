// `plinth message`: one question to a model, its answer on standard output as it comes.
import { Option, type Command } from "commander";
import { fallbackBeta, type Message } from "../client/messages/message.ts";
import type { Client } from "../contract/client.ts";
import { positiveInteger, urlOption } from "./options.ts";
import { escapeControls, makePrinter } from "./print-answer.ts";
import { clientOf, withServerErrors } from "./server-calls.ts";
import { CliError, exitCodes, type Terminal } from "./terminal.ts";

interface Flags {
  model: string;
  system?: string;
  effort?: string;
  thinking?: string;
  maxTokens: number;
  fallbacks?: string;
  json?: boolean;
  url?: string;
}

export function addMessage(plinth: Command, terminal: Terminal): void {
  plinth
    .command("message")
    .description("ask a model, with the key in PLINTH_API_KEY; the answer streams to the terminal")
    .argument("<text>", "what to ask; - reads it from standard input")
    .option("--model <id>", "which model answers", "sim-large")
    .option("--system <text>", "a system prompt")
    .addOption(
      new Option("--effort <level>", "how hard it tries, where the model takes it").choices([
        "low",
        "medium",
        "high",
        "xhigh",
        "max",
      ]),
    )
    .addOption(
      new Option("--thinking <type>", "whether it thinks first; shown dimmed to a person").choices([
        "adaptive",
        "disabled",
      ]),
    )
    .option("--max-tokens <N>", "the most it may write", positiveInteger, 4_096)
    .option("--fallbacks <models>", "what goes on when it refuses: default, or models with commas")
    .option("--json", "print the whole answer as one JSON object, at its end")
    .option(...urlOption)
    .action((text: string, flags: Flags) => message(terminal, text, flags));
}

export async function message(terminal: Terminal, text: string, flags: Flags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const question = text === "-" ? (await terminal.readInput()).trimEnd() : text;
  if (question.trim() === "")
    throw new CliError("There is nothing to ask: the text is empty.", exitCodes.usage);
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  const input = inputOf(question, flags, stopping.signal);
  let answer: Message;
  try {
    answer = await withServerErrors(client, () =>
      flags.json === true ? whole(terminal, client, input) : streamed(terminal, client, input),
    );
  } catch (error) {
    if (stopping.signal.aborted) throw new CliError("Stopped.", exitCodes.interrupted);
    throw error;
  } finally {
    release();
  }
  if (answer.stop_reason === "refusal") throw new CliError(refusalText(answer));
}

type Input = Parameters<Client["messages"]["create"]>[0];

function inputOf(question: string, flags: Flags, signal: AbortSignal): Input {
  const { fallbacks, effort, thinking } = flags;
  const body = {
    model: flags.model,
    max_tokens: flags.maxTokens,
    messages: [{ role: "user", content: question }],
    stream: flags.json !== true,
    ...(flags.system !== undefined && { system: flags.system }),
    ...(effort !== undefined && { output_config: { effort } }),
    ...(thinking !== undefined && { thinking: { type: thinking } }),
    ...(fallbacks !== undefined && {
      fallbacks:
        fallbacks === "default"
          ? fallbacks
          : fallbacks.split(",").map((model) => ({ model: model.trim() })),
    }),
  };
  const headers = fallbacks === undefined ? {} : { "vendor-beta": fallbackBeta };
  // The server checks the fields, and explains errors in a sentence.
  return { body: body as Input["body"], headers, signal };
}

async function whole(terminal: Terminal, client: Client, input: Input): Promise<Message> {
  const reply = await client.messages.create(input);
  terminal.write(`${JSON.stringify(reply)}\n`);
  return reply as Message;
}

async function streamed(terminal: Terminal, client: Client, input: Input): Promise<Message> {
  const { body, ...rest } = input;
  const events = await client.messages.create({ ...rest, body: { ...body, stream: true } });
  const printer = makePrinter(terminal);
  try {
    for await (const event of events) printer.take(event);
  } catch (error) {
    printer.endLine();
    // Fetch throws the same error for a broken body as for a missing answer.
    if (!(error instanceof TypeError)) throw error;
  }
  const answer = printer.answer();
  if (answer === undefined)
    throw new CliError("The connection broke in the middle of the answer. Ask again.");
  printer.finish(answer);
  return answer;
}

function refusalText({ model, stop_details }: Message): string {
  const { category = null, explanation = null } = stop_details ?? {};
  const why = category === null ? "" : ` (${category})`;
  return `${model} refused${why}. ${explanation === null ? "Ask otherwise, or name --fallbacks." : escapeControls(explanation)}`;
}
