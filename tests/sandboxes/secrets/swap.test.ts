// Rules SBX29 and SBX100 to SBX108: secrets that are put in on the way out, and hidden on the way back.
import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { Readable, type Transform } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { test } from "node:test";
import { nextLoopIteration } from "../../../kernel/base/event-loop.ts";
import { type Random, seededRandom } from "../../../kernel/base/random.ts";
import { doorLimits } from "../../../server/sandboxes/door/limits.ts";
import { Hiding } from "../../../server/sandboxes/door/secrets/hiding.ts";
import { replacing } from "../../../server/sandboxes/door/secrets/replacing.ts";
import { Search } from "../../../server/sandboxes/door/secrets/search.ts";
import { until } from "../../kernel/sql-harness.ts";
import { listening, statusOf, web } from "../door-house.ts";
import {
  ask,
  echo,
  keeper,
  openSecretHouse,
  placeholder,
  secretOf,
  secureWeb,
  value,
} from "./house.ts";

test("[SBX29] a placeholder in a header arrives as the secret, at the hosts of the credential", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb(handle);
  await using house = await openSecretHouse([secretOf()]);
  const answer = await ask(house.port, `api.example:${server.port}`, [
    `GET /path?key=${placeholder} HTTP/1.1`,
    `Authorization: Bearer ${placeholder}`,
    `X-Two: ${placeholder},${placeholder}`,
  ]);
  assert.equal(statusOf(answer), 200);
  const [request] = asked;
  assert.equal(request?.headers["authorization"], `Bearer ${value}`);
  assert.equal(request?.headers["x-two"], `${value},${value}`);
  assert.equal(request?.url, `/path?key=${placeholder}`, "an address is no place for it");
  assert.equal(request?.headers["accept-encoding"], "identity");
});

test("[SBX29] other hosts get the placeholder, and their TLS stays closed", async () => {
  await using server = await secureWeb(echo, { host: "other.example" });
  await using house = await openSecretHouse([secretOf()]);
  // The door's authority does not speak for this host: the client sees the host's own certificate, and gives up.
  await assert.rejects(ask(house.port, `other.example:${server.port}`, ["GET / HTTP/1.1"]), {
    code: /SELF_SIGNED|UNABLE_TO/,
  });
});

test("[SBX100] Basic is decoded and coded again; other spellings stand for nothing", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb(handle);
  await using house = await openSecretHouse([secretOf()]);
  const code = (words: string) => Buffer.from(words).toString("base64");
  const send = async (authorization: string) => {
    await ask(house.port, `api.example:${server.port}`, [
      "GET / HTTP/1.1",
      `authorization: ${authorization}`,
    ]);
    return asked.at(-1)?.headers["authorization"];
  };
  assert.equal(await send(`Basic ${code(`me:${placeholder}`)}`), `Basic ${code(`me:${value}`)}`);
  for (const spelled of [
    placeholder.toUpperCase(),
    code(placeholder),
    encodeURIComponent(placeholder).replace("_", "%5F"),
    `${placeholder.slice(0, -1)}0`,
    placeholder.split("").join("\t"),
  ])
    assert.equal(await send(`Bearer ${spelled}`), `Bearer ${spelled}`);
});

test("[SBX104] what comes back is hidden in headers and bodies, and keeps its length", async () => {
  await using server = await secureWeb(async (request, response) => {
    const said = await text(request);
    const shown = JSON.stringify({ ...request.headers, said });
    response.writeHead(200, `OK ${request.headers["x-a"] as string}`, {
      "content-length": Buffer.byteLength(shown),
      "x-echo": request.headers["x-a"],
    });
    // In pieces that cut what is to be hidden.
    for (let at = 0; at < shown.length; at += 7) response.write(shown.slice(at, at + 7));
    response.end();
  });
  await using house = await openSecretHouse([secretOf()]);
  const basic = Buffer.from(`me:${placeholder}`).toString("base64");
  const answer = await ask(
    house.port,
    `api.example:${server.port}`,
    [
      "POST / HTTP/1.1",
      `x-a: ${placeholder}`,
      `authorization: Basic ${basic}`,
      "content-length: 5",
    ],
    "hello",
  );
  const stars = "*".repeat(value.length);
  assert.match(answer, new RegExp(`^HTTP/1.1 200 OK [*]{${value.length}}\r\n`));
  assert.ok(answer.toLowerCase().includes(`x-echo: ${stars}`));
  for (const form of [
    value,
    JSON.stringify(value).slice(1, -1),
    Buffer.from(`me:${value}`).toString("base64"),
  ])
    assert.ok(!answer.includes(form), form);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  assert.equal(/content-length: (\d+)/i.exec(head)?.[1], `${body.length}`);
  assert.match(body, /"said":"hello"/);
});

