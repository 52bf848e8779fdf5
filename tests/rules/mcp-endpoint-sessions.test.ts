// Sessions of /mcp: clients of the older revisions are asked in the midst of a call, whichever process they reach.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { postMcp, type Fields } from "./mcp-endpoint-client.ts";
import { sessionsOf } from "./sessions-house.ts";
import { makeKey, until } from "./support.ts";

let house: House;
let second: Awaited<ReturnType<House["openSecondServer"]>>;
let third: Awaited<ReturnType<House["openSecondServer"]>>;
before(async () => {
  house = await openHouse();
  second = await house.openSecondServer();
  third = await house.openSecondServer();
});
after(async () => {
  await third[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

interface Sent {
  session?: string;
  url?: string;
  key?: string;
  method?: string;
  signal?: AbortSignal;
  version?: string;
}

const post = (message: object | undefined, given: Sent = {}): Promise<Response> => {
  const { session, method = "POST", signal, version = "2025-11-25" } = given;
  const { url = house.url, key = house.organizations.platform.api_key } = given;
  const headers = {
    "mcp-protocol-version": version,
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  const body = message && { jsonrpc: "2.0", ...message };
  return postMcp({ url, key }, body, headers, { method, signal });
};

async function begin(capabilities: object = { elicitation: {} }, given: Sent = {}) {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities,
    clientInfo: { name: "tests", version: "1" },
  };
  const answered = await post({ id: 0, method: "initialize", params }, given);
  assert.equal(answered.status, 200);
  const { result } = (await answered.json()) as Fields;
  assert.equal(result.protocolVersion, "2025-11-25");
  const session = answered.headers.get("mcp-session-id") ?? "";
  assert.match(session, /^mcpsess_\w{26}$/);
  const noted = await post({ method: "notifications/initialized" }, { ...given, session });
  assert.equal(noted.status, 202);
  return session;
}

const listTools = { id: 1, method: "tools/list", params: {} };

/** The messages of a stream, one after the other. */
async function* messagesOf({ body }: Response): AsyncGenerator<Fields> {
  let text = "";
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end === -1) break;
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as Fields;
    }
  }
}

const it = sessionsOf(() => house);
const weather = {
  type: "custom",
  name: "weather",
  description: "",
  input_schema: { type: "object" },
};
let asker: Promise<object> | undefined;
const callOf = async (id: string | number) => {
  asker ??= (async () => ({
    agent: (await it.agent({ tools: [weather] })).id,
    environment_id: (await it.environment("cloud")).id,
  }))();
  const given = { ...(await asker), message: "[[tool weather {}]]" };
  return { id, method: "tools/call", params: { name: "run_agent", arguments: given } };
};

test("[MCE30] a session begins with initialize, and DELETE ends it", async () => {
  const session = await begin();
  const listed = await post(listTools, { session });
  assert.match(listed.headers.get("content-type") ?? "", /^application\/json/);
  const { result } = (await listed.json()) as Fields;
  assert.ok(result.tools.length > 5);
  const leave = new AbortController();
  const stream = await post(undefined, { session, method: "GET", signal: leave.signal });
  assert.match(stream.headers.get("content-type") ?? "", /^text\/event-stream/);
  leave.abort();
  const old = await post(listTools, { session, version: "1999-01-01" });
  assert.deepEqual([old.status, ((await old.json()) as Fields)["error"].code], [400, -32600]);
  assert.equal((await post(undefined, { session, method: "DELETE" })).status, 200);
  for (const given of [{}, { method: "GET" }, { method: "DELETE" }]) {
    const message = given.method === undefined ? listTools : undefined;
    assert.equal((await post(message, { session, ...given })).status, 404);
  }
});

