// What the metrics say, over HTTP: tokens, money, upstreams, refusals, queues, and what is kept.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { countBacklog, countKept } from "../../server/operations/gauges.ts";
import { openHouse, type House } from "../house.ts";
import { promtool, prometheusFault, scrape } from "../prometheus.ts";
import { makeKey, until } from "./support.ts";

let house: House;
before(async () => {
  const upstreams = {
    away: { kind: "messages", base_url: "http://127.0.0.1:9" },
    measured: { kind: "simulator" },
  } as const;
  const models = [
    { id: "gone", upstream: "away" },
    { id: "metered", upstream: "measured", prices: { input: 1_000_000, output: 2_000_000 } },
    { id: "narrow", upstream: "measured" },
  ];
  house = await openHouse({ sections: { models: { upstreams, models } } });
});
after(() => house[Symbol.asyncDispose]());

const message = (model: string, fields: object = {}) =>
  house.ask("POST", "/v1/messages", {
    key: house.organizations.platform.api_key,
    body: {
      model,
      max_tokens: 50,
      messages: [{ role: "user", content: "[[tokens 20]] Hello" }],
      ...fields,
    },
  });

test("[USE21] tokens are counted by model and class, and money by model and currency", async () => {
  const { status, body } = await message("metered");
  assert.equal(status, 200, JSON.stringify(body));
  const { input_tokens: input, output_tokens: output } = body.usage;
  const { value } = await scrape(house);
  assert.equal(value('plinth_tokens_total{model="metered",class="input"}'), input);
  assert.equal(value('plinth_tokens_total{model="metered",class="output"}'), output);
  const spent = value('plinth_spend_total{model="metered",currency="USD"}') ?? Number.NaN;
  assert.ok(Math.abs(spent - (input * 1e-3 + output * 2e-3)) < 1e-9, `${spent} was spent`);
});

