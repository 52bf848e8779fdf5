// Rules MEM43 to MEM46: tars that no server made, and exports that somebody edited, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openMemoryHouse, type MemoryHouse } from "./memory-house.ts";
import { entriesOf, tarOf, transfersOf, type Entry } from "./memory-transfer-house.ts";

let opened: MemoryHouse;
let stores: ReturnType<typeof transfersOf>;
before(async () => {
  opened = await openMemoryHouse();
  stores = transfersOf(opened.house, opened.platform);
});
after(() => opened[Symbol.asyncDispose]());

async function imported(entries: readonly Entry[], query = "") {
  const { status, body } = await stores.import(await tarOf(entries), { query });
  assert.equal(status, 200, JSON.stringify(body));
  const memories = await stores.memories(body.id);
  return { store: body, files: memories.map(({ path, content }) => [path, content]) };
}

test("[MEM43] of any other tar each regular file is a memory; folders are passed over", async () => {
  const { store, files } = await imported([
    { name: "a.md", content: "one" },
    { name: "folder/", type: "directory" },
    { name: "folder/b.md", content: "" },
    { name: `${"deep/".repeat(18)}${"x".repeat(200)}.txt`, content: "\ufeffmark\r\n" },
    { name: "store.json", content: '{"mine":1}' },
    { name: "history/00000001.json", content: "no version" },
  ]);
  assert.deepEqual(files, [
    ["/a.md", "one"],
    [`/${"deep/".repeat(18)}${"x".repeat(200)}.txt`, "\ufeffmark\r\n"],
    ["/folder/b.md", ""],
    ["/history/00000001.json", "no version"],
    ["/store.json", '{"mine":1}'],
  ]);
  assert.equal(store.name, "Imported");
  assert.deepEqual(store.imported, { memories: 5, versions: 5, skipped: [] });
  const versions = await stores.versions(store.id);
  assert.equal(versions.length, 5);
  for (const { operation, created_by, imported_at } of versions)
    assert.deepEqual([operation, created_by.type, imported_at], ["created", "api_actor", null]);
});

test("[MEM43] one folder around everything is taken off, and names the store", async () => {
  for (const prefix of ["", "./"]) {
    const { store, files } = await imported([
      { name: `${prefix}my notes/`, type: "directory" },
      { name: `${prefix}my notes/a.md`, content: "one" },
      { name: `${prefix}my notes/b/c.md`, content: "two" },
    ]);
    assert.deepEqual(files, [
      ["/a.md", "one"],
      ["/b/c.md", "two"],
    ]);
    assert.equal(store.name, "my notes");
  }
  const { files } = await imported([
    { name: "one/a.md", content: "one" },
    { name: "two/a.md", content: "two" },
  ]);
  assert.deepEqual(
    files.map(([path]) => path),
    ["/one/a.md", "/two/a.md"],
  );
});

test("[MEM43] what operating systems hide beside files is skipped and told of", async () => {
  const hidden = [
    "notes/._a.md",
    "notes/.DS_Store",
    "__MACOSX/notes/._a.md",
    "notes/PaxHeader/a.md",
    "PaxHeaders.123/a.md",
    "notes/Thumbs.db",
  ];
  const { store, files } = await imported([
    ...hidden.map((name) => ({ name, content: Buffer.from([0, 255, 254]) })),
    { name: "notes/a.md", content: "one" },
    { name: "notes/.hidden.md", content: "mine" },
  ]);
  assert.deepEqual(store.imported.skipped, hidden);
  assert.deepEqual(files, [
    ["/.hidden.md", "mine"],
    ["/a.md", "one"],
  ]);
});

test("[MEM43] names are composed, as paths of memories are", async () => {
  const { files } = await imported([
    { name: "cafe\u0301.md", content: "one" },
    { name: "b.md", content: "two" },
  ]);
  assert.deepEqual(files, [
    ["/b.md", "two"],
    ["/caf\u00e9.md", "one"],
  ]);
  const twice = await tarOf([
    { name: "cafe\u0301.md", content: "one" },
    { name: "caf\u00e9.md", content: "two" },
  ]);
  const { status, body } = await stores.import(twice);
  assert.equal(status, 400);
  assert.match(body.error.message, /^café\.md: two files have this name/);
});

test("[MEM43] a file that was added to the archive again counts as it was last", async () => {
  const { store, files } = await imported([
    { name: "a.md", content: "one" },
    { name: "b.md", content: "two" },
    { name: "a.md", content: "three" },
  ]);
  assert.deepEqual(files, [
    ["/a.md", "three"],
    ["/b.md", "two"],
  ]);
  assert.deepEqual([store.imported.versions, store.size_bytes], [2, 8]);
});

