// Rules MEM10 and MEM24, over HTTP: how much a store and a workspace hold, to the memory and to the byte.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer } from "../house.ts";
import {
  addWorkspace,
  errorOf,
  type MemoryHouse,
  openMemoryHouse,
  statusesOf,
} from "./memory-house.ts";

let m: MemoryHouse;
before(async () => {
  const memory = { workspace_stores_max: 3, workspace_bytes_max: 1_000 };
  m = await openMemoryHouse({ sections: { memory } });
});
after(() => m[Symbol.asyncDispose]());

let workspaces = 0;
/** A workspace of its own, by the console: what another test filled is not in it. */
const newWorkspace = async () => {
  const { organization_id, cookie } = m.platform;
  const id = `wrkspc_limits_${++workspaces}`;
  return { cookie, ...(await addWorkspace(m.house, organization_id, id)) };
};

test("[MEM10] the 2,001st memory is refused; updates, renames and deletes go on", async () => {
  const asking = await newWorkspace();
  const { id: store } = await m.store(asking);
  const create = (path: string): Promise<Answer> =>
    m.call("POST", `/${store}/memories`, { ...asking, body: { path, content: "" } });
  const made: Answer[] = [];
  for (let from = 0; from < 2_000; from += 100)
    made.push(
      ...(await Promise.all(Array.from({ length: 100 }, (_, at) => create(`/m/${from + at}`)))),
    );
  assert.ok(made.every(({ status }) => status === 200));
  const count = async () => (await m.storeOf(store, asking)).memory_count;
  assert.equal(await count(), 2_000);
  const full = () => create("/m/more");
  const { message } = errorOf(await full(), 400, "memory_limit_exceeded");
  assert.match(message, new RegExp(`${store} holds 2000 memories.*delete one first`));
  const [first, second] = made.map(({ body }) => (body as { id: string }).id);
  await m.update(store, first ?? "", { content: "x" }, asking);
  await m.update(store, first ?? "", { path: "/moved" }, asking);
  errorOf(await full(), 400, "memory_limit_exceeded");
  await m.remove(store, second ?? "", asking);
  assert.equal(await count(), 1_999);
  const race = await Promise.all([1, 2, 3, 4].map((at) => create(`/late/${at}`)));
  assert.deepEqual(statusesOf(race), [200, 400, 400, 400]);
  assert.equal(await count(), 2_000);
  assert.equal((await m.memories(store, { limit: 100 }, asking)).length, 2_000);
  assert.equal((await m.store(asking)).memory_count, 0);
});

test("[MEM24] a workspace has as many stores as its quota, archived ones too; deleting one makes room", async () => {
  const asking = await newWorkspace();
  const create = () => m.call("POST", "", { ...asking, body: { name: "one more" } });
  const stores = await Promise.all(Array.from({ length: 6 }, create));
  assert.deepEqual(statusesOf(stores), [200, 200, 200, 400, 400, 400]);
  const made = stores.filter(({ status }) => status === 200);
  const [id] = made.map(({ body }) => (body as { id: string }).id);
  await m.good("POST", `/${id}/archive`, asking);
  const { message } = errorOf(await create(), 400, "storage_quota_exceeded");
  assert.match(message, /has 3 memory stores, and its quota is 3: delete one/);
  await m.good("DELETE", `/${id}`, asking);
  assert.equal((await create()).status, 200);
  errorOf(await create(), 400, "storage_quota_exceeded");
  await m.store(await newWorkspace());
});

test("[MEM24] the bytes of all versions that are kept count, to the byte", async () => {
  const asking = await newWorkspace();
  const { id: store } = await m.store(asking);
  const other = await m.store(asking);
  const size = async () => (await m.storeOf(store, asking)).size_bytes;
  const refused = async (path: string, body: object) => {
    const answer = await m.call("POST", path, { ...asking, body });
    return errorOf(answer, 400, "storage_quota_exceeded").message;
  };
  const at = `/${store}/memories`;
  const made = await m.create(store, "/a", "é".repeat(300), asking);
  assert.equal(await size(), 600);
  await m.update(store, made.id, { content: "x".repeat(100) }, asking);
  await m.update(store, made.id, { path: "/b" }, asking);
  assert.equal(await size(), 800);
  await m.create(other.id, "/a", "x".repeat(200), asking);
  const sentence = await refused(at, { path: "/c", content: "x" });
  assert.match(sentence, /hold 1000 of 1000 bytes, all versions counted.*Delete a store, redact/);
  await refused(`${at}/${made.id}`, { content: "x" });
  await refused(`${at}/${made.id}`, { path: "/c" });
  await refused(`/${other.id}/memories`, { path: "/c", content: "x" });
  await m.create(store, "/empty", "", asking);
  assert.equal((await m.versions(store, {}, asking)).length, 4);

  await m.redact(store, made.memory_version_id, asking);
  assert.equal(await size(), 200);
  await m.create(store, "/c", "x".repeat(600), asking);
  await refused(at, { path: "/d", content: "x" });
  await m.remove(store, made.id, asking);
  assert.equal(await size(), 800);
  await refused(at, { path: "/d", content: "x" });
  await m.good("DELETE", `/${other.id}`, asking);
  await m.create(store, "/d", "x".repeat(200), asking);
  await refused(at, { path: "/e", content: "x" });
  await m.good("DELETE", `/${store}`, asking);
  const { id: next } = await m.store(asking);
  await m.create(next, "/a", "x".repeat(1_000), asking);
  await refused(`/${next}/memories`, { path: "/b", content: "x" });
});
