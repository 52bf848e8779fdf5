// Memory stores as the unchanged client calls them: every method, pages that follow each other, and error classes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { hashOf, type MemoryHouse, openMemoryHouse } from "../rules/memory-house.ts";
import { failing, listeningClient } from "./messages-client.ts";

let m: MemoryHouse;
before(async () => {
  m = await openMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

/** With the retries that everybody has: what is final must not be asked again. */
const connect = (options = {}) => listeningClient(m.house, { maxRetries: 2, ...options });

async function gathered<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of pages) all.push(item);
  return all;
}

test("memoryStores: create, retrieve, update, list, archive, delete", async () => {
  const { client, seen } = connect({ apiKey: m.other.api_key });
  const { memoryStores } = client.beta;
  const made = await memoryStores.create({ name: "notes", metadata: { team: "red" } });
  assert.match(made.id, /^memstore_/);
  assert.deepEqual(
    [made.type, made.name, made.description, made.metadata, made.archived_at],
    ["memory_store", "notes", "", { team: "red" }, null],
  );
  assert.deepEqual(await memoryStores.retrieve(made.id), made);
  const changed = await memoryStores.update(made.id, {
    description: "What was said",
    metadata: { team: null, year: "2026" },
  });
  assert.deepEqual(
    [changed.name, changed.description, changed.metadata],
    ["notes", "What was said", { year: "2026" }],
  );
  const others = await Promise.all([1, 2, 3].map((at) => memoryStores.create({ name: `${at}` })));
  assert.deepEqual(
    (await gathered(memoryStores.list({ limit: 1 }))).map(({ id }) => id).toSorted(),
    [made, ...others].map(({ id }) => id).toSorted(),
  );
  const archived = await memoryStores.archive(made.id);
  assert.notEqual(archived.archived_at, null);
  assert.equal((await gathered(memoryStores.list())).length, 3);
  assert.equal((await gathered(memoryStores.list({ include_archived: true }))).length, 4);
  const early = await memoryStores.list({ "created_at[lte]": "2020-01-01T00:00:00Z" });
  assert.deepEqual([early.data, early.next_page], [[], null]);
  const gone = await memoryStores.delete(made.id);
  assert.deepEqual([gone.id, gone.type], [made.id, "memory_store_deleted"]);
  const missing = await failing(Anthropic.NotFoundError, memoryStores.retrieve(made.id));
  assert.match(missing.message, /There is no memory store memstore_/);
  assert.match(missing.requestID ?? "", /^req_/);
  for (const { headers } of seen)
    assert.equal(headers.get("anthropic-beta"), "agent-memory-2026-07-22");
});

test("memories: create, retrieve, update, list, delete", async () => {
  const { client } = connect();
  const { memoryStores } = client.beta;
  const { id: memory_store_id } = await memoryStores.create({ name: "notes" });
  const { memories } = memoryStores;
  const made = await memories.create(memory_store_id, { path: "/a.md", content: "one\r\n" });
  assert.deepEqual(
    [made.type, made.path, made.content, made.content_size_bytes, made.content_sha256],
    ["memory", "/a.md", null, 5, hashOf("one\r\n")],
  );
  assert.equal((await memories.retrieve(made.id, { memory_store_id })).content, "one\r\n");
  const basic = await memories.retrieve(made.id, { memory_store_id, view: "basic" });
  assert.equal(basic.content, null);
  const updated = await memories.update(made.id, {
    memory_store_id,
    view: "full",
    content: "two",
    path: "/b/a.md",
    precondition: { type: "content_sha256", content_sha256: made.content_sha256 },
  });
  assert.deepEqual([updated.id, updated.content, updated.path], [made.id, "two", "/b/a.md"]);
  for (let at = 0; at < 30; at++)
    await memories.create(memory_store_id, { path: `/b/${10 + at}`, content: at === 0 ? "" : "x" });
  await memories.create(memory_store_id, { path: "/c", content: null });
  const all = await gathered(memories.list(memory_store_id, { limit: 7 }));
  assert.equal(all.length, 32);
  assert.deepEqual(
    await gathered(memories.list(memory_store_id, { limit: 100 })),
    all,
    "pages of another size hold something else",
  );
  const full = await memories.list(memory_store_id, { view: "full", limit: 100 });
  assert.equal(full.data.length, 20);
  const texts = await gathered(full);
  assert.equal(texts.length, 32);
  assert.ok(texts.every((item) => item.type === "memory" && typeof item.content === "string"));
  const folders = await gathered(memories.list(memory_store_id, { depth: 1 }));
  assert.deepEqual(
    folders.map(({ type, path }) => [type, path]),
    [
      ["memory_prefix", "/b/"],
      ["memory", "/c"],
    ],
  );
  const below = await gathered(memories.list(memory_store_id, { path_prefix: "/b/", depth: 1 }));
  assert.equal(below.length, 31);
  const gone = await memories.delete(made.id, {
    memory_store_id,
    expected_content_sha256: updated.content_sha256,
  });
  assert.deepEqual([gone.id, gone.type], [made.id, "memory_deleted"]);
});

