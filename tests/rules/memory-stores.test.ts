// Rules MEM1 to MEM5 and MEM27, over HTTP: memory stores themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { initialize } from "../../server/organization-setup.ts";
import { errorOf, openTimedMemoryHouse, type Store } from "./memory-house.ts";
import { eventsOf, minutes, sentenceOf } from "./support.ts";

let m: Awaited<ReturnType<typeof openTimedMemoryHouse>>;
before(async () => {
  m = await openTimedMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

const create = (body: unknown) => m.call("POST", "", { body });
const make = (body: unknown) => m.good<Store>("POST", "", { body });
const update = (id: string, body: unknown) => m.call("POST", `/${id}`, { body });
const archive = (id: string) => m.good<Store>("POST", `/${id}/archive`);
const fill = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, "value"]));

test("[MEM1] a new store is as it was asked for, and read so again", async () => {
  const plain = await make({ name: "notes" });
  assert.match(plain.id, /^memstore_\w+$/);
  const now = m.wall.now().toISOString();
  assert.deepEqual(plain, {
    id: plain.id,
    type: "memory_store",
    name: "notes",
    description: "",
    metadata: {},
    created_at: now,
    updated_at: now,
    archived_at: null,
    memory_count: 0,
    size_bytes: 0,
  });
  assert.deepEqual(await m.storeOf(plain.id), plain);
  const whole = { name: "notes", description: "What was said", metadata: { team: "red", "": "" } };
  errorOf(await create(whole), 400);
  const rich = await make({ ...whole, metadata: { team: "red", empty: "" } });
  assert.notEqual(rich.id, plain.id, "two stores may have one name");
  assert.deepEqual(
    [rich.description, rich.metadata],
    ["What was said", { team: "red", empty: "" }],
  );
  const nulls = await make({ name: "n", description: null, metadata: null });
  assert.deepEqual([nulls.description, nulls.metadata], ["", {}]);
});

test("[MEM1] what does not fit a store is named", async () => {
  const wrong: [body: object | string, sentence: RegExp][] = [
    [{}, /^name: /],
    [{ name: "" }, /^name: /],
    [{ name: " \u00a0 " }, /^name: must have a character that can be seen/],
    [{ name: "a".repeat(256) }, /^name: must have at most 255 characters/],
    [{ name: "a\nb" }, /^name: /],
    [{ name: "a\u007fb" }, /^name: /],
    [{ name: "a\u2028b" }, /^name: /],
    [{ name: "a", description: "d".repeat(1_025) }, /^description: .*1024 characters/],
    [{ name: "a", metadata: fill(17) }, /^metadata: must have at most 16 keys; it would have 17/],
    [{ name: "a", metadata: { "": "x" } }, /^metadata: each key must have 1 to 64 characters/],
    [{ name: "a", metadata: { ["k".repeat(65)]: "x" } }, /^metadata: each key must have 1 to 64/],
    [{ name: "a", metadata: { key: "v".repeat(513) } }, /^metadata\.key: .*512 characters/],
    [{ name: "a", metadata: { key: null } }, /^metadata\.key: must be a string/],
    [{ name: "a", metadata: { key: 1 } }, /^metadata\.key: must be a string/],
    [{ name: "a\u0000" }, /U\+0000/],
    ['{"name":"a","metadata":{"key":"\\ud800"}}', /surrogate/],
    [{ name: "a", archived_at: null }, /^archived_at: /],
  ];
  for (const [body, sentence] of wrong) assert.match(sentenceOf(await create(body), 400), sentence);
});

test("[MEM1] the longest of everything fits, counted in characters", async () => {
  const name = "😀".repeat(255);
  const description = "é".repeat(1_023) + "😀";
  const metadata = { ...fill(15), ["😀".repeat(64)]: "😀".repeat(512) };
  const { id } = await make({ name, description, metadata });
  const store = await m.storeOf(id);
  assert.deepEqual([store.name, store.description, store.metadata], [name, description, metadata]);
});

