// Finds objects of all nouns by an id or by words of their names, for a caller who may read them.
import assert from "node:assert/strict";
import type { Context } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Route } from "../../kernel/http/route.ts";
import {
  isStored,
  type Found,
  type Searchable,
  type StoredType,
} from "../../kernel/http/searchable.ts";
import { workspaceAccessOf } from "../workspaces/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { FoundObject, ObjectQuery } from "./schema.ts";
import { types } from "./types.ts";

/** The table is whole only when it is asked: it holds the routes of the search too. */
export type RouteTable = () => readonly Route[];

interface Hit extends Found {
  of: Searchable;
  rank: number;
}

interface Caller {
  context: Context;
  permissions: ReadonlySet<string>;
  workspaceIds: readonly string[];
}

/** Rules SRC1 to SRC8. */
export async function findObjects(context: Context, table: RouteTable, query: ObjectQuery) {
  const { secrets, who } = context;
  const typed = query.query.trim();
  const cursors = makeCursors(secrets);
  const list = `objects for ${typed}`;
  const passed = (cursors.read(list, who.organizationId, query.page) as number | undefined) ?? 0;
  const size = pageSize(query.limit, { itemsMax: limits.pageItemsMax });
  const caller = await callerOf(context);
  const mine = types.filter((type) => mayFind(caller, type, table));
  const hits = await (isId(mine, typed) ? hitsById : hitsByName)(caller, mine, typed);
  const page = toCursorPage(hits.slice(passed, passed + size + 1), size, () =>
    cursors.write(list, who.organizationId, passed + size),
  );
  return { ...page, data: page.data.map((hit) => toObject(context, hit)) };
}

async function callerOf(context: Context): Promise<Caller> {
  const { who } = context;
  const { permissions, workspaceId } = who;
  if (who.userId === null)
    return { context, permissions, workspaceIds: workspaceId === null ? [] : [workspaceId] };
  const access = await workspaceAccessOf(context);
  const usable = access.usable.map(({ id }) => id);
  return {
    context,
    // What a role in a workspace adds is for pages of the console; a token has what its scopes say.
    permissions:
      who.kind === "console" ? new Set([...permissions, ...access.permissions]) : permissions,
    workspaceIds: workspaceId === null ? usable : usable.filter((id) => id === workspaceId),
  };
}

/** Rule SRC4. A person finds what has a page for them, a program what it can read. */
function mayFind({ context, permissions }: Caller, type: Searchable, table: RouteTable): boolean {
  const { kind, organizationType } = context.who;
  if (kind === "console") {
    const isThere = type.organizations?.includes(organizationType) !== false;
    return isThere && permissions.has(type.permission);
  }
  const route = table().find(({ operation }) => operation === type.operation);
  assert(route !== undefined, `${type.operation} is no route`);
  const { permission, credentials, organizations, alsoFor } = route;
  const isThere =
    organizations?.includes(organizationType) !== false ||
    alsoFor?.(context).includes(organizationType) === true;
  const isTaken = credentials?.includes(kind) !== false;
  return isThere && isTaken && permissions.has(permission ?? "");
}

const idEnd = /^[0-9a-z]{26}$/;

const hasIdOf = (type: Searchable, text: string): type is StoredType =>
  isStored(type) && text.startsWith(type.idPrefix) && idEnd.test(text.slice(type.idPrefix.length));

const isId = (types: readonly Searchable[], text: string): boolean =>
  types.some((type) => hasIdOf(type, text));

/** Rule SRC2: one look-up, by the prefix. */
async function hitsById(caller: Caller, types: readonly Searchable[], id: string): Promise<Hit[]> {
  const { context } = caller;
  const hits: Hit[] = [];
  for (const type of types) {
    if (!hasIdOf(type, id)) continue;
    const rows = await type.rows(context, id);
    const found = await queries.findById(context.db, placesOf(caller, type), { rows, id });
    hits.push(...found.map((row) => ({ ...row, of: type })));
  }
  return hits;
}

/** Rules SRC3 and SRC5. */
async function hitsByName(
  caller: Caller,
  types: readonly Searchable[],
  typed: string,
): Promise<Hit[]> {
  const found: Hit[][] = types.map(() => []);
  const waiting = types.entries();
  const askOn = async (): Promise<void> => {
    for (const [at, type] of waiting) {
      if (!isStored(type)) found[at] = heldHits(caller, type, typed);
      else if (type.isNamed === true) found[at] = await storedHits(caller, type, typed);
    }
  };
  await Promise.all(Array.from({ length: limits.typesAtOnce }, askOn));
  return inTurns(found);
}

async function storedHits(caller: Caller, type: StoredType, typed: string): Promise<Hit[]> {
  const { context } = caller;
  const places = placesOf(caller, type);
  if (places.length === 0) return [];
  const rows = await type.rows(context);
  const found = await queries.findByName(context.db, places, { rows, typed });
  return found.map((row) => ({ ...row, of: type }));
}

const placesOf = ({ context, workspaceIds }: Caller, { within }: StoredType): readonly string[] =>
  within === "organization" ? [context.who.organizationId] : workspaceIds;

function heldHits(
  { context }: Caller,
  type: Exclude<Searchable, StoredType>,
  typed: string,
): Hit[] {
  const wanted = wordsIn(typed);
  const name = typed.toLowerCase();
  if (wanted.length === 0) return [];
  return type.list(context).flatMap(({ words, ...found }) => {
    const known = wordsIn(words);
    if (!wanted.every((word) => known.some((each) => each.startsWith(word)))) return [];
    const names = [found.id, found.name ?? ""].map((each) => each.toLowerCase());
    const begins = names.some((each) => each.startsWith(name)) ? 1 : 2;
    return [{ ...found, of: type, rank: names.includes(name) ? 0 : begins }];
  });
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Rule SRC5: of equals the first of each type, then the second of each: no type hides another. */
function inTurns(found: readonly Hit[][]): Hit[] {
  const placed = found.flatMap((hits) => {
    const before = new Map<number, number>();
    return hits.map((hit) => {
      const turn = before.get(hit.rank) ?? 0;
      before.set(hit.rank, turn + 1);
      return { hit, turn };
    });
  });
  // The sort is stable: types stay in their order.
  return placed
    .sort((one, other) => one.hit.rank - other.hit.rank || one.turn - other.turn)
    .map(({ hit }) => hit);
}

function toObject({ publicUrl }: Context, hit: Hit): FoundObject {
  const { of, id, name, detail, workspace_id } = hit;
  const url = new URL(`${publicUrl}/console${of.page(hit)}`);
  if (isStored(of) && of.within === "workspaces" && workspace_id !== null)
    url.searchParams.set("workspace", workspace_id);
  return { type: of.type, id, name, detail, workspace_id, console_url: url.href };
}
