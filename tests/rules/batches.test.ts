// Rules BAT2 to BAT6 and BAT16 to BAT23, over HTTP: batches as they are made, shown, canceled and deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import {
  type Batch,
  type BatchHouse,
  filesOf,
  items,
  newerVersion,
  olderVersion,
  openBatchHouse,
  params,
  same,
} from "./batches-house.ts";
import { hours, makeKey, sentenceOf, until } from "./support.ts";

let b: BatchHouse;
before(async () => {
  b = await openBatchHouse();
});
after(() => b[Symbol.asyncDispose]());

const batchesIn = async () => {
  const [row] = await b.house.world.db.query<{ batches: number }>(
    sql`select count(*)::int as batches from batches`,
  );
  return row?.batches;
};

const none = { succeeded: 0, errored: 0, canceled: 0, expired: 0 };

test("[BAT2] [BAT4] what is no list of requests is refused at once, and nothing is kept of it", async () => {
  const good = '{"custom_id":"good","params":{}}';
  const refused: [string, RegExp][] = [
    ["", /^The body is not JSON: it is empty/],
    ["[]", /^The body must be an object; found an array\.$/],
    ["{}", /^requests: is required and must be an array\.$/],
    [`{"requests":{"0":${good}}}`, /^requests: must be an array; found an object\.$/],
    ['{"requests":[]}', /^requests: must not be empty; a batch has at least one request\.$/],
    [`{"requests":[${good},7]}`, /^requests\.1: must be an object; found a number\.$/],
    [`{"requests":[${good}],"beta":true}`, /^beta: is not known here; known are requests\.$/],
    [`{"requests":[${good}]`, /^The body is not JSON: it ends too early at byte 47\.$/],
    [`{"requests":[${good}]}]`, /^The body is not JSON: it goes on after its end at byte 48\.$/],
    [`{"requests":[${good},{"custom_id":"x","params":{"a":nul}}]}`, /in requests\.1\.$/],
  ];
  const before = await batchesIn();
  for (const [body, sentence] of refused) {
    const answer = await b.call("POST", "", { body });
    assert.match(sentenceOf(answer, 400), sentence);
    assert.equal(answer.body.error.type, "invalid_request_error");
    assert.equal(answer.body.request_id, answer.headers.get("request-id"));
  }
  assert.equal(await batchesIn(), before);
  assert.deepEqual(filesOf(b.house), []);
});

test("[BAT3] [BAT4] a custom_id that is missing, malformed or there twice is refused at once", async () => {
  const first = items("Hello")[0];
  const long = "x".repeat(65);
  const refused: [unknown, RegExp][] = [
    [{ params: {} }, /^requests\.1\.custom_id: is required and must be a string\.$/],
    [{ custom_id: 7, params: {} }, /^requests\.1\.custom_id: must be a string; found a number\.$/],
    [
      { custom_id: "", params: {} },
      /^requests\.1\.custom_id: must be 1 to 64 letters a-z and A-Z,/,
    ],
    [{ custom_id: long, params: {} }, /^requests\.1\.custom_id: must be 1 to 64 letters/],
    [{ custom_id: "my id", params: {} }, /^requests\.1\.custom_id: must be 1 to 64 letters/],
    [{ custom_id: "é", params: {} }, /^requests\.1\.custom_id: must be 1 to 64 letters/],
    [
      first,
      /^requests\.1\.custom_id: must be unique within the batch; item-0 is the custom_id of requests\.0 too\.$/,
    ],
  ];
  const before = await batchesIn();
  for (const [second, sentence] of refused)
    assert.match(sentenceOf(await b.post([first, second]), 400), sentence);
  assert.equal(await batchesIn(), before);
  assert.deepEqual(filesOf(b.house), []);
  const allowed = ["a", "aZ09_-xy".repeat(8)];
  const results = await b.run(allowed.map((custom_id) => ({ custom_id, params: params("Hi") })));
  assert.deepEqual([...results.keys()].sort(), allowed);
  // What is there twice in two batches is nobody's trouble.
  assert.equal((await b.run(items("Hello"))).size, 1);
});

