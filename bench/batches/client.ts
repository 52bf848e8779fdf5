// The client of bench/batches.ts: sends messages and bodies of batches, and reads results.
import { createReadStream, createWriteStream, statSync } from "node:fs";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { answerQuestions } from "../helper.ts";
import { paramsOf, type Shape } from "./items.ts";

export type Question =
  | { kind: "messages"; shape: Shape; connections: number }
  | { kind: "paced"; perSecond: number; seconds: number }
  | { kind: "submit"; file: string }
  | { kind: "download"; path: string; times: number; file?: string };

const [, , url = "", headersText = "{}"] = process.argv;
const headers = JSON.parse(headersText) as Record<string, string>;
const json = { ...headers, "content-type": "application/json" };

answerQuestions((asked) => {
  const question = asked as Question;
  if (question.kind === "messages") return messages(question.shape, question.connections);
  if (question.kind === "paced") return paced(question.perSecond, question.seconds);
  if (question.kind === "submit") return submit(question.file);
  return download(question);
});

async function messages({ count, bytes }: Shape, connections: number): Promise<void> {
  await using pool = poolOf(connections);
  let next = 0;
  const sendAll = async () => {
    while (next < count) await message(pool, paramsOf(next++, { bytes }));
  };
  await Promise.all(Array.from({ length: connections }, sendAll));
}

/** Milliseconds of each; none waits for the answer of another. */
async function paced(perSecond: number, seconds: number): Promise<number[]> {
  await using pool = poolOf(256);
  const times: Promise<number>[] = [];
  const startMs = performance.now();
  const one = async (body: string) => {
    const beganMs = performance.now();
    await message(pool, body);
    return performance.now() - beganMs;
  };
  for (let index = 0; index < perSecond * seconds; index++) {
    await sleep(Math.max(0, startMs + (index * 1000) / perSecond - performance.now()));
    const asked = one(paramsOf(index, { bytes: 300 }));
    // A failure is reported when all of them have been sent.
    asked.catch(() => {});
    times.push(asked);
  }
  return Promise.all(times);
}

async function message(pool: Pool, body: string): Promise<void> {
  const reply = await pool.request({ path: "/v1/messages", method: "POST", headers: json, body });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
}

/** Gives the id of the batch. */
async function submit(file: string): Promise<string> {
  await using pool = poolOf(1);
  const length = String(statSync(file).size);
  const reply = await pool.request({
    path: "/v1/messages/batches",
    method: "POST",
    headers: { ...json, "content-length": length },
    body: createReadStream(file, { highWaterMark: 256 * 1024 }),
  });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}

/** To a file, or just read. */
async function download({ path, times, file }: Extract<Question, { kind: "download" }>) {
  await using pool = poolOf(1);
  for (let time = 0; time < times; time++) {
    const { statusCode, body } = await pool.request({ path, method: "GET", headers });
    if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
    const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
    await pipeline(body, file === undefined ? nowhere() : createWriteStream(file));
  }
}

/** Large batches are answered late: no time limit of the client's own. */
function poolOf(connections: number) {
  const pool = new Pool(url, { connections, headersTimeout: 0, bodyTimeout: 0 });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
}
