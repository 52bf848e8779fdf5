// One conversation of ten turns, each number of cache, usage and money worked out by hand.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, systemClock, type Clock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { queryPosted } from "../posted.ts";

/*
 * Four bytes are a token, and each message has 3 more.
 *   system A  6,000 bytes = 1,500 tokens, marked for an hour
 *   system B  4,000 bytes = 1,000 tokens, marked for five minutes: 2,500 up to here
 *   a user's turn of 80 bytes = 20 + 3 = 23
 *   an answer of 20 bytes = 5 to write, 5 + 3 = 8 to read: one round is 31
 *
 * Nano-dollars a token   input  output  write 5m  write 1h  read
 *   sim-large          5,000  25,000     6,250    10,000   500
 *   sim-medium         3,000  15,000     3,750     6,000   300
 *   sim-small          1,000   5,000     1,250     2,000   100
 */
const wall = makeManualClock(new Date("2026-11-20T12:00:00Z"));
const clock: Clock = { ...systemClock, now: () => wall.now() };
const system = [
  { type: "text", text: "A".repeat(6_000), cache_control: { type: "ephemeral", ttl: "1h" } },
  { type: "text", text: "B".repeat(4_000), cache_control: { type: "ephemeral" } },
];
const said = "Twenty bytes exactly";
const turn = (directives = "") => ({
  role: "user",
  content: `${directives} [[say "${said}"]]`.padEnd(80, "."),
});

let house: House;
before(async () => {
  house = await openHouse({ clock });
});
after(() => house[Symbol.asyncDispose]());

const messages: object[] = [];

interface Told {
  status: number;
  requestId: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any
  message: any;
}

/** Sends all that was said so far and `directives`; what is answered is remembered. */
async function say(
  minute: number,
  directives: string,
  fields: Record<string, unknown> = {},
  betas = "",
): Promise<Told> {
  wall.jumpTo(new Date(Date.parse("2026-11-20T12:00:00Z") + minute * 60_000));
  messages.push(turn(directives));
  const told = await send(fields, betas);
  messages.push({ role: "assistant", content: told.message.content });
  return told;
}

async function send(fields: Record<string, unknown>, betas: string): Promise<Told> {
  const { status, headers, body } = await house.ask("POST", "/v1/messages", {
    key: house.organizations.platform.api_key,
    headers: betas === "" ? {} : { "anthropic-beta": betas },
    body: { model: "sim-large", max_tokens: 100, system, messages, ...fields },
  });
  assert.equal(status, 200, JSON.stringify(body));
  const message = fields["stream"] === true ? addedUp(String(body)) : body;
  return { status, requestId: headers.get("request-id"), message };
}

function addedUp(text: string) {
  const content: { type: string; text?: string }[] = [];
  let end = {};
  for (const frame of text.trimEnd().split("\n\n")) {
    const event = JSON.parse(frame.slice(frame.indexOf("data: ") + 6));
    if (event.type === "content_block_start") content.push({ ...event.content_block });
    const block = content[event.index];
    if (event.type === "content_block_delta" && block) block.text += event.delta.text;
    if (event.type === "message_delta") end = { ...event.delta, usage: event.usage };
  }
  return { content, ...end };
}

/** input, output, written for 5 minutes, written for an hour, read. */
type Numbers = [number, number, number, number, number];

function usageOf(usage: Record<string, number | Record<string, number> | null>): unknown[] {
  const created = usage["cache_creation"] as Record<string, number> | null;
  const written = [
    created?.["ephemeral_5m_input_tokens"] ?? 0,
    created?.["ephemeral_1h_input_tokens"] ?? 0,
  ];
  const sum = (written[0] ?? 0) + (written[1] ?? 0);
  assert.equal(usage["cache_creation_input_tokens"], sum);
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read } = usage;
  return [input, output, ...written, read];
}

async function paid({ requestId }: Told, ...hops: [model: string, Numbers, nano: number][]) {
  const rows = await queryPosted<Record<string, unknown>>(
    house.world.db,
    sql`
    select model, input_tokens as a, output_tokens as b, cache_write_5m_tokens as c,
      cache_write_1h_tokens as d, cache_read_tokens as e, amount_nano as nano, estimated
    from ledger where request_id = ${requestId} order by id`,
  );
  assert.deepEqual(
    rows.map(({ model, a, b, c, d, e, nano }) => [model, [a, b, c, d, e], nano]),
    hops,
  );
  assert.ok(rows.every(({ estimated }) => estimated === false));
}

const fallbacks = { fallbacks: [{ model: "sim-medium" }] };
const fallbackBeta = "server-side-fallback-2026-07-01";
const creditBeta = "fallback-credit-2026-07-01";

async function caching(): Promise<void> {
  // 1, 12:00: nothing is known. 23 × 5,000 + 5 × 25,000 + 1,000 × 6,250 + 1,500 × 10,000.
  const one = await say(0, "");
  assert.deepEqual(usageOf(one.message.usage), [23, 5, 1_000, 1_500, 0]);
  await paid(one, ["sim-large", [23, 5, 1_000, 1_500, 0], 21_490_000]);

  // 2, 12:01: all of the system is read; 23 + 31 are new. 54 × 5,000 + 5 × 25,000 + 2,500 × 500.
  const two = await say(1, "");
  assert.deepEqual(usageOf(two.message.usage), [54, 5, 0, 0, 2_500]);
  await paid(two, ["sim-large", [54, 5, 0, 0, 2_500], 1_645_000]);

  // 3, 12:07: B, last read at 12:01, is gone since 12:06, and A is not.
  // 85 × 5,000 + 5 × 25,000 + 1,000 × 6,250 + 1,500 × 500.
  const three = await say(7, "");
  assert.deepEqual(usageOf(three.message.usage), [85, 5, 1_000, 0, 1_500]);
  await paid(three, ["sim-large", [85, 5, 1_000, 0, 1_500], 7_550_000]);

  // 4, 12:08: another effort knows none of it. 116 × 5,000 + 5 × 25,000 + 6,250,000 + 15,000,000.
  const four = await say(8, "", { output_config: { effort: "low" } });
  assert.deepEqual(usageOf(four.message.usage), [116, 5, 1_000, 1_500, 0]);
  await paid(four, ["sim-large", [116, 5, 1_000, 1_500, 0], 21_955_000]);
}

