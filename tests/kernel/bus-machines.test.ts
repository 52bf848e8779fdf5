// The bus between machines: who is let in, what crosses, and how often.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Bus } from "../../kernel/bus/bus.ts";
import { acceptPeer } from "../../kernel/bus/handshake.ts";
import { busLimits } from "../../kernel/bus/limits.ts";
import { joinOthers, serveOther } from "../../kernel/bus/others.ts";
import { listen } from "../../kernel/http/wire/listen.ts";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { testDatabase } from "../postgres.ts";
import { isHeard, listenTo, makeMember, openBusHarness } from "./bus-harness.ts";
import { until } from "./jobs-harness.ts";

const ids = makeIds(systemClock, systemRandom);
const masterKey = Buffer.alloc(32, 7).toString("base64");
const ring = (key: string) => openSecrets({ directory: "/nowhere", masterKey: key });

async function openScene() {
  await using opening = new AsyncDisposableStack();
  const { db } = opening.use(await testDatabase());
  const base = { db, ids, logger: silentLogger, random: systemRandom };
  const world = { ...base, secrets: await ring(masterKey), clock: systemClock };

  /** A machine of several processes, of which the first has the listener. */
  async function openMachine(processes: number, clock = systemClock) {
    const h = opened.use(openBusHarness());
    const members = await Promise.all(Array.from({ length: processes }, () => h.join()));
    const hub = members[0]?.hub ?? makeMember().hub;
    const here = { ...world, clock };
    let address = "";
    const accepted: object[] = [];
    const server = await listen({
      host: "127.0.0.1",
      port: 0,
      ids,
      dispatch: (_request, response) => {
        response.writeHead(404, {});
        response.end();
      },
      upgrade: (request) =>
        acceptPeer(world, request, {
          address,
          serve: (connection) => {
            accepted.push(connection);
            serveOther(here, hub, connection);
          },
        }),
    });
    address = `http://127.0.0.1:${server.address.port}`;
    opened.defer(async () => void (await server.drain(0)));
    const stops = members.map((member) => joinOthers(here, member.hub, address));
    for (const stop of stops) opened.defer(stop);
    return { address, hubs: members.map((member) => member.hub), accepted, server };
  }
  const opened = opening.move();
  return { world, openMachine, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

test("[BUS8] a message crosses to each process that listens elsewhere, once, and comes back to none", async () => {
  await using scene = await openScene();
  const a = await scene.openMachine(2);
  const b = await scene.openMachine(2);
  const hubs: Bus[] = [...a.hubs, ...b.hubs];
  const all = hubs.map((hub) => listenTo(hub, "news"));
  for (const hub of hubs) {
    const reached = hubs.map((other) => listenTo(other, "hello"));
    await isHeard("all are reached", hub, "hello", () => reached.every((each) => each.isReached()));
    for (const { leave } of reached) leave();
  }
  for (const [index, hub] of hubs.entries()) hub.publish("news", `${index}`);
  for (const [index, hub] of hubs.entries()) hub.publish("news", `${index} end`);
  await until("all have all", () => all.every(({ heard }) => heard.length >= 8));
  for (const { heard } of all) {
    assert.deepEqual(heard.toSorted(), hubs.flatMap((_, n) => [`${n}`, `${n} end`]).toSorted());
    for (const n of hubs.keys()) assert.ok(heard.indexOf(`${n}`) < heard.indexOf(`${n} end`));
  }
  // Published by one process of a machine, and sent by another, which does not listen itself.
  const [only, publisher] = [listenTo(hubs[3] ?? assert.fail(), "only"), hubs[1]];
  await isHeard("it comes through", publisher ?? assert.fail(), "only", only.isReached);
});

test("[BUS7] addresses are leased rows, which go with their processes", async () => {
  await using scene = await openScene();
  const rows = () =>
    scene.world.db.query<{ address: string }>(sql`select address from bus_nodes order by id`);
  const stop = joinOthers(scene.world, makeMember().hub, "http://127.0.0.1:1");
  await scene.world.db.query(sql`insert into bus_nodes (id, address, lease_until)
    values ('dead', 'x', now() - interval '2 minutes'), ('dying', 'http://127.0.0.1:2', now())`);
  const other = joinOthers(scene.world, makeMember().hub, "http://127.0.0.1:1");
  const shown = ["http://127.0.0.1:2", "http://127.0.0.1:1", "http://127.0.0.1:1"];
  await until("both say where they are", async () => {
    const addresses = (await rows()).map(({ address }) => address);
    return JSON.stringify(addresses) === JSON.stringify(shown);
  });
  await Promise.all([stop(), other()]);
  assert.deepEqual(
    (await rows()).map(({ address }) => address),
    ["http://127.0.0.1:2"],
  );
});

/** Sends a text, then what `say` makes of the answer's head; gives all that came until the connection ended. */
async function converse(address: string, text: string, say: (head: string) => string) {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let came = "";
  let hasSaid = false;
  socket.on("data", (bytes) => {
    came += bytes.toString();
    if (hasSaid || !came.includes("\r\n\r\n")) return;
    hasSaid = true;
    socket.write(say(came));
  });
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  return came;
}

test("[BUS7] only who signs for this address and this connection is served; to others the path is unknown", async () => {
  await using scene = await openScene();
  const a = await scene.openMachine(1);
  const { secrets } = scene.world;
  const strange = await ring(Buffer.alloc(32, 8).toString("base64"));
  const now = () => systemClock.now().getTime();
  const good = { to: a.address, at: now(), nonce: "n" };
  const ask = (header: string, path = "/internal/bus") =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: plinth-bus\r\nplinth-bus: ${header}\r\n\r\n`;
  const refused = {
    "no proof": ask("x"),
    "another key": ask(strange.sign(good, "bus asking")),
    "another purpose": ask(secrets.sign(good, "bus proving")),
    "another address": ask(secrets.sign({ ...good, to: "http://other" }, "bus asking")),
    "an old question": ask(
      secrets.sign({ ...good, at: now() - busLimits.askingAgeMsMax - 1_000 }, "bus asking"),
    ),
    "a question without a time": ask(secrets.sign({ to: a.address }, "bus asking")),
    "another path": ask(secrets.sign(good, "bus asking"), "/internal/bus2"),
    "no upgrade": "GET /internal/bus HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
  };
  for (const [what, text] of Object.entries(refused))
    assert.match(await converse(a.address, text, () => ""), /^HTTP\/1\.1 404 /, what);

  const question = ask(secrets.sign(good, "bus asking"));
  let recorded = "";
  const proofFor = (head: string) => {
    const answer = /plinth-bus: (\S+)/.exec(head)?.[1] ?? "";
    const { challenge } = secrets.verify(answer, "bus answering") as { challenge: string };
    return (recorded = `${secrets.sign({ challenge }, "bus proving")}\n`);
  };
  const peer = converse(a.address, question, proofFor);
  await until("it is served", () => a.accepted.length === 1);
  const wrong = {
    "a proof that was overheard": () => recorded,
    "a proof with another key": () => `${strange.sign({ challenge: "c" }, "bus proving")}\n`,
    "the answer itself": (head: string) => `${/plinth-bus: (\S+)/.exec(head)?.[1]}\n`,
    "a line without end": () => "x".repeat(2_000),
  };
  for (const [what, say] of Object.entries(wrong))
    assert.match(await converse(a.address, question, say), /^HTTP\/1\.1 101 [^]*\r\n\r\n$/, what);
  assert.equal(a.accepted.length, 1);
  const drained = await a.server.drain(60_000);
  assert.deepEqual(drained, { finished: 0, cut: 0 }, "a drain does not wait for peers");
  assert.match(await peer, /^HTTP\/1\.1 101 /);
});

test("[BUS7] a machine that cannot prove that it belongs to the server is told nothing", async () => {
  await using scene = await openScene();
  const strange = await ring(Buffer.alloc(32, 8).toString("base64"));
  const heard: string[] = [];
  const ended = Promise.withResolvers<void>();
  await using server = createServer();
  server.on("upgrade", (_request, socket) => {
    const answer = strange.sign({ nonce: "n", challenge: "c" }, "bus answering");
    socket.on("error", () => {}).on("data", (bytes: Buffer) => void heard.push(bytes.toString()));
    socket.on("end", () => {
      socket.destroy();
      ended.resolve();
    });
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: plinth-bus\r\nplinth-bus: ${answer}\r\n\r\n`,
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await scene.world.db.query(sql`insert into bus_nodes (id, address, lease_until)
    values ('fake', ${`http://127.0.0.1:${port}`}, now() + interval '1 hour')`);
  const { hub } = makeMember();
  hub.subscribe("secret", () => {});
  const stop = joinOthers(scene.world, hub, "http://127.0.0.1:1");
  await ended.promise;
  assert.deepEqual(heard, []);
  await stop();
});

test("[BUS8] a connection that has fallen silent is given up and made anew", async () => {
  await using scene = await openScene();
  // By this clock it never says that it is alive.
  const a = await scene.openMachine(1, makeManualClock(systemClock.now()));
  const clock = { ...makeManualClock(systemClock.now()), now: systemClock.now };
  const { hub } = makeMember();
  const stop = joinOthers({ ...scene.world, clock }, hub, "http://127.0.0.1:1");
  const pass = async (ms: number) => {
    clock.advance(ms);
    await nextLoopIteration();
  };
  await until("it is connected", async () => {
    await pass(busLimits.lookMs);
    return a.accepted.length === 1;
  });
  await until("another one is made", async () => {
    await pass(busLimits.lookMs);
    return a.accepted.length >= 2;
  });
  await stop();
});
