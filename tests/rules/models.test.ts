// Rules MDL1 to MDL12: the catalog by itself, and over HTTP.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ExitError } from "../../kernel/base/failure.ts";
import { loadTable } from "../../kernel/settings/load.ts";
import { simulatorModels } from "../../server/models/catalog/built-in.ts";
import {
  catalogOf,
  expectConsistentModels,
  readModelSettings,
  sections,
} from "../../server/models/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { askAt, eventsOf, sentenceOf, until } from "./support.ts";

const directory = mkdtempSync(join(tmpdir(), "plinth-models-"));
const configFile = join(directory, "plinth.config.json");

/** What a settings file with this content says of models. */
function settings(content: object) {
  writeFileSync(configFile, JSON.stringify(content));
  const read = readModelSettings(loadTable({}, { file: configFile, env: {}, flags: {}, sections }));
  expectConsistentModels(read, configFile);
  return read;
}

const refusal = (content: object): string => {
  try {
    settings(content);
  } catch (error) {
    assert.ok(error instanceof ExitError, String(error));
    assert.equal(error.exitCode, 2);
    return error.message;
  }
  return assert.fail(`${JSON.stringify(content)} was taken`);
};

let house: House;
let platform: Tenant;
before(async () => {
  const models = settings({
    upstreams: {
      lab: { kind: "messages", base_url: "http://127.0.0.1:9", key: "key-of-the-lab" },
    },
    models: [
      {
        id: "sim-medium",
        display_name: "Ours",
        retires_at: "2027-01-01T00:00:00Z",
        lifecycle: "deprecated",
      },
      {
        id: "lab-one",
        upstream: "lab",
        aliases: ["claude-haiku-*", "lab-*", "exact"],
        created_at: "2026-09-01T00:00:00Z",
        prices: { input: 3_000, output: 15_000, cache_read: 7 },
        allowed_fallback_models: ["sim-small"],
      },
      { id: "old", upstream: "lab", lifecycle: "retired", created_at: "2020-01-01T00:00:00Z" },
    ],
  });
  house = await openHouse({ sections: { models } });
  ({ platform } = house.organizations);
});
after(async () => {
  rmSync(directory, { recursive: true });
  await house[Symbol.asyncDispose]();
});

const models = (query = "", headers = {}) =>
  house.ask("GET", `/v1/models${query}`, { key: platform.api_key, headers });
const model = async (id: string) => (await models(`/${encodeURIComponent(id)}`)).body;
const set = (body: object, noun = "models") =>
  house.ask("POST", `/console/api/${noun}`, { cookie: platform.cookie, body });
const remove = (id: string, noun = "models") =>
  house.ask("DELETE", `/console/api/${noun}/${id}`, { cookie: platform.cookie });
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

test("[MDL2] names lead to models: ids, exact aliases, the file's patterns, longer patterns", async () => {
  const names = {
    "sim-small": "sim-small",
    exact: "lab-one",
    "lab-anything": "lab-one",
    "claude-haiku-4-5": "lab-one",
    "claude-3-5-haiku-latest": "sim-classic-small",
    "claude-sonnet-5": "sim-medium",
    "claude-opus-5": "sim-large",
    "claude-fable-5": "sim-large",
  };
  for (const [name, id] of Object.entries(names)) assert.equal((await model(name)).id, id, name);
  assert.match(sentenceOf(await models("/gpt-x"), 404), /There is no model gpt-x/);
  assert.match(sentenceOf(await models("/Claude-x"), 404), /There is no model/);
});

test("[MDL3] an entry of the file overrides a built-in one and keeps the rest of it", async () => {
  const { display_name, lifecycle, capabilities, recommended_effort } = await model("sim-medium");
  assert.deepEqual([display_name, lifecycle], ["Ours", "deprecated"]);
  assert.deepEqual([capabilities.effort.max.supported, recommended_effort], [true, "medium"]);
});

