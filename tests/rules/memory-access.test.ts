// Rules MEM25 and MEM26, over HTTP: the betas that open the routes, and whose stores they reach.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Route } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import type { Ask } from "../house.ts";
import {
  addWorkspace,
  errorOf,
  hashOf,
  type MemoryHouse,
  openMemoryHouse,
} from "./memory-house.ts";
import { makeKey, sentenceOf } from "./support.ts";

let m: MemoryHouse;
before(async () => {
  m = await openMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

const ours = routes.filter(({ path }) => path.startsWith("/v1/memory_stores"));
const agentMemory = "agent-memory-2026-07-22";
const managedAgents = "managed-agents-2026-04-01";

interface Place {
  memory_store_id: string;
  memory_id: string;
  memory_version_id: string;
}

/** A store with a memory, and the version before its head. */
async function placeOf(asking: Ask): Promise<Place> {
  const { id: memory_store_id } = await m.store(asking);
  const made = await m.create(memory_store_id, "/a", "one", asking);
  await m.update(memory_store_id, made.id, { content: "two" }, asking);
  const { id: memory_id, memory_version_id } = made;
  return { memory_store_id, memory_id, memory_version_id };
}

const bodies: Record<string, object> = {
  "memory_stores.create": { name: "notes" },
  "memory_stores.update": { name: "more" },
  "memory_stores.memories.create": { path: "/b", content: "x" },
  "memory_stores.memories.update": { content: "x" },
  "memory_stores.memory_versions.redact": {},
};

const knock = (route: Route, place: Partial<Place>, asking: Ask, headers: object) => {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: keyof Place) => place[name] ?? "none");
  const body = bodies[route.operation];
  return m.house.ask(route.method, path, {
    ...asking,
    headers: { ...asking.headers, ...headers },
    ...(body && { body }),
  });
};

test("[MEM25] each route wants one of the two betas, and not both", async () => {
  assert.ok(ours.length >= 14, `only ${ours.length} routes were found`);
  const key = m.platform.api_key;
  const both = [
    { "vendor-beta": `${agentMemory},${managedAgents}` },
    { "anthropic-beta": `${managedAgents}, ${agentMemory}` },
    { "vendor-beta": agentMemory, "anthropic-beta": managedAgents },
    { "vendor-beta": `${agentMemory},managed-agents-2027-01-01` },
  ];
  const neither = [
    {},
    { "vendor-beta": "" },
    { "vendor-beta": "agent-memory" },
    { "vendor-beta": "managed-agents-2025-01-01,message-threads-2026-08-12" },
  ];
  const one = [
    { "vendor-beta": agentMemory },
    { "anthropic-beta": agentMemory },
    { "anthropic-beta": managedAgents },
    { "vendor-beta": managedAgents, "anthropic-beta": "oauth-2025-04-20" },
    { "vendor-beta": `something-of-mine-2026-01-01, ${agentMemory}` },
  ];
  for (const route of ours) {
    const place = await placeOf({ key });
    for (const headers of both)
      assert.match(
        sentenceOf(await knock(route, place, { key }, headers), 400),
        new RegExp(
          `${agentMemory} stands alone .*drop managed-agents-.* from the ${Object.keys(headers).at(-1)} header`,
        ),
        `${route.operation} ${JSON.stringify(headers)}`,
      );
    for (const headers of neither)
      assert.match(
        sentenceOf(await knock(route, place, { key }, headers), 400),
        new RegExp(`vendor-beta: ${agentMemory} or ${managedAgents}`),
        `${route.operation} ${JSON.stringify(headers)}`,
      );
    // What an import takes is no JSON: it has tests of its own.
    for (const headers of route.body === "stream" ? [] : one) {
      const here = route.method === "GET" ? place : await placeOf({ key });
      const { status, body } = await knock(route, here, { key }, headers);
      assert.equal(status, 200, `${route.operation}: ${JSON.stringify(body)}`);
    }
  }
});

/** Who else there is: in another organization, and in another workspace of the same one. */
async function strangers(): Promise<Record<string, Ask>> {
  const { organization_id, cookie } = m.platform;
  const { other } = m.house.organizations;
  const second = await addWorkspace(m.house, organization_id, "wrkspc_second");
  const { secret } = await makeKey(m.house, m.platform, {
    kind: "api",
    workspace_id: "wrkspc_second",
  });
  return {
    "a key of another organization": { key: other.api_key },
    "a person of another organization": { cookie: other.cookie },
    "a key of another workspace": { key: secret },
    "the owner in another workspace": { cookie, ...second },
  };
}

test("[MEM26] to everybody else a store, its memories and its versions are absent, on every route", async () => {
  const mine = await placeOf({});
  const before = [await m.storeOf(mine.memory_store_id), await m.versions(mine.memory_store_id)];
  const beta = { "vendor-beta": agentMemory };
  for (const [who, asking] of Object.entries(await strangers())) {
    const theirs = await placeOf(asking);
    const { memory_store_id } = theirs;
    const there = await m.versions(memory_store_id, {}, asking);
    for (const route of ours.filter(({ path }) => path.includes("{"))) {
      const said = `${who}: ${route.operation}`;
      const absent = {
        memory_store_id: "memstore_none",
        memory_id: "none",
        memory_version_id: "x",
      };
      const places: Place[] = [mine];
      // My memory through their store, and their memory through mine.
      if (route.path.includes("memory_id}") || route.path.includes("version_id}"))
        places.push(
          { ...mine, memory_store_id },
          { ...theirs, memory_store_id: mine.memory_store_id },
        );
      for (const place of places) {
        const answer = await knock(route, place, asking, beta);
        const error = errorOf(answer, 404);
        assert.equal(error.type, "not_found_error", said);
        const isTheirStore = place.memory_store_id === memory_store_id;
        const unknown = await knock(
          route,
          isTheirStore ? { ...absent, memory_store_id } : absent,
          asking,
          beta,
        );
        const neutral = (text: string) => text.replaceAll(/ [\w]+\.$/g, " ID.");
        assert.equal(neutral(error.message), neutral(errorOf(unknown, 404).message), said);
      }
    }
    assert.deepEqual(await m.versions(memory_store_id, {}, asking), there);
    const listed = await m.all<{ id: string }>("", { include_archived: true }, asking);
    assert.ok(!listed.flatMap(({ data }) => data).some(({ id }) => id === mine.memory_store_id));
    assert.deepEqual(
      await m.versions(memory_store_id, { memory_id: mine.memory_id }, asking),
      [],
      who,
    );
    const hash = hashOf("two");
    errorOf(
      await m.call(
        "DELETE",
        `/${memory_store_id}/memories/${mine.memory_id}?expected_content_sha256=${hash}`,
        asking,
      ),
      404,
    );
  }
  const after = [await m.storeOf(mine.memory_store_id), await m.versions(mine.memory_store_id)];
  assert.deepEqual(after, before, "somebody else changed it");
});

test("[MEM26] nor are memories reached through another store of the same workspace", async () => {
  const one = await placeOf({});
  const two = await placeOf({});
  const beta = { "vendor-beta": agentMemory };
  const asking = { key: m.platform.api_key };
  for (const route of ours.filter(({ path }) => /(memory_id|version_id)\}/.test(path))) {
    const place = { ...one, memory_store_id: two.memory_store_id };
    errorOf(await knock(route, place, asking, beta), 404);
  }
  assert.equal((await m.versions(one.memory_store_id)).length, 2);
  assert.equal((await m.memory(one.memory_store_id, one.memory_id)).content, "two");
});
