// Notices of changes at /mcp: who is told of what, in which process, and how often.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Context } from "../../kernel/context.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openWatch, type Notice } from "../../server/mcp_endpoint/changes/watch.ts";
import { limits } from "../../server/mcp_endpoint/limits.ts";
import { namedBy, type Named } from "../../server/mcp_endpoint/readable/uris.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf, type Files } from "./files-house.ts";
import { mcpProgramOf } from "./authorizations-mcp-house.ts";
import { mcpClient, type Answered } from "./mcp-endpoint-client.ts";
import { acknowledged, askToListen, listenAt, type Stream } from "./mcp-endpoint-streams.ts";
import { said, sessionsOf } from "./sessions-house.ts";
import { document, skillsOf } from "./skills-house.ts";
import { makeKey, until } from "./support.ts";
import { personIn, programIn } from "./tokens-house.ts";

let house: House;
let files: Files;
let second: Awaited<ReturnType<House["openSecondServer"]>>;
before(async () => {
  house = await openHouse();
  files = filesOf(house);
  second = await house.openSecondServer();
});
after(async () => {
  await second[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

const here = () => ({ url: house.url, key: house.organizations.platform.api_key });
const there = () => ({ ...here(), url: second.url });
const ask = mcpClient(here);
const skills = skillsOf(() => house);
const sessions = sessionsOf(() => house);

async function storeNamed(name: string, key = here().key): Promise<string> {
  const { body } = await house.ask("POST", "/v1/memory_stores", {
    key,
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name },
  });
  return String(body["id"]);
}

const call = async (name: string, input: object): Promise<Answered> => {
  const answered = await ask("tools/call", { name, arguments: input });
  assert.notEqual(answered.result["isError"], true, JSON.stringify(answered.result));
  return answered;
};
const write = (memory_store_id: string, path: string, content: string) =>
  call("write_memory", { memory_store_id, path, content });
const memoryUri = (store: string, path: string) =>
  `plinth://memory_stores/${store}/memories${path}`;
const updates = ({ messages }: Stream) =>
  messages.filter(({ method }) => method === "notifications/resources/updated");

test("[MCE34] a memory is told of by its address and as part of the list, in each process", async () => {
  const store = await storeNamed("Watched");
  const uri = memoryUri(store, "/notes/a.md");
  const encoded = memoryUri(store, "/notes%2Fa.md");
  const other = memoryUri(store, "/notes/b.md");
  const wanted = { resourcesListChanged: true, resourceSubscriptions: [uri, encoded, other] };
  const streams = [await listenAt(here(), wanted), await listenAt(there(), wanted)];
  for (const stream of streams) assert.deepEqual(acknowledged(stream), wanted);
  const expectTold = async (isListed: boolean) => {
    for (const stream of streams) {
      assert.ok((await stream.next("resources/updated", uri)) < 1_000);
      await stream.next("resources/updated", encoded);
      if (isListed) await stream.next("resources/list_changed");
    }
  };
  await write(store, "/notes/a.md", "one");
  await expectTold(true);
  await write(store, "/notes/a.md", "two");
  await expectTold(false);
  await call("delete_memory", { memory_store_id: store, path: "/notes/a.md" });
  await expectTold(true);
  for (const stream of streams) {
    assert.ok(updates(stream).every(({ params }) => params.uri !== other));
    assert.equal(stream.messages.filter(({ method }) => method.endsWith("list_changed")).length, 2);
    stream.close();
  }
});

test("[MCE34] a store that goes, files, skills and sessions are told of", async () => {
  const store = await storeNamed("Going");
  await write(store, "/a.md", "here");
  const file = await files.upload({ content: "text" });
  const watchedUris = [memoryUri(store, "/a.md"), `plinth://files/${file.id}`];
  const stream = await listenAt(there(), {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: watchedUris,
  });
  assert.deepEqual(acknowledged(stream), {
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: watchedUris,
  });
  const skill = await skills.upload({ "told/SKILL.md": document("told") });
  await stream.next("prompts/list_changed");
  await skills.call("DELETE", `/${skill.id}`);
  await stream.next("prompts/list_changed");
  await files.upload({ content: "another" });
  await stream.next("resources/list_changed");
  await files.call("DELETE", `/${file.id}`);
  await stream.next("resources/updated", watchedUris[1]);
  await stream.next("resources/list_changed");
  const session = await sessions.make();
  await stream.next("resources/list_changed");
  await sessions.good("DELETE", `/${session.id}`);
  await stream.next("resources/list_changed");
  await house.ask("DELETE", `/v1/memory_stores/${store}`, {
    key: here().key,
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
  });
  await stream.next("resources/updated", watchedUris[0]);
  stream.close();
});

test("[MCE34] a transcript that grows fast is told of twice a second, up to its end", async () => {
  const session = await sessions.make();
  const uri = `plinth://sessions/${session.id}/transcript`;
  const stream = await listenAt(there(), { resourceSubscriptions: [uri] });
  const since = performance.now();
  for (let sent = 0; sent < 12; sent++) await sessions.send(session.id, said(`message ${sent}`));
  assert.ok((await stream.next("resources/updated", uri)) < 1_000);
  await sessions.idle(session.id);
  const grown = await sessions.events(session.id);
  const told = updates(stream).length;
  const most = Math.ceil((performance.now() - since) / limits.noticeEveryMs) + 1;
  assert.ok(told <= most && most < grown.length, `${told} notices of ${grown.length} events`);
  await until(async () => updates(stream).length > told || told > 1, "what came last");
  const before = updates(stream).length;
  await sessions.remove(session.id);
  await until(async () => updates(stream).length > before, "its end");
  stream.close();
});

test("[MCE34] a client that does not read is told each resource once when it reads again", async () => {
  const store = await storeNamed("Slow");
  const uris = ["/a.md", "/b.md"].map((path) => memoryUri(store, path));
  const context = {
    ...house.world,
    who: { workspaceId: house.organizations.platform.workspace_id, permissions: new Set() },
  } as unknown as Context;
  const read = Promise.withResolvers<void>();
  const told: Notice[] = [];
  let looked = 0;
  const watch = await openWatch(
    context,
    {
      resources: [],
      prompts: false,
      uris: uris.map((uri) => ({ uri, named: namedBy(uri) as Named })),
    },
    {
      caller: async () => context.who,
      taken: () => {
        looked += 1;
        return told.length === 0 ? Promise.resolve() : read.promise;
      },
      tell: (notice) => void told.push(notice),
      ended: () => {},
    },
  );
  watch.start();
  await write(store, "/a.md", "1");
  await until(async () => told.length === 1, "the first notice");
  await write(store, "/a.md", "2");
  await until(async () => looked === 2, "a look at whether it was read");
  for (let at = 3; at < 8; at++)
    for (const path of ["/a.md", "/b.md"]) await write(store, path, `${at}`);
  assert.deepEqual(told, [{ uri: uris[0] }]);
  read.resolve();
  await until(async () => told.length === 3, "what was told late");
  assert.deepEqual(
    told
      .slice(1)
      .map((notice) => ("uri" in notice ? notice.uri : ""))
      .sort(),
    uris,
  );
  watch.stop();
});

test("[MCE34] after the database was away all may have changed", async () => {
  const store = await storeNamed("Away");
  const uri = memoryUri(store, "/a.md");
  const stream = await listenAt(here(), { promptsListChanged: true, resourceSubscriptions: [uri] });
  await house.world.db.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'plinth hints'`);
  await stream.next("resources/updated", uri);
  await stream.next("prompts/list_changed");
  stream.close();
});

test("[MCE35] what may not be read and what is not there is not acknowledged", async () => {
  const store = await storeNamed("Ours");
  const { other, platform } = house.organizations;
  const strangers = await storeNamed("Theirs", other.api_key);
  const file = await files.upload({ content: "ours" });
  const session = await sessions.make();
  const ours = [
    memoryUri(store, "/not/yet.md"),
    `plinth://files/${file.id}`,
    `plinth://sessions/${session.id}/transcript`,
  ];
  const absent = [
    memoryUri(strangers, "/a.md"),
    "plinth://files/file_nothing",
    "plinth://sessions/sesn_nothing/transcript",
    "https://example.com/",
  ];
  const wanted = {
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [...absent, ...ours],
  };
  const own = await listenAt(here(), wanted);
  assert.deepEqual(acknowledged(own), { ...wanted, resourceSubscriptions: ours });
  const stranger = await listenAt({ ...here(), key: other.api_key }, wanted);
  assert.deepEqual(acknowledged(stranger)["resourceSubscriptions"], [absent[0]]);
  const userId = await personIn(house, platform, "admin");
  const scopes = ["workspace:inference"];
  const token = await programIn(house, platform, {
    userId,
    scopes,
    workspaceId: platform.workspace_id,
  });
  const poor = await listenAt({ ...here(), key: token.access_token }, wanted);
  assert.deepEqual(acknowledged(poor), {});
  // Nothing is left to tell: it has its result at once.
  await poor.ended;
  await write(store, "/not/yet.md", "now");
  await own.next("resources/updated", ours[0]);
  await own.next("resources/list_changed");
  await write(store, "/not/yet.md", "again");
  await own.next("resources/updated", ours[0]);
  assert.equal(stranger.messages.length, 1);
  for (const stream of [own, stranger]) stream.close();
});

test("[MCE35] a key that is revoked ends its streams, in each process", async () => {
  const { platform } = house.organizations;
  const key = await makeKey(house, platform, { kind: "api" });
  const wanted = { promptsListChanged: true };
  const places = [here(), there()].map((place) => ({ ...place, key: key.secret }));
  const streams = await Promise.all(places.map((place) => listenAt(place, wanted)));
  const other = await listenAt(here(), wanted);
  await house.ask("POST", `/console/api/keys/${key.id}`, {
    cookie: platform.cookie,
    body: { status: "inactive" },
  });
  for (const stream of streams) {
    await stream.ended;
    assert.deepEqual(stream.messages.at(-1)?.["result"]["resultType"], "complete");
  }
  await skills.upload({ "still/SKILL.md": document("still") });
  await other.next("prompts/list_changed");
  other.close();
});

test("[MCE35] a workspace that is archived, and a person who loses their role, end streams", async () => {
  const { platform, other } = house.organizations;
  const made = await house.ask("POST", "/v1/organizations/workspaces", {
    key: platform.admin_api_key,
    body: { name: "Doomed" },
  });
  const id = String(made.body["id"]);
  const key = await makeKey(house, platform, { kind: "api", workspace_id: id });
  const wanted = { promptsListChanged: true };
  const doomed = await listenAt({ ...there(), key: key.secret }, wanted);
  const { access_token } = await mcpProgramOf(() => house).signIn(other);
  const persons = await listenAt({ ...there(), key: access_token }, wanted);
  const path = `/v1/organizations/workspaces/${id}/archive`;
  await house.ask("POST", path, { key: platform.admin_api_key });
  await house.world.db.query(
    sql`update users set role = 'managed' where organization_id = ${other.organization_id}`,
  );
  await Promise.all([doomed.ended, persons.ended]);
  await house.world.db.query(
    sql`update users set role = 'primary_owner' where organization_id = ${other.organization_id}`,
  );
});

test("[MCE36] a stream, a caller and a process have so many", async () => {
  const many = Array.from({ length: 101 }, (_, at) => `plinth://files/file_${at}`);
  const refused = async (notifications: object, code: number): Promise<string> => {
    const answered = await askToListen(here(), notifications, new AbortController().signal);
    const { error, id } = (await answered.json()) as Answered & { id: string };
    assert.deepEqual([error?.code, id], [code, "listening"]);
    return error?.message ?? "";
  };
  assert.match(await refused({ resourceSubscriptions: many }, -32602), /101 resources, and 100/);
  const long = [`plinth://files/${"x".repeat(5_000)}`];
  assert.match(await refused({ resourceSubscriptions: long }, -32602), /more than 4000 characters/);
  for (const wrong of [{ resourceSubscriptions: [1] }, { resourceSubscriptions: "x" }])
    await refused(wrong, -32602);
  const wanted = { promptsListChanged: true };
  const streams: Stream[] = [];
  for (let at = 0; at < 50; at++) streams.push(await listenAt(there(), wanted));
  const abort = new AbortController();
  const one = await askToListen(there(), wanted, abort.signal);
  const { error } = (await one.json()) as Answered;
  assert.match(error?.message ?? "", /has 50 streams of notices open here, and 50 are allowed/);
  for (const stream of streams) stream.close();
  const next = await until(async () => {
    const again = await askToListen(there(), wanted, abort.signal);
    return again.headers.get("content-type")?.startsWith("text/event-stream");
  }, "room for another one");
  assert.ok(next);
  abort.abort();
});