test("[MDL4] settings that do not hold together are refused with a sentence", () => {
  const upstreams = { lab: { kind: "messages", base_url: "http://127.0.0.1:9" } };
  const entry = { id: "a", upstream: "lab" };
  const cases: [object, RegExp][] = [
    [{ models: [{ id: "a" }] }, /^The model a names no upstream: known are simulator\./],
    [
      { models: [{ id: "a", upstream: "x" }] },
      /^The model a names the upstream x, which is not there/,
    ],
    [{ upstreams, models: [entry, entry] }, /^The model a is there twice\./],
    [
      {
        upstreams,
        models: [
          { ...entry, aliases: ["n"] },
          { ...entry, id: "b", aliases: ["n"] },
        ],
      },
      /^The models a and b share the name n\./,
    ],
    [
      { upstreams, models: [{ ...entry, aliases: ["sim-large"] }] },
      /alias sim-large .* id of another/,
    ],
    [
      { upstreams, models: [{ ...entry, allowed_fallback_models: ["x"] }] },
      /^The model a may fall back to x, which is no model's id\./,
    ],
    [
      { upstreams, models: [{ ...entry, allowed_fallback_models: ["a"] }] },
      /cannot fall back to itself/,
    ],
    [
      { upstreams, models: [{ ...entry, fallback_routing: { bio: "sim-small" } }] },
      /fallback_routing of a/,
    ],
    [
      { upstreams, models: [{ ...entry, prices: { input: 1.5, output: 1 } }] },
      /models\[0\]\.prices\.input .*integer/,
    ],
    [
      { upstreams, models: [{ ...entry, price: 1 }] },
      /models\[0\]\.price.* is not a name that is known/,
    ],
    [{ upstreams, models: [{ ...entry, guard: "nobody" }] }, /guard of the model a is nobody/],
    [
      {
        upstreams,
        models: [{ ...entry, classifiers: [{ category: null, on: "input", pattern: "(" }] }],
      },
      /which is no regular expression/,
    ],
    [
      { upstreams, models: [{ ...entry, efforts: ["low"], recommended_effort: "max" }] },
      /recommends the effort max/,
    ],
    [{ upstreams: { lab: { kind: "chat" } } }, /^The upstream lab needs a base_url\./],
    [
      { upstreams: { lab: { kind: "chat", base_url: "ftp://x" } } },
      /must be an http or https address/,
    ],
    [
      { upstreams: { s: { kind: "simulator", key: "k" } } },
      /is a simulator: it takes a scenario and no/,
    ],
    [
      { upstreams: { s: { kind: "simulator", scenario: "missing.json" } } },
      /missing\.json .*cannot be read/,
    ],
  ];
  for (const [content, sentence] of cases) assert.match(refusal(content), sentence);
  writeFileSync(join(directory, "turns.json"), '[{"say":"hello"}]');
  const read = settings({ upstreams: { s: { kind: "simulator", scenario: "turns.json" } } });
  assert.deepEqual(read.upstreams["s"]?.scenario, [{ say: "hello" }]);
});

test("[MDL5] prices that are not set follow from the input price", () => {
  assert.deepEqual(catalogOf(house.world).resolve("lab-one")?.prices, {
    input: 3_000,
    output: 15_000,
    cacheWrite5m: 3_750,
    cacheWrite1h: 6_000,
    cacheRead: 7,
  });
  assert.equal(catalogOf(house.world).resolve("sim-large")?.prices.cacheRead, 500);
});

test("[MDL6] the list runs newest first, in pages, without retired models", async () => {
  const all = ["lab-one", ...simulatorModels.map(({ id }) => id)];
  const { body } = await models();
  assert.deepEqual([idsOf(body), body.has_more], [all, false]);
  assert.deepEqual(idsOf((await models("?lifecycle[]=retired")).body), ["old"]);
  assert.deepEqual(idsOf((await models("?lifecycle[]=deprecated")).body), ["sim-medium"]);
  const first = (await models("?limit=2")).body;
  assert.deepEqual([idsOf(first), first.has_more], [all.slice(0, 2), true]);
  assert.deepEqual(
    idsOf((await models(`?limit=2&after_id=${first.last_id}`)).body),
    all.slice(2, 4),
  );
  assert.deepEqual(idsOf((await models("?limit=2&before_id=sim-small")).body), all.slice(1, 3));
  assert.match(sentenceOf(await models("?after_id=nobody"), 400), /^after_id: /);
  assert.equal((await model("old")).lifecycle, "retired");
});

test("[MDL7] what a model takes is shown; fallbacks only with the beta", async () => {
  assert.equal((await model("sim-large")).allowed_fallback_models, null);
  const { body } = await models("/sim-large", {
    "anthropic-beta": "server-side-fallback-2026-07-01",
  });
  assert.deepEqual(body.allowed_fallback_models.slice(0, 2), ["sim-medium", "sim-small"]);
  assert.equal(body.recommended_effort, "xhigh");
  const small = await model("sim-small");
  assert.deepEqual(small.capabilities.effort.supported, false);
  assert.deepEqual(small.capabilities.thinking.supported, false);
});

