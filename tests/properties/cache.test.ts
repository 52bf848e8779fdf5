// The prompt cache: keys, lookback, classes of time, and a scripted conversation worked out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  cacheLookup,
  cacheStatement,
  measurePrompt,
  planCache,
  settleCache,
  usesCache,
} from "../../server/messages/cache/cache.ts";
import { cachePrefixesOf } from "../../server/messages/cache/prefixes.ts";
import { deleteExpired } from "../../server/messages/cache/queries.ts";
import { simulatorModels } from "../../server/models/catalog/built-in.ts";
import { type MessageBody, type Model, tokensOfBody } from "../../server/models/module.ts";
import { testDatabase } from "../postgres.ts";

const [large, medium] = simulatorModels as [Model, Model];
const mark5m = { cache_control: { type: "ephemeral" } };
const mark1h = { cache_control: { type: "ephemeral", ttl: "1h" } };
const text = (tokens: number, letter: string, rest = {}) => ({
  type: "text",
  text: letter.repeat(tokens * 4),
  ...rest,
});
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const bodyOf = (messages: object[], rest: object = {}) =>
  ({ model: "sim-large", max_tokens: 10, messages, ...rest }) as unknown as MessageBody;
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);

/** A request as the pipeline makes it: looked up, served, remembered. */
async function opener() {
  const database = await testDatabase();
  const { db } = database;
  return {
    db,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    ask: async (
      body: MessageBody,
      seconds: number,
      { model = large, workspace = "wrkspc_1", inputTokens = tokensOfBody(body) } = {},
    ) => {
      if (!usesCache(body)) return undefined;
      const plan = planCache(body, model, measurePrompt(body, tokensOfBody(body)));
      if (plan === undefined) return undefined;
      const found = await cacheLookup(db, workspace, plan.keys, at(seconds));
      const { counts, usage, rows } = settleCache(plan, found, at(seconds), inputTokens);
      const statement = cacheStatement(workspace, rows, at(seconds));
      if (statement) await db.tx((tx) => tx.query(statement));
      const { input, cacheRead, cacheWrite5m, cacheWrite1h } = counts;
      assert.equal(usage.cache_creation_input_tokens, cacheWrite5m + cacheWrite1h);
      return { input, read: cacheRead, write5m: cacheWrite5m, write1h: cacheWrite1h, rows };
    },
  };
}

const numbers = (outcome: Record<string, unknown> | undefined) => {
  const { rows: _, ...rest } = outcome ?? assert.fail("nothing was to be cached");
  return rest;
};

test("[MSG40] [MSG41] a conversation with a cached system prompt, worked out by hand", async () => {
  await using house = await opener();
  const { ask } = house;
  // System prompt: 1,200 tokens, a mark of an hour. Question: 100 tokens and 3 for its turn, a mark of 5 minutes.
  const system = [text(1_200, "s", mark1h)];
  const first = bodyOf([user(text(100, "q", mark5m))], { system });
  assert.equal(tokensOfBody(first), 1_303);
  // Nothing is known: 1,200 are written for an hour, 103 for five minutes, and nothing lies behind the last mark.
  const written = { input: 0, read: 0, write5m: 103, write1h: 1_200 };
  assert.deepEqual(numbers(await ask(first, 0)), written);
  // The same again: 1,303 are read.
  const read = { input: 0, read: 1_303, write5m: 0, write1h: 0 };
  assert.deepEqual(numbers(await ask(first, 60)), read);

  // The answer has 40 tokens and 3, the next question 50 and 3; the mark moves to the new question. The prefix of
  // the first request is found by looking back: 1,303 read, 96 written, and a tail of 7 + 3 behind the mark.
  const second = bodyOf(
    [
      user(text(100, "q")),
      assistant(text(40, "a")),
      user(text(50, "r", mark5m)),
      user(text(7, "t")),
    ],
    { system },
  );
  assert.equal(tokensOfBody(second), 1_303 + 43 + 53 + 10);
  const grown = { input: 10, read: 1_303, write5m: 96, write1h: 0 };
  assert.deepEqual(numbers(await ask(second, 120)), grown);

  // The first prefix was read at 120 s and lives until 420 s, although no mark stood on it then.
  assert.deepEqual(numbers(await ask(first, 410)), read);
  // The second was written at 120 s and is gone at 430 s; the first was read at 410 s: 1,303 read, 96 written again.
  assert.deepEqual(numbers(await ask(second, 430)), grown);
  // At 740 s only the system prompt of an hour is left: 1,200 read, 103 + 96 written.
  const late = { input: 10, read: 1_200, write5m: 199, write1h: 0 };
  assert.deepEqual(numbers(await ask(second, 740)), late);
  // The system prompt was read at 740 s: it lives until 4,340 s.
  assert.equal((await ask(first, 4_330))?.read, 1_200);
  // Read at 4,330 s, it would go at 7,930 s; but a read of what comes after it is a read of it, too.
  assert.deepEqual(numbers(await ask(first, 4_600)), read);
  assert.equal((await ask(first, 8_190))?.read, 1_200);
  assert.deepEqual(numbers(await ask(first, 11_791)), written);
});

