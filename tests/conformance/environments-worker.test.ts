// Work of a self-hosted environment as the unchanged client's worker takes it: from the poll to the stop.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { BetaHeartbeatPreconditionFailedError } from "@anthropic-ai/sdk/resources/beta/environments/work";
import { ConflictError, NotFoundError, PermissionDeniedError } from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { until } from "../rules/support.ts";
import { failing, listeningClient, type Seen } from "./messages-client.ts";

let house: House;
let workdir: string;
before(async () => {
  house = await openHouse();
  workdir = mkdtempSync(join(tmpdir(), "plinth-environment-worker-"));
});
after(async () => {
  rmSync(workdir, { recursive: true, force: true });
  await house[Symbol.asyncDispose]();
});

type Tools = NonNullable<Anthropic.Beta.AgentCreateParams["tools"]>;
const computer: Tools = [
  {
    type: "agent_toolset_20260401",
    default_config: { permission_policy: { type: "always_allow" } },
  },
];

const connect = () => listeningClient(house, { maxRetries: 0 });

async function openEnvironment(client: Anthropic) {
  const { id } = await client.beta.environments.create({
    name: "ours",
    config: { type: "self_hosted" },
  });
  // Keys are made by a route of this server's own.
  const { secret } = await client.post<{ secret: string }>(`/v1/environments/${id}/keys`, {
    body: {},
    headers: { "anthropic-beta": "managed-agents-2026-04-01" },
  });
  return { id, key: secret };
}

async function begin(client: Anthropic, environment_id: string, text: string) {
  const agent = await client.beta.agents.create({
    name: "Helper",
    model: "sim-small",
    tools: computer,
  });
  return client.beta.sessions.create({
    agent: agent.id,
    environment_id,
    initial_events: [{ type: "user.message", content: [{ type: "text", text }] }],
  });
}

const eventsOf = async (client: Anthropic, id: string) =>
  (await client.beta.sessions.events.list(id, { limit: 1000 })).data;

/** What the worker calls, in its order, each once however often it is called in a row. */
function callsOf(seen: readonly Seen[], from: number): string[] {
  const calls = seen
    .slice(from)
    .filter(({ headers }) => /environments-/.test(headers.get("x-stainless-helper") ?? ""))
    .map(({ path, status }) => `${path.replace(/(env|work|sesn)_\w+/g, "$1")} ${status}`);
  return calls.filter((call, at) => call !== calls[at - 1]);
}

/** Runs until it is asked to stop; the result waits for its end. */
function startWorker(
  client: Anthropic,
  environment: { id: string; key: string },
  more: { tools?: ReturnType<typeof betaTool>[]; workerId?: string } = {},
) {
  const stopping = new AbortController();
  const running = client.beta.environments.work
    .worker({
      environmentId: environment.id,
      environmentKey: environment.key,
      workdir,
      maxIdleMs: 300,
      signal: stopping.signal,
      ...more,
    })
    .run();
  return async () => {
    stopping.abort();
    await running;
  };
}

const listWork = async (client: Anthropic, { id, key }: { id: string; key: string }) => {
  const headers = { authorization: `Bearer ${key}` };
  return (await client.beta.environments.work.list(id, { limit: 100 }, { headers })).data;
};

const isOver = async (client: Anthropic, id: string) => {
  const last = (await eventsOf(client, id)).at(-1);
  return last?.type === "session.status_idle" && last.stop_reason.type === "end_turn";
};

const resultsOf = async (client: Anthropic, id: string) =>
  (await eventsOf(client, id)).filter((event) => event.type === "user.tool_result");

test("the worker polls, acknowledges, sends heartbeats, runs the tools, stops, and polls again", async () => {
  const { client, seen } = connect();
  const environment = await openEnvironment(client);
  const session = await begin(client, environment.id, '[[tools bash {"command": "echo here"}]]');
  const before = seen.length;
  const stop = startWorker(client, environment, { workerId: "worker of the lab" });
  await until(() => isOver(client, session.id), "the turn to end");
  const polls = (calls: string[]) => calls.filter((call) => call.includes("/poll")).length;
  await until(() => Promise.resolve(polls(callsOf(seen, before)) === 2), "the next poll");
  assert.equal((await client.beta.environments.work.stats(environment.id)).workers_polling, 1);
  await stop();
  const [result, ...others] = await resultsOf(client, session.id);
  assert.match(JSON.stringify(result), /here/);
  assert.deepEqual([result?.is_error ?? false, others], [false, []]);
  const [item, ...more] = await listWork(client, environment);
  assert.deepEqual(
    [item?.state, item?.data, more],
    ["stopped", { type: "session", id: session.id }, []],
  );
  const calls = callsOf(seen, before).slice(0, 7);
  const item_ = "/v1/environments/env/work/work";
  assert.deepEqual(calls, [
    "/v1/environments/env/work/poll 200",
    `${item_}/ack 200`,
    `${item_}/heartbeat 200`,
    "/v1/sessions/sesn 200",
    "/v1/sessions/sesn/events/stream 200",
    "/v1/sessions/sesn/events 200",
    `${item_}/stop 200`,
  ]);
});

