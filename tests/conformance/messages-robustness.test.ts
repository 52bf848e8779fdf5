// Streams through a whole house while the upstream's bytes come cut, odd or not at all, and clients leave.
import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { until } from "../rules/support.ts";
import type { ReplyWriter } from "../upstreams/fake.ts";
import { ledgerOf, opensOf, type LedgerRow } from "./messages-client.ts";
import {
  answerOf,
  eventsIn,
  frameOf,
  nanoOf,
  openLab,
  openStream,
  receive,
  wireOf,
  type Event,
  type Lab,
  type Received,
} from "./messages-stream.ts";
import { queryPosted } from "../posted.ts";

let lab: Lab;
before(async () => {
  lab = await openLab();
});
after(async () => {
  for (const { status } of lab.house.expectErrors()) assert.ok(Number(status) >= 500);
  await lab.house[Symbol.asyncDispose]();
  await until(async () => lab.upstream.open() === 0, "no connection to the upstream is left");
  await lab.upstream[Symbol.asyncDispose]();
});

const texts = ["Grü", "ße, ", "世界 ", "👋🏽."];
const answer = answerOf("first", texts);
const wire = wireOf(answer);

/** Tokens of the first deltas as the house counts them: a delta may be less than one, or more. */
const writtenIn = (pieces: readonly string[], deltas: number): number => {
  const said = pieces.slice(0, Math.max(0, deltas));
  return Math.max(said.length, Math.ceil(Buffer.byteLength(said.join("")) / 4));
};
/** The upstream says at the beginning that one is written. */
const leftIn = (pieces: readonly string[], deltas: number) =>
  Math.max(1, writtenIn(pieces, deltas));

/** What the test put into the question. */
const asked = ({ received: { body } }: ReplyWriter) => {
  const { messages, model } = JSON.parse(body.toString()) as {
    messages: { content: string }[];
    model: string;
  };
  return { text: String(messages[0]?.content), model };
};

async function lanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

const settled = (received: Pick<Received, "requestId">, rows = 1): Promise<LedgerRow[]> =>
  until(async () => {
    const found = await ledgerOf(lab.house, received.requestId);
    return found.length === rows && found;
  }, `${rows} settled hops of ${received.requestId}`);

/** The events of an answer that nothing happened to. */
async function undisturbed(): Promise<Event[]> {
  lab.upstream.answer = ({ head, chunk, end }) => {
    head(200);
    chunk(wire);
    end();
  };
  const { status, events } = await receive(lab, {});
  assert.equal(status, 200);
  assert.deepEqual(
    events.map(({ type }) => type),
    answer.map(({ type }) => type),
  );
  return events;
}

test("bytes that come in two parts, cut at every position, are the same events", async () => {
  const expected = await undisturbed();
  lab.upstream.answer = async (answering) => {
    const at = Number(asked(answering).text);
    answering.head(200);
    answering.chunk(wire.subarray(0, at));
    await answering.flushed();
    await new Promise((resolve) => setImmediate(resolve));
    answering.chunk(wire.subarray(at));
    answering.end();
  };
  const positions = Array.from({ length: wire.length + 1 }, (_, at) => at);
  await lanes(positions, async (at) => {
    const received = await receive(lab, { text: String(at) });
    assert.deepEqual(received.events, expected, `cut at ${at}`);
  });
  const [count] = await queryPosted<{ rows: number; odd: number }>(lab.house.world.db, {
    text: `select count(*) as rows, count(*) filter (where outcome <> 'served' or estimated
      or amount_nano <> $1) as odd from ledger`,
    values: [nanoOf(7, texts.length)],
  });
  assert.deepEqual(count, { rows: positions.length + 1, odd: 0 });
});

for (const how of ["ends", "breaks"])
  test(`an upstream that ${how} at every position: the same beginning, and one clean error`, async () => {
    const expected = await undisturbed();
    lab.upstream.answer = async (answering) => {
      answering.head(200);
      answering.chunk(wire.subarray(0, Number(asked(answering).text)));
      if (how === "ends") return answering.end();
      await answering.flushed();
      answering.reset();
    };
    // Every position is tried when it ends; one in three, chosen by the bytes, when it breaks.
    const step = how === "ends" ? 1 : 3;
    const positions = Array.from({ length: Math.ceil(wire.length / step) }, (_, at) => at * step);
    await lanes(positions, async (at) => {
      const received = await receive(lab, { text: String(at) });
      assert.equal(received.broken, false);
      const [row] = await settled(received);
      assert.ok(row);
      const error = received.events.at(-1);
      if (error?.type === "message_stop") {
        // Nothing is missing but the last frame, which says nothing new.
        assert.deepEqual(received.events, expected);
        return assert.deepEqual([row.outcome, row.estimated], ["served", false]);
      }
      assert.equal(error?.type, "error", `cut at ${at}`);
      if (received.status !== 200) {
        assert.ok(received.status >= 500);
        return assert.deepEqual([row.outcome, row.nano], ["failed", 0]);
      }
      const shown = received.events.slice(0, -1);
      assert.deepEqual(shown, expected.slice(0, shown.length));
      const deltas = shown.filter(({ type }) => type === "content_block_delta").length;
      assert.deepEqual([row.outcome, row.estimated], ["failed", true]);
      const isCharged = shown.some(({ type }) => type === "content_block_start");
      assert.equal(row.nano, isCharged ? nanoOf(7, writtenIn(texts, deltas)) : 0);
    });
    assert.equal(await opensOf(lab.house), 0);
  });

