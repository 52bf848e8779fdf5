// The client of bench/memory.ts: writes, reads and lists memories over HTTP.
import { answerQuestions } from "../helper.ts";
import { openRawConnection } from "../wire.ts";
import { run, textOf, type LoadStep, type Load } from "./load.ts";

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
const connectionsMax = 32;
const wires = await Promise.all(
  Array.from({ length: connectionsMax }, () => openRawConnection(url, headers)),
);

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
  const { id } = await make(0, "/v1/memory_stores", { name: "bench" });
  const store: Store = { id, memories: [] };
  const fill = async (_: unknown, connection: number) => {
    for (let at = store.memories.length; at < memories; at = store.memories.length) {
      store.memories.push("");
      const body = { path: `/folder-${at % 20}/memory-${at}.md`, content: textOf(bytes) };
      store.memories[at] = (await make(connection, `/v1/memory_stores/${id}/memories`, body)).id;
    }
  };
  await Promise.all(Array.from({ length: connectionsMax }, fill));
  return store;
}

async function addVersions(store: Store, versions: number, bytes: number): Promise<void> {
  let left = versions;
  const write = writes(store, bytes);
  const fillNext = async (_: unknown, number: number) => {
    while (left-- > 0) await write(number);
  };
  await Promise.all(Array.from({ length: connectionsMax }, fillNext));
}

async function make(connection: number, path: string, body: object): Promise<{ id: string }> {
  const reply = await wires[connection]?.ask("POST", path, JSON.stringify(body));
  return JSON.parse(String(reply)) as { id: string };
}

const writes =
  ({ id, memories }: Store, bytes: number): LoadStep =>
  (connection) => {
    const memory = memories[Math.floor(Math.random() * memories.length)];
    const body = JSON.stringify({ content: textOf(bytes) });
    return wires[connection]?.ask("POST", `/v1/memory_stores/${id}/memories/${memory}`, body);
  };

const reads =
  ({ id, memories }: Store): LoadStep =>
  (connection) => {
    const memory = memories[Math.floor(Math.random() * memories.length)];
    return wires[connection]?.ask("GET", `/v1/memory_stores/${id}/memories/${memory}`);
  };

const lists =
  ({ id }: Store, { kind, limit }: { kind: string; limit: number }): LoadStep =>
  (connection) => {
    const noun = kind === "list" ? "memories" : "memory_versions";
    return wires[connection]?.ask("GET", `/v1/memory_stores/${id}/${noun}?limit=${limit}`);
  };