test("[MEM44] name and description of the query win over those of the archive", async () => {
  const { id } = await stores.make({ name: "Notes", description: "old", metadata: { a: "b" } });
  const { files } = await stores.export(id);
  const kept = await imported(entriesOf(files));
  assert.deepEqual(
    [kept.store.name, kept.store.description, kept.store.metadata],
    ["Notes", "old", { a: "b" }],
  );
  const given = await imported(entriesOf(files), "?name=Other&description=new");
  assert.deepEqual(
    [given.store.name, given.store.description, given.store.metadata],
    ["Other", "new", { a: "b" }],
  );
  const { status, body } = await stores.import(await tarOf(entriesOf(files)), {
    query: "?name=%0a",
  });
  assert.equal(status, 400);
  assert.match(body.error.message, /^name: /);
});

/** Two memories, of which one has two versions. */
async function lived(): Promise<Map<string, string>> {
  const { id } = await stores.make();
  const { id: first } = await stores.write(id, "/a.md", "one");
  await stores.good("POST", `/${id}/memories/${first}`, { content: "two" });
  await stores.write(id, "/b/c.md", "three");
  return (await stores.export(id)).files;
}

test("[MEM45] edited files of an export are new versions by who imports it; others are as they were", async () => {
  const files = await lived();
  files.set("memories/a.md", "edited");
  files.set("memories/new.md", "added");
  files.delete("memories/b/c.md");
  const { store, files: now } = await imported(entriesOf(files));
  assert.deepEqual(now, [
    ["/a.md", "edited"],
    ["/b/c.md", "three"],
    ["/new.md", "added"],
  ]);
  assert.deepEqual(store.imported, { memories: 3, versions: 5, skipped: [] });
  const versions = await stores.versions(store.id);
  assert.deepEqual(
    versions.map(({ operation, content, imported_at }) => [
      operation,
      content,
      imported_at !== null,
    ]),
    [
      ["created", "one", true],
      ["modified", "two", true],
      ["created", "three", true],
      ["modified", "edited", false],
      ["created", "added", false],
    ],
  );
  assert.equal(versions[3].memory_id, versions[0].memory_id);
  assert.equal(store.size_bytes, "onetwothreeeditedadded".length);
  const { status } = await stores.ask("POST", `/${store.id}/memories`, {
    path: "/later.md",
    content: "",
  });
  assert.equal(status, 200);
  assert.equal((await stores.versions(store.id)).at(-1).path, "/later.md");
});

test("[MEM45] the order of the entries does not matter, nor a folder around them", async () => {
  const files = await lived();
  const entries = entriesOf(files).map((entry) => ({ ...entry, name: `./unpacked/${entry.name}` }));
  const { store } = await imported([
    { name: "./unpacked/", type: "directory" },
    ...entries.toReversed(),
    { name: "./unpacked/README.md", content: "what this is" },
  ]);
  assert.deepEqual(store.imported, { memories: 2, versions: 3, skipped: ["unpacked/README.md"] });
  assert.deepEqual(
    (await stores.versions(store.id)).map(({ content }) => content),
    ["one", "two", "three"],
  );
});

test("[MEM46] an archived store is exported, and comes back open; strangers get 404", async () => {
  const { id } = await stores.make();
  await stores.write(id, "/a.md", "one");
  await stores.good("POST", `/${id}/archive`);
  const { bytes } = await stores.export(id);
  const { body } = await stores.import(bytes);
  assert.equal(body.archived_at, null);
  assert.deepEqual(body.imported, { memories: 1, versions: 1, skipped: [] });
  const other = transfersOf(opened.house, opened.other);
  assert.equal((await other.ask("GET", `/${id}/export`)).status, 404);
});

test("[MEM46] who took an export, and who imported one, is in the audit log; a HEAD takes none", async () => {
  const { id } = await stores.make();
  const events = async () => {
    const { body } = await opened.house.ask("GET", "/console/api/audit?limit=3", {
      cookie: opened.platform.cookie,
    });
    return (body.data as { action: string; target: { id: string } }[]).map(
      ({ action, target }) => `${action} ${target.id}`,
    );
  };
  assert.equal((await stores.ask("HEAD", `/${id}/export`)).status, 200);
  assert.equal((await events())[0], `memory_store.created ${id}`);
  const { bytes } = await stores.export(id);
  const { body } = await stores.import(bytes);
  assert.deepEqual((await events()).slice(0, 2), [
    `memory_store.imported ${body.id}`,
    `memory_store.exported ${id}`,
  ]);
});
