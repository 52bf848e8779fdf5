// Rules MSG70 and MSG71: what a client that leaves is charged, on every road, and what it is not.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limitsOf, setSpend } from "../../server/limits/module.ts";
import { newAttemptProgress } from "../../server/models/module.ts";
import { chatAdapter } from "../../server/models/chat/adapter.ts";
import { messagesAdapter } from "../../server/models/messages/adapter.ts";
import { request as asking, world, type AnswerHandler } from "../upstreams/fake.ts";
import { credit07, fallback07 } from "./fallbacks-house.ts";
import {
  blockFrames,
  endFrames,
  countedInput,
  openMessagesHouse,
  prices,
  question,
  startFrame,
  type MessagesHouse,
  type LedgerRow,
} from "./messages-house.ts";
import { until } from "./support.ts";

let h: MessagesHouse;
before(async () => {
  h = await openMessagesHouse();
});
after(async () => {
  await h[Symbol.asyncDispose]();
});
beforeEach(() => {
  h.upstream.answer = () => {};
});

const input = countedInput("Well?");
const cut = (tokens: number, output = 0, model = "ours") => ({
  model,
  kind: "message",
  outcome: "cut",
  estimated: true,
  input: tokens,
  output,
  nano: tokens * prices.input + output * prices.output,
});
const shown = ({ model, kind, outcome, estimated, input, output, nano }: LedgerRow) => ({
  model,
  kind,
  outcome,
  estimated,
  input,
  output,
  nano,
});

/** Asks, waits until the upstream has the question, and leaves. */
const leaveWhenHeard =
  (body: object, headers: Record<string, string> = {}) =>
  async () => {
    const asked = h.upstream.requests.length;
    const { leave } = h.begin(body, headers);
    await h.heard(asked);
    leave();
  };

for (const model of ["ours", "chatty"])
  for (const stream of [false, true])
    test(`[MSG70] a client that leaves before the first byte pays its input: ${model}, stream ${stream}`, async () => {
      const rows = await h.rowsOf(leaveWhenHeard({ model, stream }));
      assert.deepEqual(rows.map(shown), [cut(input, 0, model)]);
      assert.equal(rows[0]?.list, rows[0]?.nano);
      await until(async () => h.upstream.open() === 0, "the upstream is let go");
    });

test("[MSG70] the simulator tells what it had written by then", async () => {
  const text = "Slowly. [[rate 20]] [[tokens 90]]";
  const [row] = await h.rowsOf(async () => {
    const { leave } = h.begin({ model: "mimic", ...question(text) });
    await until(async () => (await h.opens()) === 1, "the attempt is open");
    const startedMs = performance.now();
    await until(async () => performance.now() - startedMs > 300, "some tokens are written");
    leave();
  });
  assert.deepEqual([row?.outcome, row?.estimated, row?.input], ["cut", true, countedInput(text)]);
  assert.ok(row !== undefined && row.output > 0 && row.output < 90, `${row?.output} tokens`);
  assert.equal(row.nano, row.input * prices.input + row.output * prices.output);
});

test("[MSG70] a client that leaves behind message_start pays what the upstream says that it read", async () => {
  h.upstream.answer = ({ head, chunk }) => {
    head(200);
    chunk(startFrame());
  };
  const rows = await h.rowsOf(async () => {
    const { answered, leave } = h.begin({ model: "ours", stream: true });
    (await answered).once("data", leave).on("error", () => {});
  });
  // It has said there that one token is written.
  assert.deepEqual(rows.map(shown), [cut(7, 1)]);
});

test("[MSG70] an upstream that begins with zeros has not said what it read", async () => {
  h.upstream.answer = ({ head, chunk }) => {
    head(200);
    chunk(startFrame({ input_tokens: 0, output_tokens: 0 }) + blockFrames(["abcd"]).join(""));
  };
  const rows = await h.rowsOf(async () => {
    const { answered, leave } = h.begin({ model: "ours", stream: true });
    (await answered).once("data", leave).on("error", () => {});
  });
  assert.deepEqual(rows.map(shown), [cut(input, 1)]);
});

