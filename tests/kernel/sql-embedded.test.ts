// The life of the built-in database: started, shared, adopted, restarted, and never left behind.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import { type ConnectionSettings } from "../../kernel/sql/connection.ts";
import { openPool } from "../../kernel/sql/database.ts";
import { openEmbedded } from "../../kernel/sql/embedded/embedded.ts";
import { openDatabase } from "../../kernel/sql/open-database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { kill, processesOf, scratch, startOwnerProcess, until } from "./sql-harness.ts";

const logger = silentLogger;
const watcherName = "plinth-postgres-watcher";

async function ask(connection: ConnectionSettings, name: string): Promise<string | undefined> {
  const db = openPool({ connection, connectionsMax: 1, logger });
  try {
    const [row] = await db.query<{ value: string }>(sql`select current_setting(${name}) as value`);
    return row?.value;
  } finally {
    await db.close();
  }
}

test("[SQL13] starts durable, private and small, and leaves no process after the release", async () => {
  using home = scratch();
  const embedded = await openEmbedded({ directory: home.path, logger });
  const { connection } = embedded;
  assert.equal(await ask(connection, "fsync"), "on");
  assert.equal(await ask(connection, "synchronous_commit"), "on");
  assert.equal(await ask(connection, "full_page_writes"), "on");
  assert.equal(await ask(connection, "listen_addresses"), "");
  assert.equal(await ask(connection, "server_encoding"), "UTF8");
  assert.equal(await ask(connection, "lc_collate").catch(() => "C"), "C");
  assert.equal(await ask(connection, "jit"), "off");
  assert.equal(embedded.connectionsMax, 100);
  assert.equal(statSync(join(home.path, "postgres")).mode & 0o777, 0o700);
  assert.equal(statSync(connection.socketDirectory ?? "").mode & 0o777, 0o700);
  assert.equal(processesOf(home.path, watcherName).length, 1);
  await embedded.release();
  assert.deepEqual(processesOf(home.path), []);
  assert.equal(existsSync(join(home.path, "postgres/postmaster.pid")), false);
  await embedded.release();

  const again = performance.now();
  const second = await openEmbedded({ directory: home.path, logger });
  assert.ok(performance.now() - again < 3_000, "a second start is quick");
  await second.release();
});

test("[SQL13] owners share one postmaster, and the last to leave stops it", async () => {
  using home = scratch();
  const first = await startOwnerProcess(home.path);
  const second = await openEmbedded({ directory: home.path, logger });
  assert.equal(second.pid(), first.postmaster);
  await second.release();
  assert.equal(await ask(first.connection, "fsync"), "on");
  await first.release();
  assert.deepEqual(processesOf(home.path), []);
});

test("[SQL13] starters at the same time end up with one postmaster", async () => {
  using home = scratch();
  const owners = await Promise.all(Array.from({ length: 4 }, () => startOwnerProcess(home.path)));
  assert.equal(new Set(owners.map((owner) => owner.postmaster)).size, 1);
  assert.equal(processesOf(home.path, watcherName).length, 1);
  await Promise.all(owners.map((owner) => owner.release()));
  assert.deepEqual(processesOf(home.path), []);
});

test("[SQL14] a killed server leaves Postgres for the next one to adopt", async () => {
  using home = scratch();
  const first = await startOwnerProcess(home.path);
  const db = openPool({ connection: first.connection, connectionsMax: 1, logger });
  await db.query(sql`create table kept (value int)`);
  await db.query(sql`insert into kept values (7)`);
  await db.close();
  await first.killed();
  const second = await openDatabase({ directory: home.path, logger });
  assert.equal(processesOf(home.path, "listen_addresses")[0], first.postmaster);
  assert.deepEqual(await second.db.query(sql`select value from kept`), [{ value: 7 }]);
  await second.close();
  assert.deepEqual(processesOf(home.path), []);
});

test("[SQL14] a killed server's Postgres stops by itself after the grace, and not before", async () => {
  using home = scratch();
  const owner = await startOwnerProcess(home.path, { graceMs: 1_500 });
  const killedAt = performance.now();
  await owner.killed();
  await until("everything has stopped", () => processesOf(home.path).length === 0);
  assert.ok(performance.now() - killedAt >= 1_400, "the grace was kept");
  assert.equal(existsSync(join(home.path, "postgres/postmaster.pid")), false, "a clean stop");
  assert.match(
    readFileSync(join(home.path, "postgres.log"), "utf8"),
    /database system is shut down/,
  );
});

