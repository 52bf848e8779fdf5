// Results of a batch as the console reads them: in pages, while it runs, by outcome, by part of the custom id, or one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { deleteSegment } from "../../kernel/blob/segments.ts";
import { items, openBatchHouse, params, same, type BatchHouse } from "./batches-house.ts";
import { sentenceOf, until } from "./support.ts";

let b: BatchHouse;
before(async () => {
  b = await openBatchHouse();
});
after(async () => {
  await b?.[Symbol.asyncDispose]();
});

interface Found {
  custom_id: string;
  index: number;
  type: string;
  outcome: string;
  bytes: number;
  result: { type: string } | null;
}

interface Totals {
  id: string;
  creator: { type: string; name: string | null };
  refused: number;
  spent: { amount: string; currency: string; output_tokens: number } | null;
  models: { model: string; output_tokens: number }[];
}

async function browse(
  id: string,
  query = "",
): Promise<{ data: Found[]; next_page: string | null }> {
  const { cookie } = b.platform;
  const path = `/console/api/batches/${id}/results?${query}`;
  const { status, body } = await b.house.ask("GET", path, { cookie });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const idsOf = ({ data }: { data: Found[] }) => data.map(({ custom_id: id }) => id);
const told = (...ids: string[]) =>
  ids.map((custom_id) => ({
    custom_id,
    params: params(custom_id.startsWith("bad") ? "[[fail status=400]]" : "[[tokens 2]]"),
  }));

test("[BAT34] results are found by outcome, by a part of the custom id, and by the whole of it", async () => {
  const { id } = await b.create(told("b-10", "bad-1", "a-1", "b-1", "bad-10", "a_1"));
  await b.ended(id);
  assert.deepEqual(idsOf(await browse(id)), ["b-10", "bad-1", "a-1", "b-1", "bad-10", "a_1"]);
  assert.deepEqual(idsOf(await browse(id, "outcome[]=errored")), ["bad-1", "bad-10"]);
  assert.deepEqual(idsOf(await browse(id, "outcome[]=errored&outcome[]=canceled&search=10")), [
    "bad-10",
  ]);
  assert.deepEqual(idsOf(await browse(id, "search=-1")), ["b-10", "bad-1", "a-1", "b-1", "bad-10"]);
  assert.deepEqual(idsOf(await browse(id, "search=_1")), ["a_1"]);
  const { data } = await browse(id, "custom_id=b-1");
  assert.deepEqual(
    data.map(({ index, type, result }) => [index, type, result?.type]),
    [[3, "succeeded", "succeeded"]],
  );
  assert.deepEqual(idsOf(await browse(id, "custom_id=b")), []);
  assert.deepEqual(idsOf(await browse(id, "custom_id=b-1&outcome[]=errored")), []);
});

test("[BAT34] a refusal is an outcome of its own, and no success among those that are asked for", async () => {
  const { id } = await b.create([
    { custom_id: "said", params: params("[[tokens 2]]") },
    { custom_id: "refused", params: params("[[refuse category=cyber models=*]]") },
    { custom_id: "bad", params: params("[[fail status=400]]") },
  ]);
  await b.ended(id);
  assert.deepEqual(idsOf(await browse(id, "outcome[]=succeeded")), ["said"]);
  assert.deepEqual(idsOf(await browse(id, "outcome[]=refused")), ["refused"]);
  assert.deepEqual(idsOf(await browse(id, "outcome[]=refused&outcome[]=errored")), [
    "refused",
    "bad",
  ]);
  const { data } = await browse(id);
  assert.deepEqual(
    data.map(({ type, outcome }) => [type, outcome]),
    [
      ["succeeded", "succeeded"],
      ["succeeded", "refused"],
      ["errored", "errored"],
    ],
  );
});

test("[BAT39] a batch is told with its maker's name, and costs what the ledger says of its attempts", async () => {
  const { cookie, workspace_id } = b.platform;
  const totalsOf = async (...ids: string[]) => {
    const query = ids.map((id) => `ids[]=${id}`).join("&");
    const { status, body } = await b.house.ask("GET", `/console/api/batches/totals?${query}`, {
      cookie,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data as Totals[];
  };
  const before = new Set((await b.charged(workspace_id)).map(({ request }) => request));
  const byKey = await b.create([
    ...items("[[tokens 9]]", "[[tokens 30]]"),
    { custom_id: "large", params: params("[[tokens 5]]", { model: "sim-large" }) },
    { custom_id: "refused", params: params("[[refuse category=cyber models=*]]") },
    { custom_id: "bad", params: params("[[fail status=400]]") },
  ]);
  await b.ended(byKey.id);
  const made = await b.house.ask("POST", "/v1/messages/batches", {
    cookie,
    body: { requests: [{ custom_id: "bad", params: params("[[fail status=400]]") }] },
  });
  await b.ended(made.body.id);
  const own = (await b.charged(workspace_id)).filter(({ request }) => !before.has(request));
  const nano = own.reduce((sum, row) => sum + row.nano, 0);
  assert.ok(nano > 0);
  const totals = new Map((await totalsOf(byKey.id, made.body.id)).map((each) => [each.id, each]));
  const first = totals.get(byKey.id) ?? assert.fail();
  assert.equal(Number(first.spent?.amount).toFixed(9), (nano / 1e7).toFixed(9));
  assert.equal(first.spent?.currency, "USD");
  assert.equal(first.refused, 1);
  assert.deepEqual(first.models.map(({ model }) => model).toSorted(), ["sim-large", "sim-small"]);
  const output = first.models.reduce((sum, each) => sum + each.output_tokens, 0);
  assert.equal(output, first.spent?.output_tokens);
  assert.ok(output >= 44, String(output));
  assert.equal(first.creator.type, "api_key");
  assert.ok(first.creator.name !== null && !first.creator.name.startsWith("apikey_"));
  const second = totals.get(made.body.id) ?? assert.fail();
  assert.equal(second.creator.type, "user");
  assert.notEqual(second.creator.name, null);
  assert.equal(second.spent?.amount, "0");
  await b.house.world.db.query(sql`delete from batch_sums where batch_id = ${byKey.id}`);
  assert.equal((await totalsOf(byKey.id))[0]?.spent, null);
  const elsewhere = await b.house.ask("GET", `/console/api/batches/totals?ids[]=${byKey.id}`, {
    cookie: b.enterprise.cookie,
  });
  assert.deepEqual(elsewhere.body, { data: [] });
});

test("[BAT34] pages follow the order of the items, and each result stands on one of them", async () => {
  const { id } = await b.create(same(45, "[[tokens 1]]"));
  await b.ended(id);
  const pages: string[][] = [];
  let next: string | null = "";
  while (next !== null) {
    const page: Awaited<ReturnType<typeof browse>> = await browse(
      id,
      `limit=20${next === "" ? "" : `&page=${next}`}`,
    );
    pages.push(idsOf(page));
    next = page.next_page;
  }
  assert.deepEqual(
    pages.map(({ length }) => length),
    [20, 20, 5],
  );
  assert.deepEqual(
    pages.flat(),
    Array.from({ length: 45 }, (_, index) => `item-${index}`),
  );
});

test("[BAT34] results are there while the batch still runs", async () => {
  const { id } = await b.create(items("[[tokens 60]] [[rate 1]]", "[[tokens 1]]"));
  const page = await until(async () => {
    const found = await browse(id);
    return found.data.length > 0 && found;
  }, "the first result");
  assert.deepEqual(idsOf(page), ["item-1"]);
  assert.equal((await b.retrieve(id)).processing_status, "in_progress");
  assert.deepEqual(idsOf(await browse(id, "custom_id=item-0")), []);
  await b.cancel(id);
});

test("[BAT34] of a result that is too long, type and size are told", async () => {
  const text = "\u9577".repeat(60_000) + "\\n".repeat(45_000);
  const long = params(`[[say "${text}"]]`, { model: "sim-large", max_tokens: 64_000 });
  const { id } = await b.create([{ custom_id: "long", params: long }]);
  await b.ended(id);
  const { data } = await browse(id);
  assert.equal(data[0]?.type, "succeeded");
  assert.equal(data[0]?.result, null);
  const { bytes } = await b.download(id);
  assert.equal(data[0]?.bytes, bytes.length);
});

test("[OPS8] [BAT34] results whose bytes are lost are 404 on a page as they are whole", async () => {
  const { id } = await b.create(told("kept", "bad"));
  await b.ended(id);
  await b.idle();
  const { data } = await browse(id);
  const { blobs, segmentOptions } = b.house.world;
  const segments = await b.house.world.db.query<{ segment: number }>(
    sql`select segment from batch_segments where batch_id = ${id}`,
  );
  for (const { segment } of segments)
    await deleteSegment(blobs, `batches/${id}/results-${segment}`, segmentOptions);
  const { cookie } = b.platform;
  const page = await b.house.ask("GET", `/console/api/batches/${id}/results`, { cookie });
  const whole = await b.call("GET", `/${id}/results`);
  assert.match(sentenceOf(page, 404), /^Results of the message batch .* are lost/);
  assert.equal(page.body.error.details.error_code, "content_lost");
  assert.deepEqual(page.body.error, whole.body.error);
  assert.equal(data.length, 2);
  // A page that names none of them needs no bytes.
  assert.deepEqual(idsOf(await browse(id, "custom_id=none")), []);
});
