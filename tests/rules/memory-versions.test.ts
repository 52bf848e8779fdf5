// Rules MEM16 to MEM19, over HTTP: what each change leaves, by whom, and how it is found again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { errorOf, hashOf, openTimedMemoryHouse, type Version } from "./memory-house.ts";
import { makeKey, minutes, sentenceOf } from "./support.ts";

let m: Awaited<ReturnType<typeof openTimedMemoryHouse>>;
before(async () => {
  m = await openTimedMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

const keyId = async (key: string) => {
  const { cookie } = m.platform;
  const { body } = await m.house.ask("GET", "/console/api/keys?limit=100", { cookie });
  const keys = body.data as { id: string; partial_key_hint: string }[];
  return keys.find(({ partial_key_hint }) => key.endsWith(partial_key_hint.slice(-4)))?.id ?? "";
};

test("[MEM16] each change leaves a version with the text and the path of that moment", async () => {
  const { id: store } = await m.store();
  const { id } = await m.create(store, "/a", "one");
  const times = [m.wall.now().toISOString()];
  const step = async (act: () => Promise<unknown>) => {
    m.wall.advance(minutes(1));
    times.unshift(m.wall.now().toISOString());
    await act();
  };
  await step(() => m.update(store, id, { content: "two" }));
  await step(() => m.update(store, id, { path: "/b" }));
  await step(() => m.update(store, id, { content: "", path: "/c" }));
  await step(() => m.remove(store, id));
  const versions = await m.versions(store, { view: "full" });
  const api_key_id = await keyId(m.platform.api_key);
  const of = (operation: string, path: string, text: string | null, at: number) => ({
    id: versions[at]?.id,
    type: "memory_version",
    memory_store_id: store,
    memory_id: id,
    operation,
    path,
    content: text,
    content_sha256: text === null ? null : hashOf(text),
    content_size_bytes: text === null ? null : Buffer.byteLength(text),
    created_at: times[at],
    created_by: { type: "api_actor", api_key_id },
    redacted_at: null,
    redacted_by: null,
    redaction_reason: null,
    imported_at: null,
    imported_by: null,
  });
  assert.deepEqual(versions, [
    of("deleted", "/c", null, 0),
    of("modified", "/c", "", 1),
    of("modified", "/b", "two", 2),
    of("modified", "/a", "two", 3),
    of("created", "/a", "one", 4),
  ]);
  assert.equal(new Set(versions.map((version) => version.id)).size, 5);
  assert.ok(versions.every((version) => /^memver_\w+$/.test(version.id)));
  for (const version of versions) assert.deepEqual(await m.version(store, version.id), version);
});

test("[MEM16] a memory names its head, and what changes nothing leaves no version", async () => {
  const { id: store } = await m.store();
  const made = await m.create(store, "/a", "one");
  const head = await m.update(store, made.id, { content: "two" });
  const [newest] = await m.versions(store);
  assert.equal(head.memory_version_id, newest?.id);
  m.wall.advance(minutes(1));
  for (const body of [
    {},
    { content: null },
    { content: "two" },
    { path: "/a" },
    { content: "two", path: "/a" },
  ])
    assert.deepEqual(await m.update(store, made.id, body), head);
  for (const body of [{ content: "x".repeat(102_401) }, { path: "a" }, { path: "/a/../b" }])
    await m.call("POST", `/${store}/memories/${made.id}`, { body });
  await m.call("POST", `/${store}/memories`, { body: { path: "/a", content: "" } });
  assert.equal((await m.versions(store)).length, 2);
  assert.deepEqual(await m.memory(store, made.id), { ...head, content: "two" });
});

test("[MEM17] the versions of a deleted memory are listed and read; a new one at its path is another", async () => {
  const { id: store } = await m.store();
  const made = await m.create(store, "/a", "one");
  const { memory_version_id: head } = await m.update(store, made.id, { content: "two" });
  await m.remove(store, made.id);
  const versions = await m.versions(store, { memory_id: made.id, view: "full" });
  assert.deepEqual(
    versions.map(({ operation, content }) => [operation, content]),
    [
      ["deleted", null],
      ["modified", "two"],
      ["created", "one"],
    ],
  );
  assert.equal((await m.version(store, head)).content, "two");
  const again = await m.create(store, "/a", "three");
  assert.notEqual(again.id, made.id);
  assert.equal((await m.versions(store, { memory_id: made.id })).length, 3);
  assert.equal((await m.versions(store, { memory_id: again.id })).length, 1);
  errorOf(await m.call("GET", `/${store}/memories/${made.id}`), 404);
});

test("[MEM17] an old text comes back by writing it again", async () => {
  const { id: store } = await m.store();
  const made = await m.create(store, "/a", "one\r\n");
  const wrong = await m.update(store, made.id, { content: "wrong", path: "/b" });
  const old = await m.version(store, made.memory_version_id);
  const back = await m.update(store, made.id, {
    content: old.content,
    path: old.path,
    precondition: { type: "content_sha256", content_sha256: wrong.content_sha256 },
  });
  assert.equal(back.content_sha256, made.content_sha256);
  await m.remove(store, made.id);
  const gone = await m.version(store, back.memory_version_id);
  const made2 = await m.create(store, gone.path ?? "", gone.content ?? "");
  assert.equal((await m.memory(store, made2.id)).content, "one\r\n");
  errorOf(await m.call("POST", `/${store}/memory_versions/${made.memory_version_id}/restore`), 404);
});

test("[MEM18] a version names the key or the person that wrote it, and outlives the key", async () => {
  const { id: store } = await m.store();
  const made = await m.create(store, "/a", "one");
  const { cookie } = m.platform;
  const { workspace_id } = m.platform;
  const other = await makeKey(m.house, m.platform, { kind: "api", workspace_id });
  await m.update(store, made.id, { content: "two" }, { key: other.secret });
  await m.update(store, made.id, { path: "/b" }, { cookie });
  await m.remove(store, made.id, { cookie });
  await m.house.ask("POST", `/console/api/keys/${other.id}`, {
    cookie,
    body: { status: "archived" },
  });
  const { body: me } = await m.house.ask("GET", "/console/api/me", { cookie });
  const person = { type: "user_actor", user_id: (me as { user: { id: string } }).user.id };
  assert.match(person.user_id, /^user_/);
  assert.deepEqual(
    (await m.versions(store)).map(({ created_by }) => created_by),
    [
      person,
      person,
      { type: "api_actor", api_key_id: other.id },
      { type: "api_actor", api_key_id: await keyId(m.platform.api_key) },
    ],
  );
  assert.equal((await m.versions(store, { api_key_id: other.id })).length, 1);
  assert.equal((await m.versions(store, { user_id: person.user_id, limit: 1 })).length, 2);
});

/** A store whose versions differ in all that a list asks for; newest first. */
async function history() {
  const { id: store } = await m.store();
  const { cookie } = m.platform;
  const step = async <T>(act: () => Promise<T>) => {
    m.wall.advance(minutes(1));
    return await act();
  };
  const a = await step(() => m.create(store, "/a", "a1"));
  const b = await step(() => m.create(store, "/b", "b1", { cookie }));
  await step(() => m.update(store, a.id, { content: "a2" }, { cookie }));
  await step(() => m.update(store, b.id, { content: "b2" }));
  await step(() => m.update(store, a.id, { path: "/c" }));
  await step(() => m.remove(store, a.id));
  // Sessions and service accounts have no credentials yet that reach this API.
  const sessionId = "sesn_1";
  const accountId = "svac_1";
  await m.house.world.db.tx(async (tx) => {
    await tx.query(sql`update memory_versions set actor_type = 'session', actor_id = ${sessionId}
      where store_id = ${store} and memory_id = ${b.id} and operation = 'modified'`);
    await tx.query(sql`
      update memory_versions set actor_type = 'service_account', actor_id = ${accountId}
      where store_id = ${store} and operation = 'deleted'`);
  });
  return { store, a: a.id, b: b.id, sessionId, accountId, all: await m.versions(store) };
}

test("[MEM19] versions are listed newest first, all or some, in pages of any size", async () => {
  const { store, a, b, sessionId, accountId, all } = await history();
  const labels = all.map(
    ({ operation, memory_id }) => `${operation} ${memory_id === a ? "a" : "b"}`,
  );
  assert.deepEqual(labels, [
    "deleted a",
    "modified a",
    "modified b",
    "modified a",
    "created b",
    "created a",
  ]);
  const time = (at: number) => all[at]?.created_at ?? "";
  const keyed = { api_key_id: await keyId(m.platform.api_key) };
  const { user_id = "" } = { ...(all[3]?.created_by as { user_id?: string }) };
  assert.deepEqual(all[2]?.created_by, { type: "session_actor", session_id: sessionId });
  assert.deepEqual(all[0]?.created_by, {
    type: "service_account_actor",
    service_account_id: accountId,
  });
  const lists: [query: Record<string, string>, places: number[]][] = [
    [{ memory_id: a }, [0, 1, 3, 5]],
    [{ memory_id: b }, [2, 4]],
    [{ memory_id: "mem_none" }, []],
    [{ operation: "created" }, [4, 5]],
    [{ operation: "modified" }, [1, 2, 3]],
    [{ operation: "deleted" }, [0]],
    [keyed, [1, 5]],
    [{ user_id }, [3, 4]],
    [{ session_id: sessionId }, [2]],
    [{ service_account_id: accountId }, [0]],
    [{ api_key_id: user_id }, []],
    [{ session_id: keyed.api_key_id }, []],
    [{ "created_at[gte]": time(2) }, [0, 1, 2]],
    [{ "created_at[lte]": time(2) }, [2, 3, 4, 5]],
    [{ "created_at[gte]": time(4), "created_at[lte]": time(1) }, [1, 2, 3, 4]],
    [{ "created_at[gte]": time(1), "created_at[lte]": time(4) }, []],
    [{ memory_id: a, operation: "modified" }, [1, 3]],
    [{ memory_id: a, ...keyed }, [1, 5]],
    [{ memory_id: a, user_id, operation: "modified", "created_at[gte]": time(3) }, [3]],
    [{ operation: "created", ...keyed, "created_at[lte]": time(5) }, [5]],
    [{ operation: "modified", "created_at[lte]": time(2) }, [2, 3]],
  ];
  for (const [query, places] of lists)
    for (const limit of [1, 2, 100])
      assert.deepEqual(
        await m.versions(store, { ...query, limit }),
        places.map((at) => all[at]),
        JSON.stringify({ ...query, limit }),
      );
});

test("[MEM19] what is no filter is named", async () => {
  const { id: store } = await m.store();
  const wrong: [query: string, sentence: RegExp][] = [
    ["api_key_id=a&user_id=b", /^api_key_id, session_id, service_account_id, user_id: give one/],
    ["session_id=a&service_account_id=b", /give one of them/],
    ["operation=renamed", /^operation: /],
    ["operation=created&operation=deleted", /^operation: /],
    ["created_at[gte]=yesterday", /^created_at\.gte: /],
    ["created_at[lte]=2026-12-31T23:59:60Z", /^created_at\.lte: /],
    ["created_at[gt]=2026-12-31T23:59:00Z", /^created_at\.gt: /],
    ["path=/a", /^path: /],
  ];
  for (const [query, sentence] of wrong)
    assert.match(
      sentenceOf(await m.call("GET", `/${store}/memory_versions?${query}`), 400),
      sentence,
    );
});

test("[MEM19] versions of one moment keep the order in which they were written", async () => {
  const { id: store } = await m.store();
  const { id } = await m.create(store, "/a", "0");
  for (let at = 1; at <= 5; at++) await m.update(store, id, { content: String(at) });
  const expected = ["5", "4", "3", "2", "1", "0"];
  const texts = async (query: Record<string, string | number>) =>
    (await m.versions(store, { view: "full", limit: 1, ...query })).map(
      ({ content }: Version) => content,
    );
  assert.deepEqual(await texts({}), expected);
  assert.deepEqual(await texts({ memory_id: id }), expected);
  assert.deepEqual(await texts({ operation: "modified" }), expected.slice(0, 5));
});
