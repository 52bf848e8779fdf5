// Requests to addresses that clients chose: what is refused, and what the answer may be.
import assert from "node:assert/strict";
import type { lookup } from "node:dns";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { after, test } from "node:test";
import { fetchOutside, outsideProblem, type OutsideAsk } from "../../kernel/http/outside/fetch.ts";
import { OutsideFailure } from "../../kernel/http/outside/failure.ts";
import { openOutsideConnections } from "../../kernel/http/outside/connections.ts";
import { authority, certificate, privateKey } from "./certificates.ts";

const outside = openOutsideConnections();
after(() => outside.close());
const strict = { outside, sections: {} };
const open = {
  outside,
  sections: { network: { allow_private_addresses: ["127.0.0.0/8"] } },
};
const ask: OutsideAsk = { bytesMax: 1000, timeoutMs: 5_000 };

interface Heard extends AsyncDisposable {
  port: number;
  /** Hosts that were asked for. */
  hosts: (string | undefined)[];
}

async function listen(server: Server, hosts: Heard["hosts"] = []): Promise<Heard> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    hosts,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function plain(answer: RequestListener): Promise<Heard> {
  const hosts: Heard["hosts"] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    answer(request, response);
  });
  return listen(server, hosts);
}

function secure(answer: RequestListener): Promise<Heard> {
  const hosts: Heard["hosts"] = [];
  const server = createTlsServer({ cert: certificate, key: privateKey }, (request, response) => {
    hosts.push(request.headers.host);
    answer(request, response);
  });
  return listen(server, hosts);
}

const hello: RequestListener = (_, response) => void response.end("hello");

