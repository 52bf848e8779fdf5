// What the client of the Docker Engine API makes of a daemon that is not there, refuses, or talks nonsense.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { openEngine } from "../../server/sandboxes/docker/engine/engine.ts";
import { openDocker } from "../../server/sandboxes/module.ts";
import { temporaryDirectory } from "./machine.ts";

const version = JSON.stringify({ ApiVersion: "1.41", MinAPIVersion: "1.12" });

interface StandIn extends AsyncDisposable {
  socket: string;
  asked: string[];
  server: Server;
}

/** It answers with what the test gives, and knows of itself its version alone. */
async function standIn(answer: RequestListener, said = version): Promise<StandIn> {
  const socket = join(temporaryDirectory(), "docker.sock");
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === "/version") response.end(said);
    else answer(request, response);
  });
  server.listen(socket);
  await once(server, "listening");
  return {
    socket,
    asked,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const frame = (kind: number, text: string): Buffer => {
  const head = Buffer.alloc(8);
  head[0] = kind;
  head.writeUInt32BE(text.length, 4);
  return Buffer.concat([head, Buffer.from(text)]);
};

/** A stand-in that gives its connections over and then does with them what the test says. */
async function streaming(act: (socket: Duplex) => void): Promise<StandIn> {
  const daemon = await standIn((_request, response) => void response.end('{"Id":"exec"}'));
  daemon.server.on("upgrade", (_request, socket) => {
    socket.on("error", () => {});
    // Else one end of it would stay open when the client has closed the other.
    socket.on("end", () => socket.end());
    socket.write("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    act(socket);
  });
  return daemon;
}

test("[SBX90] a name that no image can have is told with the setting that holds it", async () => {
  await using daemon = await standIn((request, response) => {
    const isInfo = request.url?.endsWith("/info") === true;
    response
      .writeHead(isInfo ? 200 : 400)
      .end(isInfo ? '{"ServerVersion":"28.2.2","DefaultRuntime":"runc"}' : '{"message":"no name"}');
  });
  const settings = { socket: daemon.socket, image: "BAD NAME::1" };
  const world = { clock: systemClock, random: systemRandom };
  const provider = await openDocker({ ...world, directory: temporaryDirectory(), settings });
  const { reason, mend } = await provider.probe();
  await provider.close();
  assert.equal(reason, "The Docker daemon says: no name.");
  assert.match(mend ?? "", /^Set sandbox\.docker\.image /);
});

test("[SBX95] a daemon that is not there, or is none, is a sentence and a way out", async () => {
  const directory = temporaryDirectory();
  const file = join(directory, "file");
  writeFileSync(file, "");
  const settings = { socket: join(directory, "none.sock"), image: "any" };
  const world = { clock: systemClock, random: systemRandom };
  const provider = await openDocker({ ...world, directory, settings });
  const probe = await provider.probe();
  assert.deepEqual(
    [probe.ok, probe.reason, probe.mend],
    [
      false,
      `There is no Docker daemon: ${settings.socket} does not exist.`,
      `Start Docker, or set sandbox.docker.socket; it is ${settings.socket} now.`,
    ],
  );
  await provider.close();
  await assert.rejects(openEngine(file, systemClock).readDaemon(), {
    name: "SandboxError",
    message: /nothing listens at|is no socket/,
  });
});

test("[SBX95] what a daemon refuses is told in its words", async () => {
  await using daemon = await standIn((_request, response) => {
    response.statusCode = 500;
    response.end(JSON.stringify({ message: 'unknown runtime "runsc"' }));
  });
  const engine = openEngine(daemon.socket, systemClock);
  await assert.rejects(engine.create("name", {}), {
    name: "SandboxError",
    status: 500,
    message: 'The Docker daemon says: unknown runtime "runsc".',
  });
  assert.deepEqual(daemon.asked, ["GET /version", "POST /v1.41/containers/create?name=name"]);
});

test("[SBX95] a version that both sides speak is asked for, or none is", async () => {
  const answer: RequestListener = (_request, response) => void response.end("[]");
  const newer = JSON.stringify({ ApiVersion: "1.52", MinAPIVersion: "1.44" });
  await using daemon = await standIn(answer, newer);
  assert.deepEqual(await openEngine(daemon.socket, systemClock).list("label"), []);
  assert.match(daemon.asked[1] ?? "", /^GET \/v1\.44\/containers/);
  await using old = await standIn(answer, version.replace("1.41", "1.9"));
  await assert.rejects(openEngine(old.socket, systemClock).list("label"), /too old.*API 1\.9/);
});

test("[SBX95] answers that are none are told", async () => {
  const answers: Record<string, string> = { html: "<html>", wrong: '{"a":1}', list: "[1]" };
  await using daemon = await standIn((request, response) => {
    const name = /name=(\w+)/.exec(request.url ?? "")?.[1] ?? "";
    if (name === "cut") {
      response.writeHead(200, { "content-length": 100 });
      response.write("{", () => void response.destroy());
    } else response.end(name === "long" ? "x".repeat(9_000_000) : answers[name]);
  });
  const engine = openEngine(daemon.socket, systemClock);
  for (const name of ["html", "wrong", "list", "cut", "long"])
    await assert.rejects(
      engine.create(name, {}),
      {
        name: "SandboxError",
        message: /^(What answers is no|The answer of the|The) Docker daemon/,
      },
      name,
    );
});

test("[SBX95] a daemon that does not answer is not waited for without end", async () => {
  await using daemon = await standIn(() => {});
  const clock = { ...systemClock, sleep: (_ms: number) => systemClock.sleep(100) };
  await assert.rejects(openEngine(daemon.socket, clock).list("label"), {
    name: "SandboxError",
    message: /did not answer GET \/v1\.41\/containers\/json.* in time\.$/,
  });
});

test("[SBX95] output and errors are told apart, however the pieces are cut", async () => {
  const all = Buffer.concat([frame(1, "one "), frame(2, "bad"), frame(1, ""), frame(1, "two")]);
  await using daemon = await streaming(async (socket) => {
    for (const byte of all) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.end();
  });
  const { streams } = await openEngine(daemon.socket, systemClock).run("id", ["true"]);
  const [output, errors] = await Promise.all([buffer(streams.output), buffer(streams.errors)]);
  assert.deepEqual([output.toString(), errors.toString()], ["one two", "bad"]);
});

test("[SBX95] a broken frame ends the streams, with what came before it", async () => {
  for (const broken of [
    frame(7, "x"),
    Buffer.from([1, 0, 9, 0, 0, 0, 0, 1, 65]),
    frame(1, "half").subarray(0, 10),
  ]) {
    await using daemon = await streaming((socket) => {
      socket.write(Buffer.concat([frame(1, "good"), broken]));
      if (broken.length === 10) socket.destroy();
    });
    const { streams } = await openEngine(daemon.socket, systemClock).run("id", ["true"]);
    const [output, errors] = await Promise.all([buffer(streams.output), buffer(streams.errors)]);
    const said = output.toString();
    assert.ok(said === "good" || said === "goodha", said);
    assert.equal(errors.length, 0);
    if (!streams.control.closed) await once(streams.control, "close");
  }
});

test("[SBX95] a connection that is not given over is told", async () => {
  await using daemon = await standIn((request, response) => {
    response.statusCode = request.url?.endsWith("/start") === true ? 409 : 201;
    response.end(
      request.url?.endsWith("/start") === true ? '{"message":"is paused"}' : '{"Id":"e"}',
    );
  });
  const engine = openEngine(daemon.socket, systemClock);
  await assert.rejects(engine.run("id", ["true"]), {
    name: "SandboxError",
    status: 409,
    message: "The Docker daemon says: is paused.",
  });
});