test("[SBX104] a short secret is sent, and not hidden", async () => {
  await using server = await secureWeb(echo);
  await using house = await openSecretHouse([secretOf({ value: "abcde" })]);
  const answer = await ask(house.port, `api.example:${server.port}`, [
    "GET / HTTP/1.1",
    `x-a: ${placeholder}`,
  ]);
  assert.match(answer, /"x-a":"abcde"/);
});

test("[SBX107] bodies, where the credential says so, as their type writes texts", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb(handle);
  const send = async (secret: ReturnType<typeof secretOf>, headers: string[], body: string) => {
    await using house = await openSecretHouse([secret]);
    await ask(house.port, `api.example:${server.port}`, ["POST / HTTP/1.1", ...headers], body);
    return asked.at(-1);
  };
  const inBody = secretOf({ places: { header: false, body: true } });
  const body = `{"token":"${placeholder}"}`;
  const length = `content-length: ${body.length}`;
  const json = await send(inBody, ["content-type: application/json; charset=utf-8", length], body);
  assert.deepEqual(JSON.parse(json?.body ?? ""), { token: value });
  assert.equal(json?.headers["content-length"], `${json?.body.length}`);
  const form = await send(
    inBody,
    ["content-type: application/x-www-form-urlencoded", length],
    body,
  );
  assert.equal(form?.body, `{"token":"${encodeURIComponent(value)}"}`);
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const chunked = await send(inBody, ["transfer-encoding: chunked", `x-a: ${placeholder}`], chunk);
  assert.equal(chunked?.body, `{"token":"${value}"}`);
  assert.equal(chunked?.headers["x-a"], placeholder, "not into headers where it says no");
  assert.equal((await send(secretOf(), [length], body))?.body, body, "not unless it says so");
  const coded = await send(inBody, ["content-encoding: gzip", length], body);
  assert.equal(coded?.body, body, "what is coded passes as it is");
});

test("[SBX107] a long body goes on in chunks, whole", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb(handle);
  const secret = secretOf({ places: { header: false, body: true } });
  await using house = await openSecretHouse([secret]);
  const body = `${"a".repeat(300_000)}${placeholder}${"b".repeat(100_000)}`;
  await ask(
    house.port,
    `api.example:${server.port}`,
    ["PUT / HTTP/1.1", `content-length: ${body.length}`],
    body,
  );
  assert.equal(
    asked[0]?.body,
    body.replace(placeholder, () => value),
  );
  assert.equal(asked[0]?.headers["transfer-encoding"], "chunked");
});

test("[SBX103] over plain HTTP it goes to networks that the operator allows alone", async () => {
  const { asked, handle } = keeper();
  await using server = await web(handle);
  const send = async (allowed: string[]) => {
    await using house = await openSecretHouse([secretOf({ hosts: undefined })], {
      allowed,
      // Of the public internet by what the door knows, and this machine all the same.
      ...(allowed.length === 0 && { ownAddresses: () => [] }),
    });
    return await house.talk(
      `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nx-a: ${placeholder}\r\nconnection: close\r\n\r\n`,
    );
  };
  assert.equal(statusOf(await send(["127.0.0.1"])), 200);
  assert.equal(asked[0]?.headers["x-a"], value);
  assert.equal(statusOf(await send([])), 403, "and nothing at all goes to other private ones");
});

