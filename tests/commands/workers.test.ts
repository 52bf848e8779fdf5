// `plinth start --workers 2`: several processes that look like one.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../rules/support.ts";
import { watchSlowness } from "../slowness.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import {
  ask,
  madeBy,
  openCommandRunner,
  urlOf,
  type Made,
  type Server,
  type CommandRunner,
} from "./plinth.ts";

let database: TestDatabase;
let runner: CommandRunner;
let server: Server;
let made: Made;
before(async () => {
  runner = openCommandRunner();
  database = await testDatabase();
  const data = join(runner.directory, "data");
  const env = { DATABASE_URL: urlOf(database), PLINTH_DATA_DIR: data };
  made = madeBy(await runner.run(["init", "--json"], { env }));
  // Longer than any end takes on a busy machine.
  const drain = ["--drain-seconds", "300"];
  server = await runner.start(["--workers", "2", ...drain], { env });
});
after(async () => {
  await runner[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const me = "/v1/organizations/me";

/** The processes that the server has started. */
const workers = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === server.pid);

function parentOf(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]);
  } catch {
    return undefined; // it has just ended
  }
}

async function requestsCounted(): Promise<number> {
  const { body } = await ask(server.url, "/metrics");
  const counts = String(body)
    .split("\n")
    .filter((line) => /^\w*requests\w*\{.*organizations\.me/.test(line));
  return counts.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

const isLinux = process.platform === "linux";

test("it listens once, for all of them", { skip: !isLinux }, () => {
  const { stdout } = server.printed();
  assert.equal(stdout.match(/plinth listening on/g)?.length, 1);
  assert.equal(workers().length, 2);
});

test("/metrics counts the requests of all processes", async () => {
  const before = await requestsCounted();
  const asked = Array.from({ length: 40 }, () => ask(server.url, me, { key: made.admin_api_key }));
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
  // Which of them answers does not matter: the sum is the same, and nothing is counted twice.
  for (let round = 0; round < 4; round++) assert.equal(await requestsCounted(), before + 40);
});

async function ownersCookie(): Promise<string> {
  const { owner_email: email, owner_password: password } = made;
  const response = await fetch(`${server.url}/console/api/sign_in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ email, password }),
  });
  return /^[^;]+/.exec(response.headers.get("set-cookie") ?? "")?.[0] ?? assert.fail();
}

test("the health of upstreams counts what all processes asked", async () => {
  const cookie = await ownersCookie();
  const question = {
    model: "sim-small",
    max_tokens: 3,
    messages: [{ role: "user", content: "Hello" }],
  };
  const asked = Array.from({ length: 40 }, () =>
    ask(server.url, "/v1/messages", { key: made.api_key, body: question }),
  );
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
  for (let round = 0; round < 4; round++) {
    const response = await fetch(`${server.url}/console/api/upstreams/health`, {
      headers: { cookie, connection: "close" },
    });
    const health = (await response.json()) as {
      data: { name: string; state: string; lately: { answered: number } }[];
      processes: { asked: number; answered: number };
    };
    assert.deepEqual(health.processes, { asked: 2, answered: 2 });
    const simulator = health.data.find(({ name }) => name === "simulator");
    assert.deepEqual([simulator?.state, simulator?.lately.answered], ["works", 40]);
  }
});

test("a key that dies on one dies on the other within a second", async () => {
  const path = "/v1/organizations/api_keys";
  const bearer = made.oauth_access_token;
  const { body } = await ask(server.url, path, { key: bearer });
  const { id } = (body.data as { id: string; name: string }[]).find(
    ({ name }) => name === "First admin key",
  ) ?? { id: "" };
  const key = made.admin_api_key;
  const askMany = async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => ask(server.url, me, { key })),
    );
    return replies.map(({ status }) => status);
  };
  assert.deepEqual([...new Set(await askMany())], [200]);
  const change = { status: "inactive" };
  const answer = await ask(server.url, `${path}/${id}`, { key: bearer, body: change });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const since = performance.now();
  let deadInARow = 0;
  while (deadInARow < 5) {
    const askedMs = performance.now() - since;
    const alive = (await askMany()).includes(200);
    deadInARow = alive ? 0 : deadInARow + 1;
    assert.ok(!alive || askedMs < 1_000, `still let in ${Math.round(askedMs)} ms after it died`);
  }
});

test("a worker that is killed is replaced", { skip: !isLinux }, async () => {
  const counted = await requestsCounted();
  const [victim = 0, other = 0] = workers();
  process.kill(victim, "SIGKILL");
  await until(async () => !workers().includes(victim), "its end");
  assert.equal((await ask(server.url, "/readyz")).status, 200, "the other one goes on");
  await until(async () => workers().length === 2, "another worker");
  assert.ok(workers().includes(other));
  assert.match(server.printed().stderr, /a worker ended; another one starts/);
  const answered = () => new Set(server.printed().stderr.match(/"pid":\d+,"request_id"/g)).size;
  await until(async () => {
    assert.equal((await ask(server.url, "/readyz")).status, 200);
    return answered() === 3;
  }, "an answer of the new one");
  const now = await requestsCounted();
  assert.ok(now <= counted, `${now - counted} requests of a warm-up were counted`);
});

test("a connection that a worker was handed as it died ends", { skip: !isLinux }, async () => {
  const [victim = 0] = workers();
  process.kill(victim, "SIGSTOP");
  const { hostname: host, port } = new URL(server.url);
  const ends: string[] = [];
  // In turn: one of these is handed to the worker that does not take it any more.
  for (let count = 0; count < 4; count++) void askOnce();
  async function askOnce() {
    const socket = connect({ host, port: Number(port) });
    socket.write("GET /readyz HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
    const said = await Array.fromAsync(socket).catch(() => []);
    ends.push(Buffer.concat(said).toString("latin1").slice(9, 12));
  }
  await until(async () => ends.length === 3, "the answers of the other worker");
  process.kill(victim, "SIGKILL");
  await until(async () => ends.length === 4, "the end of the connection that was not taken");
  assert.deepEqual(ends, ["200", "200", "200", ""]);
  await until(async () => workers().length === 2, "another worker");
});

test("SIGTERM ends all of them with 0, a starting one too", { skip: !isLinux }, async () => {
  const [victim = 0] = workers();
  process.kill(victim, "SIGKILL");
  await until(async () => !workers().includes(victim), "its end");
  await until(async () => workers().length === 2, "another worker");
  const all = workers();
  using slowness = watchSlowness();
  const started = performance.now();
  const ended = server.stop();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) void server.stop(signal);
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  // Whoever does not hear of it is waited for until the drain's 300 s are over.
  const ms = performance.now() - started;
  assert.ok(ms < 20_000 * slowness.factor(), `it took ${ms} ms`);
  for (const pid of all) assert.equal(parentOf(pid), undefined, `worker ${pid} is left`);
});
