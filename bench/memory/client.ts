// The client of bench/memory.ts: writes, reads and lists memories over HTTP.
import { Pool } from "undici";
import { answerQuestions } from "../helper.ts";
import { run, textOf, type Lane, type Load } from "./load.ts";

export type Question =
  | { kind: "store"; memories: number; bytes: number }
  | { kind: "versions"; store: Store; versions: number; bytes: number }
  | { kind: "write" | "read"; store: Store; load: Load; bytes: number }
  | { kind: "list" | "list versions"; store: Store; load: Load; limit: number };

export interface Store {
  id: string;
  memories: string[];
}

const [, , url = "", headersText = "{}"] = process.argv;
const headers = {
  ...(JSON.parse(headersText) as Record<string, string>),
  "anthropic-beta": "agent-memory-2026-07-22",
  "content-type": "application/json",
};
const pool = new Pool(url, { connections: 32, pipelining: 1 });

answerQuestions((asked) => {
  const question = asked as Question;
  switch (question.kind) {
    case "store":
      return makeStore(question.memories, question.bytes);
    case "versions":
      return addVersions(question.store, question.versions, question.bytes);
    case "write":
      return run(question.load, writes(question.store, question.bytes));
    case "read":
      return run(question.load, reads(question.store));
    default:
      return run(question.load, lists(question.store, question));
  }
});

async function makeStore(memories: number, bytes: number): Promise<Store> {
  const { id } = await ask<{ id: string }>("POST", "/v1/memory_stores", { name: "bench" });
  const store: Store = { id, memories: [] };
  const lane = async () => {
    for (let at = store.memories.length; at < memories; at = store.memories.length) {
      store.memories.push("");
      const body = { path: `/folder-${at % 20}/memory-${at}.md`, content: textOf(bytes) };
      const made = await ask<{ id: string }>("POST", `/v1/memory_stores/${id}/memories`, body);
      store.memories[at] = made.id;
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  return store;
}

async function addVersions(store: Store, versions: number, bytes: number): Promise<void> {
  let left = versions;
  const write = writes(store, bytes);
  const lane = async (_: unknown, number: number) => {
    while (left-- > 0) await write(number);
  };
  await Promise.all(Array.from({ length: 32 }, lane));
}

const writes =
  ({ id, memories }: Store, bytes: number): Lane =>
  async () => {
    const memory = memories[Math.floor(Math.random() * memories.length)];
    await ask("POST", `/v1/memory_stores/${id}/memories/${memory}`, { content: textOf(bytes) });
  };

const reads =
  ({ id, memories }: Store): Lane =>
  async () => {
    const memory = memories[Math.floor(Math.random() * memories.length)];
    await ask("GET", `/v1/memory_stores/${id}/memories/${memory}`);
  };

const lists =
  ({ id }: Store, { kind, limit }: { kind: string; limit: number }): Lane =>
  async () => {
    const noun = kind === "list" ? "memories" : "memory_versions";
    await ask("GET", `/v1/memory_stores/${id}/${noun}?limit=${limit}`);
  };

async function ask<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
  const reply = await pool.request({
    path,
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
  return JSON.parse(text) as T;
}
