// Reads the audit log: pages with filters, the actions that occur, and the state of the chain.
import { invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import { findUnsealed } from "./chain/closing.ts";
import * as chains from "./chain/queries.ts";
import type {
  AuditChain,
  AuditEvent,
  AuditEventsQuery,
  AuditExportQuery,
  AuditQuery,
} from "./schema.ts";
import { searchWordsIn } from "./search-words.ts";

type Filters = Omit<AuditExportQuery, "format">;

export async function listEvents(context: Context, query: AuditQuery) {
  const { db, secrets, who } = context;
  const cursors = makeCursors(secrets);
  const before = cursors.read("audit", who.organizationId, query.page) as
    | { at: string; id: string }
    | undefined;
  const size = pageSize(query.limit);
  const filter = await filterOf(context, query);
  const window = { before: before ?? null, rows: size + 1 };
  const rows =
    filter === null ? [] : await queries.listEvents(db, who.organizationId, filter, window);
  const page = toCursorPage(rows, size, ({ place, id }) =>
    cursors.write("audit", who.organizationId, { at: place, id }),
  );
  return { ...page, data: page.data.map(toEvent) };
}

/**
 * Rule AUD14. Events behind a number are in the order in which they were committed: none comes in before one that was
 * read, so that a program which keeps the last number misses none.
 */
export async function listForPrograms(context: Context, query: AuditEventsQuery) {
  const { after_sequence: after, limit, page, ...filters } = query;
  if (after === undefined) return listEvents(context, query);
  const [filter] = Object.keys(filters);
  if (filter !== undefined)
    throw invalid(
      `after_sequence, ${filter}: behind a number all events are listed; leave out one of the two.`,
    );
  const { db, secrets, who } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const size = pageSize(limit);
  const read = cursors.read("audit_behind", organizationId, page) as { seq: number } | undefined;
  const rows = await queries.listBehind(db, organizationId, {
    seq: read?.seq ?? after,
    rows: size + 1,
  });
  const found = toCursorPage(rows, size, ({ seq }) =>
    cursors.write("audit_behind", organizationId, { seq }),
  );
  return { ...found, data: found.data.map(toEvent) };
}

/** Null where nothing can match. */
export async function filterOf(
  { db, who }: Context,
  query: Filters,
): Promise<queries.EventFilter | null> {
  const { action, actor_id, target_id, address, q } = query;
  const actions =
    action === undefined
      ? null
      : (await queries.listActions(db, who.organizationId)).filter((each) =>
          each.startsWith(action),
        );
  const words = searchWordsIn(q ?? "").slice(0, limits.searchWordsMax);
  if (actions?.length === 0 || (q !== undefined && words.length === 0)) return null;
  const [from, to] = [timeOf(query.from), timeOf(query.to)];
  if (from !== null && to !== null && from >= to)
    throw invalid("from, to: from must lie before to.");
  return {
    actions,
    actorId: actor_id ?? null,
    targetId: target_id ?? null,
    address: address ?? null,
    from,
    to,
    words,
  };
}

const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text));

export const toEvent = (row: queries.ListedRow): AuditEvent => ({
  id: row.id,
  type: "audit_event",
  at: row.at.toISOString(),
  action: row.action,
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  target: row.target_type === null ? null : { type: row.target_type, id: row.target_id ?? "" },
  address: row.address,
  request_id: row.request_id,
  details: row.details,
  sequence: row.seq,
  hash: row.hash,
});

export const listActions = async ({ db, who }: Context) => ({
  data: await queries.listActions(db, who.organizationId),
});

export async function readChainStatus(context: Context): Promise<AuditChain> {
  const { db, who } = context;
  const { organizationId } = who;
  const [head, checked, { waiting }] = await Promise.all([
    chains.readHead(db, organizationId),
    chains.readCheck(db, organizationId),
    findUnsealed(context, organizationId),
  ]);
  return {
    type: "audit_chain",
    events: head?.seq ?? 0,
    unsealed: waiting,
    verified_events: checked?.verified_seq ?? 0,
    verified_at: checked?.verified_at?.toISOString() ?? null,
    anchored_events: checked?.anchored_seq ?? 0,
    anchored_at: checked?.anchored_at?.toISOString() ?? null,
    problem: checked?.problem ?? null,
    found_at: checked?.found_at?.toISOString() ?? null,
  };
}
