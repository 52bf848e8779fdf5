// Rules MDL16, MDL19 and MDL6: models that were found at the start, and what the settings file says of them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ExitError } from "../../kernel/base/failure.ts";
import { loadTable } from "../../kernel/settings/load.ts";
import {
  singleUpstreamLines,
  readModelSettings,
  sections,
  withSingleUpstream,
} from "../../server/models/module.ts";
import { noSettings } from "../../server/models/catalog/settings.ts";
import { openHouse, type House } from "../house.ts";
import { fakeUpstream, type AnswerHandler, type FakeUpstream } from "../upstreams/fake.ts";
import { sentenceOf } from "./support.ts";

const directory = mkdtempSync(join(tmpdir(), "plinth-found-"));
const configFile = join(directory, "plinth.config.json");
after(() => rmSync(directory, { recursive: true }));

const listing =
  (...ids: string[]): AnswerHandler =>
  ({ received: asked, reply }) => {
    const data = ids.map((id) => ({ id }));
    if (asked.method === "GET") reply(200, JSON.stringify({ data }));
    else reply(400, '{"type":"error","error":{"type":"invalid_request_error"}}');
  };

let fake: FakeUpstream;
before(async () => {
  fake = await fakeUpstream(listing("m-one", "m-two", "m-three", "claude-opus-4-1"));
});
after(() => fake[Symbol.asyncDispose]());

/** The settings of a start whose file says that, in front of that server. */
async function started(content: object, url = fake.url, chosen?: string) {
  writeFileSync(configFile, JSON.stringify(content));
  const loaded = loadTable({}, { file: configFile, env: {}, flags: {}, sections });
  return (await withSingleUpstream(readModelSettings(loaded), url, chosen, configFile)).settings;
}

async function refusal(content: object, url?: string, chosen?: string): Promise<string> {
  const found = await started(content, url, chosen).catch((error: unknown) => error);
  assert.ok(found instanceof ExitError, JSON.stringify(found));
  return found.message;
}

const entryIn = async (house: House, id: string) => {
  const { cookie } = house.organizations.platform;
  const { body } = await house.ask("GET", "/console/api/models", { cookie });
  assert.deepEqual(body.problems, []);
  return body.data.find((model: { id: string }) => model.id === id);
};
const idOf = async (house: House, name: string) => {
  const { api_key: key } = house.organizations.platform;
  return (await house.ask("GET", `/v1/models/${name}`, { key })).body.id;
};

test("[MDL19] what the file says of a found model is put over what was found", async () => {
  const models = [
    {
      id: "m-one",
      prices: { input: 3_000, output: 15_000 },
      aliases: ["big"],
      allowed_fallback_models: ["m-two", "sim-small"],
    },
    { id: "m-two", upstream: "upstream", ignores: [], pass: ["speed"], vision: false },
    { id: "beside", upstream: "simulator", allowed_fallback_models: ["m-one", "m-three"] },
    { id: "second-name", upstream: "upstream", upstream_model: "m-one" },
    { id: "m-three", upstream: "simulator" },
  ];
  await using house = await openHouse({ sections: { models: await started({ models }) } });
  const one = await entryIn(house, "m-one");
  assert.equal(one.upstream, "upstream");
  assert.equal(one.upstream_model, "m-one");
  assert.equal(one.prices.output, 15_000);
  assert.deepEqual(one.allowed_fallback_models, ["m-two", "sim-small"]);
  assert.deepEqual(one.ignores, ["thinking", "effort"]);
  assert.deepEqual(one.pass, ["*"]);
  assert.deepEqual([one.vision, one.documents, one.structured_outputs], [true, true, true]);
  const two = await entryIn(house, "m-two");
  assert.deepEqual([two.upstream, two.ignores, two.pass], ["upstream", [], ["speed"]]);
  assert.deepEqual([two.vision, two.documents], [false, true]);
  const three = await entryIn(house, "m-three");
  assert.deepEqual([three.upstream, three.ignores], ["simulator", []]);
  assert.equal((await entryIn(house, "second-name")).upstream_model, "m-one");
  assert.equal(await idOf(house, "big"), "m-one");
  assert.equal(await idOf(house, "claude-sonnet-5"), "m-one");
});

test("[MDL19] a found model may have a name that is built in, and the file may speak of it", async () => {
  const models = [{ id: "claude-opus-4-1", display_name: "Far" }];
  await using house = await openHouse({ sections: { models: await started({ models }) } });
  assert.equal((await entryIn(house, "claude-opus-4-1")).upstream, "upstream");
  assert.equal(await idOf(house, "claude-opus-4-1"), "claude-opus-4-1");
  assert.equal(await idOf(house, "claude-opus-4-1-20250805"), "m-one");
});

test("[MDL19] a name that the file gives to another model is that one's", async () => {
  const models = [{ id: "mine", upstream: "simulator", aliases: ["m-one"] }];
  const settings = await started({ models });
  await using house = await openHouse({ sections: { models: settings } });
  assert.equal(await idOf(house, "m-one"), "mine");
  assert.equal(await entryIn(house, "m-one"), undefined);
  assert.deepEqual(singleUpstreamLines(settings), [`claude-… names lead to m-two at ${fake.url}`]);
  const sentence = /^The alias m-one of the model mine is the id of another model\. /;
  assert.match(await refusal({ models }, fake.url, "m-one"), sentence);
  assert.match(await refusal({ models: [...models, { id: "m-one" }] }), sentence);
});