test("line ends of other systems, frames without names, comments and pings change nothing", async () => {
  const expected = await undisturbed();
  const noise = ': keep\n\nevent: ping\ndata: {"type":"ping"}\n\n';
  const odd: Record<string, Buffer> = {
    crlf: wireOf(answer, { newline: "\r\n" }),
    cr: wireOf(answer, { newline: "\r" }),
    nameless: wireOf(answer, { named: false }),
    "nameless crlf": wireOf(answer, { named: false, newline: "\r\n" }),
    noisy: Buffer.from(answer.map((event) => noise + frameOf(event)).join("")),
    "behind a mark": Buffer.concat([Buffer.from("\ufeff"), wire]),
  };
  for (const [name, bytes] of Object.entries(odd))
    for (const size of [1, 7, bytes.length]) {
      lab.upstream.answer = ({ head, chunk, end }) => {
        head(200);
        for (let at = 0; at < bytes.length; at += size) chunk(bytes.subarray(at, at + size));
        end();
      };
      const { events } = await receive(lab, { text: name });
      assert.deepEqual(
        events.filter(({ type }) => type !== "ping"),
        expected,
        `${name} by ${size}`,
      );
    }
});

test("a delta of a megabyte comes through whole", async () => {
  const large = "0123456789abcdef".repeat(65_536);
  const bytes = wireOf(answerOf("first", ["a", large, "b"]));
  lab.upstream.answer = ({ head, chunk, end }) => {
    head(200);
    for (let at = 0; at < bytes.length; at += 60_000) chunk(bytes.subarray(at, at + 60_000));
    end();
  };
  const { events } = await receive(lab, {});
  assert.deepEqual(events[3]?.["delta"], { type: "text_delta", text: large });
  assert.equal(events.at(-1)?.type, "message_stop");
});

