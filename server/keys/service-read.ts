// Reads keys: one and lists, for the API and for the console.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import {
  idWindow,
  makeCursors,
  pageSize,
  toCursorPage,
  toIdPage,
  type PageWindow,
} from "../../kernel/http/pages.ts";
import * as queries from "./queries.ts";
import { toApiKey, toKey } from "./present.ts";
import { keyReachOfCaller } from "./reach.ts";
import type { ApiKey, ApiKeyQuery, KeyQuery } from "./schema.ts";

export const publicKinds: readonly queries.StoredKind[] = ["api", "admin"];
export const allKinds: readonly queries.StoredKind[] = ["api", "admin", "oauth"];

export async function retrieveApiKey(context: Context, id: string): Promise<ApiKey> {
  const { db, clock, who } = context;
  const visible = { kinds: publicKinds, reach: await keyReachOfCaller(context, "read") };
  return toApiKey(await findOr404(db, who.organizationId, id, visible), clock.now());
}

export async function listApiKeys(context: Context, query: ApiKeyQuery) {
  const { db, clock, who } = context;
  const window = idWindow(query, { itemsMax: 1000, beyond: "refuse" });
  const filter: queries.KeyFilter = {
    kinds: publicKinds,
    statuses: query.status === undefined ? null : [query.status],
    workspaceId: query.workspace_id ?? null,
    createdBy: query.created_by_user_id ?? null,
    unusedSince: unusedSince(context, query),
    reach: await keyReachOfCaller(context, "read"),
    now: clock.now(),
  };
  const walk = { after: window.after ?? null, before: window.before ?? null, rows: window.rows };
  await expectOwnCursor(db, who.organizationId, filter, walk);
  const rows = await queries.listKeys(db, who.organizationId, filter, walk);
  return toIdPage(
    rows.map((row) => toApiKey(row, filter.now)),
    window,
  );
}

const dayMs = 86_400_000;

/** Rule KEY18. */
const unusedSince = ({ clock }: Context, { unused_days: days }: Pick<KeyQuery, "unused_days">) =>
  days === undefined ? null : new Date(clock.now().getTime() - days * dayMs);

/** Another organization's key is as unknown as one that never existed. */
async function expectOwnCursor(
  db: Context["db"],
  organizationId: string,
  filter: queries.KeyFilter,
  { after, before }: PageWindow,
): Promise<void> {
  const id = after ?? before;
  if (id === null || (await queries.findKey(db, organizationId, id, filter))) return;
  throw invalid(
    `${after === null ? "before_id" : "after_id"}: is not the id of a key of this list.`,
  );
}

export async function listKeys(context: Context, query: KeyQuery) {
  const { db, clock, secrets, who } = context;
  const cursors = makeCursors(secrets);
  const after = cursors.read("keys", who.organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit);
  const filter: queries.KeyFilter = {
    ...(query.id !== undefined && { ids: query.id }),
    kinds: query.kind ?? allKinds,
    statuses: query.status ?? null,
    workspaceId: query.workspace_id ?? null,
    createdBy: query.created_by_user_id ?? null,
    unusedSince: unusedSince(context, query),
    reach: await keyReachOfCaller(context, "read"),
    now: clock.now(),
  };
  const walk = { after: after ?? null, before: null, rows: size + 1 };
  const rows = await queries.listKeys(db, who.organizationId, filter, walk);
  return toCursorPage(
    rows.map((row) => toKey(row, filter.now)),
    size,
    (last) => cursors.write("keys", who.organizationId, last.id),
  );
}

/** Rule KEY6. */
export async function findOr404(
  from: Parameters<typeof queries.findKey>[0],
  organizationId: string,
  id: string,
  visible: Pick<queries.KeyFilter, "kinds" | "reach">,
): Promise<queries.KeyRow> {
  const row = await queries.findKey(from, organizationId, id, visible);
  if (row === undefined) throw notFound("API key", id);
  return row;
}
