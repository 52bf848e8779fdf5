// `plinth webhooks list`, `show` and `deliveries`.
import type { WebhookDelivery } from "../../contract/types.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import { askOfEndpoints } from "./calls.ts";
import type { WhoseFlags } from "./options.ts";

export async function list(terminal: Terminal, flags: WhoseFlags): Promise<void> {
  const page = await askOfEndpoints(terminal, flags, (calls) => calls.list());
  if (flags.json !== true && page.data.length === 0)
    return terminal.note("There are no webhook endpoints here.\n");
  printResult(terminal, flags, page, () =>
    listTable(
      terminal,
      ["ID", "NAME", "STATE", "EVENTS", "ADDRESS", "CREATED"],
      page.data.map((endpoint) => [
        endpoint.id,
        escapeControls(endpoint.name || "-"),
        endpoint.state,
        String(endpoint.enabled_events.length),
        escapeControls(endpoint.url),
        formatDate(endpoint.created_at),
      ]),
    ),
  );
}

export async function show(terminal: Terminal, id: string, flags: WhoseFlags): Promise<void> {
  const found = await askOfEndpoints(terminal, flags, (calls) => calls.show(id));
  const facts: [string, string][] = [
    ["id", found.id],
    ["name", found.name || "-"],
    ["description", found.description || "-"],
    ["address", found.url],
    ["state", found.state],
    ...(found.disabled_reason === ""
      ? []
      : [["why", found.disabled_reason] satisfies [string, string]]),
    ...found.enabled_events.map((type): [string, string] => ["event", type]),
    ["created", found.created_at],
    ["changed", found.updated_at],
  ];
  printResult(terminal, flags, found, () =>
    detailsTable(
      facts.map(([name, value]) => [name, escapeControls(value.replaceAll(/\s+/g, " "))] as const),
    ),
  );
}

export async function deliveries(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { webhook_endpoint_id: id };
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.workspace_webhooks.deliveries({ params }),
  );
  if (flags.json !== true && found.data.length === 0)
    return terminal.note("Nothing was delivered there yet.\n");
  printResult(terminal, flags, found, () =>
    listTable(
      terminal,
      ["ID", "EVENT", "TYPE", "STATE", "ATTEMPTS", "ANSWER", "HAPPENED"],
      found.data.map((delivery) => [
        delivery.id,
        delivery.event_id,
        delivery.is_test ? `${delivery.event_type} (test)` : delivery.event_type,
        delivery.state,
        String(delivery.attempts),
        answerOf(delivery),
        formatDate(delivery.created_at),
      ]),
    ),
  );
}

export const answerOf = ({ attempts, status_code: status, error }: WebhookDelivery): string =>
  attempts === 0 ? "-" : error === null ? `status ${status}` : escapeControls(error);