test("[MSG41] a mark within what was read lives as long as that", async () => {
  await using house = await opener();
  const system = [text(1_200, "s")];
  const body = (...marks: object[]) =>
    bodyOf([user(text(100, "q", mark5m))], { system: [{ ...system[0], ...marks[0] }] });
  await house.ask(body(), 0);
  // The hour is asked for where nothing is written: 1,303 are read, and stay for five minutes.
  assert.equal((await house.ask(body(mark1h), 1))?.read, 1_303);
  const later = await house.ask(body(mark1h), 302);
  assert.deepEqual([later?.read, later?.write1h, later?.write5m], [0, 1_200, 103]);
});

test("[MSG42] another effort, another model, another workspace: nothing is read", async () => {
  await using house = await opener();
  const { ask } = house;
  const messages = [user(text(1_100, "q", mark5m))];
  const body = (effort?: string) =>
    bodyOf(messages, effort === undefined ? {} : { output_config: { effort } });
  const fresh = { input: 0, read: 0, write5m: 1_103, write1h: 0 };
  const known = { input: 0, read: 1_103, write5m: 0, write1h: 0 };
  assert.deepEqual(numbers(await ask(body(), 0)), fresh);
  assert.deepEqual(numbers(await ask(body(), 1)), known);
  assert.deepEqual(numbers(await ask(body("high"), 2)), fresh, "high is not absent");
  assert.deepEqual(numbers(await ask(body("low"), 3)), fresh);
  assert.deepEqual(numbers(await ask(body("high"), 4)), known);
  assert.deepEqual(numbers(await ask(body(), 5, { model: medium })), fresh);
  assert.deepEqual(numbers(await ask(body(), 6, { workspace: "wrkspc_2" })), fresh);
});

test("[MSG43] a prefix shorter than the model's least is not cached", async () => {
  await using house = await opener();
  // 1,020 and 3 are one too few; 1,021 and 3 are enough.
  assert.equal(await house.ask(bodyOf([user(text(1_020, "q", mark5m))]), 0), undefined);
  const enough = { input: 0, read: 0, write5m: 1_024, write1h: 0 };
  assert.deepEqual(numbers(await house.ask(bodyOf([user(text(1_021, "q", mark5m))]), 0)), enough);
  const long = bodyOf([user(text(500, "p"), text(600, "q", mark5m))]);
  const plan = planCache(long, large, measurePrompt(long, 1_103));
  assert.equal(plan?.keys.length, 1, "503 tokens are not looked up");
  assert.equal(usesCache(bodyOf([user(text(2_000, "q"))])), false, "no mark at all");
});

test("[MSG44] twenty places are looked at for each breakpoint, itself included", async () => {
  await using house = await opener();
  const start = text(1_100, "s", mark5m);
  await house.ask(bodyOf([user(start)]), 0);
  const grown = (blocks: number) => {
    const more = Array.from({ length: blocks }, (_, index) =>
      text(1, "abcdefghijklmnopqrstuvwxyz"[index] ?? "-", index === blocks - 1 ? mark5m : {}),
    );
    return bodyOf([user(text(1_100, "s"), ...more)]);
  };
  assert.equal((await house.ask(grown(20), 1))?.read, 0, "the 21st place");
  assert.equal((await house.ask(grown(19), 1))?.read, 1_103, "the 20th place");
});

test("[MSG45] a mark of the whole request stands on the last block that can bear one", () => {
  const marks = (body: MessageBody) => cachePrefixesOf(body).map(({ mark }) => mark ?? "-");
  const automatic = mark1h;
  const tools = [{ name: "t", input_schema: { type: "object" } }];
  assert.deepEqual(marks(bodyOf([user(text(1, "a"))], { tools, ...automatic })), ["-", "1h"]);
  assert.deepEqual(marks(bodyOf([{ role: "user", content: "a" }], automatic)), ["1h"]);
  const thinking = { type: "thinking", thinking: "…", signature: "s" };
  const turns = [user(text(1, "a")), assistant(text(1, "b"), thinking)];
  assert.deepEqual(marks(bodyOf(turns, automatic)), ["-", "1h", "-"]);
  assert.deepEqual(
    marks(bodyOf([user(text(1, "a", mark5m))], automatic)),
    ["5m"],
    "its own counts",
  );
  const result = { type: "tool_result", tool_use_id: "x", content: [text(1, "r", mark5m)] };
  assert.deepEqual(marks(bodyOf([user(result)])), ["5m"], "a mark within a result");
});