test("a slow reader makes the upstream wait, and gets everything in the end", async () => {
  const deltas = Array.from({ length: 400 }, (_, at) => `${at} `.padEnd(40_000, "x"));
  const events = answerOf("first", deltas);
  let sent = 0;
  lab.upstream.answer = async ({ head, chunk, flushed, end, socket }) => {
    head(200);
    for (const event of events) {
      chunk(frameOf(event));
      await flushed();
      if (socket.destroyed) return;
      sent += 1;
    }
    end();
  };
  const response = await openStream(lab, {});
  const chunks: Buffer[] = [];
  response.pause();
  // One kilobyte now and then: no faster than a person reads.
  for (let reads = 0; reads < 5; reads++) {
    const bytes = response.read(1_024) as Buffer | null;
    if (bytes === null) await once(response, "readable");
    else chunks.push(bytes);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const sentMeanwhile = sent;
  assert.ok(
    sentMeanwhile < events.length,
    "16 MB were taken for a client that reads 1 KB at a time",
  );
  response.on("data", (bytes: Buffer) => chunks.push(bytes)).resume();
  await once(response, "end");
  const received = eventsIn(Buffer.concat(chunks).toString());
  assert.equal(received.length, events.length);
  assert.deepEqual(received[401]?.["delta"], events[401]?.["delta"]);
});

test("a client that leaves at each event: the upstream is let go, and the hop is settled once", async () => {
  const leave = async (count: number) => {
    lab.upstream.answer = async ({ head, chunk }) => {
      head(200);
      for (const event of answer.slice(0, count)) chunk(frameOf(event));
    };
    const gone = new AbortController();
    const opening = openStream(lab, { text: `leave ${count}` }, gone.signal);
    if (count === 0) {
      await until(async () => (await opensOf(lab.house)) === 1, "the hop is open");
      gone.abort();
      await assert.rejects(opening);
    } else {
      const response = await opening;
      response.on("error", () => {});
      let text = "";
      for await (const chunk of response) {
        text += String(chunk);
        if (eventsSoFar(text) >= count) break;
      }
      gone.abort();
      const [row] = await settled({ requestId: String(response.headers["request-id"]) });
      const nano = nanoOf(7, leftIn(texts, count - 2));
      assert.deepEqual([row?.outcome, row?.estimated, row?.nano], ["cut", true, nano]);
    }
    await until(async () => lab.upstream.open() === 0, `nobody is left after event ${count}`);
    // Whoever left before the first event has seen no settlement to wait for.
    await until(
      async () => (await opensOf(lab.house)) === 0,
      `all is settled after event ${count}`,
    );
  };
  // The last two events are the answer's end: who leaves there has had all of it.
  for (let count = 0; count <= answer.length - 2; count++) await leave(count);
});

const eventsSoFar = (text: string) => text.split("\n\n").length - 1;

test("two hops: a client that leaves at each event of either leaves each settled once", async () => {
  const said = ["one ", "two "];
  const more = ["three ", "four"];
  const first = answerOf("first", said, { refuses: true }).slice(0, -1);
  const second = answerOf("second", more).slice(0, -2);
  // What the second model reads: "Hello", and what the first one said, each in a turn.
  const read = 3 + 2 + 3 + 2;
  const isUnshown = (count: number) => count === first.length || count === first.length + 2;
  for (let count = 2; count <= first.length + second.length; count++) {
    let last: ReplyWriter | undefined;
    lab.upstream.answer = (answering) => {
      const isFirst = asked(answering).model === "first";
      answering.head(200);
      for (const event of isFirst ? first.slice(0, count) : second.slice(0, count - first.length))
        answering.chunk(frameOf(event));
      if (isFirst === count < first.length) last = answering;
    };
    const requestId = await leaveWhen({
      // The end of the first answer shows nothing until the second model has begun: then the boundary. A text that has
      // begun without a word is not shown while another model may follow; of the first model nothing is before it.
      shown: count === 2 ? 0 : isUnshown(count) ? count - 1 : count,
      so: async () => {
        await until(async () => last && isRead(last), `event ${count} is read`);
        if (count === first.length)
          await until(async () => (await opensOf(lab.house)) === 2, "the second hop is open");
      },
    });
    const rows = await settled({ requestId }, count < first.length ? 1 : 2);
    const [one, two] = rows;
    const outcome = count < first.length ? "cut" : "declined";
    const output = outcome === "cut" ? leftIn(said, count - 2) : said.length;
    assert.deepEqual([one?.outcome, one?.nano], [outcome, nanoOf(7, output)], `after ${count}`);
    assert.equal(one?.estimated, outcome === "cut");
    if (two === undefined) continue;
    const begun = count - first.length;
    const nano = begun === 0 ? nanoOf(read, 0) : nanoOf(7, leftIn(more, begun - 2));
    assert.deepEqual([two.outcome, two.estimated, two.nano], ["cut", true, nano]);
  }
  await until(async () => lab.upstream.open() === 0, "nobody is left");
  assert.equal(await opensOf(lab.house), 0);
});

/** This process' ends of its connections: the house's to the upstream are among them. */
const ends = new Set<Socket>();
subscribe("net.client.socket", (message) => {
  const { socket } = message as { socket: Socket };
  ends.add(socket);
  socket.once("close", () => ends.delete(socket));
});

/** Whether the house has read all that the upstream has said so far. */
const isRead = ({ socket }: ReplyWriter): boolean =>
  [...ends].some(
    (end) => end.localPort === socket.remotePort && end.bytesRead === socket.bytesWritten,
  );

/** Leaves a request with a fallback when so many events have come and this is so; the id of the request. */
async function leaveWhen({ shown, so }: { shown: number; so: () => Promise<void> }) {
  await until(async () => (await opensOf(lab.house)) === 0, "the requests before are over");
  const gone = new AbortController();
  const opening = openStream(lab, { fallbacks: [{ model: "second" }] }, gone.signal);
  if (shown === 0) {
    const unanswered = assert.rejects(opening);
    const requestId = await until(openRequest, "the request is open");
    await so();
    gone.abort();
    await unanswered;
    return requestId;
  }
  const response = await opening;
  response.on("error", () => {});
  let text = "";
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (eventsSoFar(text) >= shown) break;
  }
  await so();
  gone.abort();
  return String(response.headers["request-id"]);
}

/** A request that shows its client nothing has told it no id either. */
async function openRequest(): Promise<string | undefined> {
  const [row] = await queryPosted<{ id: string }>(
    lab.house.world.db,
    sql`select request_id as id from ledger_opens`,
  );
  return row?.id;
}
