// Requests of members for a higher limit, each decided once.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { changeLimits } from "../change-limits.ts";
import * as queries from "./queries.ts";
import { limits } from "../limits.ts";
import { recordLimitChange, retrieveLimit, writeUserLimit } from "./service.ts";
import { actorShown, summariesOf } from "./effective.ts";
import type { Approval, AskIncrease, IncreaseQuery, IncreaseRequest } from "./schema.ts";

/** Rule LIM21. Newest first. */
export async function listRequests(context: Context, query: IncreaseQuery) {
  const { db, who, secrets } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const before = cursors.read("increase_requests", organizationId, query.page) as
    | string
    | undefined;
  const size = pageSize(query.limit, { itemsMax: limits.listItemsMax });
  const rows = await queries.listRequests(db, organizationId, {
    before: before ?? null,
    rows: size + 1,
    users: query.actor_ids ?? null,
    statuses: query.status ?? null,
  });
  const page = toCursorPage(rows, size, ({ id }) =>
    cursors.write("increase_requests", organizationId, id),
  );
  return { ...page, data: await shown(context, page.data) };
}

export async function retrieveRequest(context: Context, id: string): Promise<IncreaseRequest> {
  const row = await queries.findRequest(context.db, context.who.organizationId, id);
  if (row === undefined) throw notFound("increase request", id);
  const [request] = await shown(context, [row]);
  if (request === undefined) throw notFound("increase request", id);
  return request;
}

/** With what the member spends, while the request is pending. */
async function shown(
  context: Context,
  rows: readonly queries.RequestRow[],
): Promise<IncreaseRequest[]> {
  const pending = rows.filter(({ status }) => status === "pending");
  const members = new Map(pending.map(({ userId: id, name, email }) => [id, { id, name, email }]));
  const summaries = await summariesOf(
    context,
    [...members.values()],
    ["daily", "weekly", "monthly"],
  );
  const deciders = rows.flatMap(({ resolvedBy }) => (resolvedBy === null ? [] : [resolvedBy]));
  const people = await queries.listMembers(context.db, context.who.organizationId, {
    after: "",
    rows: Math.max(1, deciders.length),
    ids: [...new Set(deciders)],
  });
  return rows.map((row) => ({
    id: row.id,
    type: "spend_limit_increase_request",
    actor: actorShown({ id: row.userId, name: row.name, email: row.email }),
    period: row.period,
    status: row.status,
    reason: row.reason,
    created_at: row.createdAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString() ?? null,
    resolved_by: deciderShown(row.resolvedBy, people),
    spend_summary:
      row.status !== "pending"
        ? null
        : (summaries.find(
            ({ actor, period }) => actor.user_id === row.userId && period === row.period,
          ) ?? null),
  }));
}

function deciderShown(
  id: string | null,
  people: readonly queries.MemberRow[],
): IncreaseRequest["resolved_by"] {
  if (id === null) return null;
  if (!id.startsWith("user_")) return { type: "scoped_api_key_actor", scoped_api_key_id: id };
  const person = people.find((each) => each.id === id);
  if (person !== undefined) return actorShown(person);
  return { type: "user_actor", user_id: id, name: null, email_address: null, deleted: true };
}

/** Rule LIM21. Of two decisions at once, one counts. */
export async function approve(context: Context, id: string, { amount, period }: Approval) {
  await decide(context, id, async (tx, request) => {
    if (request.status !== "pending") throw decided(request);
    const limit = { userId: request.userId, period: period ?? request.period, amount };
    const details = await writeUserLimit(tx, context, limit);
    return { status: "approved", details: details ?? { period: limit.period, amount } };
  });
  const request = await retrieveRequest(context, id);
  const set = await queries.limitsOfUsers(context.db, context.who.organizationId, [
    request.actor.user_id,
  ]);
  const row = set.find((each) => each.period === (period ?? request.period));
  return {
    ...request,
    spend_limit: row === undefined ? null : await retrieveLimit(context, row.id),
  };
}

export async function deny(context: Context, id: string): Promise<IncreaseRequest> {
  await decide(context, id, async (_, request) => {
    if (request.status === "approved") throw decided(request);
    if (request.status === "denied") return undefined;
    return { status: "denied", details: { period: request.period } };
  });
  return retrieveRequest(context, id);
}

const decided = ({ status }: queries.RequestRow) =>
  invalid(`This request is ${status} already; set another limit for the member instead.`);

interface Decision {
  status: "approved" | "denied";
  details: Record<string, unknown>;
}

function decide(
  context: Context,
  id: string,
  work: (
    tx: Parameters<typeof writeUserLimit>[0],
    request: queries.RequestRow,
  ) => Promise<Decision | undefined>,
): Promise<void> {
  const { organizationId, userId, credentialId } = context.who;
  return changeLimits(context, async (tx) => {
    await queries.lockRequest(tx, organizationId, id);
    const request = await queries.findRequest(tx, organizationId, id);
    if (request === undefined) throw notFound("increase request", id);
    const decision = await work(tx, request);
    if (decision === undefined) return false;
    const by = userId ?? credentialId;
    const { status } = decision;
    await queries.resolveRequest(tx, organizationId, id, { status, by, at: context.clock.now() });
    await recordLimitChange(tx, context, `spend_limit_increase.${status}`, request.userId, {
      name: request.email,
      request_id: id,
      ...decision.details,
    });
    return true;
  });
}

/** Rule LIM21. One at a time for each period. */
export async function askForMore(context: Context, input: AskIncrease): Promise<IncreaseRequest> {
  const { organizationId, userId } = context.who;
  if (userId === null) throw invalid("Only a member asks for more: sign in to the console.");
  const id = context.ids.next("slir_");
  const { period, reason = null } = input;
  await context.db.tx(async (tx) => {
    const request = { id, userId, period, reason, at: context.clock.now() };
    if (!(await queries.insertRequest(tx, organizationId, request)))
      throw invalid(`period: you have asked already, and nobody has decided on it yet.`);
    await recordLimitChange(tx, context, "spend_limit_increase.asked", userId, {
      period,
      request_id: id,
    });
  });
  return retrieveRequest(context, id);
}

/** What the signed-in member may spend, has spent, and asked for lately. */
export async function ownSpend(context: Context) {
  const { organizationId, userId } = context.who;
  const ids = [userId ?? ""];
  const members = await queries.listMembers(context.db, organizationId, {
    after: "",
    rows: 1,
    ids,
  });
  const rows = await queries.listRequests(context.db, organizationId, {
    before: null,
    rows: limits.ownRequestsMax,
    users: ids,
    statuses: null,
  });
  return { data: await summariesOf(context, members), requests: await shown(context, rows) };
}
