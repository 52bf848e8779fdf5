// What must hold of batches after any faults: one result and one price for each request, files that say no more.
import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { listTails, readSegment } from "../../kernel/blob/segments.ts";
import type { World } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { segmentKey } from "../../server/batches/blob-keys.ts";

export interface Found {
  batches: number;
  succeeded: number;
  errored: number;
  canceled: number;
  expired: number;
  segments: number;
}

interface Given {
  acknowledged: ReadonlySet<string>;
  canceled: ReadonlySet<string>;
}

interface Row {
  batch: string;
  index: number;
  custom_id: string;
  type: "succeeded" | "errored" | "canceled" | "expired";
  segment: number;
  start: number;
  length: number;
}

interface Line {
  custom_id: string;
  result: { type: string; message?: { usage: Usage } };
}

interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

export async function checkBatches(
  observer: Queryable,
  files: Pick<World, "blobs" | "segmentOptions">,
  given: Given,
): Promise<Found> {
  const batches = await observer.query<{ id: string; requests: number; started: number }>(
    sql`select id, requests, segments as started from batches where state = 'ended'`,
  );
  const rows = await observer.query<Row>(sql`select batch_id as batch, index, custom_id, type,
    segment, start, length from batch_results order by batch_id, segment, start`);
  const known = new Set(batches.map(({ id }) => id));
  for (const id of given.acknowledged) assert.ok(known.has(id), `${id} was made, and is not there`);
  const found: Found = {
    batches: batches.length,
    succeeded: 0,
    errored: 0,
    canceled: 0,
    expired: 0,
    segments: 0,
  };
  for (const { type } of rows) found[type] += 1;
  assert.equal(found.expired, 0);
  const usages: string[] = [];
  for (const { id, requests } of batches) {
    const mine = rows.filter(({ batch }) => batch === id);
    const indexes = mine.map(({ index }) => index).sort((a, b) => a - b);
    assert.deepEqual(
      indexes,
      Array.from({ length: requests }, (_, at) => at),
      id,
    );
    if (!given.canceled.has(id))
      assert.ok(!mine.some(({ type }) => type === "canceled"), `nobody canceled ${id}`);
    const segments = Map.groupBy(mine, ({ segment }) => segment);
    found.segments += segments.size;
    await checkCounts(observer, id, segments);
    for (const [segment, inIt] of segments)
      usages.push(...(await checkSegment(files, id, segment, inIt)));
  }
  await checkMoney(observer, usages);
  await checkFiles(files, rows);
  return found;
}

async function checkCounts(
  observer: Queryable,
  id: string,
  segments: ReadonlyMap<number, readonly Row[]>,
): Promise<void> {
  const stored = await observer.query<Record<string, number>>(sql`
    select segment, bytes, succeeded, errored, canceled, expired from batch_segments
    where batch_id = ${id} order by segment`);
  const counted = [...segments].map(([segment, rows]) => {
    const of = (type: Row["type"]) => rows.filter((row) => row.type === type).length;
    return {
      segment,
      bytes: rows.reduce((sum, { length }) => sum + length, 0),
      succeeded: of("succeeded"),
      errored: of("errored"),
      canceled: of("canceled"),
      expired: of("expired"),
    };
  });
  assert.deepEqual(stored, counted, `${id}: the counts of its files`);
}

/** Lines stand one after the other and are what their rows say; answers what was used by those that succeeded. */
async function checkSegment(
  { blobs, segmentOptions }: Pick<World, "blobs" | "segmentOptions">,
  id: string,
  segment: number,
  rows: readonly Row[],
): Promise<string[]> {
  const bytes = rows.reduce((sum, { length }) => sum + length, 0);
  const range = { start: 0, end: bytes };
  const text = await buffer(
    await readSegment(blobs, segmentKey(id, segment), range, segmentOptions),
  );
  let at = 0;
  return rows.flatMap(({ index, custom_id, type, start, length }) => {
    assert.equal(start, at, `${id} ${segment}: a gap, or one within another`);
    at += length;
    const line = JSON.parse(text.toString("utf8", start, start + length)) as Line;
    assert.deepEqual([line.custom_id, line.result.type], [custom_id, type]);
    assert.equal(custom_id, `c-${index}`);
    assert.equal(text[start + length - 1], "\n".charCodeAt(0));
    const usage = line.result.message?.usage;
    assert.equal(usage !== undefined, type === "succeeded");
    return usage === undefined ? [] : [wordsOf(usage)];
  });
}

const wordsOf = (usage: Usage) =>
  [
    usage.input_tokens,
    usage.output_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
  ].join();

async function checkMoney(observer: Queryable, usages: readonly string[]): Promise<void> {
  const rows = await observer.query<Usage & { nano: number; list: number; outcome: string }>(sql`
    select input_tokens, output_tokens, cache_read_tokens as cache_read_input_tokens,
      cache_write_5m_tokens + cache_write_1h_tokens as cache_creation_input_tokens,
      amount_nano as nano, list_amount_nano as list, outcome
    from ledger where kind = 'batch'`);
  const served = rows.filter(({ outcome }) => outcome === "served");
  assert.deepEqual(served.map(wordsOf).sort(), [...usages].sort(), "each result is paid once");
  for (const { nano, list, outcome } of rows) {
    assert.equal(nano, Math.ceil(list / 2));
    assert.ok(nano > 0 === (outcome === "served"), outcome);
  }
  const nano = String(rows.reduce((sum, row) => sum + row.nano, 0));
  const [sums] = await observer.query<Record<string, string>>(sql`
    select coalesce(sum(amount_nano), 0)::text as ledger,
      (select coalesce(sum(amount_nano), 0)::text from usage_days) as days,
      (select coalesce(sum(requests), 0)::text from usage_days) as requests,
      (select coalesce(sum(spent_nano), 0)::text from spend_months) as months
    from ledger`);
  const requests = String(rows.length);
  assert.deepEqual(sums, { ledger: nano, days: nano, requests, months: nano });
}

/** Results are sealed, requests are gone; those of batches that were not acknowledged wait for the sweep. */
async function checkFiles(
  { blobs, segmentOptions }: Pick<World, "blobs" | "segmentOptions">,
  rows: readonly Row[],
): Promise<void> {
  const sealed = new Set(rows.map(({ batch, segment }) => segmentKey(batch, segment)));
  const written = new Set(sealed);
  const ended = new Set(rows.map(({ batch }) => batch));
  for await (const { key } of blobs.list("batches/")) {
    const [, id = "", file = ""] = key.split("/");
    if (file === "requests") assert.ok(!ended.has(id), `${key} is left`);
    else assert.ok(sealed.delete(key.slice(0, key.lastIndexOf("/"))), `${key} is nobody's`);
  }
  assert.deepEqual([...sealed], [], "results are not sealed");
  // A file that was begun while its batch ended has nothing in it, and goes with the batch.
  for await (const key of listTails(segmentOptions))
    assert.ok(!written.has(key), `${key} has results, and was not put away`);
}
