// What bench/memory.ts compares with: the same rows, by plain statements of their own, in tables and indexes like ours.
import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { silentLogger } from "../../kernel/base/logger.ts";
import { clientConfig } from "../../kernel/sql/connection.ts";
import { openEmbedded } from "../../kernel/sql/embedded/embedded.ts";
import { answerQuestions } from "../helper.ts";
import { run, textOf, type LoadStep, type Load } from "./load.ts";

export type Question =
  | { kind: "fill"; memories: number; bytes: number }
  | { kind: "write" | "read"; load: Load; bytes: number }
  | { kind: "list"; load: Load; limit: number };

const [, , directory = ""] = process.argv;
const embedded = await openEmbedded({ directory, logger: silentLogger });
const pool = new pg.Pool({ ...clientConfig(embedded.connection), max: 32 });
await pool.query(`create table if not exists bench_memories (like memories including all);
  create table if not exists bench_versions (like memory_versions including all)`);

const storeId = `memstore_${randomBytes(13).toString("hex")}`;
const memories: string[] = [];
let seq = 0;

answerQuestions((asked): Promise<unknown> => {
  const question = asked as Question;
  switch (question.kind) {
    case "fill":
      return fill(question.memories, question.bytes);
    case "write":
      return run(question.load, () => write(anyOf(memories), question.bytes));
    case "read":
      return run(question.load, read);
    default:
      return run(question.load, () => list(question.limit));
  }
});

const newId = (prefix: string) => `${prefix}_${randomBytes(13).toString("hex")}`;
const anyOf = (ids: readonly string[]) => ids[Math.floor(Math.random() * ids.length)] ?? "";

async function fill(count: number, bytes: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const id = newId("mem");
    await pool.query({
      name: "bench_fill",
      text: `insert into bench_memories (id, store_id, workspace_id, path, version_id, content_sha256,
          bytes, created_at, updated_at, search)
        values ($1, $2, 'w', $3, '', '', $4, now(), now(), null)`,
      values: [id, storeId, `/folder-${at % 20}/memory-${at}.md`, bytes],
    });
    memories.push(id);
    await write(id, bytes);
  }
}

/** One statement that commits by itself: a version, and the head that names it. */
const write = (memoryId: string, bytes: number) => {
  const text = textOf(bytes);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return pool.query({
    name: "bench_write",
    text: `with version as (
        insert into bench_versions (id, store_id, memory_id, seq, operation, path, content,
          content_sha256, bytes, created_at, actor_type, actor_id)
        values ($1, $2, $3, $4, 'modified', $5, $6, $7, $8, $9, 'api', 'apikey')
      )
      update bench_memories set version_id = $1, content_sha256 = $7, bytes = $8, updated_at = $9, search = null
      where id = $3`,
    values: [newId("memver"), storeId, memoryId, ++seq, "/a.md", text, sha256, bytes, new Date()],
  });
};

const read: LoadStep = () =>
  pool.query({
    name: "bench_read",
    text: `select memory.id, memory.store_id, path, version_id, memory.content_sha256, memory.bytes,
        memory.created_at, updated_at,
        (select content from bench_versions as version where version.id = version_id) as content
      from bench_memories as memory where id = $1`,
    values: [anyOf(memories)],
  });

const list = (limit: number) =>
  pool.query({
    name: "bench_list",
    text: `select id, store_id, path, version_id, content_sha256, bytes, created_at, updated_at
      from bench_memories where store_id = $1 order by path limit $2`,
    values: [storeId, limit],
  });
