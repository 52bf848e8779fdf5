// The bus between processes of one machine: who hears what, in which order, and what a peer that stands still costs.
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { frame } from "../../kernel/bus/frames.ts";
import { busLimits } from "../../kernel/bus/limits.ts";
import { isHeard, listenTo, makeMember, openBusHarness } from "./bus-harness.ts";
import { until } from "./jobs-harness.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n));

test("[BUS1] a message reaches all listeners of its channel, here and in other processes, and nobody else", async () => {
  await using h = openBusHarness();
  const a = await h.join();
  const other = await h.start();
  const b = await h.join();
  other.order({ act: "listen", channel: "news" });
  const own = [listenTo(a.hub, "news"), listenTo(a.hub, "news"), listenTo(a.hub, "other")];
  const theirs = listenTo(b.hub, "news");
  await isHeard(
    "all are reached",
    a.hub,
    "news",
    () => theirs.isReached() && other.heard.length > 0,
  );
  const before = other.heard.length;
  a.hub.publish("news", "ä \ud83d\ude00 \0 \n");
  await until("it has come", () => theirs.heard.length === 1 && other.heard.length > before);
  await until("so has it here", () => own[0]?.heard.length === 1);
  assert.deepEqual(
    own.map(({ heard }) => heard),
    [["ä \ud83d\ude00 \0 \n"], ["ä \ud83d\ude00 \0 \n"], []],
  );
  assert.equal(other.heard.at(-1)?.data, "ä \ud83d\ude00 \0 \n");
  other.order({ act: "publish", channel: "news", data: ["back"] });
  await until("an answer comes to all", () =>
    [...own.slice(0, 2), theirs].every(({ heard }) => heard.at(-1) === "back"),
  );
  own[0]?.leave();
  a.hub.publish("news", "last");
  assert.deepEqual([own[0]?.heard.at(-1), own[1]?.heard.at(-1)], ["back", "last"]);
});

test("[BUS2] messages of a publisher on a channel come in order, each once", async () => {
  await using h = openBusHarness();
  const [a, b] = [await h.join(), await h.join()];
  const heard = ["one", "two"].map((channel) => listenTo(b.hub, channel));
  for (const [index, channel] of ["one", "two"].entries())
    await isHeard("it is reached", a.hub, channel, () => heard[index]?.isReached() === true);
  const large = "x".repeat(10_000);
  for (const n of numbers(200)) {
    a.hub.publish("one", `${n} ${large}`);
    a.hub.publish("two", n);
    if (Number(n) % 20 === 0) await until("it has left", () => a.hub.waiting() === 0);
  }
  await until("all have come", () => heard.every((each) => each.heard.length === 200));
  assert.deepEqual(
    heard[0]?.heard.map((data) => data.split(" ")[0]),
    numbers(200),
  );
  assert.deepEqual(heard[1]?.heard, numbers(200));
  assert.equal(a.lost.size, 0);
});

/** A connection whose other side reads nothing, until it does. */
function stuckConnection() {
  const written: Buffer[] = [];
  let take: (() => void) | undefined;
  let isOpen = false;
  const connection = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk);
      if (isOpen) done();
      else take = done;
    },
  });
  const open = () => {
    isOpen = true;
    take?.();
  };
  return { connection, written, open };
}

test("[BUS3] what a stuck peer does not take waits within bounds, the oldest gives way and is counted", async () => {
  const { hub, lost } = makeMember();
  const { connection, written, open } = stuckConnection();
  hub.sendTo(connection, "here");
  connection.push(Buffer.concat([frame("listen", "busy"), frame("listen", "calm")]));
  await until("it listens", () => (hub.publish("calm", ""), written.length > 0));
  const filler = "x".repeat(busLimits.messageBytesMax);
  hub.publish("calm", filler); // more than the connection holds
  const max = busLimits.waitingPerChannelMax;
  hub.publish("calm", "kept");
  for (const n of numbers(max + 10)) hub.publish("busy", n);
  assert.equal(hub.waiting(), max + 1);
  assert.equal(lost.get("queue_full"), 10);
  open();
  await until("all has left", () => hub.waiting() === 0);
  const text = Buffer.concat(written).toString();
  assert.match(text, /calmkept/, "a busy channel takes nothing of a calm one");
  assert.ok(text.includes(`busy${max + 9}`) && text.includes("busy10") && !/busy9\D/.test(text));

  const { connection: second } = stuckConnection();
  hub.sendTo(second, "here");
  second.push(frame("listen", "large"));
  await until("it is full", () => {
    hub.publish("large", filler);
    return hub.waiting() > 1;
  });
  for (let n = 0; n < 200; n++) hub.publish("large", filler);
  assert.ok(hub.waiting() <= busLimits.waitingBytesPerPeerMax / busLimits.messageBytesMax);
  const left = hub.waiting();
  second.destroy();
  await until("it is gone", () => lost.get("peer_gone") === left);
  assert.equal(hub.waiting(), 0);
});