test("[MDL19] claude-… names lead to no model that the file retired or took elsewhere", async () => {
  const models = [
    { id: "m-one", lifecycle: "retired" },
    { id: "m-two", upstream: "simulator" },
  ];
  const lines = singleUpstreamLines(await started({ models }));
  assert.deepEqual(lines, [`claude-… names lead to m-three at ${fake.url}`]);
});

test("[MDL19] file and found models are checked together", async () => {
  const wrong: [object, RegExp][] = [
    [{ id: "m-four" }, /^The model m-four names no upstream: known are simulator, upstream\. /],
    [{ id: "m-one", upstream: "there" }, /names the upstream there, which is not there: /],
    [
      { id: "m-one", allowed_fallback_models: ["m-four"] },
      /^The model m-one may fall back to m-four, which is no model's id\. /,
    ],
    [{ id: "m-one", guard: "m-four" }, /^The guard of the model m-one is m-four/],
    [{ id: "m-one", recommended_effort: "low", efforts: ["high"] }, /which it does not take/],
  ];
  for (const [entry, sentence] of wrong) {
    const told = await refusal({ models: [entry] });
    assert.match(told, sentence);
    assert.ok(told.endsWith(` Mend it in ${configFile}.`), told);
  }
  const twice = { models: [{ id: "m-one" }, { id: "m-one" }] };
  assert.match(await refusal(twice), /^The model m-one is there twice\. /);
});

test("[MDL19] a server that does not answer is what is told, whatever the file says", async () => {
  const gone = await fakeUpstream();
  await gone[Symbol.asyncDispose]();
  const told = await refusal({ models: [{ id: "m-one" }] }, gone.url);
  assert.equal(
    told,
    `${gone.url} does not answer as a model server (ECONNREFUSED). It is the address in the setting upstream (PLINTH_UPSTREAM): start that server first, or mend the address; if it wants a key, write both under upstreams in the settings file, or on the console's page Models.`,
  );
});

test("[MDL16] a server that wants a key is told apart, with where a key goes", async () => {
  const refused = '{"type":"error","error":{"type":"authentication_error","message":"key?"}}';
  await using guarded = await fakeUpstream(({ reply }) => reply(401, refused));
  const { url } = guarded;
  const warning = `Warning: ${url} wants a key, and the setting upstream takes none: write its address and key under upstreams in the settings file, or on the console's page Models, in place of that setting.`;
  const unnamed = await withSingleUpstream(noSettings, url);
  assert.deepEqual(singleUpstreamLines(unnamed.settings), [
    "claude-… names lead to the simulator",
    warning,
  ]);
  const named = await withSingleUpstream(noSettings, url, "only");
  assert.deepEqual(singleUpstreamLines(named.settings), [
    `claude-… names lead to only at ${url}`,
    warning,
  ]);
  // llama.cpp lists its models without a key.
  await using half = await fakeUpstream(({ received: asked, reply }) =>
    asked.method === "GET" ? reply(200, '{"data":[{"id":"m"}]}') : reply(401, refused),
  );
  const lines = singleUpstreamLines((await withSingleUpstream(noSettings, half.url)).settings);
  assert.deepEqual(lines, [
    `claude-… names lead to m at ${half.url}`,
    warning.replace(url, half.url),
  ]);
  // Such a refusal does not show the wire.
  await using plain = await fakeUpstream(({ reply }) => reply(401, "Unauthorized"));
  const told = await withSingleUpstream(noSettings, plain.url).catch((error: Error) => error);
  assert.ok(told instanceof ExitError);
  assert.match(told.message, /\(status 401\)\. It refuses the key, or wants one\. /);
  assert.match(told.message, /under upstreams in the settings file, or on the console's page/);
});

test("[MDL6] a request for a model that is not there is told whole names, found ones first", async () => {
  const settings = await started({ models: [{ id: "own", upstream: "simulator" }] });
  await using house = await openHouse({ sections: { models: settings } });
  const ask = (model: string, at: House) => {
    const body = { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] };
    return at.ask("POST", "/v1/messages", { key: at.organizations.platform.api_key, body });
  };
  assert.equal(
    sentenceOf(await ask("gpt-x", house), 404),
    'There is no model "gpt-x"; this server has claude-opus-4-1, m-one, m-three, m-two, own, sim-large, sim-medium, sim-small, and 4 more.',
  );
  const long = sentenceOf(await ask("x".repeat(200), house), 404);
  assert.match(long, /^There is no model "x{100}…"; this server has .*, and 4 more\.$/);
  await using plain = await openHouse();
  assert.equal(
    sentenceOf(await ask("gpt-x", plain), 404),
    'There is no model "gpt-x"; this server has sim-large, sim-medium, sim-small, sim-adaptive-small, sim-classic-large, sim-classic, sim-classic-small.',
  );
});

test("[MDL16] a server that lists nothing is told apart, and a name given for it is enough", async () => {
  await using silent = await fakeUpstream(({ received: asked, reply }) =>
    asked.method === "GET" ? reply(404, "{}") : reply(400, '{"error":{"message":"empty"}}'),
  );
  const unnamed = await withSingleUpstream(noSettings, silent.url);
  assert.match(
    singleUpstreamLines(unnamed.settings).join("\n"),
    /lists none: name one with PLINTH_UPSTREAM_MODEL/,
  );
  assert.deepEqual(unnamed.settings.models, []);
  const named = await withSingleUpstream(noSettings, silent.url, "only");
  assert.deepEqual(singleUpstreamLines(named.settings), [
    `claude-… names lead to only at ${silent.url}`,
  ]);
  assert.deepEqual(
    named.settings.models.map(({ id }) => id),
    ["only"],
  );
  assert.deepEqual(singleUpstreamLines(noSettings), []);
});