test("memoryVersions: list, retrieve, redact", async () => {
  const { client } = connect();
  const { memoryStores } = client.beta;
  const { id: memory_store_id } = await memoryStores.create({ name: "notes" });
  const { memories, memoryVersions } = memoryStores;
  const made = await memories.create(memory_store_id, { path: "/a", content: "0" });
  for (let at = 1; at <= 24; at++)
    await memories.update(made.id, { memory_store_id, content: String(at) });
  await memories.delete(made.id, { memory_store_id });
  const versions = await gathered(memoryVersions.list(memory_store_id, { limit: 10 }));
  assert.equal(versions.length, 26);
  assert.deepEqual(
    [versions[0]?.operation, versions[1]?.operation, versions[25]?.operation],
    ["deleted", "modified", "created"],
  );
  const { memory_id = "", created_by } = { ...versions[0] };
  assert.ok(created_by?.type === "api_actor");
  const full = await gathered(
    memoryVersions.list(memory_store_id, {
      view: "full",
      memory_id,
      operation: "modified",
      api_key_id: created_by.api_key_id,
      "created_at[gte]": versions[25]?.created_at ?? "",
      limit: 100,
    }),
  );
  assert.deepEqual(
    full.map(({ content }) => content),
    Array.from({ length: 24 }, (_, at) => String(24 - at)),
  );
  const { memory_version_id } = made;
  const redacted = await memoryVersions.redact(memory_version_id, { memory_store_id });
  const { path, content, content_sha256, content_size_bytes } = redacted;
  assert.deepEqual([path, content, content_sha256, content_size_bytes], [null, null, null, null]);
  assert.ok(redacted.redacted_by?.type === "api_actor");
  assert.deepEqual(await memoryVersions.redact(memory_version_id, { memory_store_id }), redacted);
  assert.deepEqual(await memoryVersions.retrieve(memory_version_id, { memory_store_id }), redacted);
});

test("what is refused for good is asked once, and has its class", async () => {
  const { client, seen } = connect();
  const { memoryStores } = client.beta;
  const { id: memory_store_id } = await memoryStores.create({ name: "notes" });
  const { memories, memoryVersions } = memoryStores;
  const made = await memories.create(memory_store_id, { path: "/a", content: "one" });
  const stale = hashOf("something else");
  const once = async <E extends abstract new (...from: never[]) => unknown>(
    kind: E,
    call: () => PromiseLike<unknown>,
  ) => {
    const before = seen.length;
    const error = await failing(kind, call());
    assert.equal(seen.length, before + 1, "the client asked again");
    return error;
  };
  const detailsOf = ({ error }: InstanceType<typeof Anthropic.APIError>) =>
    (error as { error: Record<string, unknown> }).error;

  const precondition = { type: "content_sha256" as const, content_sha256: stale };
  const changed = await once(Anthropic.ConflictError, () =>
    memories.update(made.id, { memory_store_id, content: "two", precondition }),
  );
  assert.equal(detailsOf(changed)["type"], "memory_precondition_failed_error");
  const kept = await once(Anthropic.ConflictError, () =>
    memories.delete(made.id, { memory_store_id, expected_content_sha256: stale }),
  );
  assert.equal(detailsOf(kept)["type"], "memory_precondition_failed_error");
  const taken = await once(Anthropic.ConflictError, () =>
    memories.create(memory_store_id, { path: "/a/b", content: "" }),
  );
  const { message: _, ...conflict } = detailsOf(taken);
  assert.deepEqual(conflict, {
    type: "memory_path_conflict_error",
    conflicting_memory_id: made.id,
    conflicting_path: "/a",
  });
  const head = await once(Anthropic.BadRequestError, () =>
    memoryVersions.redact(made.memory_version_id, { memory_store_id }),
  );
  assert.match(head.message, /is the head of a live memory/);
  await once(Anthropic.ContentTooLargeError, () =>
    memories.create(memory_store_id, { path: "/b", content: "x".repeat(102_401) }),
  );
  await once(Anthropic.NotFoundError, () => memories.retrieve("mem_none", { memory_store_id }));
  const betas = ["managed-agents-2026-04-01" as const];
  const both = await once(Anthropic.BadRequestError, () =>
    memoryStores.retrieve(memory_store_id, { betas }),
  );
  assert.match(both.message, /stands alone on this route/);
  await memoryStores.archive(memory_store_id);
  for (const call of [
    () => memories.create(memory_store_id, { path: "/b", content: "" }),
    () => memories.update(made.id, { memory_store_id, content: "two" }),
    () => memoryStores.update(memory_store_id, { name: "more" }),
  ])
    assert.match((await once(Anthropic.BadRequestError, call)).message, /is archived/);
});