test("[MCE30] what is no whole initialize begins no session", async () => {
  const clientInfo = { name: "tests", version: "1" };
  for (const params of [
    {},
    { protocolVersion: "2025-11-25", capabilities: { elicitation: 5 }, clientInfo },
    { protocolVersion: 5, capabilities: {}, clientInfo },
  ]) {
    const answered = await post({ id: 0, method: "initialize", params });
    assert.equal(answered.headers.get("mcp-session-id"), null);
    assert.match(await answered.text(), /"error":\{"code":-32\d+/);
  }
});

test("[MCE20] a client of an older revision is not told of tasks that it cannot look at", async () => {
  const clientInfo = { name: "tests", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const answered = await post({ id: 0, method: "initialize", params });
  const { result } = (await answered.json()) as Fields;
  assert.deepEqual(result.capabilities.extensions, { "io.modelcontextprotocol/ui": {} });
});

test("[MCE31] a session is of its holder, and each holder has so many", async () => {
  const session = await begin();
  const { platform, other } = house.organizations;
  const colleague = await makeKey(house, platform, { kind: "api" });
  for (const key of [other.api_key, colleague.secret])
    for (const method of ["POST", "GET", "DELETE"]) {
      const message = method === "POST" ? listTools : undefined;
      assert.equal((await post(message, { session, method, key })).status, 404);
    }
  const { db } = house.world;
  const [{ holder, workspace } = { holder: "", workspace: "" }] = await db.query<{
    holder: string;
    workspace: string;
  }>(
    sql`select holder_id as holder, workspace_id as workspace from mcp_sessions where id = ${session}`,
  );
  await db.query(sql`
    insert into mcp_sessions (id, workspace_id, holder_id, began, used_at)
    select 'mcpsess_old' || n, ${workspace}, ${holder}, '{}', now() - interval '1 hour'
    from generate_series(1, 1200) n`);
  const next = await begin();
  const [{ count } = { count: 0 }] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from mcp_sessions where holder_id = ${holder}`,
  );
  assert.equal(count, 1000);
  assert.equal((await post(listTools, { session: next })).status, 200);
  await db.query(
    sql`update mcp_sessions set used_at = now() - interval '25 hours' where id = ${next}`,
  );
  assert.equal((await post(listTools, { session: next })).status, 404);
});

test("[MCE10] what a client is told of a call goes up, also after its person has answered", async () => {
  const session = await begin();
  const call = await callOf(1);
  const params = { ...call.params, _meta: { progressToken: "p" } };
  const told: number[] = [];
  let isAnswered = false;
  for await (const message of messagesOf(await post({ ...call, params }, { session }))) {
    if (message["method"] === "notifications/progress") told.push(message["params"].progress);
    if (message["method"] !== "elicitation/create") continue;
    const answer = { id: message["id"], result: { action: "decline" } };
    isAnswered = (await post(answer, { session })).status === 202;
  }
  assert.ok(isAnswered && told.length > 1, JSON.stringify(told));
  assert.deepEqual(
    told,
    [...new Set(told)].toSorted((one, other) => one - other),
  );
});

test("[MCE32] a client is asked in one process and answers in another", async () => {
  const session = await begin();
  // Two at once, each in a process of its own, and a third takes the answers.
  const calls = await Promise.all(
    [house.url, second.url].map(async (url, at) => post(await callOf(at + 1), { session, url })),
  );
  const streams = calls.map((call) => messagesOf(call));
  const questions: Fields[] = [];
  for (const stream of streams) {
    const { value } = (await stream.next()) as { value: Fields };
    assert.equal(value["method"], "elicitation/create", JSON.stringify(value));
    questions.push(value);
  }
  assert.notEqual(questions[0]?.["id"], questions[1]?.["id"]);
  for (const [at, { id }] of questions.entries()) {
    const result = { action: "accept", content: { result: `sun ${at}` } };
    const told = await post({ id, result }, { session, url: third.url });
    assert.equal(told.status, 202);
  }
  for (const [at, stream] of streams.entries()) {
    const { value } = (await stream.next()) as { value: Fields };
    assert.equal(value["id"], at + 1);
    assert.match(JSON.stringify(value["result"]), new RegExp(`sun ${at}`));
    assert.equal((await stream.next()).done, true);
  }
  const left = await house.world.db.query(sql`select 1 from mcp_session_answers`);
  assert.equal(left.length, 0);
});

test("[MCE33] answers to what was not asked change nothing, and a call can be given up", async () => {
  const session = await begin();
  const other = await begin();
  const leave = new AbortController();
  const stream = messagesOf(await post(await callOf("mine"), { session, signal: leave.signal }));
  const { value } = (await stream.next()) as { value: Fields };
  const result = { action: "accept", content: { result: "forged" } };
  for (const [id, from] of [
    ["1", session],
    [value["id"], other],
    [`${value["id"]}x`.replace(/^\w/, "z"), session],
  ] as const)
    assert.equal((await post({ id, result }, { session: from })).status, 202);
  const stored = await house.world.db.query(sql`select 1 from mcp_session_answers`);
  assert.equal(stored.length, 0);
  const note = { method: "notifications/cancelled", params: { requestId: "mine" } };
  await post(note, { session, url: second.url });
  for await (const last of stream) assert.equal(last["result"], undefined);
});

test("[MCE32] an answer that comes while the database is away is found later", async () => {
  const session = await begin();
  const stream = messagesOf(await post(await callOf(1), { session }));
  const { value } = (await stream.next()) as { value: Fields };
  const { db } = house.world;
  await db.query(sql`alter table mcp_session_answers rename to mcp_answers_away`);
  const failed = async () =>
    house.log.some((line) => JSON.stringify(line).includes("answers of a client of MCP failed"));
  try {
    await until(failed, "a look for answers that fails");
  } finally {
    await db.query(sql`alter table mcp_answers_away rename to mcp_session_answers`);
  }
  const result = { action: "accept", content: { result: "sun at last" } };
  assert.equal((await post({ id: value["id"], result }, { session })).status, 202);
  const { value: last } = (await stream.next()) as { value: Fields };
  assert.match(JSON.stringify(last["result"]), /sun at last/);
});

test("[MCE30] a server that stops ends the streams on which nothing is said", async () => {
  const session = await begin();
  const stopping = await house.openSecondServer({ drainSeconds: 30 });
  const stream = await post(undefined, { session, method: "GET", url: stopping.url });
  const [text] = await Promise.all([stream.text(), stopping[Symbol.asyncDispose]()]);
  // One that is cut is no whole answer.
  assert.equal(text, ": listening\n\n");
});