test("[MSG70] [MSG72] over chat completions thoughts that are kept from the client count where it leaves", async () => {
  const delta = { reasoning_content: "x".repeat(400) };
  const thinking = { type: "adaptive", display: "omitted" };
  h.upstream.answer = ({ head, chunk }) => {
    head(200);
    chunk(`data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta }] })}\n\n`);
  };
  const rows = await h.rowsOf(async () => {
    const { answered, leave } = h.begin({
      model: "chatty",
      stream: true,
      max_tokens: 2_000,
      thinking,
    });
    (await answered).once("data", leave).on("error", () => {});
  });
  assert.deepEqual(rows.map(shown), [cut(input, 100, "chatty")]);
});

test("[MSG70] what was read and not yet given on counts, and so does a final usage that was read", async () => {
  const pieces = Array.from({ length: 300 }, () => "x".repeat(20_000));
  for (const end of [undefined, { output_tokens: 4_321 }]) {
    let isWritten = false;
    h.upstream.answer = async ({ head, chunk, flushed }) => {
      head(200);
      chunk(startFrame() + blockFrames(["abcd"]).slice(0, 2).join(""));
      if (end !== undefined) chunk(endFrames(end));
      else for (const piece of pieces) chunk(blockFrames([piece])[1] ?? "");
      await flushed();
      isWritten = true;
    };
    const [row] = await h.rowsOf(async () => {
      const { answered, leave } = h.begin({ model: "ours", stream: true, max_tokens: 60_000 });
      const response = await answered;
      response.on("error", () => {}).pause();
      if (end !== undefined) await until(async () => isWritten, "all is written");
      // The client does not read: the server's buffer for it fills up.
      else await until(async () => h.upstream.open() === 1, "it is under way");
      leave();
    });
    if (end === undefined) {
      assert.deepEqual([row?.outcome, row?.estimated], ["cut", true]);
      assert.ok(row !== undefined && row.output > 0 && row.output <= 60_000);
    } else assert.deepEqual([row?.input, row?.output, row?.estimated], [7, 4_321, false]);
  }
});

test("[MSG70] a client that leaves while the reservation is being written leaves nothing open", async () => {
  const { db } = h.house.world;
  h.upstream.answer = ({ head, chunk }) => {
    head(200);
    chunk(startFrame() + blockFrames(["abcd", "efgh"]).join(""));
  };
  const asked = h.upstream.requests.length;
  const rows = await h.rowsOf(async () => {
    await db.tx(async (tx) => {
      await tx.query(sql`lock table ledger_reservations in exclusive mode`);
      const { leave } = h.begin({ model: "ours", stream: true });
      await h.heard(asked);
      await until(async () => h.upstream.open() === 1, "the upstream answers");
      leave();
      await until(async () => h.upstream.open() === 0, "the house has heard of it");
    });
  });
  assert.equal(rows[0]?.outcome, "cut");
  assert.ok((rows[0]?.input ?? 0) >= input);
});

for (const stream of [false, true])
  test(`[MSG70] the second hop is paid where the client leaves during it, the first is not: stream ${stream}`, async () => {
    const usage = { input_tokens: 50, output_tokens: 0 };
    h.upstream.answer = ({ received: asked, head, chunk, end, reply }) => {
      if (JSON.parse(asked.body.toString()).model === "spare") return;
      const refusal = { stop_reason: "refusal", stop_sequence: null, content: [], usage };
      const message = { id: "msg_1", type: "message", role: "assistant", model: "ours" };
      if (!stream) return reply(200, JSON.stringify({ ...message, ...refusal }));
      head(200);
      chunk(startFrame(usage) + endFrames(usage, "refusal"));
      end();
    };
    const body = { model: "ours", stream, fallbacks: [{ model: "spare" }] };
    const rows = await h.rowsOf(async () => {
      const asked = h.upstream.requests.length;
      const { leave } = h.begin(body, { "anthropic-beta": fallback07 });
      await h.heard(asked + 1);
      leave();
    }, 2);
    const declined = { outcome: "declined", estimated: false, input: 0, output: 0, nano: 0 };
    assert.deepEqual(rows.map(shown), [
      { model: "ours", kind: "message", ...declined },
      cut(input, 0, "spare"),
    ]);
  });

