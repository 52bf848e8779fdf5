// What bench/sessions.ts asks of the event log itself, and what it is compared with, in a process of its own.
import pg from "pg";
import { systemClock } from "../../kernel/base/clock.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { append } from "../../kernel/log/log.ts";
import { foldStream } from "../../kernel/log/snapshots.ts";
import { subscribe } from "../../kernel/log/subscribe.ts";
import { clientConfig } from "../../kernel/sql/connection.ts";
import { openPool } from "../../kernel/sql/database.ts";
import { openEmbedded } from "../../kernel/sql/embedded/embedded.ts";
import { openHints } from "../../kernel/sql/hints.ts";
import { step } from "../../server/sessions/conversation/fold.ts";
import { emptyThread } from "../../server/sessions/conversation/state.ts";
import { answerQuestions } from "../helper.ts";

export type Question =
  | { kind: "ours" | "plain"; rounds: number }
  | { kind: "fold"; events: number };

const [, , directory = ""] = process.argv;
const logger = silentLogger;
const embedded = await openEmbedded({ directory, logger });
const db = openPool({ connection: embedded.connection, connectionsMax: 4, logger });
const hints = await openHints(embedded.connection, { logger });
const plain = new pg.Pool({ ...clientConfig(embedded.connection), max: 2 });
const listening = new pg.Client(clientConfig(embedded.connection));
await listening.connect();
await listening.query("listen bench_log");
await plain.query(`create table if not exists bench_log (
  stream text not null, position bigint not null, data json not null, primary key (stream, position))`);

const data = { content: [{ type: "text", text: "x".repeat(200) }] };
const medianOf = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** From the beginning of the append to the event at its reader, one after the other. */
async function ours(rounds: number): Promise<number> {
  const stream = `bench ${Math.random()}`;
  const stop = new AbortController();
  const tookMs: number[] = [];
  let heard = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const _ of subscribe(
      { db, hints, clock: systemClock, signal: stop.signal },
      stream,
      0,
    ))
      heard.resolve();
  })();
  for (let round = 0; round < rounds; round++) {
    heard = Promise.withResolvers();
    const startedMs = performance.now();
    await db.tx(async (tx) => {
      await append(tx, { clock: systemClock, hints }, stream, [{ type: "user.message", data }]);
    });
    await heard.promise;
    tookMs.push(performance.now() - startedMs);
  }
  stop.abort();
  await reading;
  return medianOf(tookMs);
}

/** An insert and a notification in one transaction; the listener reads the row. */
async function reference(rounds: number): Promise<number> {
  const stream = `bench ${Math.random()}`;
  const tookMs: number[] = [];
  let heard = Promise.withResolvers<void>();
  const read = () =>
    void plain
      .query({
        name: "bench_read",
        text: "select position, data from bench_log where stream = $1 and position >= $2",
        values: [stream, tookMs.length],
      })
      .then(() => heard.resolve());
  listening.on("notification", read);
  for (let round = 0; round < rounds; round++) {
    heard = Promise.withResolvers();
    const startedMs = performance.now();
    const client = await plain.connect();
    await client.query("begin");
    await client.query({
      name: "bench_insert",
      text: "insert into bench_log (stream, position, data) values ($1, $2, $3)",
      values: [stream, round, JSON.stringify(data)],
    });
    await client.query("select pg_notify('bench_log', '')");
    await client.query("commit");
    client.release();
    await heard.promise;
    tookMs.push(performance.now() - startedMs);
  }
  listening.off("notification", read);
  return medianOf(tookMs);
}

/** A conversation of so many events: from the first one, and from the snapshot that this has left. */
async function fold(events: number): Promise<{ first: number; again: number; bytes: number }> {
  const stream = `bench ${Math.random()}`;
  const words = (text: string) => [{ type: "text", text }];
  for (let at = 0; at < events; at += 4) {
    const id = `sevt_${at}`;
    const turn = [
      { id, type: "user.message", data: { content: words("A question of some words.") } },
      { type: "internal.turn_started", data: { inputs: [id] } },
      {
        type: "internal.model_answered",
        data: {
          content: words("An answer that is a little longer than its question was."),
          stop_reason: "end_turn",
          stop_details: null,
          calls: [],
          context_tokens: 100,
        },
      },
      {
        id: `sevt_${at}i`,
        type: "session.thread_status_idle",
        data: { stop_reason: { type: "end_turn" }, stop_details: null },
      },
    ];
    await db.tx(async (tx) => void (await append(tx, { clock: systemClock, hints }, stream, turn)));
  }
  const once = async () => {
    const startedMs = performance.now();
    const { state } = await foldStream({ db, logger }, stream, {
      kind: "bench",
      initial: emptyThread(stream),
      step: (to, { position, id, type, data: fields }) =>
        step(to, { position, id, event: { type, ...(fields as object) } }),
    });
    return { took: performance.now() - startedMs, bytes: JSON.stringify(state).length };
  };
  const { took: first } = await once();
  const { took: again, bytes } = await once();
  return { first, again, bytes };
}

answerQuestions((asked): Promise<unknown> => {
  const question = asked as Question;
  if (question.kind === "fold") return fold(question.events);
  return question.kind === "ours" ? ours(question.rounds) : reference(question.rounds);
});