test("[BAT4] of a body that breaks off nothing is kept", async () => {
  await b.idle();
  const before = await batchesIn();
  const leaving = new AbortController();
  const [first = ""] = items("Hello").map((item) => JSON.stringify(item));
  const begun = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(Buffer.from(`{"requests":[${first},`)),
    pull: () => begun.resolve(),
  });
  const asked = fetch(`${b.house.url}/v1/messages/batches`, {
    method: "POST",
    headers: { "x-api-key": b.platform.api_key, "content-type": "application/json" },
    body,
    signal: leaving.signal,
    duplex: "half",
  });
  await begun.promise;
  const unfinished = () => filesOf(b.house).filter((path) => path.startsWith("unfinished/")).length;
  await until(async () => unfinished() === 1, "the unfinished file");
  const others = filesOf(b.house).length - 1;
  leaving.abort();
  await assert.rejects(asked);
  await until(async () => unfinished() === 0, "nothing being left");
  assert.equal(filesOf(b.house).length, others);
  assert.equal(await batchesIn(), before);
});

test("[BAT5] what is wrong with an item shows in its result, and harms no other", async () => {
  const results = await b.run([
    { custom_id: "good", params: params("Hello") },
    { custom_id: "none" } as never,
    { custom_id: "list", params: [] },
    { custom_id: "text", params: "{}" },
    { custom_id: "null", params: null },
    { custom_id: "more", params: params("Hello"), priority: 1 } as never,
    { custom_id: "bad", params: params("Hello", { max_token: 5 }) },
    { custom_id: "better", params: params("Hello") },
  ]);
  const told = [...results].map(([id, { type, error }]) => [id, type, error?.error.message]);
  assert.deepEqual(Object.fromEntries(told.map(([id, type]) => [id, type])), {
    good: "succeeded",
    none: "errored",
    list: "errored",
    text: "errored",
    null: "errored",
    more: "errored",
    bad: "errored",
    better: "succeeded",
  });
  const sentences = Object.fromEntries(told.map(([id, , message]) => [id, message]));
  assert.equal(sentences["none"], "params: is required and must be an object.");
  assert.equal(sentences["list"], "params: must be an object; found an array.");
  assert.equal(sentences["text"], "params: must be an object; found a string.");
  assert.equal(sentences["null"], "params: must be an object; found null.");
  assert.equal(sentences["more"], "priority: is not known here; known are custom_id, params.");
  assert.equal(sentences["bad"], "max_token: is not known here; did you mean max_tokens?");
});

test("[BAT6] a new batch is in progress, with its end in sight", async () => {
  const batch = await b.create(same(3, "[[tokens 4]] [[rate 4]]"));
  assert.match(batch.id, /^msgbatch_[0-9a-z]{26}$/);
  const { id, created_at, expires_at } = batch;
  assert.deepEqual(batch, {
    id,
    type: "message_batch",
    processing_status: "in_progress",
    request_counts: { processing: 3, ...none },
    created_at,
    expires_at,
    ended_at: null,
    cancel_initiated_at: null,
    archived_at: null,
    results_url: null,
  });
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 10_000);
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), hours(24));
  assert.deepEqual(await b.retrieve(id), batch);
  const done = await b.ended(id);
  assert.deepEqual(done, {
    ...batch,
    processing_status: "ended",
    request_counts: { processing: 0, ...none, succeeded: 3 },
    ended_at: done.ended_at,
    results_url: `${b.house.url}/v1/messages/batches/${id}/results`,
  });
  assert.ok(Date.parse(done.ended_at ?? "") > Date.parse(created_at));
});