async function fallingBack(): Promise<void> {
  // 5, 12:09, a stream: without the effort B is known since 12:07. Large writes 3 tokens, "Twenty bytes", and
  // declines: 147 × 5,000 + 3 × 25,000 + 2,500 × 500 = 2,060,000. Medium reads those 3 and 3 of their message:
  // 153, writes 2 more, and what was warm is read at its price: 153 × 3,000 + 2 × 15,000 + 2,500 × 300.
  const five = await say(
    9,
    "[[refuse category=bio after=3]]",
    { ...fallbacks, stream: true },
    fallbackBeta,
  );
  assert.deepEqual(
    five.message.content.map(({ type, text }: { type: string; text?: string }) => text ?? type),
    ["Twenty bytes", "fallback", " exactly"],
  );
  assert.deepEqual(usageOf(five.message.usage), [153, 2, 0, 0, 2_500]);
  const [declined, served] = five.message.usage.iterations;
  assert.deepEqual([declined.type, ...usageOf(declined)], ["message", 147, 3, 0, 0, 2_500]);
  assert.deepEqual([served.type, ...usageOf(served)], ["fallback_message", 153, 2, 0, 0, 2_500]);
  await paid(
    five,
    ["sim-large", [147, 3, 0, 0, 2_500], 2_060_000],
    ["sim-medium", [153, 2, 0, 0, 2_500], 1_239_000],
  );

  // 6, 12:10: the conversation stays with medium. The last answer is 3 + 2 + 3 tokens to read, as if whole:
  // 147 + 31 = 178. 178 × 3,000 + 5 × 15,000 + 2,500 × 300.
  const six = await say(10, "", fallbacks, fallbackBeta);
  assert.equal(six.message.model, "sim-medium");
  assert.deepEqual(usageOf(six.message.usage), [178, 5, 0, 0, 2_500]);
  assert.deepEqual(
    six.message.usage.iterations.map(({ type }: { type: string }) => type),
    ["fallback_message"],
  );
  await paid(six, ["sim-medium", [178, 5, 0, 0, 2_500], 1_359_000]);
}

async function credit(): Promise<void> {
  // 7, 12:11, without fallbacks: large refuses before it writes. It has read 2,500, and nothing is charged.
  wall.jumpTo(new Date("2026-11-20T12:11:00Z"));
  messages.push(turn("[[refuse category=bio]]"));
  const seven = await send({}, creditBeta);
  assert.equal(seven.message.stop_reason, "refusal");
  assert.deepEqual(usageOf(seven.message.usage), [209, 0, 0, 0, 2_500]);
  await paid(seven, ["sim-large", [0, 0, 0, 0, 0], 0]);

  // 8, 12:12: small has never seen the system: 1,000 and 1,500 to write, which the token turns into reads.
  // 209 × 1,000 + 5 × 5,000 + 2,500 × 100.
  wall.advance(60_000);
  const fallback_credit_token = seven.message.stop_details.fallback_credit_token;
  const eight = await send({ model: "sim-small", fallback_credit_token }, creditBeta);
  messages.push({ role: "assistant", content: eight.message.content });
  assert.deepEqual(usageOf(eight.message.usage), [209, 5, 0, 0, 2_500]);
  assert.deepEqual(eight.message.usage.fallback_credit, { status: { type: "redeemed" } });
  await paid(eight, ["sim-small", [209, 5, 0, 0, 2_500], 484_000]);

  // 9, 12:13: large has read B at 12:09 and keeps it until 12:14; the refusal at 12:11 did not prolong it.
  // 240 × 5,000 + 5 × 25,000 + 2,500 × 500.
  const nine = await say(13, "");
  assert.deepEqual(usageOf(nine.message.usage), [240, 5, 0, 0, 2_500]);
  await paid(nine, ["sim-large", [240, 5, 0, 0, 2_500], 2_575_000]);

  // 10, 12:13: `high` said aloud is another convention. 271 × 5,000 + 5 × 25,000 + 21,250,000.
  const ten = await say(13, "", { output_config: { effort: "high" } });
  assert.deepEqual(usageOf(ten.message.usage), [271, 5, 1_000, 1_500, 0]);
  await paid(ten, ["sim-large", [271, 5, 1_000, 1_500, 0], 22_730_000]);
}

test("ten turns with cache, effort, refusal, fallback, sticky route and credit, by hand", async () => {
  await caching();
  await fallingBack();
  await credit();
  // 21,490,000 + 1,645,000 + 7,550,000 + 21,955,000 + 3,299,000 + 1,359,000 + 484,000 + 2,575,000 + 22,730,000.
  const [sums] = await queryPosted<{ ledger: string; days: string; months: string }>(
    house.world.db,
    sql`
    select (select sum(amount_nano)::text from ledger) as ledger,
      (select sum(amount_nano)::text from usage_days) as days,
      (select sum(spent_nano)::text from spend_months) as months`,
  );
  assert.deepEqual(sums, { ledger: "83087000", days: "83087000", months: "83087000" });
});
