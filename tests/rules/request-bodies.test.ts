// Rules RBD1 to RBD7 over HTTP: what a workspace keeps of its requests, what it takes out, and where nothing is kept.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Keyring } from "../../kernel/secret/keyring.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { AnswerReader } from "../../server/messages/answer/hops.ts";
import { relayAnswer } from "../../server/messages/answer/relay.ts";
import { accumulate, asWireEvent } from "../../server/models/module.ts";
import { UnderWay } from "../../server/request_bodies/kept/said.ts";
import { bodyKeeperOf } from "../../server/request_bodies/module.ts";
import { countSealed, resealAll } from "../../server/resealing/module.ts";
import { openHouse, type House } from "../house.ts";
import { bodiesOf, valueOf } from "./request-bodies-house.ts";
import { requestIdOf } from "./requests-house.ts";
import { until } from "./support.ts";
import { allText } from "./text.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const bodies = bodiesOf(() => house);
const { flush, kept, look, message, rows, set, settings } = bodies;
const platform = () => house.organizations.platform;

test("[RBD1] a workspace keeps nothing until it is switched on, the default one too", async () => {
  const { status, body } = await settings("GET");
  assert.equal(status, 200);
  assert.deepEqual(body, {
    type: "request_body_settings",
    workspace_id: await bodies.defaultWorkspace(),
    enabled: false,
    max_bytes: 65_536,
    kept_days: 7,
    redact: [],
    kept_since: null,
  });
  const answer = await message("zebrafish-quartz off");
  await flush();
  assert.equal((await look(requestIdOf(answer))).status, 404);
  assert.equal(await rows(), 0);
});

test("[RBD2] where nothing is kept, no byte of what was said is in the database", async () => {
  await set({ enabled: false, redact: [{ type: "email" }] });
  const words = "zebrafish-opal";
  await message(`${words} [[say "${words}"]]`);
  await message(`${words} [[say "${words}"]]`, { stream: true });
  await message(words, { [words]: 1 });
  await message(`${words} [[fail status=400 message=${words}]]`);
  await flush();
  assert.equal(await rows(), 0);
  assert.equal((await allText(house.world.db)).includes(words), false);
});

test("[RBD2] where it is kept, no clear byte of it is in the database, and none in the log", async () => {
  await set({});
  const words = "zebrafish-onyx";
  const whole = await message(`${words} [[say "${words}"]]`);
  const streamed = await message(`${words} [[say "${words}"]]`, { stream: true });
  assert.ok(JSON.stringify(valueOf((await kept(whole)).request)).includes(words));
  assert.ok(JSON.stringify(valueOf((await kept(streamed)).answer)).includes(words));
  const text = await allText(house.world.db);
  assert.equal(text.includes(words), false);
  assert.equal(text.includes(Buffer.from(words).toString("base64url").slice(2, -2)), false);
  assert.equal(JSON.stringify(house.log).includes(words), false);
  const metrics = await house.ask("GET", "/metrics");
  assert.equal(String(metrics.body).includes(words), false);
});

test("[RBD3] a plain request as it came, and the answer as the client got it", async () => {
  await set({});
  const fields = { system: "Be brief.", temperature: 0.5, metadata: { user_id: "u-1" } };
  const answer = await message("Hello", fields);
  const body = await kept(answer);
  assert.deepEqual(valueOf(body.request), {
    model: "sim-large",
    max_tokens: 200,
    messages: [{ role: "user", content: "Hello" }],
    ...fields,
  });
  assert.deepEqual(valueOf(body.answer), answer.body);
  assert.equal(body.answer?.bytes, Buffer.byteLength(JSON.stringify(answer.body)));
  assert.equal(body.error, null);
  assert.equal(body.ended, "complete");
  assert.equal(body.workspace_id, await bodies.defaultWorkspace());
  const at = new Date(body.at).getTime();
  assert.equal(new Date(body.expires_at).getTime() - at, 7 * 24 * 60 * 60 * 1000);
});

/** As a client adds up the frames that it got. */
function addedUp(frames: string): unknown {
  const sum = accumulate();
  for (const line of frames.split("\n"))
    if (line.startsWith("data: ")) sum.add(JSON.parse(line.slice(6)));
  return sum.message();
}

