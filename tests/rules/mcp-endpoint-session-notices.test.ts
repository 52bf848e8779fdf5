// Notices for clients of the older revisions: what a session watches, and the stream of its GET.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { postMcp, type Fields } from "./mcp-endpoint-client.ts";
import { readStream, type Stream } from "./mcp-endpoint-streams.ts";
import { sessionsOf } from "./sessions-house.ts";
import { makeKey, until } from "./support.ts";

let house: House;
let second: Awaited<ReturnType<House["openSecondServer"]>>;
before(async () => {
  house = await openHouse();
  second = await house.openSecondServer();
});
after(async () => {
  await second[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

const ownKey = () => house.organizations.platform.api_key;
const sessions = sessionsOf(() => house);

interface Sent {
  session?: string;
  method?: string;
  url?: string;
  key?: string;
  signal?: AbortSignal;
}

const send = (message: object | undefined, given: Sent = {}): Promise<Response> => {
  const { session, method = "POST", url = house.url, key = ownKey(), signal } = given;
  const headers = {
    "mcp-protocol-version": "2025-11-25",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const body = message && { jsonrpc: "2.0", id: 1, ...message };
  return postMcp({ url, key }, body, headers, { method, signal });
};

/** What is asked without a session is answered on a stream. */
async function messageOf(answered: Response): Promise<Fields> {
  const text = await answered.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Fields;
}

const initialize = {
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "tests", version: "1" },
    subscribed: ["plinth://files/of_its_own"],
  },
};

async function begin(key = ownKey()): Promise<string> {
  const answered = await send(initialize, { key });
  const { result } = await messageOf(answered);
  assert.deepEqual(result.capabilities.resources, { subscribe: true, listChanged: true });
  assert.deepEqual(result.capabilities.prompts, { listChanged: true });
  assert.deepEqual(result.capabilities.tools, {});
  return answered.headers.get("mcp-session-id") ?? "";
}

async function listen(session: string, given: Sent = {}): Promise<Stream> {
  const abort = new AbortController();
  const answered = await send(undefined, {
    session,
    method: "GET",
    signal: abort.signal,
    ...given,
  });
  assert.equal(answered.status, 200);
  return readStream(answered, abort);
}

async function watch(method: string, uri: string, given: Sent): Promise<Fields> {
  const answered = await send({ method: `resources/${method}`, params: { uri } }, given);
  return await messageOf(answered);
}

const tool = async (name: string, input: object): Promise<Fields> => {
  const answered = await send({ method: "tools/call", params: { name, arguments: input } });
  const { result } = await messageOf(answered);
  assert.notEqual(result.isError, true, JSON.stringify(result));
  return result as Fields;
};

async function storeNamed(name: string): Promise<string> {
  const { body } = await house.ask("POST", "/v1/memory_stores", {
    key: ownKey(),
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name },
  });
  return String(body["id"]);
}

test("[MCE37] what is watched through one process is told on the stream at another", async () => {
  const session = await begin();
  const store = await storeNamed("Watched");
  const uri = `plinth://memory_stores/${store}/memories/a.md`;
  const stream = await listen(session, { url: second.url });
  assert.deepEqual((await watch("subscribe", uri, { session }))["result"], {});
  const write = (content: string) =>
    tool("write_memory", { memory_store_id: store, path: "/a.md", content });
  // The stream follows it as soon as it has heard of it.
  let written = 0;
  const isTold = () => stream.messages.some(({ params }) => params?.uri === uri);
  await until(async () => {
    await write(`${++written}`);
    return isTold();
  }, "the first notice");
  await stream.next("resources/updated", uri);
  await write("again");
  assert.ok((await stream.next("resources/updated", uri)) < 1_000);
  await stream.next("resources/list_changed");
  assert.ok(stream.messages.every(({ id }) => id === undefined));

  const talk = await sessions.make();
  const transcript = `plinth://sessions/${talk.id}/transcript`;
  await watch("subscribe", transcript, { session, url: second.url });
  await watch("unsubscribe", uri, { session });
  const told = stream.messages.length;
  await until(async () => {
    await write(`${++written}`);
    await sessions.send(talk.id, { type: "user.message", content: [{ type: "text", text: "Hi" }] });
    return stream.messages.some(({ params }) => params?.uri === transcript);
  }, "the transcript");
  await sessions.idle(talk.id);
  await write("unseen");
  const late = await listen(session);
  await write("unseen still");
  await tool("write_memory", { memory_store_id: store, path: "/b.md", content: "new" });
  await late.next("resources/list_changed");
  assert.ok(late.messages.every(({ params }) => params?.uri !== uri));
  assert.ok(told > 0);
  late.close();
});

test("[MCE37] another GET takes the place of the first, and DELETE ends it", async () => {
  const session = await begin();
  const first = await listen(session);
  const next = await listen(session, { url: second.url });
  await first.ended;
  // What comes late of a stream that was there before.
  house.world.hints.send("mcp_session_notices", `${session} ask_00000000000000000000000000`);
  const other = await begin();
  const others = await listen(other);
  const store = await storeNamed("Two sessions");
  await tool("write_memory", { memory_store_id: store, path: "/a.md", content: "new" });
  for (const stream of [next, others]) await stream.next("resources/list_changed");
  assert.equal((await send(undefined, { session, method: "DELETE" })).status, 200);
  await next.ended;
  others.close();
});

test("[MCE37] what is not there is watched by no session, and one watches so many", async () => {
  const session = await begin();
  for (const uri of ["plinth://files/file_nothing", "https://example.com/", "plinth://files/"]) {
    const { error } = await watch("subscribe", uri, { session });
    assert.deepEqual([error.code, error.data], [-32602, { uri }]);
  }
  const store = await storeNamed("Many");
  const uriOf = (at: number) => `plinth://memory_stores/${store}/memories/${at}.md`;
  for (let at = 0; at < 100; at++) {
    const { result } = await watch("subscribe", uriOf(at), { session });
    assert.deepEqual(result, {});
  }
  assert.deepEqual((await watch("subscribe", uriOf(7), { session }))["result"], {});
  const { error } = await watch("subscribe", uriOf(100), { session });
  assert.equal(error.code, -32602);
  assert.match(error.message, /names 101 resources, and 100 can be watched/);
  await watch("unsubscribe", uriOf(7), { session });
  assert.deepEqual((await watch("subscribe", uriOf(100), { session }))["result"], {});
});

test("[MCE37] without a session nothing is watched, and nothing is said to be", async () => {
  const answered = await send({
    method: "resources/subscribe",
    params: { uri: "plinth://files/f" },
  });
  const { error } = await messageOf(answered);
  assert.equal(error.code, -32601);
});

test("[MCE35] a key that is revoked ends the stream of its session", async () => {
  const { platform } = house.organizations;
  const key = await makeKey(house, platform, { kind: "api" });
  const session = await begin(key.secret);
  const stream = await listen(session, { key: key.secret, url: second.url });
  await house.ask("POST", `/console/api/keys/${key.id}`, {
    cookie: platform.cookie,
    body: { status: "inactive" },
  });
  await stream.ended;
});
