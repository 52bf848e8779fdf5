// What the tests of batches share: a house, batches in it, and their results.
import assert from "node:assert/strict";
import { request as send, type IncomingHttpHeaders } from "node:http";
import { readdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { type ManualClock, makeManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Answer, type House, type HouseOptions } from "../house.ts";
import { until } from "./support.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { queryPosted } from "../posted.ts";

export const olderVersion = { "anthropic-version": "2023-06-01" };
export const newerVersion = { "anthropic-version": "2026-10-21" };
export const batchesPath = "/v1/messages/batches";

/** A body of a message that says this to a model of the simulator. */
export const params = (content: string, fields: object = {}) => ({
  model: "sim-small",
  max_tokens: 300,
  messages: [{ role: "user", content }],
  ...fields,
});

export interface Item {
  custom_id: string;
  params: unknown;
}

/** An item for each text, `item-0` and so on. */
export const items = (...texts: readonly string[]): Item[] =>
  texts.map((text, index) => ({ custom_id: `item-${index}`, params: params(text) }));

export const same = (count: number, text: string): Item[] =>
  items(...Array.from({ length: count }, () => text));

export interface Counts {
  processing: number;
  succeeded: number;
  errored: number;
  canceled: number;
  expired: number;
}

export interface Batch {
  id: string;
  type: string;
  processing_status: string;
  request_counts: Counts;
  created_at: string;
  expires_at: string;
  ended_at: string | null;
  cancel_initiated_at: string | null;
  archived_at: string | null;
  results_url: string | null;
}

export interface Result {
  type: string;
  // What a message or an error holds is what each test is about.
  // oxlint-disable-next-line typescript/no-explicit-any
  message?: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  error?: any;
}

export interface Line {
  custom_id: string;
  result: Result;
}

export interface BatchRequestOptions {
  key?: string;
  headers?: Record<string, string>;
}

export interface Download {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

export interface LedgerRow {
  request: string;
  kind: string;
  outcome: string;
  nano: number;
  list: number;
}

export type BatchHouse = Awaited<ReturnType<typeof openBatchHouse>>;

export async function openBatchHouse(options: HouseOptions = {}) {
  const house = await openHouse(options);
  const batches = batchesOf(house);
  return {
    house,
    ...house.organizations,
    ...batches,
    [Symbol.asyncDispose]: async () => {
      await batches.idle();
      await house[Symbol.asyncDispose]();
    },
  };
}

async function jobsIn({ world }: House): Promise<number> {
  const [row] = await world.db.query<{ jobs: number }>(sql`select count(*)::int as jobs from jobs`);
  return row?.jobs ?? 0;
}

export type TimedBatchHouse = Awaited<ReturnType<typeof openTimedBatchHouse>>;

/** Time passes only where a test waits for something with `pass`. */
export async function openTimedBatchHouse(options: HouseOptions = {}) {
  const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  const opened = await openBatchHouse({ ...options, clock });
  const pass = passing(clock);
  return {
    ...opened,
    clock,
    pass,
    ended: (id: string, asking: BatchRequestOptions = {}) =>
      pass(async () => {
        const batch = await opened.retrieve(id, asking);
        return batch.processing_status === "ended" && batch;
      }, `the end of ${id}`),
    /** Whatever is under way when a test has failed waits for the clock too. */
    [Symbol.asyncDispose]: async () => {
      const ticking = setInterval(() => clock.advance(500), 20);
      await opened[Symbol.asyncDispose]().finally(() => clearInterval(ticking));
    },
  };
}

/** In steps that are short enough for every heartbeat to be heard between two of them. */
const passing =
  (clock: ManualClock) =>
  <T>(look: () => Promise<T | undefined | false>, what: string, stepMs = 500): Promise<T> =>
    until(async () => {
      const seen = await look();
      if (seen === undefined || seen === false) clock.advance(stepMs);
      return seen;
    }, what);

export function batchesOf(house: House) {
  const own = house.organizations.platform.api_key;
  const call = (
    method: string,
    path: string,
    { key = own, ...rest }: BatchRequestOptions & { body?: unknown } = {},
  ) => house.ask(method, batchesPath + path, { key, ...rest });
  const post = (requests: unknown, asking: BatchRequestOptions = {}): Promise<Answer> =>
    call("POST", "", { ...asking, body: { requests } });
  const create = async (
    requests: readonly Item[],
    asking: BatchRequestOptions = {},
  ): Promise<Batch> => good(await post(requests, asking));
  const retrieve = async (id: string, asking: BatchRequestOptions = {}): Promise<Batch> =>
    good(await call("GET", `/${id}`, asking));
  /** It may take as long as it likes on a machine with other work, as long as items come to their end. */
  const ended = async (
    id: string,
    asking: BatchRequestOptions = {},
    ms = testTimeoutMs,
  ): Promise<Batch> => {
    for (let left = Infinity; ;) {
      const batch = await until(
        async () => {
          const seen = await retrieve(id, asking);
          const isFurther = seen.request_counts.processing < left;
          return (seen.processing_status === "ended" || isFurther) && seen;
        },
        `the end of ${id}`,
        ms,
      );
      if (batch.processing_status === "ended") return batch;
      left = batch.request_counts.processing;
    }
  };
  const download = (
    id: string,
    { key = own, headers = {}, method = "GET" }: BatchRequestOptions & { method?: string } = {},
  ) =>
    downloaded(`${house.url}${batchesPath}/${id}/results`, method, {
      "x-api-key": key,
      ...headers,
    });
  /** By custom id, each of which stands there once. */
  const results = async (
    id: string,
    asking: BatchRequestOptions = {},
  ): Promise<Map<string, Result>> => {
    const { status, bytes } = await download(id, asking);
    assert.equal(status, 200, bytes.toString());
    const lines = linesOf(bytes);
    const byId = new Map(lines.map(({ custom_id, result }) => [custom_id, result]));
    assert.equal(byId.size, lines.length, "a custom_id stands there twice");
    return byId;
  };
  return {
    call,
    post,
    create,
    retrieve,
    ended,
    download,
    results,
    cancel: (id: string, asking: BatchRequestOptions = {}) => call("POST", `/${id}/cancel`, asking),
    remove: (id: string, asking: BatchRequestOptions = {}) => call("DELETE", `/${id}`, asking),
    /** Creates it, waits for its end, and reads its results. */
    run: async (requests: readonly Item[], asking: BatchRequestOptions = {}) => {
      const { id } = await create(requests, asking);
      await ended(id, asking);
      return results(id, asking);
    },
    /** The ledger's rows for batches, in this workspace. */
    charged: (workspaceId: string) =>
      queryPosted<LedgerRow>(
        house.world.db,
        sql`select request_id as request, kind, outcome,
        amount_nano as nano, list_amount_nano as list
        from ledger where workspace_id = ${workspaceId} and kind <> 'message' order by id`,
      ),
    /** When what is left to do behind batches that have ended is done. */
    idle: () => until(async () => (await jobsIn(house)) === 0, "the end of all jobs"),
  };
}

function good({ status, body }: Answer): Batch {
  assert.equal(status, 200, JSON.stringify(body));
  return body as Batch;
}

export const linesOf = (bytes: Buffer): Line[] => {
  const text = bytes.toString("utf8");
  assert.ok(text.endsWith("\n"), "the last line is not complete");
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
};

export const unzipped = ({ bytes, headers }: Download): Buffer => {
  assert.equal(headers["content-encoding"], "gzip");
  return gunzipSync(bytes);
};

/** As it comes over the wire: `fetch` would ask for gzip, and take it apart. */
export async function downloaded(
  url: string,
  method: string,
  headers: Record<string, string>,
): Promise<Download> {
  const asked = send(url, { method, headers, agent: false });
  const { promise, resolve, reject } = Promise.withResolvers<Download>();
  asked.on("error", reject).on("response", (response) => {
    const { statusCode = 0, headers: got } = response;
    buffer(response).then((bytes) => resolve({ status: statusCode, headers: got, bytes }), reject);
  });
  asked.end();
  return promise;
}

/** Every file of batches: whole ones, unfinished ones, and results that grow. */
export function filesOf({ world }: House): string[] {
  const root = dirname(world.segmentOptions.directory);
  return (
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, `${parentPath}/${name}`))
      // The audit log signs its chains when it comes to it.
      .filter((path) => path.includes("/") && !path.startsWith("objects/audit/"))
      .sort()
  );
}