test("[SBX106] a use that cannot be noted is none, and what cannot be read lets nothing out", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb(handle);
  const target = `api.example:${server.port}`;
  const noted: string[] = [];
  let isThere = true;
  const secret = secretOf({
    willBeUsed: async (host) => {
      noted.push(host);
      return noted.length > 1;
    },
  });
  await using house = await openSecretHouse(async () => (isThere ? [secret] : undefined));
  const lines = ["GET / HTTP/1.1", `x-a: ${placeholder}`];
  assert.equal(statusOf(await ask(house.port, target, lines)), 503);
  assert.deepEqual(asked, []);
  assert.equal(statusOf(await ask(house.port, target, lines)), 200);
  assert.deepEqual(noted, ["api.example", "api.example"]);
  isThere = false;
  assert.match((await house.tunnel(target)).head, /^HTTP\/1\.1 503 /);
});

test("[SBX31] a target that is gone before the use is written down takes no room", async () => {
  const connections = new Set<Socket>();
  await using server = await listening(createServer((socket) => void connections.add(socket)));
  const secret = secretOf({
    hosts: undefined,
    willBeUsed: async () => {
      await until("it has come", () => connections.size > 0);
      const sockets = [...connections];
      connections.clear();
      for (const socket of sockets) socket.resetAndDestroy();
      // The near side hears of it in one of the next turns.
      for (let turn = 0; turn < 20; turn++) await nextLoopIteration();
      return true;
    },
  });
  await using house = await openSecretHouse([secret]);
  const ask = () =>
    house.talk(
      `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nx-a: ${placeholder}\r\nconnection: close\r\n\r\n`,
    );
  for (let asked = 0; asked <= doorLimits.connectionsMax; asked++)
    assert.equal(statusOf(await ask()), 502);
});

test("[SBX107] texts in a stream are found however it is cut", async () => {
  const random = seededRandom(7);
  const sought = ["abcabc", "abcabcab", "bbbbbbb", "cabcabcabcabc"];
  let found = 0;
  for (let round = 0; round < 3_000; round++) {
    const words = Array.from({ length: 8 }, () => {
      const cut = sought[Math.floor(random.fraction() * sought.length)] ?? "";
      const rest = wordsOf(random, Math.floor(random.fraction() * 4));
      return cut.slice(0, 3 + Math.floor(random.fraction() * 12)) + rest;
    }).join("");
    const chosen = sought.filter(() => random.fraction() < 0.5);
    const to = (from: string) => `<${from.length}>`;
    const longestFirst = chosen.toSorted((one, other) => other.length - one.length);
    const pattern = new RegExp(longestFirst.join("|") || "(?!)", "g");
    found += words.match(pattern)?.length ?? 0;
    const changing = replacing(new Search(chosen), (index) => Buffer.from(to(chosen[index] ?? "")));
    const got = await buffer(Readable.from(piecesOf(random, words)).pipe(changing));
    assert.equal(got.toString(), words.replaceAll(pattern, to), `${words} ${chosen.join()}`);
  }
  assert.ok(found > 1_000, `${found} were there to be found`);
});

const hidingOf = (...secrets: string[]): Transform => new Hiding(secrets, []).body();

test("[SBX104] the pieces in which a reply comes say nothing of the secret", async () => {
  const random = seededRandom(8);
  const sizesOf = async (pieces: readonly Buffer[], secret: string) => {
    const sizes: number[] = [];
    for await (const bytes of Readable.from(pieces).pipe(hidingOf(secret)))
      sizes.push((bytes as Buffer).length);
    return sizes;
  };
  for (let round = 0; round < 300; round++) {
    // The beginning of one of them, and of the other no letter.
    const guess = "abcabcabc".slice(0, 1 + Math.floor(random.fraction() * 8));
    const words = wordsOf(random, 20) + guess + wordsOf(random, 20);
    if (words.includes("abcabcabc")) continue;
    const pieces = piecesOf(random, words);
    assert.deepEqual(await sizesOf(pieces, "abcabcabc"), await sizesOf(pieces, "xyzxyzxyz"));
  }
  const lines = ["data: se\n", "\n", "data: ", "x\r", "data: y\n"];
  const hiding = hidingOf("secret");
  const came: string[] = [];
  hiding.on("data", (bytes: Buffer) => came.push(bytes.toString()));
  for (const line of lines) {
    hiding.write(line);
    await nextLoopIteration();
    if (/[\r\n]$/.test(line))
      assert.ok(came.join("").endsWith(line), "a whole line waits for nothing");
  }
  assert.equal(came.join(""), lines.join(""));
});