test("two workers that race run each call of many sessions once, and no session has two of them", async () => {
  const { client } = connect();
  const environment = await openEnvironment(client);
  const ran: string[] = [];
  const bash = (worker: string) =>
    betaTool({
      name: "bash",
      description: "Says what it was told.",
      inputSchema: { type: "object", properties: {} } as const,
      run: (input) => {
        ran.push(`${JSON.stringify(input)} by ${worker}`);
        return "done";
      },
    });
  const stops = ["one", "two"].map((workerId) =>
    startWorker(client, environment, { workerId, tools: [bash(workerId)] }),
  );
  const numbers = Array.from({ length: 6 }, (_, at) => at);
  const sessions = await Promise.all(
    numbers.map((at) =>
      begin(
        client,
        environment.id,
        `[[tools bash {"command": "${at}a"} | bash {"command": "${at}b"}]]`,
      ),
    ),
  );
  for (const { id } of sessions) await until(() => isOver(client, id), `${id} to end its turn`);
  const commands = ran.map((call) => call.replace(/ by .*/, ""));
  const wanted = numbers.flatMap((at) => [`{"command":"${at}a"}`, `{"command":"${at}b"}`]);
  assert.deepEqual(commands.toSorted(), wanted);
  const workers = new Set(ran.map((call) => call.replace(/.* by /, "")));
  assert.deepEqual(workers, new Set(["one", "two"]));
  await Promise.all(stops.map((stop) => stop()));
});

test("a check is taken and given back by a worker, and the errors are of the client's own classes", async () => {
  const { client } = connect();
  const environment = await openEnvironment(client);
  const environment_id = environment.id;
  const { work } = client.beta.environments;
  const check = await client.post<{ id: string }>(`/v1/environments/${environment.id}/check`, {
    headers: { "anthropic-beta": "managed-agents-2026-04-01" },
  });
  const stop = startWorker(client, environment);
  const answered = await until(async () => {
    const item = await work.retrieve(check.id, { environment_id });
    return item.state === "stopped" && item;
  }, "the check to be answered");
  await stop();
  assert.equal(answered.data.type, "healthcheck");
  assert.equal(answered.secret, null);
  await failing(ConflictError, work.stop(check.id, { environment_id }));
  await failing(NotFoundError, work.retrieve("work_none", { environment_id }));
  await failing(PermissionDeniedError, work.poll(environment_id));
  const headers = { authorization: `Bearer ${environment.key}` };
  await failing(PermissionDeniedError, work.retrieve(check.id, { environment_id }, { headers }));
  assert.equal(await work.poll(environment_id, { block_ms: 1 }, { headers }), null);
  const patched = await work.update(check.id, { environment_id, metadata: { by: "hand" } });
  assert.deepEqual(patched.metadata, { by: "hand" });
});

test("a lease that another worker has taken is lost with the client's own error", async () => {
  const { client } = connect();
  const environment = await openEnvironment(client);
  const environment_id = environment.id;
  await begin(client, environment_id, '[[tools bash {"command": "ls"}]]');
  const { work } = client.beta.environments;
  const headers = { authorization: `Bearer ${environment.key}` };
  const tokenOf = (secret: string | null) =>
    (JSON.parse(Buffer.from(secret ?? "", "base64url").toString()) as { sessions_token: string })
      .sessions_token;
  const first = (await work.poll(environment_id, {}, { headers })) ?? assert.fail("no work");
  assert.equal(await work.poll(environment_id, {}, { headers }), null);
  const reclaim = { reclaim_older_than_ms: 0 };
  const second = (await work.poll(environment_id, reclaim, { headers })) ?? assert.fail("no work");
  assert.equal(second.id, first.id);
  await work.ack(second.id, { environment_id }, { headers });
  await failing(ConflictError, work.ack(first.id, { environment_id }, { headers }));
  const beat = (secret: string | null, expected_last_heartbeat: string) =>
    work.heartbeat(
      first.id,
      { environment_id, expected_last_heartbeat },
      { headers: { authorization: `Bearer ${tokenOf(secret)}` } },
    );
  const held = await beat(second.secret, "NO_HEARTBEAT");
  assert.deepEqual([held.state, held.lease_extended], ["active", true]);
  for (const expected of ["NO_HEARTBEAT", held.last_heartbeat]) {
    const { errorCode, details } = await failing(
      BetaHeartbeatPreconditionFailedError,
      beat(first.secret, expected),
    );
    assert.equal(errorCode, "heartbeat_precondition_failed");
    assert.deepEqual(details.current_state, {
      state: "active",
      last_heartbeat: held.last_heartbeat,
      ttl_seconds: held.ttl_seconds,
      lease_extended: false,
    });
  }
  assert.ok((await beat(second.secret, held.last_heartbeat)).last_heartbeat > held.last_heartbeat);
});