test("[MSG46] only what the model reads is in the hash, however the JSON was written", () => {
  const last = (...messages: object[]) => cachePrefixesOf(bodyOf(messages)).at(-1)?.hash;
  const same = last({ role: "user", content: "aaaa" });
  assert.equal(last(user(text(1, "a"))), same, "a text alone is short for a block");
  assert.equal(last(user(text(1, "a", mark1h))), same, "a mark is not read");
  assert.equal(last(user({ text: "aaaa", citations: null, type: "text" })), same, "order, null");
  const call = (input: object) => assistant({ type: "tool_use", id: "i", name: "n", input });
  assert.equal(last(call({ a: 1, b: [2] })), last(call({ b: [2], a: 1 })));
  const others = [
    last(user(text(1, "b"))),
    last(assistant(text(1, "a"))),
    last(user(text(1, "a")), user(text(1, "a"))),
    last(call({ a: 1, b: [2] })),
    last(call({ a: 1, b: ["2"] })),
    last(call({ a: 1, b: [2], cache_control: { type: "ephemeral" } })),
    last(call({ a: 1, b: [2], cache_control: null })),
    last(call({ a: null })),
    last(call({ a: false })),
    last(call({ a: {} })),
    last(call({ a: [] })),
    last(call({ a: "" })),
    last(call({ a: 0 })),
    cachePrefixesOf(bodyOf([user(text(1, "a"))], { system: "s" })).at(-1)?.hash,
    last({ role: "system", content: "aaaa" }),
    last({ role: "system", content: "aaaa", output_config: { effort: "low" } }),
  ];
  assert.equal(new Set([same, ...others]).size, others.length + 1);
});

test("[MSG47] an upstream's own count of the input is kept: the parts add up to it", () => {
  const block = fc.record({ tokens: fc.integer({ min: 0, max: 3_000 }), mark: fc.nat(2) });
  const property = fc.property(
    fc.array(block, { minLength: 1, maxLength: 12 }),
    fc.integer({ min: 0, max: 100_000 }),
    fc.nat(4_096),
    (blocks, inputTokens, aliveBits) => {
      const parts = blocks.map(({ tokens, mark }, index) =>
        text(tokens, String.fromCharCode(97 + index), [{}, mark5m, mark1h][mark] ?? {}),
      );
      const body = bodyOf([user(...parts)]);
      assert.equal(cachePrefixesOf(body).at(-1)?.tokens, tokensOfBody(body));
      const plan = planCache(body, large, measurePrompt(body, tokensOfBody(body)));
      if (plan === undefined) return;
      const entry = { ttlSeconds: 300, expiresAt: at(100) };
      const alive = plan.keys.filter((_, index) => (aliveBits >> index) & 1);
      const found = new Map(alive.map((key) => [key, entry]));
      const { counts, rows } = settleCache(plan, found, at(0), inputTokens);
      const { input, cacheRead, cacheWrite5m, cacheWrite1h } = counts;
      assert.equal(input + cacheRead + cacheWrite5m + cacheWrite1h, inputTokens);
      assert.ok([input, cacheRead, cacheWrite5m, cacheWrite1h].every((n) => n >= 0));
      assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
      if (alive.length === 0) assert.equal(cacheRead, 0);
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test("[MSG48] a prompt that everybody reads is not written at each read", async () => {
  await using house = await opener();
  const body = bodyOf([user(text(1_100, "q", mark5m))]);
  assert.equal((await house.ask(body, 0))?.rows.length, 1);
  assert.equal((await house.ask(body, 10))?.rows.length, 0, "10 s more are not worth a row's lock");
  assert.equal((await house.ask(body, 11))?.rows.length, 1);
  // Read at 11 s: it lives until 311 s.
  assert.equal((await house.ask(body, 310))?.read, 1_103);
});

test("[MSG49] what has expired is answered by nobody, written anew for as long as is paid now, and swept", async () => {
  await using house = await opener();
  const hour = bodyOf([user(text(1_100, "q", mark1h))]);
  const short = bodyOf([user(text(1_100, "q", mark5m))]);
  await house.ask(hour, 0);
  // A read by a mark of five minutes does not shorten the hour.
  assert.equal((await house.ask(short, 1_000))?.read, 1_103);
  assert.equal((await house.ask(short, 4_599))?.read, 1_103);
  const written = await house.ask(short, 8_200);
  assert.deepEqual([written?.read, written?.write5m], [0, 1_103]);
  assert.equal((await house.ask(short, 8_300))?.read, 1_103);
  assert.equal((await house.ask(short, 8_601))?.read, 0, "five minutes, not the hour of before");
  assert.equal(await deleteExpired(house.db, at(8_900), 10), 0);
  assert.equal(await deleteExpired(house.db, at(8_901), 10), 1);
});