test("[BAT16] counts are live for the older dialect, and told at the end for the newer one", async () => {
  const slow = items("Hello", "[[fail status=400]]", "[[tokens 8]] [[rate 8]]");
  const { id } = await b.create(slow);
  const half = await until(async () => {
    const { request_counts: counts } = await b.retrieve(id, { headers: olderVersion });
    return counts.processing === 1 && counts;
  }, "two results");
  assert.deepEqual(half, { processing: 1, ...none, succeeded: 1, errored: 1 });
  // Nobody says which version: the older one.
  assert.deepEqual((await b.retrieve(id)).request_counts, half);
  const { request_counts } = await b.retrieve(id, { headers: newerVersion });
  assert.deepEqual(request_counts, { processing: 3, ...none });
  const list = await b.call("GET", "?limit=1", { headers: newerVersion });
  assert.deepEqual((list.body.data as Batch[])[0]?.request_counts, { processing: 3, ...none });
  const all = { processing: 0, ...none, succeeded: 2, errored: 1 };
  assert.deepEqual((await b.ended(id, { headers: newerVersion })).request_counts, all);
  assert.deepEqual((await b.retrieve(id, { headers: olderVersion })).request_counts, all);
});

test("[BAT17] cancelling lets what is under way end, and cancels everything else", async () => {
  const failing = { custom_id: "again", params: params("[[fail status=500 retry_after=600]]") };
  const wrong = { custom_id: "wrong", params: {} };
  const slow = same(200, "[[tokens 8]] [[rate 4]]");
  const { id } = await b.create([failing, wrong, ...slow]);
  await until(async () => (await b.retrieve(id)).request_counts.errored === 1, "the first result");
  const canceling = await b.cancel(id, { headers: newerVersion });
  assert.equal(canceling.status, 200);
  const { cancel_initiated_at } = canceling.body as Batch;
  assert.equal(canceling.body.processing_status, "canceling");
  assert.ok(Math.abs(Date.parse(String(cancel_initiated_at)) - Date.now()) < 10_000);
  assert.deepEqual(canceling.body.request_counts, { processing: 202, ...none });
  assert.equal(canceling.body.results_url, null);
  const again = await b.cancel(id, { headers: newerVersion });
  assert.deepEqual([again.status, again.body], [200, canceling.body]);
  const done = await b.ended(id);
  assert.equal(done.cancel_initiated_at, cancel_initiated_at);
  const { succeeded, canceled, errored, expired } = done.request_counts;
  assert.deepEqual([errored, expired, succeeded + canceled], [1, 0, 201]);
  assert.ok(succeeded >= 8 && succeeded <= 64, `${succeeded} were under way`);
  const results = await b.results(id);
  assert.deepEqual(results.get("again"), { type: "canceled" });
  assert.deepEqual(results.get("item-199"), { type: "canceled" });
  assert.equal(results.get("item-0")?.type, "succeeded");
  const late = await b.cancel(id);
  assert.match(sentenceOf(late, 400), /has ended: there is nothing left of it to cancel/);
  assert.equal(late.headers.get("x-should-retry"), "false");
});

test("[BAT19] a batch is deleted once it has ended, and is gone with its results", async () => {
  const { id } = await b.create(items("[[tokens 4]] [[rate 2]]"));
  const early = await b.remove(id);
  assert.match(sentenceOf(early, 400), /is in progress: cancel it, wait until it has ended, then/);
  assert.equal(early.headers.get("x-should-retry"), "false");
  await b.cancel(id);
  assert.match(sentenceOf(await b.remove(id), 400), /is being canceled: cancel it, wait until/);
  await b.ended(id);
  const gone = await b.remove(id);
  assert.equal(gone.headers.get("content-type"), "application/json");
  assert.deepEqual([gone.status, gone.body], [200, { id, type: "message_batch_deleted" }]);
  const answers = [
    b.call("GET", `/${id}`),
    b.call("GET", `/${id}/results`),
    b.cancel(id),
    b.remove(id),
  ];
  for (const answer of await Promise.all(answers))
    assert.match(sentenceOf(answer, 404), new RegExp(`no message batch ${id}`));
  const { body } = await b.call("GET", "?limit=100");
  assert.ok(!(body.data as Batch[]).some((batch) => batch.id === id));
});