test("[MDL8] administrators set models; the file's stay as they are", async () => {
  const made = await set({ id: "made", upstream: "simulator", prices: { input: 10, output: 20 } });
  assert.deepEqual([made.status, made.body.origin], [200, "console"], JSON.stringify(made.body));
  assert.equal((await model("made")).display_name, "made");
  assert.match(
    sentenceOf(await set({ id: "lab-one", upstream: "lab" }), 400),
    /stands in the settings file/,
  );
  assert.match(sentenceOf(await remove("lab-one"), 400), /stands in the settings file/);
  const lab = { name: "lab", kind: "chat", base_url: "http://127.0.0.1:9" };
  assert.match(sentenceOf(await set(lab, "upstreams"), 400), /stands in the settings file/);
  assert.equal((await remove("made")).status, 204);
  assert.equal((await models("/made")).status, 404);
  assert.equal((await remove("made")).status, 404);
  await set({ id: "sim-small", display_name: "Changed" });
  assert.equal((await model("sim-small")).display_name, "Changed");
  await remove("sim-small");
  assert.equal((await model("sim-small")).display_name, "Simulator Small");
  const byKey = await house.ask("POST", "/console/api/models", {
    key: platform.admin_api_key,
    body: { id: "x", upstream: "simulator" },
  });
  assert.equal(byKey.status, 403);
});

test("[MDL9] a change that breaks the catalog is refused and changes nothing", async () => {
  assert.match(sentenceOf(await set({ id: "x", upstream: "nowhere" }), 400), /which is not there/);
  assert.match(
    sentenceOf(await set({ id: "x", upstream: "simulator", allowed_fallback_models: ["y"] }), 400),
    /may fall back to y/,
  );
  assert.equal((await models("/x")).status, 404);
  await set({ name: "second", kind: "simulator" }, "upstreams");
  await set({ id: "y", upstream: "second" });
  await set({ id: "x", upstream: "simulator", allowed_fallback_models: ["y"] });
  assert.match(sentenceOf(await remove("y"), 400), /x may fall back to y/);
  assert.match(sentenceOf(await remove("second", "upstreams"), 400), /names the upstream second/);
  assert.equal((await model("y")).id, "y");
  for (const id of ["x", "y"]) assert.equal((await remove(id)).status, 204);
  assert.equal((await remove("second", "upstreams")).status, 204);
});

test("[MDL10] a change holds on every process within seconds", async () => {
  await using other = await house.openSecondServer();
  const seen = (id: string) =>
    askAt(other.url, "GET", `/v1/models/${id}`, { key: platform.api_key });
  assert.equal((await seen("spread")).status, 404);
  await set({ id: "spread", upstream: "simulator" });
  await until(async () => (await seen("spread")).status === 200, "the other process to know it");
  await remove("spread");
  await until(async () => (await seen("spread")).status === 404, "the other process to forget it");
});

test("[MDL11] keys and headers are encrypted, shown as a hint, and stay with their host", async () => {
  const key = "a-very-secret-key-1234";
  const body = { name: "far", kind: "messages", base_url: "http://127.0.0.1:9/a" };
  const first = await set({ ...body, key, headers: { "x-team": "secret-team" } }, "upstreams");
  assert.deepEqual([first.body.key_hint, first.body.header_names], ["...1234", ["x-team"]]);
  const kept = await set(
    { ...body, base_url: "http://127.0.0.1:9/b", pass: ["top_k"] },
    "upstreams",
  );
  assert.deepEqual([kept.body.key_hint, kept.body.header_names], ["...1234", ["x-team"]]);
  const rows = await house.world.db.query({ text: "select * from upstreams", values: [] });
  const { body: list } = await house.ask("GET", "/console/api/upstreams", {
    cookie: platform.cookie,
  });
  const log = JSON.stringify([rows, list, await eventsOf(house, platform), house.log]);
  for (const secret of [key, "secret-team", "key-of-the-lab"])
    assert.ok(!log.includes(secret), secret);
  assert.equal(catalogOf(house.world).assembled().upstreams.get("far")?.upstream.key, key);
  const moved = await set({ ...body, base_url: "http://127.0.0.2:9" }, "upstreams");
  assert.deepEqual([moved.body.key_hint, moved.body.header_names], [null, []]);
  await set({ ...body, key }, "upstreams");
  assert.equal((await set({ ...body, key: null }, "upstreams")).body.key_hint, null);
  await remove("far", "upstreams");
});