test("[MEM2] an update changes what it names, and keys of the metadata one by one", async () => {
  const { id } = await make({ name: "a", description: "b", metadata: { one: "1", two: "2" } });
  m.wall.advance(minutes(1));
  const renamed = await m.good<Store>("POST", `/${id}`, { body: { name: "c" } });
  assert.deepEqual(
    [renamed.name, renamed.description, renamed.metadata, renamed.updated_at],
    ["c", "b", { one: "1", two: "2" }, m.wall.now().toISOString()],
  );
  const cleared = await m.good<Store>("POST", `/${id}`, {
    body: { name: null, description: "", metadata: { one: null, three: "3", none: null } },
  });
  assert.deepEqual(
    [cleared.name, cleared.description, cleared.metadata],
    ["c", "", { two: "2", three: "3" }],
  );
  assert.deepEqual(await m.storeOf(id), cleared);
});

test("[MEM2] updated_at stays where nothing changes, and when memories do", async () => {
  const store = await make({ name: "a", metadata: { one: "1" } });
  m.wall.advance(minutes(1));
  for (const body of [
    {},
    { name: "a" },
    { metadata: { one: "1", none: null } },
    { metadata: null },
  ])
    assert.deepEqual((await update(store.id, body)).body, store);
  const { id } = await m.create(store.id, "/a", "text");
  await m.update(store.id, id, { content: "other" });
  await m.remove(store.id, id);
  assert.equal((await m.storeOf(store.id)).updated_at, store.updated_at);
});

test("[MEM2] the limits hold for what an update makes of a store", async () => {
  const { id } = await make({ name: "a", metadata: fill(16) });
  const more = { metadata: { another: "x" } };
  assert.match(sentenceOf(await update(id, more), 400), /^metadata: .*it would have 17/);
  const changed = await m.good<Store>("POST", `/${id}`, {
    body: { metadata: { another: "x", "key-0": null } },
  });
  assert.equal(Object.keys(changed.metadata).length, 16);
  for (const body of [{ name: "" }, { description: "d".repeat(1_025) }, { metadata: { "": "x" } }])
    errorOf(await update(id, body), 400);
  assert.deepEqual(await m.storeOf(id), changed);
});

test("[MEM3] an archived store takes no writes and no changes, and all the rest", async () => {
  const { id } = await make({ name: "a" });
  const first = await m.create(id, "/a", "one");
  const head = await m.update(id, first.id, { content: "two" });
  await m.create(id, "/b", "b");
  m.wall.advance(minutes(1));
  const archived = await archive(id);
  const now = m.wall.now().toISOString();
  assert.deepEqual([archived.archived_at, archived.updated_at], [now, now]);
  m.wall.advance(minutes(1));
  assert.deepEqual(await archive(id), archived, "a second time");

  const at = `/${id}/memories`;
  const refused = [
    await update(id, { name: "b" }),
    await update(id, {}),
    await m.call("POST", at, { body: { path: "/c", content: "" } }),
    await m.call("POST", `${at}/${first.id}`, { body: { content: "three" } }),
    await m.call("POST", `${at}/${first.id}`, { body: { path: "/c" } }),
    await m.call("POST", `${at}/${first.id}`, { body: { content: "two" } }),
  ];
  for (const answer of refused)
    assert.match(errorOf(answer, 400, "memory_store_archived").message, new RegExp(id));

  assert.deepEqual(await m.storeOf(id), archived);
  assert.equal((await m.memory(id, first.id)).content, "two");
  assert.equal((await m.memories(id)).length, 2);
  const { redacted_at } = await m.redact(id, first.memory_version_id);
  assert.equal(redacted_at, m.wall.now().toISOString());
  await m.remove(id, first.id);
  assert.equal((await m.redact(id, head.memory_version_id)).content, null);
  assert.equal((await m.versions(id)).length, 4);
  await m.good("DELETE", `/${id}`);
  errorOf(await m.call("GET", `/${id}`), 404);
});

test("[MEM4] a deleted store is gone at once, and its rows soon after", async () => {
  const { id } = await make({ name: "a" });
  const memory = await m.create(id, "/a", "one");
  await m.update(id, memory.id, { content: "two" });
  const gone = await m.good("DELETE", `/${id}`);
  assert.deepEqual(gone, { id, type: "memory_store_deleted" });
  const paths = [
    `/${id}`,
    `/${id}/memories`,
    `/${id}/memories/${memory.id}`,
    `/${id}/memory_versions`,
    `/${id}/memory_versions/${memory.memory_version_id}`,
  ];
  for (const path of paths) errorOf(await m.call("GET", path), 404);
  errorOf(await m.call("DELETE", `/${id}`), 404);
  const body = { path: "/b", content: "" };
  errorOf(await m.call("POST", `/${id}/memories`, { body }), 404);
  await m.idle();
  const [left] = await m.house.world.db.query<{ rows: number }>(sql`
    select (select count(*) from memories where store_id = ${id})::int
      + (select count(*) from memory_versions where store_id = ${id})::int as rows`);
  assert.equal(left?.rows, 0);
});

