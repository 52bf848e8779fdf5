// What the tests of memory share: a house, stores in it, and what can be done with their memories.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type ManualClock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Answer, type Ask, type House, type HouseOptions } from "../house.ts";
import { until } from "./support.ts";

export const memoryPath = "/v1/memory_stores";
export const agentMemory = { "vendor-beta": "agent-memory-2026-07-22" };

export interface Store {
  id: string;
  type: string;
  name: string;
  description: string;
  metadata: Record<string, string>;
  created_at: string;
  updated_at: string;
  archived_at: string | null;
  memory_count: number;
  size_bytes: number;
}

export interface Memory {
  id: string;
  type: string;
  memory_store_id: string;
  memory_version_id: string;
  path: string;
  content: string | null;
  content_sha256: string;
  content_size_bytes: number;
  created_at: string;
  updated_at: string;
}

export interface Version {
  id: string;
  memory_id: string;
  operation: string;
  path: string | null;
  content: string | null;
  content_sha256: string | null;
  content_size_bytes: number | null;
  created_at: string;
  created_by: unknown;
  redacted_at: string | null;
  redacted_by: unknown;
  redaction_reason: string | null;
}

export interface Page<Item> {
  data: Item[];
  next_page: string | null;
}

export const hashOf = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

/** A query without what is not given. */
export const queryOf = (query: Record<string, string | number | boolean>): string => {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === "" ? "" : `?${text}`;
};

type Query = Record<string, string | number | boolean>;
export type MemoryCalls = ReturnType<typeof memoryOf>;

/** Calls as the platform's workspace unless another key or cookie is given; each but `call` must succeed. */
export function memoryOf(houseOf: () => House) {
  const call = (method: string, path: string, asking: Ask = {}): Promise<Answer> => {
    const { headers, ...rest } = asking;
    const key = houseOf().organizations.platform.api_key;
    const credential = rest.key === undefined && rest.cookie === undefined ? { key } : {};
    return houseOf().ask(method, memoryPath + path, {
      ...credential,
      ...rest,
      headers: { ...agentMemory, ...headers },
    });
  };
  const good = async <T>(method: string, path: string, asking: Ask = {}): Promise<T> => {
    const { status, body } = await call(method, path, asking);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body as T;
  };
  const all = async <T>(path: string, query: Query, asking: Ask = {}): Promise<Page<T>[]> => {
    const pages: Page<T>[] = [];
    let next: string | null = null;
    do {
      const where = next === null ? query : { ...query, page: next };
      const page: Page<T> = await good("GET", path + queryOf(where), asking);
      pages.push(page);
      assert.ok(pages.length < 500, "the pages do not end");
      next = page.next_page;
    } while (next !== null);
    return pages;
  };
  return {
    call,
    good,
    store: (asking: Ask = {}) => good<Store>("POST", "", { body: { name: "notes" }, ...asking }),
    storeOf: (id: string, asking: Ask = {}) => good<Store>("GET", `/${id}`, asking),
    create: (store: string, path: string, content: string, asking: Ask = {}) =>
      good<Memory>("POST", `/${store}/memories`, { ...asking, body: { path, content } }),
    memory: (store: string, id: string, asking: Ask = {}) =>
      good<Memory>("GET", `/${store}/memories/${id}`, asking),
    update: (store: string, id: string, body: object, asking: Ask = {}) =>
      good<Memory>("POST", `/${store}/memories/${id}`, { ...asking, body }),
    remove: (store: string, id: string, asking: Ask = {}) =>
      good<{ id: string }>("DELETE", `/${store}/memories/${id}`, asking),
    memories: async (store: string, query: Query = {}, asking: Ask = {}) =>
      (await all<Memory>(`/${store}/memories`, query, asking)).flatMap(({ data }) => data),
    version: (store: string, id: string, asking: Ask = {}) =>
      good<Version>("GET", `/${store}/memory_versions/${id}`, asking),
    versions: async (store: string, query: Query = {}, asking: Ask = {}) =>
      (await all<Version>(`/${store}/memory_versions`, query, asking)).flatMap(({ data }) => data),
    redact: (store: string, id: string, asking: Ask = {}) =>
      good<Version>("POST", `/${store}/memory_versions/${id}/redact`, asking),
    all,
    /** What goes on in the background has come to its end. */
    idle: () =>
      until(async () => {
        const [row] = await houseOf().world.db.query<{ jobs: number }>(
          sql`select count(*)::int as jobs from jobs`,
        );
        return row?.jobs === 0;
      }, "the jobs to be done"),
  };
}

export type MemoryHouse = Awaited<ReturnType<typeof openMemoryHouse>>;

export async function openMemoryHouse(options: HouseOptions = {}) {
  const house = await openHouse(options);
  const calls = memoryOf(() => house);
  return {
    house,
    ...house.organizations,
    ...calls,
    [Symbol.asyncDispose]: async () => {
      await calls.idle();
      await house[Symbol.asyncDispose]();
    },
  };
}

/** The wall clock is set; waits and leases go on as usual. */
export async function openTimedMemoryHouse(options: HouseOptions = {}) {
  const wall: ManualClock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  const opened = await openMemoryHouse({
    ...options,
    clock: { ...systemClock, now: () => wall.now() },
  });
  return { ...opened, wall };
}

/** Another workspace of the organization, and how its owner's console asks there. */
export async function addWorkspace(house: House, organization: string, id: string) {
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into workspaces (id, organization_id, name, is_default, created_at)
      values (${id}, ${organization}, ${id}, false, now())`),
  );
  return { headers: { "anthropic-workspace-id": id } };
}

/** Of requests that came at once: the good ones first. */
export const statusesOf = (answers: readonly Pick<Answer, "status">[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

/** What the error says, which must have this status and stable cause. */
export function errorOf(answer: Pick<Answer, "status" | "body">, status: number, code?: string) {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  const { error } = answer.body as {
    error: { type: string; message: string; details?: { error_code?: string } } & Record<
      string,
      unknown
    >;
  };
  assert.equal(error.details?.error_code, code, JSON.stringify(error));
  return error;
}
