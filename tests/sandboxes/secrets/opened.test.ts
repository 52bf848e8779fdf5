// Rules SBX101, SBX102, SBX105 and SBX106: tunnels that are opened, and those that are not.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { test } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { listening, statusOf } from "../door-house.ts";
import {
  ask,
  echo,
  insideAuthority,
  insideCertificate,
  keeper,
  openSecretHouse,
  openTls,
  placeholder,
  secretOf,
  secureServer,
  secureWeb,
  value,
} from "./house.ts";

const request = (more: readonly string[] = []) =>
  [`GET / HTTP/1.1`, "host: api.example", ...more, "", ""].join("\r\n");

async function answerOf(socket: TLSSocket): Promise<string> {
  let got = "";
  for (;;) {
    const [bytes] = (await once(socket, "data")) as [Buffer];
    got += bytes.toString("latin1");
    const [head = "", body = ""] = got.split("\r\n\r\n");
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length !== undefined && body.length >= Number(length)) return got;
  }
}

test("[SBX101] the host that the tunnel named counts, whatever is said inside", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb(handle);
  await using house = await openSecretHouse([secretOf()]);
  const target = `api.example:${server.port}`;
  const socket = await openTls(house.port, target, "evil.example");
  const { subjectaltname } = socket.getPeerCertificate();
  assert.equal(subjectaltname, "DNS:api.example");
  socket.write(
    `GET / HTTP/1.1\r\nhost: evil.example\r\nx-a: ${placeholder}\r\nconnection: close\r\n\r\n`,
  );
  assert.equal(statusOf(await text(socket)), 200);
  assert.equal(asked[0]?.headers["host"], target);
  assert.equal(asked[0]?.headers["x-a"], value);
  for (const line of ["GET http://evil.example/ HTTP/1.1", "GET evil.example/ HTTP/1.1"])
    assert.equal(statusOf(await ask(house.port, target, [line])), 400, line);
  assert.equal(asked.length, 1);
});

test("[SBX101] a host that cannot show who it is gets nothing", async () => {
  const { asked, handle } = keeper();
  await using stranger = await secureWeb(handle, { authority: insideAuthority });
  await using other = await secureWeb(handle, { host: "other.example" });
  await using plain = await listening(createServer((socket) => void socket.end("nonsense\r\n")));
  await using house = await openSecretHouse([secretOf()]);
  for (const { port } of [stranger, other]) {
    const answer = await ask(house.port, `api.example:${port}`, [
      "GET / HTTP/1.1",
      `x-a: ${placeholder}`,
    ]);
    assert.equal(statusOf(answer), 502);
    assert.match(answer, /could not show that it is api\.example \([A-Z_]+\): nothing was sent/);
  }
  // It speaks first, so that it is no host of TLS, and the tunnel stays as it is.
  const { socket, head } = await house.tunnel(`api.example:${plain.port}`);
  assert.match(head + (await text(socket)), /^HTTP\/1\.1 200 [^]*\r\n\r\nnonsense\r\n$/);
  assert.deepEqual(asked, []);
});

test("[SBX101] a host that breaks off TLS is told as not reached", async () => {
  await using server = await listening(
    createServer((socket) => void socket.once("data", () => socket.resetAndDestroy())),
  );
  await using house = await openSecretHouse([secretOf()]);
  const answer = await ask(house.port, `api.example:${server.port}`, ["GET / HTTP/1.1"]);
  assert.equal(statusOf(answer), 502);
  assert.match(answer, /could not be spoken to in TLS \(ECONNRESET\): nothing was sent to it/);
});

test("[SBX101] what a credential does not cover passes unopened, also where it holds TLS", async () => {
  await using server = await secureWeb(echo, { host: "other.example" });
  await using house = await openSecretHouse([secretOf({ hosts: ["*.example.com"] })]);
  const { socket } = await house.tunnel(`other.example:${server.port}`);
  const secured = connectTls({ socket, servername: "other.example", rejectUnauthorized: false });
  await once(secured, "secureConnect");
  const { issuerCertificate } = secured.getPeerCertificate(true);
  assert.ok(!insideCertificate.includes(issuerCertificate?.raw?.toString("base64") ?? "none"));
  secured.end(request(["connection: close", `x-a: ${placeholder}`]));
  assert.match(await text(secured), new RegExp(`"x-a":"${placeholder}"`));
});

test("[SBX102] what is no TLS passes both ways, whichever side speaks first", async () => {
  await using talker = await listening(
    createServer((socket) => {
      socket.write("220 ready\r\n");
      socket.pipe(socket);
    }),
  );
  await using house = await openSecretHouse([secretOf()]);
  const { socket, head } = await house.tunnel(`api.example:${talker.port}`);
  assert.match(head, /^HTTP\/1\.1 200 /);
  if (!head.includes("220 ready")) await once(socket, "data");
  socket.end(`HELO ${placeholder}`);
  assert.equal((await buffer(socket)).toString(), `HELO ${placeholder}`);
  await using listener = await listening(createServer((each) => void each.pipe(each)));
  const second = await house.tunnel(`api.example:${listener.port}`);
  second.socket.end(`SSH-2.0 ${placeholder}`);
  assert.equal((await buffer(second.socket)).toString(), `SSH-2.0 ${placeholder}`);
});

