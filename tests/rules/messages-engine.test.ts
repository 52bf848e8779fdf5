// Rules MSG76 to MSG80: messages without HTTP, for an actor and a reader of events.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import type { Actor } from "../../kernel/context.ts";
import { parseOriginalBody } from "../../kernel/http/input/body.ts";
import {
  answerRequest,
  answerWhole,
  BatchAccounting,
  ledgerAccounting,
  prepareRequest,
  type Accounting,
  type AnswerReader,
} from "../../server/messages/module.ts";
import { accumulate, type WireEvent } from "../../server/models/module.ts";
import { collectGarbage } from "../garbage.ts";
import { fallback07 } from "./fallbacks-house.ts";
import {
  blockFrames,
  endFrames,
  openMessagesHouse,
  prices,
  question,
  startFrame,
  type MessagesHouse,
} from "./messages-house.ts";

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

function actorOf(given: Partial<Pick<Actor, "betas" | "signal">> = {}): Actor {
  const { world, organizations } = h.house;
  const { organization_id: organizationId, workspace_id: workspaceId } = organizations.platform;
  return {
    ...world,
    requestId: world.ids.next("req_"),
    notes: {},
    betas: new Set(),
    signal: new AbortController().signal,
    ...given,
    who: {
      kind: "session_token",
      credentialId: "a brain",
      organizationId,
      organizationType: "platform",
      workspaceId,
      userId: null,
      name: "a brain",
      permissions: new Set(),
    },
  };
}

interface Asked {
  body?: object;
  actor?: Actor;
  accounting?: Accounting;
  incoming?: ReturnType<typeof incomingOf>;
}

function incomingOf(body: object = {}) {
  const whole = { model: "ours", max_tokens: 100, ...question("Well?"), ...body };
  return parseOriginalBody(Buffer.from(JSON.stringify(whole)));
}

async function prepare({
  body,
  actor = actorOf(),
  accounting = ledgerAccounting.vendor,
  incoming = incomingOf(body),
}: Asked) {
  using held = new DisposableStack();
  return await prepareRequest(actor, incoming, accounting, held);
}

/** What a reader that takes all has got. */
async function collect(asked: Asked, isWhole: boolean) {
  const batches: (readonly WireEvent[])[] = [];
  const heads: object[] = [];
  const reader: AnswerReader = {
    begin: (headers) => void heads.push(headers),
    take: (events) => void batches.push(events),
  };
  await answerRequest(await prepare(asked), reader, { isWhole });
  const sum = accumulate();
  for (const event of batches.flat()) sum.add(event.data());
  return { batches, heads, events: batches.flat(), message: sum.message() };
}

test("[MSG76] an answer is read event by event, and each frame is the upstream's own", async () => {
  const middle = blockFrames(["Well", ", well."]).map((frame) => frame.replace("{", "{ "));
  h.upstream.answer = ({ head, chunk, end }) => {
    head(200, { "content-type": "text/event-stream" });
    chunk(startFrame() + middle.join("") + endFrames({ output_tokens: 3 }));
    end();
  };
  const [row] = await h.rowsOf(async () => {
    const { events, heads } = await collect({}, false);
    assert.deepEqual(
      events.map(({ name }) => name),
      [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ],
    );
    assert.deepEqual(
      events.slice(1, -2).map(({ raw }) => raw),
      middle,
    );
    assert.equal(heads.length, 1);
  });
  assert.deepEqual([row?.outcome, row?.nano], ["served", 7 * prices.input + 3 * prices.output]);
});

test("[MSG76] an accounting of a batch keeps what the answer costs, and the ledger has nothing", async () => {
  const before = (await h.rows()).length;
  const accounting = new BatchAccounting();
  await collect({ body: { model: "mimic" }, accounting }, true);
  assert.deepEqual(
    accounting.settledHops.map(({ hop, settlement }) => [hop.payer.model, settlement.outcome]),
    [["mimic", "served"]],
  );
  assert.equal((await h.rows()).length, before);
});

for (const text of ["Well?", "Say it. [[tokens 40]]", "Stop it.", "Call it. [[tool look {}]]"])
  test(`[MSG77] what is asked whole is what is streamed, added up: ${text}`, async () => {
    const body = {
      model: "mimic",
      ...question(text),
      stop_sequences: ["Stop"],
      tools: [{ name: "look", input_schema: { type: "object" } }],
    };
    const streamed = await collect({ body }, false);
    const whole = await collect({ body }, true);
    const rest = ({ message }: typeof whole) => ({ ...message, id: "" });
    assert.deepEqual(rest(whole), rest(streamed));
    const { message, headers } = await answerWhole(await prepare({ body }));
    assert.deepEqual({ ...message, id: "" }, rest(whole));
    assert.ok(Object.keys(headers).some((name) => name.startsWith("vendor-ratelimit-")));
  });

