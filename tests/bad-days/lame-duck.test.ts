// SIGTERM under load: two servers behind a balancer end alternately, and no request fails.
import assert from "node:assert/strict";
import { Agent, request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { urlOf } from "../commands/plinth.ts";
import { kill, scratch, until } from "../kernel/sql-harness.ts";
import { testDatabase } from "../postgres.ts";
import { ask, type Plinth, startPlinth } from "./plinth.ts";

const lameDuck = (seconds: number) => ({
  env: { PLINTH_LAME_DUCK_SECONDS: String(seconds) },
});

interface Load {
  answered(): number;
  failed: string[];
  /** Lets each client end its last request. */
  end(): Promise<void>;
}

/** One request over the agent; the error that came in place of an answer. */
function once(agent: Agent, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    const asked = request({ agent, host: "127.0.0.1", port, path: "/healthz" });
    asked.on("error", fail).on("response", (response: IncomingMessage) => {
      response.on("error", fail).on("end", () => {
        resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`);
      });
      response.resume();
    });
    asked.end();
  });
}

const clients = 30;
/** Each connection is used many times while its server leaves, and the cores are left to the servers that start. */
const paceMs = 40;

/**
 * Clients over all ports in turn, as a balancer does: only a refused connection goes to the next. The connection
 * that waited longest is used next, so that each is used, and hears of it, while its server leaves.
 */
function loadOn(ports: readonly number[], keepAlive: boolean): Load {
  const agent = new Agent({ keepAlive, scheduling: "fifo" });
  const failed: string[] = [];
  let answered = 0;
  const over = new AbortController();
  const client = async (first: number) => {
    for (let turn = first; !over.signal.aborted; turn++) {
      let error: string | undefined = "ECONNREFUSED";
      for (let hop = 0; hop < ports.length && error === "ECONNREFUSED"; hop++)
        error = await once(agent, ports[(turn + hop) % ports.length] ?? 0);
      if (error === undefined) answered++;
      else failed.push(error);
      await systemClock.sleep(paceMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return {
    answered: () => answered,
    failed,
    end: async () => {
      over.abort();
      await all;
      agent.destroy();
    },
  };
}

const portOf = ({ url }: Plinth) => Number(new URL(url).port);

test("[OPS5] four restarts under load, with keep-alive and without, workers 1 and 2: no request fails", async () => {
  await using stack = new AsyncDisposableStack();
  const databases = [stack.use(await testDatabase()), stack.use(await testDatabase())];
  const home = stack.use(scratch());
  const places = databases.map((database, index) => ({
    directory: join(home.path, String(index)),
    // A database at hand: nothing here asks for one of its own, and to make that takes longer than a restart.
    env: { ...lameDuck(2).env, DATABASE_URL: urlOf(database) },
    args: ["--workers", String(index + 1)],
  }));
  const nodes = await Promise.all(places.map((place) => startPlinth(place.directory, place)));
  const ports = nodes.map(portOf);
  const loads = [true, false].map((keepAlive) => loadOn(ports, keepAlive));
  for (const index of [0, 1, 0, 1]) {
    await Promise.all(
      loads.map((load) => {
        const before = load.answered();
        return until("the load runs", () => load.answered() > before + 100);
      }),
    );
    const [node = assert.fail(), place = assert.fail()] = [nodes[index], places[index]];
    assert.equal((await node.stop()).code, 0, node.said());
    const args = [...place.args, "--port", String(ports[index])];
    nodes[index] = await startPlinth(place.directory, { ...place, args });
  }
  for (const load of loads) await load.end();
  for (const load of loads) assert.deepEqual(load.failed, [], `of ${load.answered()} requests`);
  await Promise.all(nodes.map((node) => node.stop()));
});

test("[OPS5] while it leaves, /readyz says 503 and every answer closes; a second signal ends that", async () => {
  using home = scratch();
  const plinth = await startPlinth(join(home.path, "data"), lameDuck(60));
  assert.equal((await ask(plinth.url, "GET", "/readyz")).status, 200);
  const startedAt = performance.now();
  const ended = plinth.stop();
  const ready = async () => (await ask(plinth.url, "GET", "/readyz")).status;
  await until("it is not ready any more", async () => (await ready()) === 503);
  for (const path of ["/healthz", "/metrics", "/v1/models", "/nowhere"]) {
    const { status, headers } = await ask(plinth.url, "GET", path);
    assert.notEqual(status, 0, `${path} is not answered`);
    assert.equal(headers.get("connection"), "close", path);
  }
  kill(plinth.pid, "SIGTERM");
  assert.equal((await ended).code, 0, plinth.said());
  assert.ok(performance.now() - startedAt < 30_000, "the second signal was not heard");
});

test("[OPS5] Ctrl-C ends at once", async () => {
  await using database = await testDatabase();
  using home = scratch();
  const env = { ...lameDuck(60).env, DATABASE_URL: urlOf(database) };
  const plinth = await startPlinth(join(home.path, "data"), { env });
  const startedAt = performance.now();
  kill(plinth.pid, "SIGINT");
  assert.equal((await plinth.ended).code, 0, plinth.said());
  assert.ok(performance.now() - startedAt < 30_000, "it waited");
});