test("[SBX101] requests of one tunnel go over one connection, and end with it", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb((incoming, response) => {
    const name = incoming.headers["x-a"] === "last" ? "close" : "keep-alive";
    response.setHeader("connection", name);
    response.setHeader("content-length", 4);
    handle(incoming, response);
  });
  await using house = await openSecretHouse([secretOf()]);
  const socket = await openTls(house.port, `api.example:${server.port}`);
  for (let round = 0; round < 3; round++) {
    socket.write(request([`x-a: ${placeholder}`]));
    assert.match(await answerOf(socket), /^HTTP\/1\.1 200 OK\r\n/);
  }
  assert.equal(server.sockets.size, 1);
  socket.write(request(["x-a: last"]));
  assert.match(await text(socket), /connection: close\r\n/i);
  assert.deepEqual(
    asked.map(({ headers }) => headers["x-a"]),
    [value, value, value, "last"],
  );
});

test("[SBX101] a reply comes whole from a host that ends its connection, and its head at once", async () => {
  const whole = "x".repeat(300_000);
  await using server = await secureWeb((incoming, response) => {
    if (incoming.url === "/length") response.setHeader("content-length", whole.length);
    response.setHeader("connection", "close");
    response.end(whole);
  });
  await using raw = await listening(
    secureServer(echo).on("secureConnection", (socket) => {
      socket.once("data", () => socket.end(`HTTP/1.0 200 OK\r\n\r\n${whole}`));
    }),
  );
  const later = Promise.withResolvers<void>();
  await using slow = await secureWeb(async (_incoming, response) => {
    response.flushHeaders();
    await later.promise;
    response.end("late");
  });
  await using house = await openSecretHouse([secretOf()]);
  for (const [port, path] of [
    [server.port, "/length"],
    [server.port, "/chunked"],
    [raw.port, "/raw"],
  ] as const)
    for (let round = 0; round < 3; round++) {
      const answer = await ask(house.port, `api.example:${port}`, [`GET ${path} HTTP/1.1`]);
      assert.equal(answer.split("x").length - 1, whole.length, path);
    }
  const socket = await openTls(house.port, `api.example:${slow.port}`);
  socket.write(request());
  const [head] = (await once(socket, "data")) as [Buffer];
  assert.match(head.toString(), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
  later.resolve();
  const [body] = (await once(socket, "data")) as [Buffer];
  assert.match(body.toString(), /late/);
  socket.destroy();
});

test("[SBX106] in a tunnel that is open each request is judged by what holds now", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb((incoming, response) => {
    response.setHeader("content-length", 4);
    handle(incoming, response);
  });
  let secrets = [secretOf()];
  await using house = await openSecretHouse(async () => secrets);
  const socket = await openTls(house.port, `api.example:${server.port}`);
  const send = async () => {
    socket.write(request([`x-a: ${placeholder}`]));
    return statusOf(await answerOf(socket));
  };
  assert.equal(await send(), 200);
  secrets = [];
  assert.equal(await send(), 200);
  assert.deepEqual(
    asked.map(({ headers }) => headers["x-a"]),
    [value, placeholder],
  );
  house.state.policy = { type: "limited", hosts: [] };
  assert.equal(await send(), 403);
  assert.equal(asked.length, 2);
  assert.equal(house.refused.length, 1);
});

test("[SBX105] another protocol passes without a secret, and is refused with one", async () => {
  const asked: (string | undefined)[] = [];
  const speaker = secureServer(echo);
  speaker.on("upgrade", (incoming, socket, head) => {
    asked.push(incoming.headers["x-a"]?.toString());
    const { upgrade, host } = incoming.headers;
    socket.write(
      `HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: ${upgrade}\r\nx-host: ${host}\r\n\r\n`,
    );
    socket.write(head);
    socket.pipe(socket);
  });
  await using server = await listening(speaker);
  await using mute = await secureWeb(echo);
  await using house = await openSecretHouse([secretOf()]);
  const upgrade = ["connection: upgrade", "upgrade: websocket"];
  const ask = async (port: number, more: readonly string[] = []) => {
    const socket = await openTls(house.port, `api.example:${port}`);
    socket.end(`${request([...upgrade, ...more])}frames`);
    return await text(socket);
  };
  const answer = await ask(server.port, ["x-a: plain"]);
  assert.match(answer, /^HTTP\/1\.1 101 Switching\r\n[^]*\r\n\r\nframes$/);
  assert.ok(answer.includes(`x-host: api.example:${server.port}`));
  assert.equal(statusOf(await ask(server.port, [`x-a: ${placeholder}`])), 501);
  assert.deepEqual(asked, ["plain"]);
  // This one knows no other protocol, and answers as to any request.
  assert.match(await ask(mute.port), /^HTTP\/1\.1 200 OK\r\n[^]*"upgrade":"websocket"/);
});