test("[MSG77] of a hop that declined, a whole answer has the boundary alone, and it costs nothing", async () => {
  const actor = actorOf({ betas: new Set([fallback07]) });
  const body = {
    model: "sim-large",
    ...question("[[refuse category=bio after=5]] Words that go on for a while."),
    fallbacks: [{ model: "sim-small" }],
  };
  const rows = await h.rowsOf(async () => {
    const { message, heads } = await collect({ body, actor }, true);
    assert.deepEqual(
      message?.content.map(({ type }) => type),
      ["fallback", "text"],
    );
    assert.equal(heads.length, 1);
  }, 2);
  assert.deepEqual(
    rows.map(({ outcome, nano }) => [outcome, nano > 0]),
    [
      ["declined", false],
      ["served", true],
    ],
  );
});

test("[MSG78] a reader that is slow gets at once what has come meanwhile", async () => {
  const taken: string[][] = [];
  const first = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  const allSent = Promise.withResolvers<void>();
  h.upstream.answer = async ({ head, chunk, flushed, end }) => {
    head(200, { "content-type": "text/event-stream" });
    chunk(startFrame());
    await first.promise;
    for (const frame of blockFrames(["a", "b", "c"])) chunk(frame);
    chunk(endFrames({ output_tokens: 3 }));
    end();
    await flushed();
    allSent.resolve();
  };
  const reader: AnswerReader = {
    begin: () => {},
    take: (events) => {
      taken.push(events.map(({ name }) => name));
      if (taken.length > 1) return undefined;
      first.resolve();
      return mayGoOn.promise;
    },
  };
  await h.rowsOf(async () => {
    const done = answerRequest(await prepare({}), reader, { isWhole: false });
    await allSent.promise;
    // Another whole request meanwhile: time enough to read what has come.
    await collect({ body: { model: "mimic" } }, true);
    assert.deepEqual(taken, [["message_start"]]);
    mayGoOn.resolve();
    await done;
  }, 2);
  assert.deepEqual(taken.at(-1), ["message_delta", "message_stop"]);
});

test("[MSG79] a reader that throws ends the answer, which is settled by then", async () => {
  h.upstream.answer = ({ head, chunk }) => {
    head(200, { "content-type": "text/event-stream" });
    chunk(startFrame() + blockFrames(["four"]).slice(0, 2).join(""));
  };
  const broken = new Error("the reader is full");
  const reader: AnswerReader = {
    begin: () => {},
    take: () => {
      throw broken;
    },
  };
  const [row] = await h.rowsOf(async () => {
    const prepared = await prepare({});
    await assert.rejects(answerRequest(prepared, reader, { isWhole: false }), broken);
    assert.equal(await h.opens(), 0);
  });
  // The client has not left: what the upstream has written is charged as of a stream that broke.
  assert.deepEqual([row?.outcome, row?.output], ["failed", 1]);
});

for (const isWhole of [true, false])
  test(`[MSG79] an actor that leaves pays what it had asked for, whole ${isWhole}`, async () => {
    const leaving = new AbortController();
    const heads: object[] = [];
    h.upstream.answer = () => leaving.abort(new Error("it has gone"));
    const [row] = await h.rowsOf(async () => {
      const prepared = await prepare({ actor: actorOf({ signal: leaving.signal }) });
      const reader = {
        begin: (headers: object) => void heads.push(headers),
        take: () => undefined,
      };
      await assert.rejects(answerRequest(prepared, reader, { isWhole }));
    });
    assert.deepEqual([row?.outcome, row?.estimated, heads.length], ["cut", true, 0]);
  });

/** Of a conversation that is long: its first turn, which goes when the conversation does. */
async function askAtLength(isWhole: boolean) {
  const prepared = await prepare({ body: question("Well? ".repeat(20_000)) });
  const turn = new WeakRef(prepared.sent.get().messages[0] ?? assert.fail());
  const reader: AnswerReader = { begin: () => {}, take: () => undefined };
  return { turn, done: answerRequest(prepared, reader, { isWhole }) };
}

for (const isWhole of [true, false])
  test(`[MSG80] of a long conversation the bytes alone are held for its answer, whole ${isWhole}`, async () => {
    const asked = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    h.upstream.answer = async ({ reply }) => {
      asked.resolve();
      await mayAnswer.promise;
      reply(500, "");
    };
    const { turn, done } = await askAtLength(isWhole);
    await asked.promise;
    await nextLoopIteration();
    collectGarbage();
    const held = turn.deref();
    mayAnswer.resolve();
    await assert.rejects(done);
    assert.ok(held === undefined, "the conversation is held");
  });

test("[MSG80] a long conversation that was let go is not read again for its answer", async () => {
  h.upstream.answer = ({ head, chunk, end }) => {
    head(200, { "content-type": "text/event-stream" });
    chunk(startFrame() + blockFrames(["Well."]).join("") + endFrames({ output_tokens: 3 }));
    end();
  };
  const incoming = incomingOf(question("Well? ".repeat(20_000)));
  await collect({ incoming }, false);
  assert.equal(incoming.value, undefined);
});
