// Prints the audit log: a page with filters, or the log in its own order, and what comes behind.
import type { Client } from "../../contract/client.ts";
import type { AuditEvent } from "../../contract/types.ts";
import { namesOf, type Names } from "../names.ts";
import type { IdsFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { printPage, type PageFlags } from "../workspace-calls.ts";

export interface AuditFlags extends PageFlags, IdsFlags {
  action?: string;
  by?: string;
  of?: string;
  address?: string;
  from?: string;
  to?: string;
  search?: string;
  after?: number;
  follow?: boolean;
}

const lookEveryMs = 2_000;

export async function audit(terminal: Terminal, flags: AuditFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_ADMIN_KEY"]);
  const { after, follow = false } = flags;
  if (after === undefined && !follow) return printNewest(terminal, client, flags);
  expectWhole(flags);
  await withServerErrors(client, async () => {
    const last = await printBehind(terminal, client, flags, after ?? (await newest(client)));
    if (follow) await printOn(terminal, client, flags, last);
  });
}

async function printNewest(terminal: Terminal, client: Client, flags: AuditFlags): Promise<void> {
  const { limit, page: cursor, action, by, of, address, from, to, search } = flags;
  const filters = { action, actor_id: by, target_id: of, address, from, to, q: search };
  const query = { limit, page: cursor, ...filters };
  const { page, names } = await withServerErrors(client, async () => {
    const page = await client.audit_events.list({ query });
    const isBare = flags.ids === true || flags.json === true;
    const shown = isBare ? [] : page.data.map(({ target }) => target?.id ?? null);
    return { page, names: await namesOf(client, shown) };
  });
  printPage(terminal, flags, page, {
    titles: ["TIME", "ACTION", "BY", "OF", "ADDRESS", "SEQUENCE"],
    row: (event) => cellsOf(event, names),
    none: "Nothing was found in the audit log.",
  });
}

/** The log in its own order has no filters. */
function expectWhole(flags: AuditFlags): void {
  const names = ["action", "by", "of", "address", "from", "to", "search", "page"] as const;
  const filter = names.find((name) => flags[name] !== undefined);
  if (filter === undefined) return;
  const order = flags.follow === true ? "follow" : "after";
  const words = `--${order} gives all of the log, in its order: leave out --${filter}.`;
  throw new CliError(words, exitCodes.usage);
}

async function newest(client: Client): Promise<number> {
  const { data } = await client.audit_events.list({ query: { limit: 1 } });
  return data[0]?.sequence ?? 0;
}

/** Up to the end of the log; answers the number of the last event. */
async function printBehind(
  terminal: Terminal,
  client: Client,
  { json }: AuditFlags,
  after: number,
): Promise<number> {
  const query = { after_sequence: after, limit: 100 };
  let last = after;
  for await (const event of client.pages(client.audit_events.list, { query })) {
    last = event.sequence;
    const line = json === true ? JSON.stringify(event) : cellsOf(event).join("  ");
    terminal.write(`${line}\n`);
  }
  return last;
}

async function printOn(
  terminal: Terminal,
  client: Client,
  flags: AuditFlags,
  from: number,
): Promise<never> {
  const leaving = new AbortController();
  const release = terminal.onInterrupt(() => leaving.abort());
  try {
    let last = from;
    while (await terminal.clock.sleep(lookEveryMs, leaving.signal))
      last = await printBehind(terminal, client, flags, last);
    throw new CliError("Stopped.", exitCodes.interrupted);
  } finally {
    release();
  }
}

/** Names come from people, and ids stand where there is none. */
function cellsOf(event: AuditEvent, names: Names = new Map()): string[] {
  const { at, action, actor, target, address, sequence } = event;
  const who = actor.name ?? actor.id ?? actor.type;
  const what = target === null ? "-" : (names.get(target.id) ?? target.id);
  const cells = [at.slice(0, 19), action, who, what, address || "-", String(sequence)];
  return cells.map(escapeControls);
}
