// Which connections of the client for plain HTTP serve again: none that may hold more of an old reply.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { ask, clientOf, ok, serverOf, settle } from "./http1-asks.ts";
import { waitUntil } from "./fake.ts";

test("[UPC3] a connection that may hold more of an old reply serves no new request", async (t) => {
  const fake = await serverOf(t);
  const client = clientOf(t, fake.url);
  for (const [what, reply, body] of [
    ["surplus", `${ok("ok")}x`, "ok"],
    ["a second reply", ok("one") + ok("two"), "one"],
    ["closing", ok("ok", "connection: close\r\n"), "ok"],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok", "ok"],
    ["no body that has a length", "HTTP/1.1 204 No\r\ncontent-length: 2\r\n\r\n", ""],
    ["a fault", "HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", "INVALID_REPLY"],
  ] as const) {
    fake.answer = ({ socket }) => void socket.write(reply);
    assert.equal(await ask(client).over, body, what);
    await waitUntil(`${what}: its connection is closed`, () => fake.open() === 0);
  }
  // What comes later, while no request waits.
  const sockets: Socket[] = [];
  fake.answer = ({ socket }) => {
    sockets.push(socket);
    socket.write(ok("good"));
  };
  assert.equal(await ask(client).over, "good");
  sockets[0]?.write(ok("bad"));
  await waitUntil("the connection is closed", () => fake.open() === 0);
  assert.equal(await ask(client).over, "good");
});

test("[UPC3] what came for a kept connection is seen before the next request goes out on it", async (t) => {
  // A server in a thread of its own can speak while this one is held up: to the trigger first, then unasked.
  const code = `
    const { createServer } = require("node:net");
    const { parentPort, workerData: done } = require("node:worker_threads");
    const reply = (body) => "HTTP/1.1 200 OK\\r\\ncontent-length: 4\\r\\n\\r\\n" + body;
    let trigger, kept;
    createServer((socket) => {
      socket.on("error", () => {}).on("data", (bytes) => {
        if (String(bytes) === "trigger") trigger = socket;
        else if (socket === trigger) speak();
        else if (kept === undefined) (kept = socket).write(reply("good"));
        else if (kept === socket) socket.destroy();
        else socket.write(reply("good"));
        parentPort.postMessage("asked");
      });
    }).listen(0, "127.0.0.1", function () { parentPort.postMessage(this.address().port); });
    function speak() {
      trigger.write("go");
      kept.write(reply("evil"));
      setTimeout(() => { Atomics.store(done, 0, 1); Atomics.notify(done, 0); }, 50);
    }`;
  const done = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(code, { eval: true, workerData: done });
  t.after(async () => void (await worker.terminate()));
  const [port] = (await once(worker, "message")) as [number];
  const client = clientOf(t, `http://127.0.0.1:${port}`);
  const trigger = connect(port, "127.0.0.1");
  t.after(() => void trigger.destroy());
  trigger.write("trigger");
  await once(worker, "message");
  assert.equal(await ask(client).over, "good");
  await settle();
  const next = new Promise<string>((resolve) =>
    trigger.once("data", () => void ask(client).over.then(resolve)),
  );
  trigger.write("speak");
  Atomics.wait(done, 0, 0);
  assert.equal(await next, "good");
});

test("[UPC3] an answer before the request is wholly sent is read, and the connection not used again", async (t) => {
  for (const lines of ["", "connection: close\r\n"]) {
    let asked: Socket | undefined;
    const server = createServer((socket) => {
      asked = socket.on("error", () => {});
      // Nothing more is read: the rest of the request stays on its way.
      socket.once("data", () => {
        socket.pause();
        const reply = ok("too large", lines).replace("200 OK", "413 Large");
        if (lines === "") socket.write(reply);
        else socket.end(reply, () => socket.destroy());
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = clientOf(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const heard = ask(client, { body: Buffer.alloc(32 * 1024 * 1024) });
    assert.equal(await heard.over, "too large");
    assert.equal(heard.status, 413);
    asked?.resume();
    await waitUntil("the connection is closed", () => asked?.destroyed === true);
    server.close();
  }
});