test("[MEM5] stores are listed newest first, archived ones only for who asks", async () => {
  const key = m.other.api_key;
  const made: string[] = [];
  const times: string[] = [];
  for (let at = 0; at < 4; at++) {
    m.wall.advance(minutes(1));
    made.unshift((await m.store({ key })).id);
    times.unshift(m.wall.now().toISOString());
  }
  const ids = async (query = {}) =>
    (await m.all<Store>("", query, { key })).flatMap(({ data }) => data.map(({ id }) => id));
  assert.deepEqual(await ids(), made);
  assert.deepEqual(await ids({ limit: 1 }), made);
  await m.good("POST", `/${made[1]}/archive`, { key });
  const open = made.filter((id) => id !== made[1]);
  assert.deepEqual(await ids(), open);
  assert.deepEqual(await ids({ include_archived: false }), open);
  assert.deepEqual(await ids({ include_archived: true, limit: 3 }), made);

  const all = { include_archived: true };
  const [newest = "", second = "", third = "", oldest = ""] = times;
  const ranges: [query: object, expected: string[]][] = [
    [{ "created_at[gte]": second }, made.slice(0, 2)],
    [{ "created_at[lte]": third }, made.slice(2)],
    [{ "created_at[gte]": third, "created_at[lte]": second }, made.slice(1, 3)],
    [{ "created_at[gte]": second, "created_at[lte]": third }, []],
    [{ "created_at[gte]": oldest, "created_at[lte]": newest, limit: 1 }, made],
  ];
  for (const [query, expected] of ranges)
    assert.deepEqual(await ids({ ...all, ...query }), expected);
  for (const wrong of ["yesterday", "2026-02-30T00:00:00Z", "2026-12-31T23:59:60Z"])
    for (const field of ["created_at[gte]", "created_at[lte]"]) {
      const path = `?${field}=${wrong}`;
      assert.match(
        sentenceOf(await m.call("GET", path), 400),
        /^created_at\.[gl]te: must be a date/,
      );
    }
});

test("[MEM27] a store's events name it; memories leave none, and neither does what changes nothing", async () => {
  const made = await initialize(m.house.world, {
    organization: "events of a store",
    type: "platform",
    email: "owner@events.example",
  });
  const tenant = { ...made, cookie: await m.house.signIn(made) };
  const asking = { key: tenant.api_key };
  const { id } = await m.store(asking);
  const memory = await m.create(id, "/a", "one", asking);
  await m.update(id, memory.id, { content: "two" }, asking);
  await m.call("POST", `/${id}`, { ...asking, body: { name: "notes" } });
  await m.call("POST", `/${id}`, { ...asking, body: { name: "more" } });
  await m.redact(id, memory.memory_version_id, asking);
  await m.redact(id, memory.memory_version_id, asking);
  await m.remove(id, memory.id, asking);
  for (let time = 0; time < 2; time++) await m.good("POST", `/${id}/archive`, asking);
  await m.call("POST", `/${id}`, { ...asking, body: { name: "again" } });
  await m.good("DELETE", `/${id}`, asking);
  await m.call("DELETE", `/${id}`, asking);
  const events = (await eventsOf(m.house, tenant)).filter(({ action }) =>
    action.startsWith("memory"),
  );
  const store = { type: "memory_store", id };
  const version = { type: "memory_version", id: memory.memory_version_id };
  assert.deepEqual(
    events.map(({ action, target, actor }) => [action, target, actor.type]),
    [
      ["memory_store.deleted", store, "api_key"],
      ["memory_store.archived", store, "api_key"],
      ["memory_version.redacted", version, "api_key"],
      ["memory_store.updated", store, "api_key"],
      ["memory_store.created", store, "api_key"],
    ],
  );
});
