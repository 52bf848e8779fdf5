// Rules MSG55 to MSG58, over HTTP: what a model gets to see of files that a request names, and what is refused.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FileMetadata } from "../../server/files/schema.ts";
import { memoryBudgetsOf } from "../../server/messages/prepare/memory-budget.ts";
import { batchesOf } from "./batches-house.ts";
import {
  openUpstreamsHouse,
  refusalWith,
  type UpstreamsHouse,
} from "./fallbacks-upstreams-house.ts";
import { credit07, fallback07 } from "./fallbacks-house.ts";
import { filesOf, type Files } from "./files-house.ts";
import { sentenceOf, until } from "./support.ts";

const sight = { vision: true, documents: true };
let setup: UpstreamsHouse;
let files: Files;
before(async () => {
  setup = await openUpstreamsHouse([
    { id: "sees", ...sight, reports_cache: false, cache_tokens_min: 1 },
    { id: "also", ...sight },
    { id: "blind", vision: false, documents: false },
  ]);
  files = filesOf(setup.house);
});
after(async () => {
  await batchesOf(setup.house).idle();
  await setup[Symbol.asyncDispose]();
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = "%PDF-1.7\nsome pages";
const named = (type: "image" | "document", { id }: { id: string }, rest: object = {}) => ({
  type,
  source: { type: "file", file_id: id },
  ...rest,
});
const base64 = (media_type: string, bytes: Buffer) => ({
  type: "base64",
  media_type,
  data: bytes.toString("base64"),
});
const plain = (data: string) => ({ type: "text", media_type: "text/plain", data });
const picture = () => files.upload({ content: new Uint8Array(png), filename: "a.png" });
const says = (content: unknown) => [{ role: "user", content }];
const asking = (content: unknown, fields: object = {}) => ({
  model: "sees",
  messages: says(content),
  ...fields,
});
const heardOf = async (sent: object) => {
  const answer = await setup.post(sent);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return setup.heard();
};

test("[MSG55] pictures and PDFs go out as base64, text of any kind as a document of text", async () => {
  const shown = await picture();
  const paged = await files.upload({ content: pdf, filename: "a.pdf" });
  const table = await files.upload({ content: "a,b\nü,2", filename: "a.csv" });
  const json = await files.upload({ content: '{"a":1}', type: "application/json" });
  const rest = { title: "Two", context: null, citations: { enabled: true } };
  const mark = { cache_control: { type: "ephemeral" } };
  const content = [
    { type: "text", text: "Look." },
    named("image", shown, mark),
    named("document", paged, rest),
    named("document", table),
    named("document", json),
    named("image", shown),
  ];
  assert.deepEqual(
    await heardOf(asking(content)),
    says([
      { type: "text", text: "Look." },
      { type: "image", source: base64("image/png", png), ...mark },
      { type: "document", source: base64("application/pdf", Buffer.from(pdf)), ...rest },
      { type: "document", source: plain("a,b\nü,2") },
      { type: "document", source: plain('{"a":1}') },
      { type: "image", source: base64("image/png", png) },
    ]),
  );
});

test("[MSG55] in tools' results, within documents, and in a stream too", async () => {
  const shown = await picture();
  const note = await files.upload({ content: "a note" });
  const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
  const turns = (inner: object[], within: object[]) => [
    { role: "user", content: "Look." },
    { role: "assistant", content: [call] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: inner },
        { type: "document", source: { type: "content", content: within } },
      ],
    },
  ];
  const tools = [{ name: "look", input_schema: { type: "object" } }];
  const messages = turns([named("image", shown), named("document", note)], [named("image", shown)]);
  const seen = { type: "image", source: base64("image/png", png) };
  const whole = turns([seen, { type: "document", source: plain("a note") }], [seen]);
  for (const stream of [false, true])
    assert.deepEqual(await heardOf({ model: "sees", tools, messages, stream }), whole);
});

