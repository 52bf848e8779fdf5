// `plinth batch …`: its commands and their help; what each does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import { resultTypes, type ResultType } from "../client/batches/counts.ts";
import { positiveInteger, urlOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import type { CancelFlags, Flags, ListFlags, ResultsFlags, SubmitFlags } from "./batch/options.ts";

export function addBatch(plinth: Command, terminal: Terminal): void {
  const batch = plinth
    .command("batch")
    .description(
      "many requests in the background, at half the price, with the key in PLINTH_API_KEY",
    )
    .addHelpText("after", examples);
  addSubmit(batch, terminal);
  addWatch(batch, terminal);
  addResults(batch, terminal);
  addCancel(batch, terminal);
  addList(batch, terminal);
}

function addSubmit(batch: Command, terminal: Terminal): void {
  batch
    .command("submit")
    .description("send a file of requests as a new batch, and print its id")
    .argument("<file>", "requests, one on a line, or the body of the API; - is standard input")
    .option("--number", "lines that are bare message requests get line-1, line-2, … as custom_id")
    .option("--watch", "go on watching until the batch has ended, and end as watch does")
    .option("--json", "print the batch as one JSON object: as it ended, with --watch")
    .option("--quiet", "print the id alone, and no progress")
    .option(...urlOption)
    .addHelpText("after", fileHelp)
    .action(async (file: string, flags: SubmitFlags) =>
      (await import("./batch/submit.ts")).submit(terminal, file, flags),
    );
}

function addWatch(batch: Command, terminal: Terminal): void {
  batch
    .command("watch")
    .description("show how far a batch is until it has ended; Ctrl-C leaves it running")
    .argument("<id>", "the id of the batch", batchId)
    .option("--json", "print the batch as one JSON object, once it has ended")
    .option("--quiet", "show no progress")
    .option(...urlOption)
    .addHelpText("after", watchHelp)
    .action(async (id: string, flags: Flags) =>
      (await import("./batch/watch.ts")).watch(terminal, id, flags),
    );
}

function addResults(batch: Command, terminal: Terminal): void {
  batch
    .command("results")
    .description("the results of a batch that has ended, one JSON object on a line")
    .argument("<id>", "the id of the batch", batchId)
    .option("--out <file>", "write them to this file, or go on with the part of them that it holds")
    .option("--type <types>", `only results of these types, with commas: ${typeNames}`, types)
    .option("--json", "with --out: print one JSON object that says what was written")
    .option("--quiet", "with --out: show no progress")
    .option(...urlOption)
    .addHelpText("after", resultsHelp)
    .action(async (id: string, flags: ResultsFlags) =>
      (await import("./batch/results.ts")).results(terminal, id, flags),
    );
}

function addCancel(batch: Command, terminal: Terminal): void {
  batch
    .command("cancel")
    .description("cancel what of a batch has not begun")
    .argument("<id>", "the id of the batch", batchId)
    .option("--yes", "do not ask first; needed where there is no terminal to ask at")
    .option("--json", "print the batch as one JSON object")
    .option(...urlOption)
    .addHelpText("after", cancelHelp)
    .action(async (id: string, flags: CancelFlags) =>
      (await import("./batch/cancel.ts")).cancel(terminal, id, flags),
    );
}

function addList(batch: Command, terminal: Terminal): void {
  batch
    .command("list")
    .description("the batches of the key's workspace, newest first")
    .option("--limit <N>", "how many, up to 1000", positiveInteger, 20)
    .option("--after <id>", "those that come after this one in the list", batchId)
    .option("--json", "print the page as one JSON object, as the API gives it")
    .option(...urlOption)
    .action(async (flags: ListFlags) => (await import("./batch/list.ts")).list(terminal, flags));
}

function batchId(text: string): string {
  if (!/^\w[\w-]*$/.test(text))
    throw new InvalidArgumentError("It must be the id of a batch, such as msgbatch_01m7….");
  return text;
}

const typeNames = resultTypes.join(", ");

function types(text: string): ResultType[] {
  const names = text.split(",").map((name) => name.trim());
  return names.map((name) => {
    const type = resultTypes.find((known) => known === name);
    if (type === undefined) throw new InvalidArgumentError(`Types of results are ${typeNames}.`);
    return type;
  });
}

const examples = `
Examples:
  plinth batch submit requests.jsonl --watch        send a file, and wait for its end
  plinth batch results msgbatch_… --out answers.jsonl
  plinth batch results msgbatch_… --type errored    only what went wrong
  ID=$(plinth batch submit requests.jsonl --quiet)

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 4 ended with requests that errored or
expired, 130 Ctrl-C.`;

const fileHelp = `
The file:
  {"custom_id": "a-1", "params": {"model": "sim-large", "max_tokens": 256, "messages": […]}}

One such line for each request, or one object {"requests": […]} as the API takes it: which of both
it is shows in the file. Empty lines are skipped. A file of lines is checked before anything is
sent; a pipe is checked as it is sent, and one broken line refuses all of it. A line without
custom_id is refused, or with --number gets the number of its line: line-17. Files of any size are
read as they are sent, and never held in memory.`;

const watchHelp = `
Ends with 0 when every request succeeded or was canceled, with 4 when some errored or expired.
On a terminal it draws a bar, elsewhere it writes a line for each change; both on standard error.
The outcome is on standard output. A server that does not answer for a while is waited for.`;

const resultsHelp = `
They come in any order: custom_id says which request each belongs to. An interrupted --out goes on
where it stopped when it is called again. With --type it cannot, and wants a file that is not there.`;

const cancelHelp = `
Requests under way may still finish. What succeeded is charged and has its result; the rest is
canceled, and costs nothing.`;
