// The request log as a file: JSON lines, or a table for a spreadsheet; written while it is read, page by page.
import { Readable } from "node:stream";
import { csvHead, csvLine } from "../../kernel/base/csv.ts";
import type { Context } from "../../kernel/context.ts";
import { stream, type Reply } from "../../kernel/http/output/reply.ts";
import { limits } from "./limits.ts";
import type { LoggedRequest, RequestExportQuery } from "./schema.ts";
import { listBack } from "./service.ts";

const types = { jsonl: "application/x-jsonl", csv: "text/csv; charset=utf-8" } as const;

export async function exportRequests(
  context: Context,
  { format, ...query }: RequestExportQuery,
): Promise<Reply> {
  const readAfter = (page: string | null) =>
    listBack(context, { ...query, ...(page !== null && { page }) }, limits.exportedAtOnce);
  // What is wrong with the filters is an answer of its own: no file has begun yet.
  const first = await readAfter(null);
  const day = context.clock.now().toISOString().slice(0, 10);
  const pages = pagesFrom(first, readAfter);
  const lines = format === "csv" ? csv(pages) : jsonLines(pages);
  return stream(Readable.from(lines, { objectMode: false }), types[format], {
    "content-disposition": `attachment; filename="requests-${day}.${format}"`,
  });
}

interface Page {
  data: LoggedRequest[];
  next_page: string | null;
}

/** No transaction stays open for a slow reader: each page begins where the last one ended. */
async function* pagesFrom(first: Page, readAfter: (page: string) => Promise<Page>) {
  let page = first;
  for (;;) {
    yield page.data;
    if (page.next_page === null) return;
    page = await readAfter(page.next_page);
  }
}

async function* jsonLines(pages: AsyncIterable<LoggedRequest[]>): AsyncGenerator<string> {
  for await (const requests of pages)
    yield requests.map((request) => `${JSON.stringify(request)}\n`).join("");
}

const text = (value: string | number | null | undefined) => String(value ?? "");

const columns: Record<string, (request: LoggedRequest) => string> = {
  time: ({ at }) => at,
  request_id: ({ id }) => id,
  status: ({ status }) => text(status),
  error_type: ({ error }) => text(error?.type),
  error: ({ error }) => text(error?.message),
  origin: ({ origin }) => origin,
  operation: ({ operation }) => operation,
  method: ({ method }) => text(method),
  path: ({ path }) => text(path),
  workspace_id: ({ workspace_id: id }) => text(id),
  credential_id: ({ credential_id: id }) => id,
  user_id: ({ user_id: id }) => text(id),
  model: ({ model }) => text(model),
  served_model: ({ served_model: model }) => text(model),
  upstream: ({ upstream }) => text(upstream),
  fell_back: ({ fell_back: did }) => String(did),
  stop_reason: ({ stop_reason: reason }) => text(reason),
  input_tokens: ({ usage }) => text(usage?.input_tokens),
  cache_creation_input_tokens: ({ usage }) => text(usage?.cache_creation_input_tokens),
  cache_read_input_tokens: ({ usage }) => text(usage?.cache_read_input_tokens),
  output_tokens: ({ usage }) => text(usage?.output_tokens),
  cost_in_cents: ({ cost }) => text(cost?.amount),
  currency: ({ cost }) => text(cost?.currency),
  first_token_ms: ({ first_token_ms: ms }) => text(ms),
  duration_ms: ({ duration_ms: ms }) => text(ms),
  attempts: ({ attempts }) => text(attempts.length),
  session_id: ({ session_id: id }) => text(id),
  batch_id: ({ batch_id: id }) => text(id),
};

async function* csv(pages: AsyncIterable<LoggedRequest[]>): AsyncGenerator<string> {
  yield csvHead(Object.keys(columns));
  for await (const requests of pages)
    yield requests
      .map((request) => csvLine(Object.values(columns).map((textOf) => textOf(request))))
      .join("");
}
