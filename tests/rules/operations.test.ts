// Rules OPS1 to OPS3, over HTTP, with a database that can be taken away.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import { openPool } from "../../kernel/sql/database.ts";
import { serveInProcess, type RunningServer } from "../../server/serve.ts";
import { openHouse, type House } from "../house.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { openInterceptedSocket } from "../intercepted-socket.ts";
import { me, until } from "./support.ts";

let house: House;
let frail: Frail;
before(async () => {
  [house, frail] = await Promise.all([openHouse(), openFrail()]);
});
after(async () => {
  await using _frail = frail;
  await using _house = house;
});

const metricsToken = "a token of sixteen characters";

/** A server whose way to the database can be closed, and opened again. */
interface Frail extends AsyncDisposable {
  url: string;
  running: RunningServer;
  /** Nothing comes through: connections hang, those that are opened later too. */
  stall(): void;
  /** Connections break, and nobody listens. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

async function openFrail(): Promise<Frail> {
  await using opening = new AsyncDisposableStack();
  const database: TestDatabase = opening.use(await testDatabase());
  const directory = mkdtempSync(join(tmpdir(), "plinth-frail-"));
  opening.defer(() => rmSync(directory, { recursive: true, force: true }));
  const way = await openFrailWay(database, directory);
  opening.defer(() => way.cut());
  const { connection } = way;
  const db = openPool({ connection, connectionsMax: 4, logger: silentLogger });
  opening.defer(() => db.close());
  const server = await serveInProcess(
    {
      dataDirectory: directory,
      host: "127.0.0.1",
      port: 0,
      publicUrl: undefined,
      databaseUrl: undefined,
      masterKey: undefined,
      metricsToken,
      workers: 1,
      drainSeconds: 5,
      proxies: 0,
      logging: { format: "json", level: "info" },
      logger: silentLogger,
    },
    { kind: "external", serverVersion: "test", connection, db },
    { checkReplies: true },
  );
  opening.defer(async () => {
    await way.mend();
    await server.stop();
  });
  const closing = opening.move();
  return {
    ...way,
    running: server,
    url: server.url,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function openFrailWay({ connection }: TestDatabase, directory: string) {
  let isStalled = false;
  const way = await openInterceptedSocket(connection, directory, (near, far) => {
    if (isStalled) return;
    near.pipe(far);
    far.pipe(near);
  });
  return {
    connection: way.connection,
    stall: () => {
      isStalled = true;
      for (const socket of way.sockets) socket.unpipe();
    },
    cut: way.close,
    mend: async () => {
      isStalled = false;
      for (const socket of way.sockets) socket.destroy();
      await way.open();
    },
  };
}

const at = (path: string, headers: Record<string, string> = {}) =>
  fetch(frail.url + path, { headers, signal: AbortSignal.timeout(10_000) });
const messageOf = async (response: Response) =>
  ((await response.json()) as { error: { message: string } }).error.message;
const isReady = () =>
  until(async () => (await at("/readyz")).status === 200, "the server to be ready again");

test("[OPS1] /healthz answers while the process can, also without a database", async () => {
  assert.deepEqual((await house.ask("GET", "/healthz")).body, { status: "ok" });
  await frail.cut();
  const response = await at("/healthz");
  assert.deepEqual([response.status, await response.json()], [200, { status: "ok" }]);
  await frail.mend();
});

test("[OPS2] /readyz answers 200 when the database does", async () => {
  assert.deepEqual((await house.ask("GET", "/readyz")).body, { status: "ready" });
});

test("[OPS2] and 503 with a sentence when the database is away, until it is back", async () => {
  await isReady();
  await frail.cut();
  const refused = await at("/readyz");
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get("retry-after")) >= 1);
  assert.match(await messageOf(refused), /database .*not reachable/i);
  const other = await at(me, { "x-api-key": house.organizations.platform.admin_api_key });
  assert.equal(other.status, 503, "a request that needs the database");
  await frail.mend();
  await isReady();
});

test("[OPS2] and 503 when the database hangs, after a second", async () => {
  await isReady();
  frail.stall();
  const started = performance.now();
  const refused = await at("/readyz");
  const ms = performance.now() - started;
  assert.equal(refused.status, 503);
  assert.match(await messageOf(refused), /does not answer within a second/);
  assert.ok(ms >= 990, `after ${ms} ms`);
  await frail.mend();
  await isReady();
});

test("[OPS12] a scrape asks the database nothing", async () => {
  await isReady();
  frail.stall();
  const authorization = `Bearer ${metricsToken}`;
  const scraped = await fetch(`${frail.url}/metrics`, { headers: { authorization } });
  assert.equal(scraped.status, 200);
  assert.match(await scraped.text(), /^plinth_build_info\{/m);
  await frail.mend();
  await isReady();
});

test("[OPS2] and 503 while draining, to whoever still has a connection", async () => {
  const neighbour = await house.openSecondServer();
  const { hostname, port } = new URL(neighbour.url);
  const socket = connect(Number(port), hostname);
  let heard = "";
  socket.setEncoding("utf8").on("data", (text) => (heard += String(text)));
  await once(socket, "connect");
  // A request that has begun keeps its connection open through the drain.
  socket.write("GET /readyz HTTP/1.1\r\nhost: here\r\n");
  await until(async () => {
    const response = await fetch(`${neighbour.url}/healthz`);
    return response.ok;
  }, "the server to have read");
  const stopped = neighbour[Symbol.asyncDispose]();
  await until(
    async () =>
      fetch(neighbour.url)
        .then(() => false)
        .catch(() => true),
    "the end of listening",
  );
  socket.write("\r\n");
  await once(socket, "close");
  await stopped;
  assert.match(heard, /^HTTP\/1\.1 503 /);
  assert.match(heard, /shutting down/);
  const levels = () =>
    house.log
      .filter(({ operation }) => operation === "operations.ready")
      .map(({ level, status }) => `${String(level)} ${String(status)}`);
  await until(async () => levels().includes("warn 503"), "the line of the request");
  assert.deepEqual([...new Set(levels())].sort(), ["info 200", "warn 503"]);
});

test("[OPS3] /metrics is Prometheus text", async () => {
  const { status, headers, body } = await house.ask("GET", "/metrics");
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  assert.match(String(body), /^# HELP \w+ /m);
  for (const line of String(body)
    .split("\n")
    .filter((text) => text !== ""))
    assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? -?[\d.e+-]+|\w+.* (NaN|[+-]Inf))$/);
  const { organization_id, admin_api_key } = house.organizations.platform;
  assert.ok(!String(body).includes(organization_id), "metrics are open: they name no tenant");
  assert.ok(!String(body).includes(admin_api_key));
});

test("[OPS3] with metrics_token it wants that token as a bearer", async () => {
  for (const authorization of [
    "",
    "Bearer wrong",
    metricsToken,
    `Bearer ${metricsToken} `.trim() + "x",
  ]) {
    const refused = await at("/metrics", authorization === "" ? {} : { authorization });
    assert.equal(refused.status, 401, authorization);
    assert.match(await messageOf(refused), /metrics_token/);
  }
  const response = await at("/metrics", { authorization: `Bearer ${metricsToken}` });
  assert.equal(response.status, 200);
  assert.ok(!(await response.text()).includes(metricsToken));
});
