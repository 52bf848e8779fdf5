// Reads the request log: pages with filters, what has just ended, and one request.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { timeOfId } from "../../kernel/base/ids.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize } from "../../kernel/http/pages.ts";
import { openSince } from "./days.ts";
import * as queries from "./queries.ts";
import type { LoggedRequest, RequestsQuery } from "./schema.ts";
import { shownRequest } from "./shown-request.ts";

export async function listRequests(context: Context, query: RequestsQuery) {
  return query.ended_after === undefined
    ? listBack(context, query, pageSize(query.limit))
    : listEnded(context, query.ended_after, query);
}

interface Cursor {
  at: string;
  id: string;
}

/**
 * Newest first. Days that are over have more indexes, so that the open ones are searched by themselves. A search that
 * finds too little in what a page may cost tells how far it came, and goes on from there.
 */
export async function listBack(
  { clock, db, secrets, who }: Context,
  query: Omit<RequestsQuery, "limit" | "ended_after">,
  size: number,
) {
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const cursor = cursors.read("requests", organizationId, query.page) as Cursor | undefined;
  const filter = filterOf(query);
  const rows: queries.RequestRow[] = [];
  let stoppedAt: queries.Place | null = null;
  for (const span of spansOf(query, cursor, openSince(clock.now()))) {
    const most = size + 1 - rows.length;
    const found = await queries.findRequests(db, organizationId, filter, { span, most });
    rows.push(...found.rows);
    if (rows.length > size) break;
    stoppedAt = found.stoppedAt;
    if (stoppedAt !== null) break;
  }
  const isFull = rows.length > size;
  const last = isFull ? rows[size - 1] : (stoppedAt ?? undefined);
  return {
    data: rows.slice(0, size).map(shownRequest),
    next_page:
      last === undefined
        ? null
        : cursors.write("requests", organizationId, { at: last.at.toISOString(), id: last.id }),
    searched_to: isFull ? null : (stoppedAt?.at.toISOString() ?? null),
  };
}

function spansOf(
  query: Pick<RequestsQuery, "from" | "to">,
  cursor: Cursor | undefined,
  open: Date,
): queries.Span[] {
  const from = timeOf(query.from);
  const to = timeOf(query.to);
  if (from !== null && to !== null && from >= to)
    throw invalid("from, to: from must lie before to.");
  const before = cursor === undefined ? null : { at: new Date(cursor.at), id: cursor.id };
  const newest = before?.at ?? to;
  const spans: queries.Span[] = [];
  if (newest === null || newest >= open)
    spans.push({
      from: from !== null && from > open ? from : open,
      until: to,
      before,
      isOver: false,
    });
  if (from === null || from < open)
    spans.push({ from, until: to !== null && to < open ? to : open, before, isOver: true });
  return spans;
}

const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text));

function filterOf(query: RequestsQuery): queries.RequestFilter {
  return {
    status: query.status === undefined ? null : statusesOf(query.status),
    model: query.model ?? null,
    upstream: query.upstream ?? null,
    credentialId: query.credential_id ?? null,
    userId: query.user_id ?? null,
    workspaceId: query.workspace_id ?? null,
    sessionId: query.session_id ?? null,
    batchId: query.batch_id ?? null,
    origin: query.origin ?? null,
    operation: query.operation ?? null,
    stopReason: query.stop_reason ?? null,
    fellBack: query.fell_back ?? null,
    minMs: query.min_duration_ms ?? null,
    minNano: query.min_cost === undefined ? null : Math.round(Number(query.min_cost) * nanoOfCent),
    error: query.error ?? null,
  };
}

const nanoOfCent = 10_000_000;

function statusesOf(status: string): { from: number; to: number } {
  if (status === "ok") return { from: 0, to: 399 };
  if (status === "error") return { from: 400, to: 599 };
  if (status.endsWith("xx")) {
    const from = Number(status[0]) * 100;
    return { from, to: from + 99 };
  }
  return { from: Number(status), to: Number(status) };
}

/** A program keeps the end of the last one, asks from there, and leaves out what it has had. */
async function listEnded({ db, who }: Context, endedAfter: string, query: RequestsQuery) {
  const unfit = (["page", "from", "to"] as const).find((field) => query[field] !== undefined);
  if (unfit !== undefined)
    throw invalid(
      `ended_after, ${unfit}: what has ended is told in its own order; leave out one of the two.`,
    );
  const rows = await queries.listEnded(db, who.organizationId, filterOf(query), {
    after: new Date(endedAfter),
    most: pageSize(query.limit),
  });
  return { data: rows.map(shownRequest), next_page: null, searched_to: null };
}

export async function readRequest({ db, who }: Context, id: string): Promise<LoggedRequest> {
  const row = await queries.readRequest(db, who.organizationId, { at: timeOfId(id), id });
  if (row === undefined) throw notFound("request", id);
  return shownRequest(row);
}
