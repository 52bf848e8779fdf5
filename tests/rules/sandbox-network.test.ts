// The network of a session's sandbox follows its environment, and what was refused is there for people to see.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import type { World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import { networkPart, openNetwork } from "../../server/sessions/network/network.ts";
import { refusalLimits } from "../../server/sessions/network/limits.ts";
import { makeRefusalRecorder } from "../../server/sessions/network/recorder.ts";
import { openHouse, type House } from "../house.ts";
import { listening, statusOf, talk } from "../sandboxes/door-house.ts";
import { said, sessionsOf } from "./sessions-house.ts";
import { until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const it = sessionsOf(() => house);

interface Refused {
  host: string;
  port: number;
  reason: string;
  count: number;
  first_at: string;
  last_at: string;
}

const refusedOf = async (path: string) => {
  const { cookie } = house.organizations.platform;
  const to = `/console/api/${path}/refused_connections`;
  return (await it.askGood<{ data: Refused[] }>("GET", to, { cookie })).data;
};
const byHost = ([one = ""]: unknown[], [other = ""]: unknown[]) =>
  String(one) < String(other) ? -1 : 1;
const brief = (all: readonly Refused[]) =>
  all.map(({ host, port, reason, count }) => [host, port, reason, count]);

async function begin(networking: object, agent: object = {}) {
  const body = {
    name: "lab",
    config: { type: "cloud", networking: { type: "limited", ...networking } },
  };
  const environment = await it.askGood<{ id: string }>("POST", "/v1/environments", { body });
  const { id: agentId } = await it.agent(agent);
  const session = await it.begin({ agent: agentId, environment_id: environment.id });
  return { environment: environment.id, session: session.id };
}

/** Nothing is reached: no name is found, which shows that the policy let it pass. */
async function openDoor(session: string, world: World = house.world) {
  const network = openNetwork(world, session, {
    lookup: ((_name: string, _options: object, done: (error: unknown) => void) =>
      done(Object.assign(new Error(), { code: "ENOTFOUND" }))) as never,
  });
  const listener = await listening(createServer({ allowHalfOpen: true }, network.connect));
  const connect = async (authority: string) =>
    statusOf(await talk(listener.port, `CONNECT ${authority} HTTP/1.1\r\n\r\n`));
  return { connect, [Symbol.asyncDispose]: listener.close };
}
const [passed, refused] = [502, 403];

test("[SBX30] refusals are counted, by session and by environment, beside the log", async () => {
  const { environment, session } = await begin({ allowed_hosts: ["open.example"] });
  const other = await it.begin({ agent: (await it.agent()).id, environment_id: environment });
  {
    await using door = await openDoor(session);
    await using second = await openDoor(other.id);
    for (const authority of [
      "a.example:443",
      "a.example:443",
      "b.example:22",
      "10.0.0.1:80",
      "b%2e:1",
    ])
      assert.equal(await door.connect(authority), refused);
    assert.equal(await door.connect("open.example:443"), passed);
    assert.equal(await second.connect("a.example:443"), refused);
  }
  const ofSession = await until(async () => {
    const all = await refusedOf(`sessions/${session}`);
    return all.length === 4 && all;
  }, "four rows");
  assert.deepEqual(brief(ofSession).toSorted(byHost), [
    ["10.0.0.1", 80, "host", 1],
    ["a.example", 443, "host", 2],
    ["b%2e:1", 0, "spelling", 1],
    ["b.example", 22, "host", 1],
  ]);
  for (const { first_at, last_at } of ofSession) assert.ok(first_at <= last_at);
  const ofEnvironment = await until(async () => {
    const all = await refusedOf(`environments/${environment}`);
    return all.some(({ count }) => count === 3) && all;
  }, "both sessions together");
  assert.deepEqual(
    brief(ofEnvironment).find(([host]) => host === "a.example"),
    ["a.example", 443, "host", 3],
  );
  const types = (await it.events(session)).map(({ type }) => type);
  assert.ok(!types.some((type) => /refus|sandbox|network/.test(type)), types.join());
});

test("[SBX30] another workspace's refusals are not there", async () => {
  const { environment, session } = await begin({});
  for (const path of [`sessions/${session}`, `environments/${environment}`]) {
    const to = `/console/api/${path}/refused_connections`;
    const { status } = await house.ask("GET", to, { cookie: house.organizations.other.cookie });
    assert.equal(status, 404);
  }
});

test("[SBX30] of one session so many hosts are kept, and the others are counted together", async () => {
  const { session } = await begin({});
  const recorder = makeRefusalRecorder(house.world);
  const note = (host: string) => recorder.note(session, { host, port: 1, reason: "host" });
  const { keptMax } = refusalLimits;
  for (let n = 0; n < keptMax - 1; n++) note(`h${n}.example`);
  await recorder.write();
  for (const name of ["last", "one-more", "two-more", "h0"]) note(`${name}.example`);
  await recorder.write();
  note("three-more.example");
  note("h0.example");
  await recorder.write();
  const all = await refusedOf(`sessions/${session}`);
  assert.equal(all.length, keptMax + 1);
  const counts = new Map(all.map(({ host, count }) => [host, count]));
  assert.equal(counts.get("h0.example"), 3);
  assert.equal(counts.get("*"), 3);
});

test("[SBX30] what waits in memory is bounded, and outlives a database that fails", async () => {
  const { session } = await begin({});
  let isFailing = true;
  let rows = 0;
  const failing = {
    query: ({ values }: Statement) => {
      rows = (values.find(Array.isArray) ?? []).length;
      return Promise.reject(new Error("gone"));
    },
  } as unknown as Tx;
  const db = {
    tx: <T>(work: (tx: Tx) => Promise<T>) => (isFailing ? work(failing) : house.world.db.tx(work)),
  } as typeof house.world.db;
  const recorder = makeRefusalRecorder({ ...house.world, db });
  const note = (host: string) => recorder.note(session, { host, port: 1, reason: "host" });
  const { waitingMax, keptMax } = refusalLimits;
  for (let n = 0; n < waitingMax + 50; n++) note(`h${n}.example`);
  const writing = recorder.write();
  note("h0.example");
  await assert.rejects(writing);
  assert.equal(rows, waitingMax + 1, "so many hosts, and all others");
  isFailing = false;
  await recorder.write();
  const all = await refusedOf(`sessions/${session}`);
  assert.equal(all.length, keptMax + 1);
  assert.equal(
    all.reduce((sum, { count }) => sum + count, 0),
    waitingMax + 51,
  );
});

test("[SBX30] refusals of a session that is deleted go with it", async () => {
  const { session } = await begin({});
  const { db } = house.world;
  const recorder = makeRefusalRecorder(house.world);
  const note = () => recorder.note(session, { host: "a.example", port: 1, reason: "host" });
  note();
  await recorder.write();
  assert.equal((await refusedOf(`sessions/${session}`)).length, 1);
  note();
  assert.equal((await it.remove(session)).status, 200);
  await recorder.write();
  const left = await db.query(sql`
    select host from refused_connections where session_id = ${session}`);
  assert.deepEqual(left, []);
});

test("[SBX26] what the environment says now holds for a sandbox that runs, two seconds later", async () => {
  const { environment, session } = await begin({ allowed_hosts: ["old.example"] });
  const clock = makeManualClock(new Date());
  await using door = await openDoor(session, { ...house.world, clock });
  const may = async () => [
    await door.connect("old.example:443"),
    await door.connect("new.example:443"),
  ];
  assert.deepEqual(await may(), [passed, refused]);
  const networking = { type: "limited", allowed_hosts: ["new.example"] };
  const body = { config: { type: "cloud", networking } };
  await it.askGood("POST", `/v1/environments/${environment}`, { body });
  clock.advance(1_999);
  assert.deepEqual(await may(), [passed, refused]);
  clock.advance(1);
  assert.deepEqual(await may(), [refused, passed]);
  await house.world.db.query(sql`delete from environments where id = ${environment}`);
  clock.advance(2_000);
  assert.deepEqual(await may(), [refused, refused], "of no environment nothing is reached");
});

test("[SBX25] MCP servers of the session's agents, also of its other threads, are allowed", async () => {
  const { session } = await begin({ allow_mcp_servers: true });
  const agentWith = (url: string) => ({
    config: { mcp_servers: [{ type: "url", name: "one", url }] },
  });
  const { db } = house.world;
  await db.query(sql`
    update sessions set agent = ${JSON.stringify(agentWith("https://mcp.example/sse"))}
    where id = ${session}`);
  await db.query(sql`
    insert into session_threads (id, session_id, parent_id, agent_name, agent, status, created_at, updated_at)
    values ('sthr_of_the_test', ${session}, 'sthr', 'Other',
      ${JSON.stringify(agentWith("http://tools.example:8080/mcp"))}, 'idle', now(), now())`);
  await using door = await openDoor(session);
  const authorities = [
    "mcp.example:443",
    "mcp.example:80",
    "tools.example:8080",
    "other.example:443",
  ];
  const may = await Promise.all(authorities.map(door.connect));
  assert.deepEqual(may, [passed, refused, passed, refused]);
});

test("[SBX26] while the policy cannot be read nothing is reached", async () => {
  const { session } = await begin({ allowed_hosts: ["a.example"] });
  const known = house.world.db;
  const broken = {
    ...house.world,
    db: Object.assign(Object.create(known) as typeof known, {
      query: () => Promise.reject(new Error("gone")),
    }),
  };
  const network = openNetwork(broken, session);
  await using listener = await listening(createServer({ allowHalfOpen: true }, network.connect));
  const ask = () => talk(listener.port, "CONNECT a.example:443 HTTP/1.1\r\n\r\n");
  assert.match(await ask(), /^HTTP\/1.1 503 Not known just now/);
});

test("[WEB3] [SBX30] pages are fetched by the same policy, and what is refused is counted with the rest", async () => {
  const agent = { tools: [{ type: "agent_toolset_20260401" }] };
  const { environment, session } = await begin({ allowed_hosts: ["good.example"] }, agent);
  const call = `[[tool web_fetch {"url":"https://bad.example/page"}]]`;
  const events = await it.turn(session, said(call));
  const result = events.find(({ type }) => type === "agent.tool_result");
  assert.match(JSON.stringify(result), /bad\.example is none of the hosts/);
  await networkPart.of(house.world).refusals.write();
  for (const path of [`sessions/${session}`, `environments/${environment}`])
    assert.deepEqual(brief(await refusedOf(path)), [["bad.example", 443, "host", 1]]);
});
