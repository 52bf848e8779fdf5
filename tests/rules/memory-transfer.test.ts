// Rules MEM40 on: what an export holds and what an import makes of it, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openHouse, type House } from "../house.ts";
import { comparable, transfersOf } from "./memory-transfer-house.ts";

let house: House;
let stores: ReturnType<typeof transfersOf>;
before(async () => {
  house = await openHouse();
  stores = transfersOf(house, house.organizations.platform);
});
after(() => house[Symbol.asyncDispose]());

/** A memory that was changed and moved, one that was deleted, one that is empty; a redacted version. */
async function lived(): Promise<string> {
  const { id } = await stores.make({
    name: "Ünited  Notes!",
    description: "What we know",
    metadata: { team: "north" },
  });
  const one = await stores.write(id, "/a/é.md", "first text");
  await stores.good("POST", `/${id}/memories/${one.id}`, {
    content: "second",
    path: "/b/moved.md",
  });
  const two = await stores.write(id, "/gone.md", "will go");
  await stores.good("DELETE", `/${id}/memories/${two.id}`);
  await stores.write(id, `/${"long/".repeat(19)}${"x".repeat(300)}.md`, "");
  const version = one.memory_version_id;
  await stores.good("POST", `/${id}/memory_versions/${version}/redact`, { reason: "a name" });
  return id;
}

test("[MEM40] an export is a tar of the manifest, each version oldest first, and the memories as files", async () => {
  const id = await lived();
  const { files, headers } = await stores.export(id);
  assert.equal(headers.get("content-type"), "application/x-tar");
  assert.equal(headers.get("content-disposition"), 'attachment; filename="nited-notes.tar"');
  const versions = await stores.versions(id);
  assert.equal(versions.length, 5);
  assert.deepEqual(
    [...files.keys()],
    [
      "store.json",
      ...versions.map((_, at) => `history/0000000${at + 1}.json`),
      "memories/b/moved.md",
      `memories/${"long/".repeat(19)}${"x".repeat(300)}.md`,
    ],
  );
  assert.equal(files.get("memories/b/moved.md"), "second");
  const { type, format, name, description, metadata } = JSON.parse(files.get("store.json") ?? "");
  assert.deepEqual(
    { type, format, name, description, metadata },
    {
      type: "memory_store_export",
      format: 1,
      name: "Ünited  Notes!",
      description: "What we know",
      metadata: { team: "north" },
    },
  );
  for (const [at, version] of versions.entries()) {
    const text = files.get(`history/0000000${at + 1}.json`) ?? "";
    const { memory_created_at: _, ...record } = JSON.parse(text);
    assert.deepEqual(record, version);
  }
  assert.ok(!files.values().some((text) => text.includes("first text")), "redacted text is out");
});

test("[MEM41] an import of an export makes a new store with its history, plain and gzipped", async () => {
  const id = await lived();
  const { bytes } = await stores.export(id);
  for (const [body, type] of [
    [bytes, "application/x-tar"],
    [gzipSync(bytes), "application/gzip"],
    [gzipSync(bytes), "application/octet-stream"],
  ] as const) {
    const { status, body: made } = await stores.import(body, { type });
    assert.equal(status, 200, JSON.stringify(made));
    assert.notEqual(made.id, id);
    assert.deepEqual(made.imported, { memories: 2, versions: 5, skipped: [] });
    const before = await stores.good("GET", `/${id}`);
    for (const field of ["name", "description", "metadata", "memory_count", "size_bytes"])
      assert.deepEqual(made[field], before[field], field);
    const [old, fresh] = await Promise.all([stores.versions(id), stores.versions(made.id)]);
    assert.deepEqual(comparable(fresh), comparable(old));
    for (const version of fresh) {
      assert.ok(version.imported_at !== null && version.imported_by.type === "api_actor");
      assert.ok(
        !old.some((other) => other.id === version.id || other.memory_id === version.memory_id),
      );
    }
    const strip = (memories: { path: string; content: string; created_at: string }[]) =>
      memories.map(({ path, content, created_at }) => ({ path, content, created_at }));
    assert.deepEqual(strip(await stores.memories(made.id)), strip(await stores.memories(id)));
  }
});