test("[MSG70] a retry with a credit token is paid where its client leaves", async () => {
  const betas = { "anthropic-beta": credit07 };
  h.upstream.answer = ({ received: asked, reply }) => {
    if (JSON.parse(asked.body.toString()).model === "spare") return;
    const usage = { input_tokens: 50, output_tokens: 0 };
    const refusal = { stop_reason: "refusal", stop_sequence: null, content: [], usage };
    const message = { id: "msg_1", type: "message", role: "assistant", model: "ours" };
    reply(200, JSON.stringify({ ...message, ...refusal }));
  };
  let token: unknown;
  await h.rowsOf(async () => {
    let text = "";
    for await (const chunk of await h.begin({ model: "ours" }, betas).answered) text += chunk;
    token = JSON.parse(text).stop_details.fallback_credit_token;
  });
  assert.equal(typeof token, "string");
  for (const stream of [false, true]) {
    const retry = { model: "spare", stream, fallback_credit_token: token };
    const rows = await h.rowsOf(leaveWhenHeard(retry, betas));
    assert.deepEqual(rows.map(shown), [cut(input, 0, "spare")]);
  }
});

test("[MSG71] a client that leaves while the guard is asked pays nothing; the guard's row has its list price", async () => {
  for (const stream of [false, true]) {
    const rows = await h.rowsOf(leaveWhenHeard({ model: "guarded", stream }), 2);
    const message = rows.find(({ kind }) => kind === "message");
    const guard = rows.find(({ kind }) => kind === "guard");
    assert.deepEqual([message?.outcome, message?.input, message?.nano], ["cut", 0, 0]);
    assert.deepEqual([guard?.outcome, guard?.estimated, guard?.nano], ["cut", true, 0]);
    assert.equal(guard?.list, (guard?.input ?? 0) * prices.input);
    assert.ok(guard.list > 0);
  }
});

test("[MSG71] refusals before output, of rules and of upstreams, and errors cost nothing though the client leaves", async () => {
  const settled: AnswerHandler = ({ reply }) => {
    const error = { type: "overloaded_error", message: "Busy." };
    reply(529, JSON.stringify({ type: "error", error }));
  };
  const declining: AnswerHandler = ({ head, chunk }) => {
    head(200);
    chunk(startFrame() + endFrames({ output_tokens: 0 }, "refusal"));
  };
  for (const [answer, body] of [
    [settled, { model: "ours" }],
    [settled, { model: "ours", stream: true }],
    [declining, { model: "ours", stream: true }],
    [declining, { model: "ruled", stream: true, ...question("poison") }],
    [declining, { model: "ruled", ...question("poison") }],
  ] as const) {
    h.upstream.answer = answer;
    const [row] = await h.rowsOf(async () => {
      const { answered, leave } = h.begin(body);
      await answered;
      leave();
    });
    assert.deepEqual([row?.input, row?.output, row?.nano], [0, 0, 0], JSON.stringify(row));
  }
});

test("[MSG71] what was never sent costs nothing: the upstream cannot be connected to", async () => {
  for (const stream of [false, true]) {
    const [row] = await h.rowsOf(async () => {
      const { leave } = h.begin({ model: "refused", stream });
      await until(async () => (await h.opens()) === 1, "the attempt is open");
      leave();
    });
    assert.deepEqual([row?.input, row?.output, row?.nano, row?.estimated], [0, 0, 0, false]);
  }
});

