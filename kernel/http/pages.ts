// The five ways in which lists are paged, their query fields, and cursors that no client can forge.
import Type, { type TSchema } from "typebox";
import { invalid } from "../base/failure.ts";
import { limits } from "../base/limits.ts";
import type { Secrets } from "../secret/secrets.ts";

export interface LimitRule {
  itemsDefault: number;
  itemsMax: number;
  /** Above the maximum: 400 where the spec names one, else the maximum is used. */
  beyond: "refuse" | "clamp";
}

const ordinary: LimitRule = {
  itemsDefault: limits.pageItemsDefault,
  itemsMax: limits.pageItemsMax,
  beyond: "clamp",
};

/** The page size that a query asks for, by the rule of its list. */
export function pageSize(asked: number | undefined, rule: Partial<LimitRule> = {}): number {
  const { itemsDefault, itemsMax, beyond } = { ...ordinary, ...rule };
  if (asked === undefined) return itemsDefault;
  if (!Number.isInteger(asked) || asked < 1)
    throw invalid(`limit: must be a whole number from 1 to ${itemsMax}.`);
  if (asked > itemsMax && beyond === "refuse") throw invalid(`limit: must be at most ${itemsMax}.`);
  return Math.min(asked, itemsMax);
}

const Limit = Type.Optional(Type.Integer({ minimum: 1 }));
const Cursor = Type.Optional(Type.String({ minLength: 1, maxLength: 2048 }));
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** `Page`: by the ids themselves. */
export const idQuery = { limit: Limit, after_id: Cursor, before_id: Cursor };

export const idPage = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean(),
    first_id: nullable(Type.String()),
    last_id: nullable(Type.String()),
  });

/** `PageCursor` and, with `prev_page`, `BidirectionalPageCursor`. */
export const cursorQuery = { limit: Limit, page: Cursor };

export const cursorPage = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), next_page: nullable(Type.String()) });

export const bidirectionalPage = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    next_page: nullable(Type.String()),
    prev_page: nullable(Type.String()),
  });

/** `TokenPage`. */
export const tokenQuery = { limit: Limit, page_token: Cursor };

export const tokenPage = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_page: nullable(Type.String()),
  });

/** `ReportPageCursor`. */
export const reportPage = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_page: nullable(Type.String()),
    data_refreshed_at: nullable(Type.String()),
  });

export interface IdWindow {
  /** Rows to ask the database for: one more than the page, to learn whether there are more. */
  rows: number;
  after?: string;
  before?: string;
}

/** An `IdWindow` as statements take it. */
export interface PageWindow {
  /** Ids older than this one, newest first. */
  after: string | null;
  /** Ids newer than this one, oldest first. */
  before: string | null;
  rows: number;
}

interface IdQuery {
  limit?: number;
  after_id?: string;
  before_id?: string;
}

export function idWindow(query: IdQuery, rule?: Partial<LimitRule>): IdWindow {
  if (query.after_id !== undefined && query.before_id !== undefined)
    throw invalid("after_id, before_id: give one of them, not both.");
  return {
    rows: pageSize(query.limit, rule) + 1,
    ...(query.after_id !== undefined && { after: query.after_id }),
    ...(query.before_id !== undefined && { before: query.before_id }),
  };
}

/** The 400 of a position that is not on the caller's list: another tenant's ids are as unknown as invented ones. */
export const unknownPageId = ({ after }: Pick<IdWindow, "after">, noun: string) =>
  invalid(
    `${after === undefined ? "before_id" : "after_id"}: is not the id of ${noun} of this list.`,
  );

/**
 * `rows` in the list's own order when walking forward, in reverse when `before` was given: the query
 * walks away from the cursor, and the page is turned round here.
 */
export function toIdPage<T extends { id: string }>(rows: readonly T[], window: IdWindow) {
  const data = rows.slice(0, window.rows - 1);
  if (window.before !== undefined) data.reverse();
  return {
    data,
    has_more: rows.length >= window.rows,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** `rows` holds one more than `size` when there are more; the cursor is made of the page's last item. */
export function toCursorPage<T>(rows: readonly T[], size: number, cursorOf: (last: T) => string) {
  const data = rows.slice(0, size);
  const last = data.at(-1);
  const hasMore = rows.length > size && last !== undefined;
  return { data, next_page: hasMore ? cursorOf(last) : null };
}

export function toTokenPage<T>(rows: readonly T[], size: number, cursorOf: (last: T) => string) {
  const page = toCursorPage(rows, size, cursorOf);
  return { ...page, has_more: page.next_page !== null };
}

export function toReportPage<T>(
  rows: readonly T[],
  size: number,
  cursorOf: (last: T) => string,
  refreshedAt: Date | null,
) {
  const data_refreshed_at = refreshedAt?.toISOString() ?? null;
  return { ...toTokenPage(rows, size, cursorOf), data_refreshed_at };
}

export interface BidirectionalWindow {
  size: number;
  /** The cursor that was followed led back: `rows` come nearest first, and are turned round here. */
  back: boolean;
  /** No cursor was followed: there is nothing before. */
  isFirst: boolean;
}

export function toBidirectionalPage<T>(
  rows: readonly T[],
  { size, back, isFirst }: BidirectionalWindow,
  cursorOf: (item: T, direction: "next" | "prev") => string,
) {
  const data = rows.slice(0, size);
  const hasMore = rows.length > size;
  if (back) data.reverse();
  const [first, last] = [data[0], data.at(-1)];
  if (first === undefined || last === undefined) return { data, next_page: null, prev_page: null };
  return {
    data,
    next_page: back || hasMore ? cursorOf(last, "next") : null,
    prev_page: (back ? hasMore : !isFirst) ? cursorOf(first, "prev") : null,
  };
}

export interface Cursors {
  /** A cursor for one list of one tenant: it fits nowhere else. */
  write(list: string, tenant: string, position: unknown): string;
  read(list: string, tenant: string, cursor: string | undefined, field?: string): unknown;
}

export function makeCursors(secrets: Secrets): Cursors {
  return {
    write: (list, tenant, position) => secrets.sign([list, tenant, position], "cursor"),
    read: (list, tenant, cursor, field = "page") => {
      if (cursor === undefined) return undefined;
      const signed = secrets.verify(cursor, "cursor");
      if (Array.isArray(signed) && signed[0] === list && signed[1] === tenant) return signed[2];
      throw invalid(
        `${field}: is not a cursor of this list; send the next_page of the page before, unchanged, or leave it out.`,
      );
    },
  };
}