test("[BUS3] a process that stands still costs its publisher no memory, and hears the newest when it goes on", async () => {
  await using h = openBusHarness();
  const a = await h.join();
  const other = await h.start();
  other.order({ act: "listen", channel: "news" });
  await isHeard("it listens", a.hub, "news", () => other.heard.length > 0);
  process.kill(other.pid, "SIGSTOP");
  const text = "x".repeat(1_000);
  for (const n of numbers(3_000)) a.hub.publish("news", `${n} ${text}`);
  assert.equal(a.hub.waiting(), busLimits.waitingPerChannelMax);
  assert.ok((a.lost.get("queue_full") ?? 0) > 1_000);
  process.kill(other.pid, "SIGCONT");
  await until("the newest has come", () => other.heard.at(-1)?.data.startsWith("2999 ") === true);
  const came = other.heard.filter(({ data }) => data !== "?").map(({ data }) => parseInt(data));
  assert.deepEqual(
    came,
    came.toSorted((x, y) => x - y),
  );
  assert.equal(came.length + (a.lost.get("queue_full") ?? 0), 3_000);
});

test("[BUS3] a message at the limit is sent, one byte more is not, and neither is a long channel", async () => {
  await using h = openBusHarness();
  const [a, b] = [await h.join(), await h.join()];
  const { heard, isReached } = listenTo(b.hub, "news");
  await isHeard("it is reached", a.hub, "news", isReached);
  const most = `${"ä".repeat(busLimits.messageBytesMax / 2 - 1)}xy`;
  a.hub.publish("news", `${most}z`);
  a.hub.publish("news", most);
  a.hub.publish("c".repeat(busLimits.channelBytesMax + 1), "");
  await until("it has come", () => heard.length === 1);
  assert.ok(heard[0] === most);
  assert.equal(a.lost.get("too_large"), 2);
  b.hub.subscribe("c".repeat(busLimits.channelBytesMax + 1), () => {})();
});

test("[BUS4] a listener that fails holds up no other; what one publishes comes afterwards, and not without end", () => {
  const errors: object[] = [];
  const { hub, lost } = makeMember({ ...silentLogger, error: (facts) => void errors.push(facts) });
  const heard: string[] = [];
  hub.subscribe("a", (data) => {
    if (data === "1") for (const next of numbers(3)) hub.publish("a", `next ${next}`);
    throw new Error("no");
  });
  hub.subscribe("a", (data) => void heard.push(data));
  hub.publish("a", "1");
  assert.deepEqual(heard, ["1", "next 0", "next 1", "next 2"]);
  assert.equal(errors.length, 4);
  const leave = hub.subscribe("b", (data) => {
    if (data === "1") for (const next of numbers(3_000)) hub.publish("b", `next ${next}`);
  });
  hub.publish("b", "1");
  assert.equal(lost.get("queue_full"), 3_000 - busLimits.waitingLocallyMax);
  leave();
});

test("[BUS5] a peer is sent only what it listens to, and nothing once it has left", async () => {
  const { hub } = makeMember();
  const { connection, written, open } = stuckConnection();
  open();
  hub.sendTo(connection, "here");
  connection.push(frame("listen", "wanted"));
  await until("it listens", () => (hub.publish("wanted", "?"), written.length > 0));
  hub.publish("other", "!");
  connection.push(frame("leave", "wanted"));
  await until("it has left", async () => {
    const before = written.length;
    hub.publish("wanted", "?");
    await nextLoopIteration();
    return written.length === before;
  });
  assert.ok(!Buffer.concat(written).toString().includes("other"));

  const source = stuckConnection();
  source.open();
  const first = hub.subscribe("ours", () => {});
  hub.hearFrom(source.connection, "here", "us");
  const second = hub.subscribe("ours", () => {});
  second();
  hub.subscribe("more", () => {})();
  first();
  first();
  const frames = [
    frame("hello", "us"),
    frame("listen", "ours"),
    frame("listen", "more"),
    frame("leave", "more"),
    frame("leave", "ours"),
  ];
  await until("all is told", () => source.written.length >= frames.length);
  assert.deepEqual(Buffer.concat(source.written), Buffer.concat(frames));
});

test("[BUS6] a connection that says what is no frame is ended", async () => {
  const { hub } = makeMember();
  for (const bytes of [Buffer.from("GET / HTTP/1.1\r\n\r\n"), Buffer.from([0, 0, 0, 2, 9, 0])]) {
    const { connection } = stuckConnection();
    hub.sendTo(connection, "here");
    connection.push(bytes);
    await until("it is ended", () => connection.destroyed);
  }
});

test("[BUS6] what a killed process left is taken away, and one that comes is heard at once", async () => {
  await using h = openBusHarness();
  const killed = await h.start();
  process.kill(killed.pid, "SIGKILL");
  await killed.ended;
  const sockets = () => readdirSync(`${h.directory}/bus`);
  const [left = ""] = sockets();
  assert.equal(sockets().length, 1);
  const a = await h.join(makeManualClock(new Date(0)));
  await until("it is gone", () => !sockets().includes(left));
  const { mode } = statSync(`${h.directory}/bus/${sockets()[0] ?? ""}`);
  assert.equal(mode & 0o777, 0o600);
  assert.equal(statSync(`${h.directory}/bus`).mode & 0o777, 0o700);
  const other = await h.start();
  other.order({ act: "listen", channel: "news" });
  await isHeard("it hears", a.hub, "news", () => other.heard.length > 0);
  await a.leave();
  assert.equal(sockets().length, 1);
});
