// `plinth logs`: its flags and their help; what it does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import type { LogsFlags } from "./logs/options.ts";
import { idParser, moment, positiveInteger } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages } from "./workspace-calls.ts";

export function addLogs(plinth: Command, terminal: Terminal): void {
  withPages(plinth.command("logs"))
    .argument("[request]", "one request, by its id", idParser("request", "req_01m7"))
    .description("the log of requests, with PLINTH_ADMIN_KEY or signed in")
    .option("--body", "with a request: what was said in it, where its workspace keeps that")
    .option("--follow", "go on with what ends from now on, until Ctrl-C")
    .option("--status <status>", "ok, error, 4xx, 5xx, or a number such as 429", status)
    .option("--model <model>", "that answered, or was asked for where none did")
    .option("--upstream <name>", "that this upstream answered, or was asked last for")
    .option("--key <id>", "of this key, token or sign-in")
    .option("--person <id>", "of this person or service account")
    .option("--workspace <id>", "in this workspace")
    .option("--session <id>", "of this session of an agent")
    .option("--batch <id>", "of this batch")
    .option("--refused", "that a model refused")
    .option("--fell-back", "that another model answered than the first")
    .option("--slow [ms]", "that took this long or longer: 10 s, or as many ms", positiveInteger)
    .option("--min-cost <cents>", "that cost this much or more", cents)
    .option("--error <words>", "with these words in the error")
    .option("--from <time>", "from then on, such as 2026-11-26 or 2026-11-26T08:00:00Z", moment)
    .option("--to <time>", "until before then", moment)
    .addHelpText("after", help)
    .action(async (request: string | undefined, flags: LogsFlags) => {
      if (flags.body === true)
        return (await import("./logs/body.ts")).showBody(terminal, request, flags);
      const { showLogs, showRequest } = await import("./logs/show.ts");
      await (request === undefined
        ? showLogs(terminal, flags)
        : showRequest(terminal, request, flags));
    });
}

function status(text: string): string {
  if (!/^(ok|error|[2-5]xx|[2-5]\d\d)$/.test(text))
    throw new InvalidArgumentError("It must be ok, error, 4xx, 5xx or a number such as 429.");
  return text;
}

function cents(text: string): string {
  if (!/^\d{1,9}(\.\d{1,7})?$/.test(text))
    throw new InvalidArgumentError("It must be an amount in cents, such as 2.5.");
  return text;
}

const help = `
Requests of keys and tokens, items of batches, turns of agents, and what people changed in the
console; newest first. The log holds no words of a conversation; --body reads what a workspace
keeps beside it, and each look is in the audit log.

Examples:
  plinth logs --status error                      what went wrong
  plinth logs req_01m7…                           one of them: who, why, which models, what it cost
  plinth logs req_01m7… --body --json | jq -r .request.text | jq .
  plinth logs --model sim-large --slow 5000
  plinth logs --key apikey_01m7… --from 2026-11-26
  plinth logs --follow --status 5xx
  plinth logs --follow --json >>requests.jsonl

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
