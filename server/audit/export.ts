// The audit log as a file: JSON lines, or a table for a spreadsheet; written while it is read, page by page.
import { Readable } from "node:stream";
import { csvHead, csvLine } from "../../kernel/base/csv.ts";
import type { Context } from "../../kernel/context.ts";
import { stream, type Reply } from "../../kernel/http/output/reply.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import { filterOf, toEvent } from "./service-read.ts";
import type { AuditEvent, AuditExportQuery } from "./schema.ts";

const types = { jsonl: "application/x-jsonl", csv: "text/csv; charset=utf-8" } as const;

export async function exportEvents(context: Context, query: AuditExportQuery): Promise<Reply> {
  const { format } = query;
  const filter = await filterOf(context, query);
  const day = context.clock.now().toISOString().slice(0, 10);
  const lines = format === "csv" ? csv(context, filter) : jsonLines(context, filter);
  return stream(Readable.from(lines, { objectMode: false }), types[format], {
    "content-disposition": `attachment; filename="audit-${day}.${format}"`,
  });
}

/** No transaction stays open for a slow reader: each page begins where the last one ended. */
async function* pages(
  { db, who }: Context,
  filter: queries.EventFilter | null,
): AsyncGenerator<AuditEvent[]> {
  let before: queries.EventWindow["before"] = null;
  if (filter === null) return;
  for (;;) {
    const window: queries.EventWindow = { before, rows: limits.exportedAtOnce };
    const rows: queries.ListedRow[] = await queries.listEvents(
      db,
      who.organizationId,
      filter,
      window,
    );
    yield rows.map(toEvent);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limits.exportedAtOnce) return;
    before = { at: last.place, id: last.id };
  }
}

async function* jsonLines(
  context: Context,
  filter: queries.EventFilter | null,
): AsyncGenerator<string> {
  for await (const events of pages(context, filter))
    yield events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

const columns: Record<string, (event: AuditEvent) => string> = {
  time: ({ at }) => at,
  action: ({ action }) => action,
  actor_type: ({ actor }) => actor.type,
  actor_id: ({ actor }) => actor.id ?? "",
  actor_name: ({ actor }) => actor.name ?? "",
  target_type: ({ target }) => target?.type ?? "",
  target_id: ({ target }) => target?.id ?? "",
  address: ({ address }) => address,
  request_id: ({ request_id }) => request_id ?? "",
  details: ({ details }) => JSON.stringify(details),
  event_id: ({ id }) => id,
  sequence: ({ sequence }) => String(sequence),
  hash: ({ hash }) => hash,
};

async function* csv(context: Context, filter: queries.EventFilter | null): AsyncGenerator<string> {
  yield csvHead(Object.keys(columns));
  for await (const events of pages(context, filter))
    yield events
      .map((event) => csvLine(Object.values(columns).map((textOf) => textOf(event))))
      .join("");
}