const countOf = async (content: unknown, model = "sim-large") => {
  const { status, body } = await setup.house.ask("POST", "/v1/messages/count_tokens", {
    key: setup.house.organizations.platform.api_key,
    body: { model, messages: says(content) },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.input_tokens as number;
};

test("[MSG55] tokens are counted of what a file holds", async () => {
  const text = "four".repeat(1_000);
  const short = await files.upload({ content: text.slice(0, 40) });
  const long = await files.upload({ content: text });
  const counts = [
    await countOf([named("document", short)]),
    await countOf([named("document", long)]),
  ];
  assert.deepEqual(counts, [13, 1_003]);
  const used = await setup.post({
    model: "sim-large",
    messages: says([named("document", long), { type: "text", text: "[[say ok]]" }]),
  });
  assert.ok(used.body.usage.input_tokens > 1_000, JSON.stringify(used.body));
  const large = await files.upload({ content: pdf, filename: "a.pdf" });
  assert.equal(
    await countOf([named("document", large)]),
    await countOf([{ type: "document", source: base64("application/pdf", Buffer.from(pdf)) }]),
  );
});

test("[MSG55] a model is judged by what the file holds", async () => {
  const note = await files.upload({ content: "a note" });
  const paged = await files.upload({ content: pdf, filename: "a.pdf" });
  const shown = await picture();
  const model = { model: "blind" };
  assert.deepEqual(
    await heardOf(asking([named("document", note)], model)),
    says([{ type: "document", source: plain("a note") }]),
  );
  assert.match(
    sentenceOf(await setup.post(asking([named("document", paged)], model)), 400),
    /^messages\.0\.content\.0\.type: is not taken by blind: it reads no PDF documents/,
  );
  const counted = await setup.house.ask("POST", "/v1/messages/count_tokens", {
    key: setup.house.organizations.platform.api_key,
    body: asking([named("document", paged)], model),
  });
  assert.match(sentenceOf(counted, 400), /it reads no PDF documents/);
  assert.match(
    sentenceOf(await setup.post(asking([named("image", shown)], model)), 400),
    /it reads no images/,
  );
  const toBlind = { fallbacks: [{ model: "blind" }] };
  const betas = [fallback07];
  assert.match(
    sentenceOf(await setup.post(asking([named("document", paged)], toBlind), { betas }), 400),
    /^fallbacks\.0 \(blind\): messages\.0\.content\.0\.type: .* no PDF documents/,
  );
  assert.equal(
    (await setup.post(asking([named("document", note)], toBlind), { betas })).status,
    200,
  );
});

test("[MSG55] in a batch a file is looked up when its request runs", async () => {
  const batches = batchesOf(setup.house);
  const note = await files.upload({ content: "in a batch" });
  const params = (content: unknown) => ({ max_tokens: 10, ...asking(content) });
  const results = await batches.run([
    { custom_id: "good", params: params([named("document", note)]) },
    { custom_id: "absent", params: params([named("document", { id: "file_none" })]) },
  ]);
  assert.equal(results.get("good")?.type, "succeeded");
  assert.equal(memoryBudgetsOf(setup.house.world).batches.taken(), 0);
  assert.deepEqual(setup.heard(), says([{ type: "document", source: plain("in a batch") }]));
  const { error } = results.get("absent")?.error ?? {};
  assert.deepEqual(
    [error.type, error.message],
    ["not_found_error", "messages.0.content.0.source.file_id: There is no file file_none."],
  );
});

test("[MSG56] what cannot stand there is refused by path and file, asks nobody and costs nothing", async () => {
  const before = setup.upstream.requests.length;
  const shown = await picture();
  const note = await files.upload({ content: "a note" });
  const sound = await files.upload({
    content: new Uint8Array([1, 0, 2]),
    type: "audio/x-strange",
    filename: "a",
  });
  const theirs = await files.upload({ key: setup.house.organizations.other.api_key });
  const path = "messages.0.content.1.source.file_id:";
  const cases: [block: object, status: number, sentence: string][] = [
    [
      named("image", note),
      400,
      `${path} ${note.id} is of type text/plain: name it in a block of type document.`,
    ],
    [
      named("document", shown),
      400,
      `${path} ${shown.id} is of type image/png: name it in a block of type image.`,
    ],
    [
      named("image", sound),
      400,
      `${path} ${sound.id} is of type audio/x-strange: an image is one of image/jpeg, image/png, image/gif, image/webp.`,
    ],
    [
      named("document", sound),
      400,
      `${path} ${sound.id} is of type audio/x-strange: a document is a PDF or text; convert it to one of them and upload that.`,
    ],
    [named("document", { id: "file_none" }), 404, `${path} There is no file file_none.`],
    [named("document", theirs), 404, `${path} There is no file ${theirs.id}.`],
  ];
  for (const [block, status, sentence] of cases) {
    const content = [{ type: "text", text: "Look." }, block];
    const answer = await setup.post(asking(content));
    assert.equal(sentenceOf(answer, status), sentence);
    assert.deepEqual(await setup.rowsOf(answer), []);
    const counted = await setup.house.ask("POST", "/v1/messages/count_tokens", {
      key: setup.house.organizations.platform.api_key,
      body: asking(content),
    });
    assert.equal(sentenceOf(counted, status), sentence);
  }
  assert.equal(setup.upstream.requests.length, before);
});

test("[MSG57] files come to no more than a body may have, each as often as it is named", async () => {
  const half = await files.upload({ content: "x".repeat(16 * 1024 * 1024) });
  const block = named("document", half);
  assert.equal(await countOf([block, block]), 3 + 2 * 4_194_304);
  const tooMuch = await setup.post(
    asking([block, block, named("document", await files.upload({ content: "x" }))]),
  );
  assert.equal(
    sentenceOf(tooMuch, 413),
    "The files that this request names come to 33554433 bytes in it, and a request takes at most 33554432: name fewer or smaller files.",
  );
  const many = Array.from({ length: 1_001 }, (_, at) => named("document", { id: `file_${at}` }));
  assert.match(
    sentenceOf(await setup.post(asking(many)), 400),
    /^messages: name 1001 files; a request takes at most 1000\.$/,
  );
});

test("[MSG59] whatever becomes of a request, it gives back what its files held", async () => {
  const budgets = memoryBudgetsOf(setup.house.world);
  const note = await files.upload({ content: "a note" });
  const paged = await files.upload({ content: pdf, filename: "a.pdf" });
  const taken: number[] = [];
  setup.models.set("sees", () => {
    taken.push(budgets.messages.taken());
    return {};
  });
  setup.models.set("also", () => ({ status: 400 }));
  const content = [named("document", note)];
  for (const stream of [false, true])
    assert.equal((await setup.post(asking(content, { stream }))).status, 200);
  assert.deepEqual(taken, [6, 6]);
  for (const stream of [false, true])
    assert.equal((await setup.post(asking(content, { stream, model: "also" }))).status, 400);
  await setup.post(asking([named("document", paged)], { model: "blind" }));
  await setup.post(asking([...content, named("document", { id: "file_none" })]));
  await countOf(content);
  assert.equal(budgets.messages.taken(), 0);
  const { signal, gone } = leaver();
  setup.models.set("sees", async () => {
    gone();
    await until(
      async () => budgets.messages.taken() === 0,
      "the request whose client has left to end",
    );
    return {};
  });
  const left = fetch(`${setup.house.url}/v1/messages`, {
    method: "POST",
    headers: {
      "x-api-key": setup.house.organizations.platform.api_key,
      "content-type": "application/json",
    },
    body: JSON.stringify({ max_tokens: 5, ...asking(content, { stream: true }) }),
    signal,
  });
  await assert.rejects(left);
  setup.models.delete("sees");
  setup.models.delete("also");
  await until(async () => budgets.messages.taken() === 0, "the room to be free");
});

function leaver() {
  const abort = new AbortController();
  return { signal: abort.signal, gone: () => abort.abort() };
}

const holding = async (words: string): Promise<FileMetadata> => files.upload({ content: words });

test("[MSG58] a credit token is for the names of files, as they were sent", async () => {
  const betas = [credit07, fallback07];
  const note = await holding("a note for a token");
  setup.models.set("sees", () => refusalWith(""));
  const sent = asking([named("document", note)]);
  const refused = await setup.post(sent, { betas });
  const token = refused.body.stop_details.fallback_credit_token as string;
  assert.ok(token, JSON.stringify(refused.body));
  const again = { ...sent, model: "also", fallback_credit_token: token };
  const redeemed = await setup.post(again, { betas });
  assert.deepEqual(redeemed.body.usage.fallback_credit?.status, { type: "redeemed" });
  assert.deepEqual(
    setup.heard(),
    says([{ type: "document", source: plain("a note for a token") }]),
  );
  const inline = says([{ type: "document", source: plain("a note for a token") }]);
  const other = await setup.post({ ...again, messages: inline }, { betas });
  assert.match(sentenceOf(other, 400), /does not match the refused request/);
  setup.models.delete("sees");
});

test("[MSG58] a refused hop's fallback reads the same, and stays the conversation's", async () => {
  const betas = [fallback07];
  const note = await holding("a note for two models");
  setup.models.set("sees", () => refusalWith("Half "));
  const first = asking([named("document", note)], { fallbacks: [{ model: "also" }] });
  const answer = await setup.post(first, { betas });
  assert.equal(answer.body.stop_reason, "end_turn");
  assert.deepEqual(
    setup.heard(),
    says([{ type: "document", source: plain("a note for two models") }]),
  );
  const asked = setup.upstream.requests.length;
  const next = await setup.post(
    {
      ...first,
      messages: [
        ...first.messages,
        { role: "assistant", content: answer.body.content },
        { role: "user", content: "And now?" },
      ],
    },
    { betas },
  );
  assert.equal(next.status, 200, JSON.stringify(next.body));
  assert.equal(setup.upstream.requests.length, asked + 1);
  assert.equal(next.body.model, "also");
  setup.models.delete("sees");
});

test("[MSG58] the cache knows what files hold, not what they are called", async () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const words = `${"the same words ".repeat(400)}.`;
  const [one, two] = [await holding(words), await holding(words)];
  const wrote = await setup.post(asking([named("document", one, mark)]));
  const read = await setup.post(asking([named("document", two, mark)]));
  const inline = await setup.post(asking([{ type: "document", source: plain(words), ...mark }]));
  assert.ok(wrote.body.usage.cache_creation_input_tokens > 0, JSON.stringify(wrote.body.usage));
  for (const { body } of [read, inline])
    assert.equal(body.usage.cache_read_input_tokens, wrote.body.usage.cache_creation_input_tokens);
});
