// `plinth webhooks create`, `update`, `delete`, `rotate-secret`, `test` and `replay`.
import type { Client } from "../../contract/client.ts";
import type { WebhookDelivery, WorkspaceWebhooksTestBody } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { Flags, YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import { askOfEndpoints, paramsOf } from "./calls.ts";
import type { TestFlags, WebhookFlags, WhoseFlags } from "./options.ts";
import { answerOf } from "./read.ts";

function fieldsOf({ address, events, name, description }: WebhookFlags): Record<string, unknown> {
  return {
    ...(address !== undefined && { url: address }),
    ...(events !== undefined && { enabled_events: events }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
}

export async function create(terminal: Terminal, flags: WebhookFlags): Promise<void> {
  if (flags.address === undefined || flags.events === undefined)
    throw new CliError(
      "An endpoint needs where and what: --address https://… --events session.idled.",
      exitCodes.usage,
    );
  const fields = fieldsOf(flags);
  const made = await askOfEndpoints(terminal, flags, (calls) => calls.create(fields));
  printResult(terminal, flags, made, () => `${made.signing_secret}\n`);
  if (flags.json !== true) noteSecret(terminal, made.id);
}

const noteSecret = (terminal: Terminal, id: string) =>
  terminal.note(`${terminal.dim(`${id}: the secret is shown this once; keep it safe.`)}\n`);

export async function update(terminal: Terminal, id: string, flags: WebhookFlags): Promise<void> {
  const { enable = false, disable = false } = flags;
  if (enable && disable)
    throw new CliError("Say --enable or --disable, not both.", exitCodes.usage);
  const fields = {
    ...fieldsOf(flags),
    ...((enable || disable) && { state: enable ? "enabled" : "disabled" }),
  };
  if (Object.keys(fields).length === 0)
    throw new CliError(
      "Say what to change: --address, --events, --name, --description, --enable or --disable.",
      exitCodes.usage,
    );
  const changed = await askOfEndpoints(terminal, flags, (calls) => calls.update(id, fields));
  printResult(terminal, flags, changed, () => `updated ${id}\n`);
}

export async function remove(
  terminal: Terminal,
  id: string,
  flags: YesFlags & WhoseFlags,
): Promise<void> {
  if (flags.yes !== true) {
    const { name, url } = await askOfEndpoints(terminal, flags, (calls) => calls.show(id));
    terminal.note(
      `${escapeControls(name || url)} (${id})\nWhat is on its way there is dropped. That cannot be undone.\n`,
    );
    await confirm(terminal, "Delete?", "Nothing was deleted.");
  }
  const deleted = await askOfEndpoints(terminal, flags, (calls) => calls.remove(id));
  printResult(terminal, flags, deleted, () => `deleted ${id}\n`);
}

export async function rotateSecret(
  terminal: Terminal,
  id: string,
  flags: WhoseFlags,
): Promise<void> {
  const made = await askOfEndpoints(terminal, flags, (calls) => calls.renew(id));
  printResult(terminal, flags, made, () => `${made.signing_secret}\n`);
  if (flags.json !== true) noteSecret(terminal, id);
}

const lookEveryMs = 250;
/** An attempt takes ten seconds at most; the rest is for the way to it. */
const looksMax = 60;

export async function test(terminal: Terminal, id: string, flags: TestFlags): Promise<void> {
  const { event } = flags;
  const params = paramsOf(id);
  const body = (event === undefined ? {} : { event_type: event }) as WorkspaceWebhooksTestBody;
  await followDelivery(terminal, id, flags, (client) =>
    client.workspace_webhooks.test({ params, body }),
  );
}

export async function replay(
  terminal: Terminal,
  id: string,
  delivery: string,
  flags: Flags,
): Promise<void> {
  const params = { ...paramsOf(id), webhook_delivery_id: delivery };
  await followDelivery(terminal, id, flags, (client) =>
    client.workspace_webhooks.replay({ params }),
  );
}

/** Waits for the first answer to what is sent; ends with 1 where it is not taken. */
async function followDelivery(
  terminal: Terminal,
  id: string,
  flags: Flags,
  send: (client: Client) => Promise<WebhookDelivery>,
): Promise<void> {
  const delivery = await askWithApiKey(terminal, flags, async (client) => {
    const sent = await send(client);
    let newest = sent;
    for (let look = 0; look < looksMax && newest.attempts === 0; look++) {
      await terminal.clock.sleep(lookEveryMs);
      const { data } = await client.workspace_webhooks.deliveries({ params: paramsOf(id) });
      newest = data.find((each) => each.id === sent.id) ?? newest;
    }
    return newest;
  });
  const isDelivered = delivery.state === "delivered";
  const outcome = isDelivered ? "delivered" : "not delivered";
  printResult(
    terminal,
    flags,
    delivery,
    () => `${outcome}: ${delivery.event_type}, ${answerOf(delivery)}\n`,
  );
  if (!isDelivered)
    throw new CliError(`The event was not taken; see plinth webhooks deliveries ${id}.`);
}