test("[USE21] what a batch used is counted when it is settled", async () => {
  const key = house.organizations.platform.api_key;
  const before = (await scrape(house)).value('plinth_tokens_total{model="metered",class="output"}');
  const params = {
    model: "metered",
    max_tokens: 50,
    messages: [{ role: "user", content: "[[tokens 7]] Hello" }],
  };
  const body = { requests: [{ custom_id: "a", params }] };
  const made = await house.ask("POST", "/v1/messages/batches", { key, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  await until(async () => {
    const { value } = await scrape(house);
    return value('plinth_tokens_total{model="metered",class="output"}') === (before ?? 0) + 7;
  }, "the tokens of the batch");
});

test("[MDL20] an upstream's answers are timed, and counted by how they ended", async () => {
  const whole = await message("metered");
  const stream = await message("metered", { stream: true });
  assert.deepEqual([whole.status, stream.status], [200, 200]);
  assert.equal((await message("gone")).status, 503);
  assert.equal(house.expectErrors().length, 1);
  const { value } = await scrape(house);
  const answered = value('plinth_upstream_answers_total{upstream="measured",outcome="answered"}');
  assert.ok(answered !== undefined && answered >= 2);
  for (const name of ["plinth_upstream_first_byte_seconds", "plinth_upstream_answer_seconds"])
    assert.equal(value(`${name}_count{upstream="measured"}`), answered, name);
  assert.equal(value('plinth_upstream_answers_total{upstream="away",outcome="failed"}'), 1);
  assert.equal(value('plinth_upstream_open_requests{upstream="measured"}'), 0);
  const last = (what: string, upstream: string) =>
    value(`plinth_upstream_last_${what}_timestamp_seconds{upstream="${upstream}"}`) ?? -1;
  assert.ok(last("failure", "away") > 1.7e9);
  assert.ok(last("success", "measured") > 1.7e9);
  assert.deepEqual([last("success", "away"), last("failure", "measured")], [0, 0]);
});

test("[LIM23] refusals are counted by what is limited and whose it is", async () => {
  const { platform } = house.organizations;
  const { cookie, workspace_id } = platform;
  const path = "/console/api/rate_limits";
  const { body: known } = await house.ask("GET", path, { cookie });
  const { group } = known.data.find((each: { models: string[] }) => each.models.includes("narrow"));
  const none = { type: "requests_per_minute", value: 0 };
  const narrowed = await house.ask("POST", path, {
    cookie,
    body: { workspace_id, group: group.id, limits: [none] },
  });
  assert.ok(narrowed.status < 300, JSON.stringify(narrowed.body));
  assert.equal((await message("narrow")).status, 429);
  const { value } = await scrape(house);
  assert.equal(value('plinth_limit_refusals_total{kind="requests",scope="workspace"}'), 1);
});

test("[OPS12] what waits and what is kept is there by name, also where it is nothing", async () => {
  await countBacklog(house.world);
  await countKept(house.world);
  const { value } = await scrape(house);
  for (const queue of ["jobs", "batches", "webhooks", "audit", "environment_work", "ledger"])
    assert.notEqual(value(`plinth_queue_depth{queue="${queue}"}`), undefined, queue);
  for (const state of ["running", "rescheduling", "idle", "terminated"])
    assert.equal(value(`plinth_sessions{state="${state}"}`), 0, state);
  for (const state of ["running", "kept"])
    assert.equal(value(`plinth_sandboxes{state="${state}"}`), 0, state);
  for (const kind of ["files", "skills", "batches"])
    assert.notEqual(value(`plinth_blob_bytes{kind="${kind}"}`), undefined, kind);
  const [free = 0, size = 0] = ["free", "size"].map((each) => value(`plinth_disk_${each}_bytes`));
  assert.ok(free > 0 && free < size);
  const { version, startedAt } = house.world.server;
  const build = `plinth_build_info{version="${version}",node="${process.version}"}`;
  assert.equal(value(build), 1);
  const started = value("process_start_time_seconds") ?? 0;
  assert.ok(Math.abs(started - startedAt.getTime() / 1_000) < 60);
});

test("[OPS12] files and audit events that are not signed are counted as they are", async () => {
  const { platform } = house.organizations;
  const form = new FormData();
  form.append("file", new Blob(["x".repeat(1_234)], { type: "text/plain" }), "a.txt");
  const stored = await fetch(`${house.url}/v1/files`, {
    method: "POST",
    headers: { "x-api-key": platform.api_key },
    body: form,
  });
  assert.equal(stored.status, 200, await stored.text());
  await countKept(house.world);
  const kept = await scrape(house);
  assert.equal(kept.value('plinth_blob_bytes{kind="files"}'), 1_234);
  // Every minute all are signed, also right behind the event that is made here.
  await until(async () => {
    await makeKey(house, platform);
    await countBacklog(house.world);
    const { value } = await scrape(house);
    const [depth = 0, oldest = 0] = ["depth", "oldest_seconds"].map((each) =>
      value(`plinth_queue_${each}{queue="audit"}`),
    );
    return depth > 0 && oldest > 0;
  }, "events that are not signed");
});

test("[OPS12] how far the nearest spend limit is used is a share of it", async () => {
  const { platform } = house.organizations;
  await message("metered");
  const set = await house.ask("POST", "/console/api/spend_limits", {
    cookie: platform.cookie,
    body: { scope: { type: "organization" }, amount: "100" },
  });
  assert.ok(set.status < 300, JSON.stringify(set.body));
  await until(async () => {
    await countKept(house.world);
    const { value } = await scrape(house);
    const spent = value('plinth_spend_total{model="metered",currency="USD"}') ?? 0;
    const used = value('plinth_spend_limit_used_ratio{scope="organization"}') ?? 0;
    return used > 0 && Math.abs(used - spent) < 1e-6;
  }, "the share of the limit");
});

test("[OBS12] promtool has nothing to complain of", { skip: prometheusFault }, async () => {
  const { text } = await scrape(house);
  assert.equal(promtool(["check", "metrics"], text), "");
  assert.throws(() => promtool(["check", "metrics"], "# TYPE a_seconds counter\na_seconds 1\n"));
});

test("[OBS12] no label holds an id", async () => {
  const { text } = await scrape(house);
  const ids = /"(?:req|hop|key|apikey|user|org|wrkspc|sesn|msg|msgbatch|file|job)_[^"]*"/;
  assert.doesNotMatch(text, ids);
  assert.doesNotMatch(text, /sk-plinth|@/);
});