test("[MDL12] what does not fit new settings is left out, and the rest is served", async () => {
  await set({ name: "gone", kind: "simulator" }, "upstreams");
  await set({ id: "fits", upstream: "simulator" });
  await set({ id: "leans", upstream: "simulator", allowed_fallback_models: ["lost"] }).catch(
    () => {},
  );
  await set({ id: "lost", upstream: "gone" });
  await set({ id: "leans", upstream: "simulator", allowed_fallback_models: ["lost"] });
  await house.world.db.tx(async (tx) => {
    await tx.query({ text: "delete from upstreams where name = 'gone'", values: [] });
    await tx.query({ text: "update catalog_changes set counter = counter + 1", values: [] });
  });
  await catalogOf(house.world).refresh();
  assert.deepEqual(
    await Promise.all(
      ["fits", "lost", "leans", "sim-large"].map(async (id) => (await models(`/${id}`)).status),
    ),
    [200, 404, 404, 200],
  );
  const { body } = await house.ask("GET", "/console/api/models", { cookie: platform.cookie });
  assert.match(
    body.problems.join(" "),
    /The model lost names the upstream gone, which is not there/,
  );
  for (const id of ["leans", "lost", "fits"]) assert.equal((await remove(id)).status, 204, id);
});

test("[MDL13] an address is tested; the kept key goes to its own host only", async () => {
  const seen: (string | undefined)[] = [];
  const far = createServer((request, response) => {
    seen.push(String(request.headers["x-api-key"] ?? request.headers.authorization));
    const isList = request.method === "GET";
    response.writeHead(isList ? 200 : 400, { "content-type": "application/json" });
    const error = { type: "error", error: { type: "invalid_request_error", message: "no" } };
    response.end(JSON.stringify(isList ? { data: [{ id: "m-1" }] } : error));
  });
  after(() => far.close());
  await new Promise<void>((resolve) => far.listen(0, "127.0.0.1", resolve));
  const { port } = far.address() as AddressInfo;
  const base_url = `http://127.0.0.1:${port}`;
  const key = "key-of-the-far-one";
  await set({ name: "tested", kind: "messages", base_url, key }, "upstreams");
  const tested = await set({ name: "tested" }, "upstreams/test");
  assert.deepEqual(
    [tested.body.works, tested.body.kind, tested.body.models],
    [true, "messages", ["m-1"]],
    JSON.stringify(tested.body),
  );
  assert.ok(seen.length > 0 && seen.every((each) => each?.includes(key)), String(seen));
  seen.length = 0;
  const moved = { name: "tested", base_url: `http://localhost:${port}` };
  assert.equal((await set(moved, "upstreams/test")).status, 200);
  assert.ok(seen.length > 0 && !String(seen).includes(key), String(seen));
  far.closeAllConnections();
  await new Promise((resolve) => far.close(resolve));
  const nobody = await set({ base_url }, "upstreams/test");
  assert.deepEqual([nobody.status, nobody.body.works], [200, false]);
  assert.equal((await set({ name: "nobody" }, "upstreams/test")).status, 404);
  assert.match(sentenceOf(await set({}, "upstreams/test"), 400), /^base_url: is required/);
  await remove("tested", "upstreams");
});

test("[MDL14] another organization's owner may not look at the installation's models, nor change them", async () => {
  const { platform, other } = house.organizations;
  const entry = { id: "theirs", upstream: "simulator" };
  const calls = [
    ["GET", "/console/api/models", undefined],
    ["POST", "/console/api/models", entry],
    ["GET", "/console/api/upstreams", undefined],
    ["POST", "/console/api/upstreams/test", { base_url: "http://127.0.0.1:1" }],
  ] as const;
  for (const [method, path, body] of calls) {
    const refused = await house.ask(method, path, { cookie: other.cookie, body });
    assert.equal(refused.status, 403, path);
    assert.match(refused.body.error.message, /first organization/);
  }
  const allowed = await house.ask("GET", "/console/api/models", { cookie: platform.cookie });
  assert.equal(allowed.status, 200);
  assert.ok(!JSON.stringify(allowed.body).includes("theirs"));
});
