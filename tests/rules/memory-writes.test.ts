// Rules MEM8, MEM9 and MEM11 to MEM13, over HTTP: paths in each other's way, renames, and preconditions.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Answer } from "../house.ts";
import { errorOf, hashOf, type MemoryHouse, openMemoryHouse, statusesOf } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

let m: MemoryHouse;
let store: string;
before(async () => {
  m = await openMemoryHouse();
});
beforeEach(async () => {
  store = (await m.store()).id;
});
after(() => m[Symbol.asyncDispose]());

const stale = hashOf("something else");
const create = (path: string) =>
  m.call("POST", `/${store}/memories`, { body: { path, content: "new" } });
const change = (id: string, body: object) => m.call("POST", `/${store}/memories/${id}`, { body });
const paths = async () => (await m.memories(store)).map(({ path }) => path);
const precondition = (content_sha256: string) => ({
  precondition: { type: "content_sha256", content_sha256 },
});

/** Refused for good: the client's own retries would only repeat it. */
function refused(answer: Answer, type: string) {
  const { error } = answer.body;
  assert.deepEqual([answer.status, error?.type], [409, type], JSON.stringify(answer.body));
  assert.equal(answer.headers.get("x-should-retry"), "false");
  return error;
}

const inTheWay: readonly (readonly [what: string, there: string, wanted: string])[] = [
  ["the same path", "/a/b", "/a/b"],
  ["a memory where the folder would be", "/a", "/a/b"],
  ["a memory where a folder above would be", "/a", "/a/b/c/d"],
  ["a folder where the memory would be", "/a/b", "/a"],
  ["a folder far below", "/a/b/c/d", "/a"],
];

for (const [what, there, wanted] of inTheWay)
  test(`[MEM8] ${what} is in the way of a new memory and of one that moves`, async () => {
    const { id } = await m.create(store, there, "there");
    const mover = await m.create(store, "/z", "mover");
    for (const answer of [await create(wanted), await change(mover.id, { path: wanted })]) {
      const error = refused(answer, "memory_path_conflict_error");
      assert.deepEqual([error.conflicting_memory_id, error.conflicting_path], [id, there]);
      assert.match(error.message, new RegExp(`^path: .*${id}`));
    }
    assert.deepEqual(await paths(), [there, "/z"]);
    assert.equal((await m.versions(store)).length, 2, "what was refused left a version");
    await m.remove(store, id);
    await m.update(store, mover.id, { path: wanted });
  });

test("[MEM8] names that only begin alike, or differ in case, are not in each other's way", async () => {
  const all = ["/A", "/a!", "/a-b", "/a.md", "/a/b", "/a0", "/ab", "/b"];
  for (const path of all.toReversed()) await m.create(store, path, "");
  assert.deepEqual(await paths(), all);
  refused(await create("/a"), "memory_path_conflict_error");
});

test("[MEM8] a path is free again when its memory moved or went, and is taken in its own store alone", async () => {
  const one = await m.create(store, "/a", "one");
  await m.update(store, one.id, { path: "/b" });
  const two = await m.create(store, "/a", "two");
  await m.remove(store, one.id);
  await m.update(store, two.id, { path: "/b" });
  assert.deepEqual(await paths(), ["/b"]);
  const elsewhere = await m.store();
  await m.create(elsewhere.id, "/b", "three");
});

test("[MEM9] a rename keeps id, text and creation; text and path may change together", async () => {
  const made = await m.create(store, "/a", "one");
  const moved = await m.update(store, made.id, { path: "/b/c" });
  assert.notEqual(moved.memory_version_id, made.memory_version_id);
  assert.deepEqual(
    { ...moved, updated_at: made.updated_at, memory_version_id: made.memory_version_id },
    { ...made, path: "/b/c" },
  );
  assert.equal((await m.memory(store, made.id)).content, "one");
  await m.update(store, made.id, { path: "/d", content: "two" });
  const read = await m.memory(store, made.id);
  assert.deepEqual([read.path, read.content], ["/d", "two"]);
  const versions = await m.versions(store, { view: "full" });
  assert.deepEqual(
    versions.map(({ path, content }) => [path, content]),
    [
      ["/d", "two"],
      ["/b/c", "one"],
      ["/a", "one"],
    ],
  );
});

test("[MEM9] a memory may move below or above its own path: nothing else is there", async () => {
  const { id } = await m.create(store, "/a", "one");
  for (const path of ["/a/b", "/a/b/c", "/a"]) {
    await m.update(store, id, { path });
    assert.deepEqual(await paths(), [path]);
  }
  await m.update(store, id, { path: "/a/b" });
  await m.create(store, "/a/c", "two");
  refused(await change(id, { path: "/a" }), "memory_path_conflict_error");
});

for (const [form, expecting] of [
  ["as precondition", precondition],
  ["as content_sha256", (content_sha256: string) => ({ content_sha256 })],
  ["in both places", (hash: string) => ({ ...precondition(hash), content_sha256: hash })],
] as const)
  test(`[MEM11] the hash ${form}: an update goes through only on the text it expects`, async () => {
    const { id } = await m.create(store, "/a", "one");
    for (const body of [{ content: "two" }, { path: "/b" }, { content: "two", path: "/b" }])
      refused(
        await change(id, { ...body, ...expecting(stale) }),
        "memory_precondition_failed_error",
      );
    assert.equal((await m.versions(store)).length, 1);
    await m.update(store, id, { content: "two", ...expecting(hashOf("one")) });
    await m.update(store, id, { path: "/b", ...expecting(hashOf("two")) });
    const read = await m.memory(store, id);
    assert.deepEqual([read.path, read.content], ["/b", "two"]);
    refused(
      await change(id, { content: "three", ...expecting(hashOf("one")) }),
      "memory_precondition_failed_error",
    );
  });

