// `plinth webhooks …`: its commands and their help; what each does is loaded when it is asked for.
import type { Command } from "commander";
import {
  idParser,
  jsonOption,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import type { Terminal } from "./terminal.ts";
import type { TestFlags, WebhookFlags, WhoseFlags } from "./webhooks/options.ts";

const endpointId = [
  "<id>",
  "the id of the endpoint",
  idParser("webhook endpoint", "whep_01m7"),
] as const;

export function addWebhooks(plinth: Command, terminal: Terminal): void {
  const webhooks = plinth
    .command("webhooks")
    .description(
      "addresses that are told of what happens in the workspace, with the key in PLINTH_API_KEY, or in the organization",
    )
    .addHelpText("after", examples);
  addReads(webhooks, terminal);
  addWrites(webhooks, terminal);
  addSecretAndSends(webhooks, terminal);
}

const withOutput = (command: Command): Command =>
  command.option(...jsonOption).option(...urlOption);

const withWhose = (command: Command): Command =>
  withOutput(
    command.option(
      "--organization",
      "endpoints of the organization itself, with the key in PLINTH_ADMIN_KEY",
    ),
  );

function addReads(webhooks: Command, terminal: Terminal): void {
  withWhose(
    webhooks.command("list").description("the endpoints of the key's workspace, newest first"),
  ).action(async (flags: WhoseFlags) => (await import("./webhooks/read.ts")).list(terminal, flags));
  withWhose(
    webhooks
      .command("show")
      .description("what is known of an endpoint")
      .argument(...endpointId),
  ).action(async (id: string, flags: WhoseFlags) =>
    (await import("./webhooks/read.ts")).show(terminal, id, flags),
  );
  withOutput(
    webhooks
      .command("deliveries")
      .description("the last 20 deliveries to an endpoint, and how they went")
      .argument(...endpointId),
  ).action(async (id: string, flags: Flags) =>
    (await import("./webhooks/read.ts")).deliveries(terminal, id, flags),
  );
}

const withFields = (command: Command): Command =>
  withWhose(
    command
      .option("--address <https-url>", "where events are posted")
      .option(
        "--events <type...>",
        "which events: session.idled, agent.created and so on; with --organization alert.firing, alert.resolved, audit_event.created and others",
      )
      .option("--name <name>", "what it is called")
      .option("--description <text>", "what receives the events"),
  );

function addWrites(webhooks: Command, terminal: Terminal): void {
  withFields(webhooks.command("create"))
    .description("make an endpoint, and print its signing secret, which is shown this once")
    .action(async (flags: WebhookFlags) =>
      (await import("./webhooks/write.ts")).create(terminal, flags),
    );
  withFields(webhooks.command("update"))
    .description("change what is named of an endpoint; the rest stays")
    .argument(...endpointId)
    .option("--enable", "it is told of events again, and of what waited at once")
    .option("--disable", "nothing is posted there until it is enabled")
    .action(async (id: string, flags: WebhookFlags) =>
      (await import("./webhooks/write.ts")).update(terminal, id, flags),
    );
  withWhose(
    webhooks
      .command("delete")
      .description("delete an endpoint, with what is on its way there")
      .argument(...endpointId)
      .option(...yesOption),
  ).action(async (id: string, flags: YesFlags & WhoseFlags) =>
    (await import("./webhooks/write.ts")).remove(terminal, id, flags),
  );
}

function addSecretAndSends(webhooks: Command, terminal: Terminal): void {
  withWhose(
    webhooks
      .command("rotate-secret")
      .description("print a new signing secret; the old one signs beside it for a day")
      .argument(...endpointId),
  ).action(async (id: string, flags: WhoseFlags) =>
    (await import("./webhooks/write.ts")).rotateSecret(terminal, id, flags),
  );
  withOutput(
    webhooks
      .command("test")
      .description("send a test event, wait for the answer, and print it")
      .argument(...endpointId)
      .option("--event <type>", "one of its events (default: the first)"),
  ).action(async (id: string, flags: TestFlags) =>
    (await import("./webhooks/write.ts")).test(terminal, id, flags),
  );
  withOutput(
    webhooks
      .command("replay")
      .description("send the event of a delivery again, wait for the answer, and print it")
      .argument(...endpointId)
      .argument(
        "<delivery>",
        "the id of the delivery, which deliveries shows",
        idParser("delivery", "whdl_01m7"),
      ),
  ).action(async (id: string, delivery: string, flags: Flags) =>
    (await import("./webhooks/write.ts")).replay(terminal, id, delivery, flags),
  );
}

const examples = `
Examples:
  SECRET=$(plinth webhooks create --address https://hooks.example.com/plinth \\
    --events session.idled session.requires_action)
  plinth webhooks create --organization --address https://siem.example.com/plinth \\
    --events audit_event.created
  plinth webhooks test whep_01m7…
  plinth webhooks deliveries whep_01m7…
  plinth webhooks replay whep_01m7… whdl_01m7…
  plinth webhooks rotate-secret whep_01m7…

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