test("[MSG70] [LIM6] twelve clients that leave use up a spend limit, and then the upstream is not asked", async () => {
  const text = "word ".repeat(200);
  const each = countedInput(text) * prices.input;
  // What one may cost at most: the body's bytes over four, and all of max_tokens.
  const most = 100 * prices.output + 3_000;
  const { db } = h.house.world;
  const { organization_id: id } = h.house.organizations.platform;
  const spent = (await h.rows()).reduce((sum, { nano }) => sum + nano, 0);
  const limit = spent + 3 * each + most;
  await db.tx((tx) => setSpend(tx, id, "", BigInt(limit)));
  limitsOf(h.house.world).changed(id);
  const asked = h.upstream.requests.length;
  let refused = 0;
  for (let count = 0; count < 12; count++) {
    const before = h.upstream.requests.length;
    let status: number | undefined;
    const { answered, leave } = h.begin({
      model: "ours",
      stream: count % 2 === 0,
      ...question(text),
    });
    void answered.then(
      ({ statusCode }) => (status = statusCode),
      () => {},
    );
    await until(
      async () => status !== undefined || h.upstream.requests.length > before,
      "it is asked or refused",
    );
    if (status === 429) refused++;
    leave();
    await until(async () => (await h.opens()) === 0, "it is settled");
  }
  await db.tx((tx) => setSpend(tx, id, "", null));
  limitsOf(h.house.world).changed(id);
  assert.ok(refused >= 7, `${refused} of 12 were refused`);
  assert.equal(h.upstream.requests.length - asked, 12 - refused);
});

test("[MSG70] [LIM10] rates count what a client left, its input and what was written", async () => {
  await using left = await openMessagesHouse({
    sections: { limits: { organization: { input_tokens: 400, output_tokens: 130 } } },
  });
  const text = "word ".repeat(200);
  left.upstream.answer = ({ head, chunk }) => {
    head(200);
    chunk(startFrame({ output_tokens: 0 }) + blockFrames(["x".repeat(200)]).join(""));
  };
  const [row] = await left.rowsOf(async () => {
    const { answered, leave } = left.begin({ model: "ours", stream: true, ...question(text) });
    (await answered).once("data", leave).on("error", () => {});
  });
  assert.deepEqual([row?.input, row?.output], [countedInput(text), 50]);
  const again = await left.begin({ model: "ours", ...question(text) }).answered;
  assert.equal(again.statusCode, 429);
  const remaining = (type: string) =>
    Number(again.headers[`vendor-ratelimit-${type}-tokens-remaining`]);
  // A minute's worth, less what was used, and what has flowed in since.
  assert.ok(
    remaining("input") < 400 - countedInput(text) + 60,
    `${remaining("input")} input tokens`,
  );
  assert.ok(remaining("output") < 130 - 50 + 20, `${remaining("output")} output tokens`);
});

for (const make of [messagesAdapter, chatAdapter])
  test(`[MSG70] of a whole answer that has come in part, that part is known: ${make.name}`, async () => {
    const estimate = () => 5;
    const adapter = make({ ...world, baseUrl: h.upstream.url, estimate });
    h.upstream.answer = ({ head, chunk }) => {
      head(200, { "content-type": "application/json" });
      chunk(`{"id":"x","choices":[{"message":{"content":"${"x".repeat(4_000)}`);
    };
    const gone = new AbortController();
    const progress = newAttemptProgress();
    const asked = asking({ stream: false, signal: gone.signal, progress });
    const attempted = adapter.attempt(asked);
    await until(async () => progress.writtenTokens > 0, "some of it is here");
    gone.abort(new Error("left"));
    await assert.rejects(attempted, /left/);
    // The text, and a little for what is around it.
    const { isSent, writtenTokens } = progress;
    assert.ok(isSent && writtenTokens >= 1_000 && writtenTokens < 1_030, `${writtenTokens}`);
    await adapter.close();
  });

for (const stream of [false, true])
  test(`[MSG71] what the server cuts as it stops is no client that left: stream ${stream}`, async () => {
    const { server } = h.house.world;
    const [row] = await h.rowsOf(async () => {
      const asked = h.upstream.requests.length;
      const { leave } = h.begin({ model: "ours", stream });
      await h.heard(asked);
      server.isDrainOver = true;
      leave();
    });
    server.isDrainOver = false;
    assert.deepEqual([row?.outcome, row?.input, row?.nano], ["failed", 0, 0]);
  });
