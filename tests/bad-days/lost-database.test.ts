// A database that dies, and one that stops answering without dying: nothing hangs, nothing old is believed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { kill, processesOf, scratch, startOwnerProcess, until } from "../kernel/sql-harness.ts";
import {
  ask,
  initOwner,
  nothingLeft,
  type Owner,
  parentOf,
  type Plinth,
  type Reply,
  startPlinth,
} from "./plinth.ts";

const replyMsMax = 10_500;

const home = scratch();
const cluster = join(home.path, "cluster");
const data = join(home.path, "data");
let database: Awaited<ReturnType<typeof startOwnerProcess>>;
let env: { DATABASE_URL: string };
let owner: Owner;
let plinth: Plinth;

before(async () => {
  database = await startOwnerProcess(cluster, { graceMs: 1_000 });
  const { socketDirectory = "" } = database.connection;
  const query = `host=${encodeURIComponent(socketDirectory)}`;
  env = { DATABASE_URL: `postgres://plinth@localhost/plinth?${query}` };
  owner = await initOwner(data, [], { env });
  plinth = await startPlinth(data, { env, args: ["--workers", "1"] });
});

after(async () => {
  await plinth.stop();
  await database.release();
  await nothingLeft(home.path);
  home[Symbol.dispose]();
});

/** The postmaster of now (it changes when it was restarted) and its backends. */
function databaseProcesses(): number[] {
  const file = readFileSync(join(cluster, "postgres/postmaster.pid"), "utf8");
  const postmaster = Number(file.split("\n")[0]);
  const children = processesOf("postgres: ").filter((pid) => parentOf(pid) === postmaster);
  return [postmaster, ...children];
}

const requests = {
  read: () => asOwner("GET", "/v1/organizations/api_keys"),
  remembered: () => asOwner("GET", "/v1/organizations/me"),
  change: () => ask(plinth.url, "POST", "/console/api/sign_in", { body: wrongPassword() }),
};
const wrongPassword = () => ({ email: owner.owner_email, password: "not this one, surely" });
const asOwner = (method: string, path: string) =>
  ask(plinth.url, method, path, { headers: { "x-api-key": owner.admin_api_key } });

function expectUnavailable(reply: Reply): void {
  const told = `${reply.status} after ${Math.round(reply.ms)} ms: ${JSON.stringify(reply.body)}`;
  assert.equal(reply.status, 503, told);
  assert.ok(reply.ms < replyMsMax, told);
  assert.ok(Number(reply.headers.get("retry-after")) > 0, told);
  assert.match((reply.body as { error: { message: string } }).error.message, /database/, told);
}

/** More requests than the pool has connections, so that some wait for others. */
const burst = () =>
  Promise.all([
    ...Array.from({ length: 30 }, requests.read),
    ...Array.from({ length: 10 }, requests.change),
  ]);

async function expectDegraded(asked: Promise<Reply[]>): Promise<void> {
  const health = await ask(plinth.url, "GET", "/healthz");
  assert.equal(health.status, 200);
  const ready = await ask(plinth.url, "GET", "/readyz");
  assert.equal(ready.status, 503);
  assert.ok(ready.ms < 2_500, `/readyz took ${ready.ms} ms`);
  const replies = await asked;
  for (const reply of replies) expectUnavailable(reply);
  const again = await requests.read();
  expectUnavailable(again);
  const slowest = Math.max(...replies.map(({ ms }) => ms));
  console.log(`slowest ${Math.round(slowest)} ms, then ${Math.round(again.ms)} ms`);
}

async function expectBack(): Promise<void> {
  await until("the server answers again", async () => (await requests.read()).status === 200);
  assert.equal((await ask(plinth.url, "GET", "/readyz")).status, 200);
  assert.equal((await requests.change()).status, 401, "the password is wrong, and that is known");
}

test("a database that hangs: every request ends, with 503, and it passes", async () => {
  // As many open connections as there may be: each of them will be silent.
  for (const { status } of await Promise.all(Array.from({ length: 40 }, requests.read)))
    assert.equal(status, 200);
  const stopped = databaseProcesses();
  for (const pid of stopped) kill(pid, "SIGSTOP");
  const asked = burst();
  try {
    // The key was verified a moment ago; a second later that is not believed any more.
    const refused = await until("the remembered key is not trusted", async () => {
      const reply = await requests.remembered();
      return reply.status !== 200 && reply;
    });
    expectUnavailable(refused);
    await expectDegraded(asked);
  } finally {
    for (const pid of stopped) kill(pid, "SIGCONT");
  }
  await expectBack();
});

test("a database that is killed: 503 until it is back, and nothing is started again by hand", async () => {
  assert.equal((await requests.read()).status, 200);
  // Its owner would restart it at once.
  kill(database.child.pid ?? 0, "SIGSTOP");
  for (const pid of databaseProcesses()) kill(pid);
  try {
    await until("the loss is noticed", async () => (await requests.read()).status === 503);
    await expectDegraded(burst());
  } finally {
    kill(database.child.pid ?? 0, "SIGCONT");
  }
  await expectBack();
});

test("SIGTERM while the database hangs: the server ends all the same", async () => {
  const stopped = databaseProcesses();
  for (const pid of stopped) kill(pid, "SIGSTOP");
  try {
    const asked = requests.read();
    const { code, ms } = await plinth.stop();
    assert.equal(code, 0, plinth.said().slice(-2000));
    assert.ok(ms < 15_000, `it took ${Math.round(ms)} ms`);
    console.log(`ended after ${Math.round(ms)} ms`);
    // Answered, or never let in: it raced with the signal.
    const { status, hung } = await asked;
    assert.ok(!hung && [0, 503].includes(status), `${status}`);
  } finally {
    for (const pid of stopped) kill(pid, "SIGCONT");
  }
});