test("[BAT22] the list runs newest first, and its pages meet in both directions", async () => {
  const key = b.other.api_key;
  const made: string[] = [];
  for (let count = 0; count < 5; count++) made.unshift((await b.create(items("Hi"), { key })).id);
  for (const id of made) await b.ended(id, { key });
  const list = async (query: string) => {
    const { status, body } = await b.call("GET", query, { key });
    assert.equal(status, 200, JSON.stringify(body));
    const ids = (body.data as Batch[]).map(({ id }) => id);
    assert.deepEqual([body.first_id, body.last_id], [ids[0] ?? null, ids.at(-1) ?? null]);
    return { ids, more: body.has_more as boolean };
  };
  assert.deepEqual(await list(""), { ids: made, more: false });
  assert.deepEqual(await list("?limit=1000"), { ids: made, more: false });
  assert.deepEqual(await list("?limit=2"), { ids: made.slice(0, 2), more: true });
  assert.deepEqual(await list(`?limit=2&after_id=${made[1]}`), {
    ids: made.slice(2, 4),
    more: true,
  });
  assert.deepEqual(await list(`?limit=2&after_id=${made[3]}`), { ids: made.slice(4), more: false });
  assert.deepEqual(await list(`?limit=2&before_id=${made[4]}`), {
    ids: made.slice(2, 4),
    more: true,
  });
  assert.deepEqual(await list(`?limit=2&before_id=${made[1]}`), {
    ids: made.slice(0, 1),
    more: false,
  });
  assert.deepEqual(await list(`?after_id=${made[4]}`), { ids: [], more: false });
  const [one] = (await b.call("GET", "?limit=1", { key })).body.data as Batch[];
  assert.deepEqual(one, await b.retrieve(made[0] ?? "", { key }));
  const both = await b.call("GET", `?after_id=${made[0]}&before_id=${made[1]}`, { key });
  assert.match(sentenceOf(both, 400), /after_id, before_id: give one of them, not both/);
  assert.equal((await b.call("GET", "?limit=0", { key })).status, 400);
});

test("[BAT23] to another workspace, and to another organization, a batch does not exist", async () => {
  const { organization_id } = b.platform;
  await b.house.world.db.tx((tx) =>
    tx.query(sql`insert into workspaces (id, organization_id, name, is_default, created_at)
      values ('wrkspc_beside', ${organization_id}, 'Beside', false, now())`),
  );
  const workspace_id = "wrkspc_beside";
  const beside = await makeKey(b.house, b.platform, { kind: "api", workspace_id });
  const { id } = await b.create(items("Hello"));
  const running = await b.create(items("[[tokens 4]] [[rate 2]]"));
  await b.ended(id);
  for (const key of [beside.secret, b.other.api_key]) {
    const asking = { key };
    const asked = [id, running.id].flatMap((each) => [
      b.call("GET", `/${each}`, asking),
      b.call("GET", `/${each}/results`, asking),
      b.cancel(each, asking),
      b.remove(each, asking),
    ]);
    for (const answer of await Promise.all(asked))
      assert.match(sentenceOf(answer, 404), /There is no message batch msgbatch_/);
    const { body } = await b.call("GET", "?limit=1000", asking);
    assert.ok(!(body.data as Batch[]).some((batch) => [id, running.id].includes(batch.id)));
  }
  assert.equal((await b.results(id)).size, 1);
  assert.equal((await b.ended(running.id)).request_counts.succeeded, 1);
  // Their own, with the same custom_id, is theirs alone.
  const theirs = await b.create(items("Hello"), { key: beside.secret });
  await b.ended(theirs.id, { key: beside.secret });
  assert.equal((await b.call("GET", `/${theirs.id}`)).status, 404);
  const nothing = await b.call("GET", "/msgbatch_nothing");
  assert.match(sentenceOf(nothing, 404), /There is no message batch msgbatch_nothing\./);
});