test("[SBX104] the most that a session may have of secrets slows a reply down by little", async () => {
  const random = seededRandom(9);
  const secrets = Array.from({ length: 64 }, () => random.bytes(3_000).toString("base64"));
  await using server = await secureWeb((_request, response) => {
    response.end(`${"x".repeat(5_000_000)}${secrets[7] ?? ""}`);
  });
  await using house = await openSecretHouse(secrets.map((each) => secretOf({ value: each })));
  const answer = await ask(house.port, `api.example:${server.port}`, ["GET / HTTP/1.1"]);
  assert.ok(answer.endsWith(`x${"*".repeat(4_000)}`), answer.slice(-20));
  assert.ok(answer.length > 5_004_000);
});

const wordsOf = (random: Random, length: number): string =>
  Array.from({ length }, () => "abc\n"[Math.floor(random.fraction() * 3.2)]).join("");

function piecesOf(random: Random, words: string): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < words.length;) {
    const next = at + 1 + Math.floor(random.fraction() * 6);
    pieces.push(Buffer.from(words.slice(at, next)));
    at = next;
  }
  return pieces;
}

test("[SBX104] a secret is hidden as programs spell it, in names of headers too", async () => {
  const secret = "S3cret/Alpha+9&x";
  const spelled = (bytes: Buffer) => bytes.toString("base64");
  const forms = [
    String.raw`S3cret\/Alpha+9&x`,
    "S3cret%2fAlpha%2b9%26x",
    encodeURIComponent(secret),
    ...["", "x", "xy", "user:"].map((before) => spelled(Buffer.from(`${before}${secret}!`))),
  ];
  await using server = await secureWeb((_request, response) => {
    response.writeHead(200, { "x-S3cret-Alpha9": "v", "x-forms": forms.join(" ") });
    response.end(forms.join("\n"));
  });
  const secrets = [secretOf({ value: secret }), secretOf({ value: "s3CRET-alpha9" })];
  await using house = await openSecretHouse(secrets);
  const answer = await ask(house.port, `api.example:${server.port}`, ["GET / HTTP/1.1"]);
  const inner = spelled(Buffer.from(secret)).slice(2, -4);
  for (const form of [...forms.slice(0, 3), inner, "S3cret-Alpha9", "s3cret-alpha9"])
    assert.ok(!answer.includes(form), `${form} in ${answer}`);
  for (const form of forms) assert.ok(!answer.includes(form), form);
});

test("[SBX108] a request holds at most 64 placeholders, and 262,144 bytes of secrets", async () => {
  const { asked, handle } = keeper();
  await using server = await secureWeb(handle);
  const send = async (inHeaders: number, inBody: number, { long = 20, isChunked = false } = {}) => {
    const places = { header: true, body: true };
    await using house = await openSecretHouse([secretOf({ value: "v".repeat(long), places })]);
    const body = `${placeholder} `.repeat(inBody);
    const lines = [
      "POST / HTTP/1.1",
      ...(inHeaders > 0 ? [`x-a: ${placeholder.repeat(inHeaders)}`] : []),
      isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`,
    ];
    const sent = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
    return statusOf(await ask(house.port, `api.example:${server.port}`, lines, sent));
  };
  assert.equal(await send(1, 63), 200);
  assert.equal(asked[0]?.body.length, 63 * 21);
  assert.equal(await send(0, 65), 413);
  assert.equal(await send(65, 0), 413);
  assert.equal(await send(1, 64), 413);
  assert.equal(await send(0, 65, { isChunked: true }), 413);
  assert.equal(await send(0, 16, { long: 16_384 }), 200);
  assert.equal(await send(0, 17, { long: 16_384 }), 413);
  assert.equal(await send(17, 0, { long: 16_384 }), 413);
});