test("[SQL14] an owner that comes within the grace keeps Postgres up beyond it", async () => {
  using home = scratch();
  const first = await startOwnerProcess(home.path, { graceMs: 1_000 });
  await first.killed();
  const second = await openEmbedded({ directory: home.path, logger, graceMs: 1_000 });
  const past = performance.now() + 1_500;
  await until("the first grace is over", () => performance.now() > past);
  assert.equal(second.pid(), first.postmaster);
  assert.equal(await ask(second.connection, "fsync"), "on");
  await second.release();
  assert.deepEqual(processesOf(home.path), []);
});

test("[SQL14] a pid file that names a stranger's process is not believed, and the stranger lives", async () => {
  using home = scratch();
  const first = await startOwnerProcess(home.path);
  const data = join(home.path, "postgres");
  const { uid, gid } = statSync(data);
  const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  // Again and again: the owner may have started another one before this test got to it.
  await until("all were killed", () => {
    for (const pid of processesOf(home.path)) kill(pid);
    return processesOf(home.path).length === 0;
  });
  const stranger = spawn("sleep", ["60"], { uid, gid });
  const faked = [String(stranger.pid), ...lines.slice(1)].join("\n");
  writeFileSync(join(data, "postmaster.pid"), faked);
  const second = await openEmbedded({ directory: home.path, logger });
  assert.notEqual(second.pid(), stranger.pid);
  assert.notEqual(second.pid(), first.postmaster);
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
  stranger.kill();
  await second.release();
});

test("[SQL14] Postgres killed under a running server comes back, and the pool with it", async () => {
  using home = scratch();
  const lost: { reason: string; restarting: boolean }[] = [];
  const opened = await openDatabase({
    directory: home.path,
    logger,
    embedded: { onLost: (event) => lost.push(event) },
  });
  await opened.db.query(sql`create table kept (value int)`);
  for (let round = 1; round <= 3; round++) {
    kill(processesOf(home.path, "listen_addresses")[0] ?? 0);
    const failures: unknown[] = [];
    await until("the pool answers again", async () => {
      const started = performance.now();
      const passed = await opened.db.ping().then(
        () => true,
        (error: unknown) => void failures.push(error),
      );
      assert.ok(performance.now() - started < 6_000, "nothing hangs");
      return passed && lost.length === round;
    });
    for (const failure of failures)
      assert.equal((failure as { status?: number }).status, 503, String(failure));
  }
  assert.ok(lost.every((event) => event.restarting));
  await opened.close();
  assert.deepEqual(processesOf(home.path), []);
});

test("[SQL14] a killed watcher is replaced, so that the server's death still stops Postgres", async () => {
  using home = scratch();
  const owner = await startOwnerProcess(home.path, { graceMs: 300 });
  const [watcher = 0] = processesOf(home.path, watcherName);
  kill(watcher);
  await until("there is a new watcher", () => {
    const [now] = processesOf(home.path, watcherName);
    return now !== undefined && now !== watcher;
  });
  assert.equal(await ask(owner.connection, "fsync"), "on");
  await owner.killed();
  await until("everything has stopped", () => processesOf(home.path).length === 0);
});

test("[SQL14] Postgres killed together with its server leaves no watcher", async () => {
  using home = scratch();
  const owner = await startOwnerProcess(home.path, { graceMs: 300 });
  await owner.killed();
  kill(owner.postmaster);
  await until("everything has stopped", () => processesOf(home.path).length === 0);
  const next = await startOwnerProcess(home.path);
  await next.release();
});

test("a cluster that was only half made is made again", async () => {
  using home = scratch();
  mkdirSync(join(home.path, "postgres.new/base"), { recursive: true });
  const owner = await startOwnerProcess(home.path);
  await owner.release();
});

test("a data directory with a long path gets its socket elsewhere", async () => {
  using home = scratch();
  const deep = join(home.path, "d".repeat(60), "e".repeat(60));
  const owner = await startOwnerProcess(deep);
  const socket = owner.connection.socketDirectory ?? "";
  assert.ok(Buffer.byteLength(join(socket, ".s.PGSQL.5432")) <= 107);
  assert.equal(socket.startsWith(home.path), false);
  assert.equal(statSync(socket).mode & 0o777, 0o700);
  await owner.release();
  assert.equal(existsSync(socket), false, "nothing is left in the temporary directory");
});