test("[RBD3] of a stream the message that its events add up to, with the inputs of its tools", async () => {
  await set({});
  const tools = [{ name: "weather", input_schema: { type: "object" } }];
  const questions = [`[[say "It will rain."]]`, `[[tool weather {"city":"Oslo"}]]`];
  for (const version of ["2023-06-01", "2026-10-21"])
    for (const question of questions) {
      const headers = { "anthropic-version": version };
      const streamed = await message(question, { tools, stream: true }, headers);
      const body = await kept(streamed);
      assert.deepEqual(valueOf(body.answer), addedUp(streamed.body));
      assert.equal(body.ended, "complete");
    }
});

test("[RBD3] errors: before an answer, and in the middle of a stream", async () => {
  await set({});
  const unknown = await message("Hello", { model: "no-model" });
  const first = await kept(unknown);
  assert.deepEqual(valueOf(first.error), unknown.body);
  assert.equal(first.answer, null);
  assert.equal(first.ended, "failed");
  const broken = await message(`[[say "one two three four five six"]] [[fail after=3]]`, {
    stream: true,
  });
  const second = await kept(broken);
  assert.equal(second.ended, "failed");
  assert.equal(valueOf(second.error).type, "error");
  assert.match(valueOf(second.answer).content[0].text, /^one/);
  const noJson = await house.ask("POST", "/v1/messages", {
    key: platform().api_key,
    body: `{"zebrafish": `,
  });
  await flush();
  assert.equal((await look(requestIdOf(noJson))).status, 404);
});

test("[RBD3] of a stream whose client leaves what it got until then", async () => {
  await set({});
  const gone = new AbortController();
  const answer = await fetch(`${house.url}/v1/messages`, {
    method: "POST",
    signal: gone.signal,
    headers: { "x-api-key": platform().api_key, "content-type": "application/json" },
    body: JSON.stringify({
      model: "sim-large",
      max_tokens: 900,
      stream: true,
      messages: [{ role: "user", content: "[[tokens 900]] [[rate 200]] Hello" }],
    }),
  });
  const reader = answer.body?.getReader();
  for (let chunks = 0; chunks < 8; chunks++) await reader?.read();
  gone.abort();
  const body = await kept(requestIdOf(answer));
  assert.equal(body.ended, "client_left");
  assert.ok(valueOf(body.answer).content[0].text.length > 0);
  assert.equal(body.error, null);
});

test("[RBD4] rules take out of request, answer and error, also what a stream brought in pieces", async () => {
  await set({
    redact: [
      { type: "email" },
      { type: "card_number" },
      { type: "phone" },
      { type: "word", word: "Falcon" },
      { type: "field", field: "metadata.user_id" },
    ],
  });
  const said = "jane.doe@example.com 4111 1111 1111 1111 +49 30 1234567 FALCON";
  const key = `sk-plinth-api-${"a1B2".repeat(12)}x`;
  const tools = [{ name: "send", input_schema: { type: "object" } }];
  const about = { system: said, metadata: { user_id: "u-7734" } };
  for (const stream of [false, true]) {
    const answer = await message(`${said} [[say "${said} ${key}"]]`, { stream, ...about });
    const body = await kept(answer);
    const text = JSON.stringify(body);
    for (const word of ["jane", "4111", "1234567", "FALCON", "a1B2", "u-7734"])
      assert.equal(text.includes(word), false, `${word} in ${text}`);
    for (const what of ["email", "card_number", "phone", "word"])
      assert.ok(body.answer?.text?.includes(`[redacted: ${what}]`), `${what} in ${text}`);
    const calls = await message(`[[tool send {"to":"jane.doe@example.com"}]]`, { stream, tools });
    const called = await kept(calls);
    assert.equal(JSON.stringify(called).includes("jane"), false);
    assert.equal(valueOf(called.answer).content[0].input.to, "[redacted: email]");
  }
  const refused = await message("Hello", { "jane.doe@example.com": 1 });
  assert.equal(refused.status, 400);
  assert.equal(JSON.stringify(await kept(refused)).includes("jane"), false);
});