test("[MEM11] the hash is of the text, whatever the path became", async () => {
  const { id } = await m.create(store, "/a", "one");
  await m.update(store, id, { path: "/b" });
  await m.update(store, id, { content: "two", ...precondition(hashOf("one")) });
});

test("[MEM11] what is no precondition is named", async () => {
  const { id } = await m.create(store, "/a", "one");
  const wrong: [object, RegExp][] = [
    [{ precondition: { type: "content_sha256" } }, /^precondition\.content_sha256: /],
    [{ precondition: { content_sha256: stale } }, /^precondition\.type: /],
    [{ precondition: { type: "etag", content_sha256: stale } }, /^precondition\.type: /],
    [precondition("abc"), /^precondition\.content_sha256: /],
    [precondition(stale.toUpperCase()), /^precondition\.content_sha256: /],
    [{ content_sha256: "" }, /^content_sha256: /],
    [
      { ...precondition(stale), content_sha256: hashOf("one") },
      /^precondition, content_sha256: .*one of them/,
    ],
  ];
  for (const [body, sentence] of wrong)
    assert.match(sentenceOf(await change(id, { content: "two", ...body }), 400), sentence);
  const nothing = { precondition: null, content_sha256: null };
  await m.update(store, id, { content: "two", ...nothing });
});

test("[MEM11] a repeated update is no conflict: what is as it should be needs no precondition", async () => {
  const { id } = await m.create(store, "/a", "one");
  const body = { content: "two", path: "/b", ...precondition(hashOf("one")) };
  const first = await m.update(store, id, body);
  assert.deepEqual(await m.update(store, id, body), first);
  assert.deepEqual(await m.update(store, id, { content: "two", ...precondition(stale) }), first);
  assert.deepEqual(await m.update(store, id, { path: "/b", ...precondition(stale) }), first);
  assert.equal((await m.versions(store)).length, 2);
  for (const other of [
    { content: "two", path: "/c" },
    { content: "one", path: "/b" },
  ])
    refused(
      await change(id, { ...other, ...precondition(stale) }),
      "memory_precondition_failed_error",
    );
});

test("[MEM12] a delete with a stale hash deletes nothing", async () => {
  const { id } = await m.create(store, "/a", "one");
  const remove = (hash: string) =>
    m.call("DELETE", `/${store}/memories/${id}?expected_content_sha256=${hash}`);
  refused(await remove(stale), "memory_precondition_failed_error");
  assert.equal((await m.memory(store, id)).content, "one");
  assert.equal((await m.versions(store)).length, 1);
  for (const hash of ["abc", ""])
    assert.match(sentenceOf(await remove(hash), 400), /^expected_content_sha256: /);
  const { status, body } = await remove(hashOf("one"));
  assert.deepEqual([status, body], [200, { id, type: "memory_deleted" }]);
  errorOf(await remove(hashOf("one")), 404);
  errorOf(await m.call("GET", `/${store}/memories/${id}`), 404);
  errorOf(await change(id, { content: "two" }), 404);
});

test("[MEM13] of many writers with one precondition one gets through, whichever process they ask", async () => {
  await using neighbour = await m.house.openSecondServer();
  const { id } = await m.create(store, "/a", "0");
  const urls = [m.house.url, neighbour.url];
  for (let round = 1; round <= 3; round++) {
    const expected = precondition(hashOf(String(round - 1)));
    const bodies = Array.from({ length: 24 }, (_, at) => ({
      content: `${round} by ${at}`,
      ...expected,
    }));
    const answers = await Promise.all(
      bodies.map(async (body, at) => {
        const response = await fetch(`${urls[at % 2]}/v1/memory_stores/${store}/memories/${id}`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-api-key": m.platform.api_key,
            "vendor-beta": "agent-memory-2026-07-22",
          },
          body: JSON.stringify(body),
        });
        await response.text();
        return response;
      }),
    );
    assert.deepEqual(statusesOf(answers), [200, ...answers.slice(1).map(() => 409)]);
    const won = (await m.memory(store, id)).content ?? "";
    await m.update(store, id, { content: String(round), ...precondition(hashOf(won)) });
  }
});

test("[MEM13] what many write at once is written as if one came after the other", async () => {
  const memories = await Promise.all(
    Array.from({ length: 40 }, (_, at) => m.create(store, `/m/${at}`, "0")),
  );
  const sharing = await Promise.all(Array.from({ length: 20 }, () => create("/same")));
  assert.deepEqual(statusesOf(sharing), [200, ...Array.from({ length: 19 }, () => 409)]);
  await Promise.all(
    memories.flatMap(({ id }, at) =>
      at % 2 === 0
        ? [m.update(store, id, { content: "1" }), m.update(store, id, { path: `/n/${at}` })]
        : [m.remove(store, id)],
    ),
  );
  const left = await m.memories(store, { limit: 100, path_prefix: "/n/", view: "full" });
  assert.equal(left.length, 20);
  assert.ok(left.every(({ content }) => content === "1"));
  assert.equal((await m.storeOf(store)).memory_count, 21);
  const versions = await m.versions(store, { limit: 100 });
  assert.equal(versions.length, 40 + 1 + 40 + 20);
});
