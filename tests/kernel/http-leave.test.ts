// The lame-duck phase on the wire: all requests are answered, and the last answer of a connection announces its end.
import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { json } from "../../kernel/http/output/reply.ts";
import { openRoute, type Route } from "../../kernel/http/route.ts";
import { events } from "../../kernel/http/output/sse.ts";
import { commonRoutes, openRawConnection, startBareServer, until } from "./http-harness.ts";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
const countOf = (text: string, part: string | RegExp) => text.split(part).length - 1;
const closes = /^connection: close\r$/im;

/** An answer that waits until the test releases it, and a stream that ends at the same moment. */
function gated() {
  const gates: PromiseWithResolvers<void>[] = [];
  const opened = () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  };
  const slow = openRoute({
    operation: "slow.get",
    method: "GET",
    path: "/slow",
    summary: "Answers when told.",
    reply: Type.Object({}),
    handle: async () => {
      await opened();
      return json({ done: true });
    },
  });
  const stream = openRoute({
    operation: "stream.get",
    method: "GET",
    path: "/stream",
    summary: "Begins at once, ends when told.",
    reply: "events",
    handle: () =>
      events(async (writer) => {
        await writer.send({ event: "begun", data: 1 });
        await opened();
      }),
  });
  const routes: Route[] = [...commonRoutes, slow, stream];
  return { gates, routes };
}

test("[OPS5] while it leaves, a server accepts and answers, and each answer closes its connection", async () => {
  await using wire = await startBareServer(commonRoutes);
  const kept = await openRawConnection(wire.address.port);
  kept.send(get("/open"));
  assert.doesNotMatch(await kept.waitFor("world"), closes);
  wire.enterLameDuck();
  kept.send(get("/open"));
  await kept.closed;
  assert.equal(countOf(kept.heard(), "world"), 2);
  assert.match(kept.heard().slice(kept.heard().indexOf("world")), closes);
  const fresh = await fetch(`${wire.base}/open`);
  assert.deepEqual([fresh.status, fresh.headers.get("connection")], [200, "close"]);
  await fresh.text();
  assert.deepEqual(await wire.drain(1_000), { finished: 0, cut: 0 });
});

test("[OPS5] requests sent without waiting are all answered while it leaves, and the last answer closes", async () => {
  const { gates, routes } = gated();
  await using wire = await startBareServer(routes);
  const line = await openRawConnection(wire.address.port);
  line.send(get("/slow") + get("/open") + get("/slow"));
  await until(() => gates.length === 2, "both slow requests");
  wire.enterLameDuck();
  line.send(get("/open"));
  await until(() => wire.openRequests() === 4, "the last request");
  for (const gate of gates) gate.resolve();
  await line.closed;
  const heard = line.heard();
  assert.equal(countOf(heard, "HTTP/1.1 200 OK"), 4, heard);
  assert.equal(countOf(heard, /connection: close/i), 1);
  assert.match(heard.slice(heard.lastIndexOf("HTTP/1.1")), closes);
  await wire.drain(1_000);
});

test("[OPS5] behind the answer that closes a connection nothing is done any more", async () => {
  const { gates, routes } = gated();
  await using wire = await startBareServer(routes);
  const line = await openRawConnection(wire.address.port);
  wire.enterLameDuck();
  line.send(get("/stream"));
  assert.match(await line.waitFor("event: begun"), closes);
  line.send(get("/open"));
  const other = await fetch(`${wire.base}/open`);
  await other.text();
  assert.equal(wire.openRequests(), 1);
  gates[0]?.resolve();
  await line.closed;
  assert.deepEqual(
    wire.answered.map(({ path }) => path).toSorted(),
    ["/open", "/stream"],
    "a request was handled that is never answered",
  );
  await wire.drain(1_000);
});

test("[OPS5] the client of a stream that began before may send one more request while it drains", async () => {
  const { gates, routes } = gated();
  await using wire = await startBareServer(routes);
  const line = await openRawConnection(wire.address.port);
  line.send(get("/stream"));
  await line.waitFor("event: begun");
  wire.enterLameDuck();
  const drained = wire.drain(10_000);
  await until(() => !wire.server.listening, "no new connection to be taken");
  gates[0]?.resolve();
  await line.waitFor("\r\n0\r\n\r\n");
  line.send(get("/open"));
  await line.closed;
  assert.match(line.heard(), /connection: close[^]*world/i);
  await drained;
});