test("[RBD5] a picture in a request is a note of it", async () => {
  await set({});
  const data = Buffer.alloc(90, "zebrafish").toString("base64");
  const source = { type: "base64", media_type: "image/png", data };
  const body = await kept(await message([{ type: "image", source }]));
  assert.equal(body.request?.text?.includes(data.slice(0, 20)), false);
  assert.match(
    valueOf(body.request).messages[0].content[0].source.data,
    /^\[not kept: image\/png, 90 bytes, sha256 /,
  );
});

test("[RBD6] a long request is cut at max_bytes and says so; its answer has as many of its own", async () => {
  await set({ max_bytes: 1024 });
  const answer = await message(`${"é".repeat(3_000)} [[say "${"€".repeat(700)}"]]`, {
    max_tokens: 4_000,
  });
  const body = await kept(answer);
  for (const part of [body.request, body.answer]) {
    assert.equal(part?.is_cut, true);
    const bytes = Buffer.byteLength(part?.text ?? "");
    assert.ok(bytes <= 1024 && bytes > 1020, `${bytes} bytes`);
  }
  assert.ok((body.request?.bytes ?? 0) > 6_000);
  const short = await kept(await message("Hello"));
  assert.equal(short.request?.is_cut, false);
});

test("[RBD6] what is longer than 8 MiB is not looked through", async () => {
  await set({});
  const answer = await message("x".repeat(8 * 1024 * 1024 + 1));
  const { request } = await kept(answer);
  assert.equal(request?.text, null);
  assert.equal(request?.is_cut, true);
  assert.ok((request?.bytes ?? 0) > 8 * 1024 * 1024);
});

test("[RBD7] what is kept opens for its own request and organization alone", async () => {
  await set({});
  const { db } = house.world;
  const one = await kept(await message("Hello one"));
  const two = await kept(await message("Hello two"));
  await db.query(sql`
    update request_bodies as body set sealed = other.sealed from request_bodies as other
    where body.request_id = ${one.id} and other.request_id = ${two.id}`);
  assert.equal((await look(one.id)).status, 500);
  assert.equal(house.expectErrors().length, 1);
  await db.query(sql`delete from request_bodies where request_id = ${one.id}`);
});

test("[RBD7] after a change of the master key it is under the new one, and opens", async () => {
  const { db, secrets } = house.world;
  await set({});
  const before = await kept(await message("Hello before"));
  const old = secrets.activeKeyId();
  await (secrets as Keyring).rotate();
  const place = (await resealAll(db, secrets)).find(
    (column) => column.place === "request_bodies.sealed",
  );
  assert.ok((place?.resealed ?? 0) > 0);
  assert.equal(place?.unreadable, 0);
  assert.deepEqual(
    (await countSealed(db, old)).filter((column) => column.place === "request_bodies.sealed"),
    [],
  );
  assert.deepEqual(await kept(before.id), before);
});

test("[RBD3] where another process serves, it hears of the switch", async () => {
  await set({ enabled: false });
  await using other = await house.openSecondServer();
  await set({});
  await until(async () => {
    const answer = await fetch(`${other.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": platform().api_key, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim-large",
        max_tokens: 9,
        messages: [{ role: "user", content: "Hello there" }],
      }),
    });
    await answer.text();
    await bodyKeeperOf(other.world).flush();
    return (await look(requestIdOf(answer))).status === 200;
  }, "a body that another process has kept");
});

test("[RBD3] a stream is kept in the words of the client's version of the wire", async () => {
  const events = [
    { type: "message_start", message: { content: [], usage: {} } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  ].map((event) => asWireEvent(event));
  for (const [dialect, expected] of [
    ["2023-06-01", [{ type: "text", text: "Hello" }]],
    ["2026-10-21", [{ type: "text", text: "Hello", citations: null }]],
  ] as const) {
    const owner = { requestId: "req_1", organizationId: "org_1", workspaceId: "wrkspc_1" };
    const said = new UnderWay(owner, Buffer.from("{}"));
    const { signal } = new AbortController();
    const answer = (reader: AnswerReader) => {
      reader.begin({});
      void reader.take(events);
      return Promise.resolve();
    };
    await relayAnswer(answer, { dialect, signal }, { held: new DisposableStack(), said });
    assert.deepEqual(said.message()?.content, expected);
  }
});