/** A name server that gives these answers in turn, then the last one again. */
function resolving(...answers: string[][]) {
  const asked: string[] = [];
  const resolve = ((hostname: string, _: unknown, done: (...all: unknown[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    queueMicrotask(() => done(null, found));
  }) as unknown as typeof lookup;
  return { asked, lookup: resolve };
}

async function failureOf(answer: Promise<unknown>, reason: OutsideFailure["reason"]) {
  const error = await answer.then(
    () => assert.fail("it was answered"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OutsideFailure, String(error));
  assert.equal(error.reason, reason, error.message);
  return error.message;
}

test("[HTP15] https alone, and no credentials in the address", () => {
  const reasonOf = (url: string) => outsideProblem(strict, url)?.reason;
  assert.equal(reasonOf("https://issuer.example/keys"), undefined);
  assert.equal(reasonOf("https://1.1.1.1:8443/keys"), undefined);
  for (const url of ["http://issuer.example/", "http://1.1.1.1/", "file:///etc/passwd"])
    assert.equal(reasonOf(url), "scheme", url);
  assert.equal(reasonOf("ftp://issuer.example/"), "scheme");
  assert.equal(reasonOf("https://user@issuer.example/"), "url");
  assert.equal(reasonOf("https://:word@issuer.example/"), "url");
  for (const url of ["", "issuer.example", "https://", "https://[::1", "//issuer.example/"])
    assert.equal(reasonOf(url), "url", url);
});

test("[HTP15] an address of a machine or a network is refused however it is spelled", async () => {
  for (const host of [
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "017700000001",
    "0177.0.0.01",
    "１２７.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "0",
    "0.0.0.0",
    "10.0.0.8",
    "169.254.169.254",
    "0xa9fea9fe",
    "168.63.129.16",
    "192.168.1.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:10.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::169.254.169.254]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[2002:7f00:1::]",
  ]) {
    assert.equal(outsideProblem(strict, `https://${host}/`)?.reason, "address", host);
    await failureOf(fetchOutside(strict, `https://${host}/`, ask), "address");
  }
});

test("[HTP15] names are looked at as they are connected to", async () => {
  for (const addresses of [["127.0.0.1"], ["10.1.2.3", "::1"], ["::ffff:127.0.0.1"]]) {
    const { lookup: look } = resolving(addresses);
    const asking = fetchOutside(strict, "https://issuer.example/", { ...ask, lookup: look });
    assert.match(await failureOf(asking, "address"), new RegExp(`leads to ${addresses[0]}`));
  }
  // The machine's own resolver knows this one.
  await failureOf(fetchOutside(strict, "https://localhost/", ask), "address");
});

test("[HTP15] a name is looked up once: what was checked is what is connected to", async () => {
  await using server = await secure(hello);
  // The first address is allowed and has no server; the second would reach one.
  const { lookup: look, asked } = resolving(["127.9.9.9"], ["127.0.0.1"]);
  const only = { outside, sections: { network: { allow_private_addresses: ["127.9.9.9"] } } };
  const url = `https://issuer.example:${server.port}/`;
  const caCertPem = authority;
  await failureOf(fetchOutside(only, url, { ...ask, lookup: look, caCertPem }), "unreachable");
  assert.deepEqual([asked, server.hosts], [["issuer.example"], []]);
});

test("[HTP15] of a name with several addresses the good ones are used", async () => {
  await using server = await secure(hello);
  const { lookup: look } = resolving(["10.0.0.1", "127.0.0.1", "::1"]);
  const url = `https://issuer.example:${server.port}/`;
  const { status, body } = await fetchOutside(open, url, {
    ...ask,
    lookup: look,
    caCertPem: authority,
  });
  assert.deepEqual([status, body.toString()], [200, "hello"]);
  assert.deepEqual(server.hosts, [`issuer.example:${server.port}`]);
});

test("[HTP15] what the operator allows is reached, over http too, and nothing else is", async () => {
  await using server = await plain(hello);
  const url = `http://127.0.0.1:${server.port}/`;
  assert.equal((await fetchOutside(open, url, ask)).body.toString(), "hello");
  await failureOf(fetchOutside(strict, url, ask), "address");
  await failureOf(fetchOutside(open, "http://10.0.0.1/", ask), "address");
  await failureOf(fetchOutside(open, "http://1.1.1.1/", ask), "scheme");
  const { lookup: look } = resolving(["1.1.1.1"]);
  await failureOf(fetchOutside(open, "http://issuer.example/", { ...ask, lookup: look }), "scheme");
  // The mapped address is another one, which is not allowed.
  const mapped = `http://[::ffff:127.0.0.1]:${server.port}/`;
  await failureOf(fetchOutside(open, mapped, ask), "address");
  assert.equal(server.hosts.length, 1);
});

test("a certificate must be trusted: by the machine, or by the authority that is named", async () => {
  await using server = await secure(hello);
  const url = `https://localhost:${server.port}/`;
  await failureOf(fetchOutside(open, url, ask), "certificate");
  const named = await fetchOutside(open, url, { ...ask, caCertPem: authority });
  assert.equal(named.body.toString(), "hello");
  const { lookup: look } = resolving(["127.0.0.1"]);
  const elsewhere = `https://other.example:${server.port}/`;
  const asking = fetchOutside(open, elsewhere, { ...ask, caCertPem: authority, lookup: look });
  await failureOf(asking, "certificate");
});

test("[HTP15] redirects are not followed", async () => {
  await using target = await plain(hello);
  await using server = await plain((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${target.port}/` }).end();
  });
  const asking = fetchOutside(open, `http://127.0.0.1:${server.port}/`, ask);
  assert.match(await failureOf(asking, "redirect"), /302/);
  assert.equal(target.hosts.length, 0);
});

test("[HTP15] a caller that takes redirects is told where they lead", async () => {
  await using server = await plain((_, response) => {
    response.writeHead(302, { location: "/there" }).end("moved");
  });
  const asking = { ...ask, takesRedirects: true } as const;
  const answer = await fetchOutside(open, `http://127.0.0.1:${server.port}/`, asking);
  assert.equal(answer.status, 302);
  assert.equal(answer.headers["location"], "/there");
  assert.equal(answer.body.length, 0);
});

test("[HTP15] plain http leads to the public internet for who asks for it, and nowhere else", async () => {
  const plainly = { mayBePlain: true } as const;
  for (const url of ["http://issuer.example/", "http://1.1.1.1/"]) {
    assert.equal(outsideProblem(strict, url)?.reason, "scheme", url);
    assert.equal(outsideProblem(strict, url, plainly), undefined, url);
  }
  for (const url of ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/"])
    assert.equal(outsideProblem(strict, url, plainly)?.reason, "address", url);
  const { lookup: look } = resolving(["127.0.0.1"]);
  const asking = fetchOutside(strict, "http://a.example/", { ...ask, ...plainly, lookup: look });
  await failureOf(asking, "address");
});

test("[HTP15] the caller may end it, before and while it is answered", async () => {
  const abort = new AbortController();
  await using server = await plain((_, response) => {
    response.writeHead(200).write("so far");
    setImmediate(() => abort.abort(new Error("enough")));
  });
  const url = `http://127.0.0.1:${server.port}/`;
  for (const _ of ["while", "before"])
    await assert.rejects(
      fetchOutside(open, url, { ...ask, signal: abort.signal }),
      /^Error: enough$/,
    );
  assert.equal(server.hosts.length, 1);
});

test("[HTP15] an answer has a size: the last byte is allowed, one more is not", async () => {
  let size = 1000;
  await using server = await plain((_, response) => {
    // In pieces, so that no content-length gives it away.
    response.write("x".repeat(500));
    response.end("x".repeat(size - 500));
  });
  const url = `http://127.0.0.1:${server.port}/`;
  assert.equal((await fetchOutside(open, url, ask)).body.length, 1000);
  size = 1001;
  await failureOf(fetchOutside(open, url, ask), "too_large");
});

test("[HTP15] a body that never ends is cut", async () => {
  await using server = await plain((_, response) => {
    const pour = () => {
      while (!response.destroyed && response.write("x".repeat(64 * 1024)));
    };
    response.on("drain", pour);
    pour();
  });
  await failureOf(fetchOutside(open, `http://127.0.0.1:${server.port}/`, ask), "too_large");
});

test("[HTP15] time is short for all of it: the name, the headers, a body that drips", async () => {
  const brief = { ...ask, timeoutMs: 200 };
  const silent = (() => {}) as unknown as typeof lookup;
  const url = "https://issuer.example/";
  await failureOf(fetchOutside(strict, url, { ...brief, lookup: silent }), "timeout");
  await using mute = await plain(() => {});
  await failureOf(fetchOutside(open, `http://127.0.0.1:${mute.port}/`, brief), "timeout");
  await using dripping = await plain((_, response) => {
    const timer = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(timer));
  });
  const asking = fetchOutside(open, `http://127.0.0.1:${dripping.port}/`, brief);
  assert.match(await failureOf(asking, "timeout"), /within 0.2 seconds/);
});

test("a compressed answer is none, since a small one may be huge", async () => {
  await using server = await plain((request, response) => {
    assert.equal(request.headers["accept-encoding"], "identity");
    response.writeHead(200, { "content-encoding": "gzip" }).end("x");
  });
  await failureOf(fetchOutside(open, `http://127.0.0.1:${server.port}/`, ask), "unreachable");
});

test("a question may have a body and headers; a status is an answer", async () => {
  await using server = await plain((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      response.writeHead(418).end(`${request.method} ${String(request.headers["x-one"])} ${body}`);
    })();
  });
  const { status, body } = await fetchOutside(open, `http://127.0.0.1:${server.port}/`, {
    ...ask,
    method: "POST",
    headers: { "x-one": "1" },
    body: "a=b",
  });
  assert.deepEqual([status, body.toString()], [418, "POST 1 a=b"]);
});

test("a connection that ends without an answer is told as such", async () => {
  await using server = await plain((request) => void request.socket.destroy());
  const asking = fetchOutside(open, `http://127.0.0.1:${server.port}/`, ask);
  assert.match(await failureOf(asking, "unreachable"), /^broke off before it had answered \(/);
});

test("nobody there is told as such", async () => {
  const server = await plain(hello);
  await server[Symbol.asyncDispose]();
  const asking = fetchOutside(open, `http://127.0.0.1:${server.port}/`, ask);
  assert.match(await failureOf(asking, "unreachable"), /ECONNREFUSED/);
});
