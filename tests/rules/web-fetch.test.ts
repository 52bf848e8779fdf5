// Rules WEB1 to WEB4, WEB6 and WEB7: which addresses agents read, and what they are shown of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  judgeTarget,
  type NetworkPolicy,
  type Refusal,
  policyOf,
} from "../../server/sandboxes/module.ts";
import { areDomainsGood } from "../../server/web_tools/domains.ts";
import { limits } from "../../server/web_tools/limits.ts";
import { listen, openWebHouse, pages, type WebAsking, type WebHouse } from "./web-tools-house.ts";

let w: WebHouse;
before(async () => {
  w = await openWebHouse();
});
after(() => w[Symbol.asyncDispose]());

const fetched = (url: string, asking?: WebAsking) => w.said("web_fetch", { url }, asking);
const limited = (more: object): WebAsking => ({ configs: [{ name: "web_fetch", ...more }] });

const limitedTo = (...allowed_hosts: string[]): NetworkPolicy => {
  const more = { allow_mcp_servers: true, allow_package_managers: true };
  return policyOf({ type: "cloud", networking: { type: "limited", allowed_hosts, ...more } }, []);
};

test("[WEB1] an address is one of the web, public or allowed", async () => {
  await using peer = await listen(pages({ "/": "<p>there" }));
  assert.equal(await fetched(peer.url()), `Address: ${peer.url()}\n\nthere`);
  assert.equal(await fetched(` ${peer.url("/#part")} `), `Address: ${peer.url()}\n\nthere`);
  const wrong = "! web_fetch: url: must be an address that begins with https:// or http://.";
  for (const url of ["", "there", "//127.0.0.1/", "file:///etc/passwd", "ftp://127.0.0.1/"])
    assert.equal(await fetched(url), wrong, url);
  assert.equal(await w.said("web_fetch", {}), "! web_fetch: url: must be a text.");
  assert.match(await fetched(`https://a.example/${"a".repeat(4_100)}`), /at most 4096 characters/);
  assert.match(await fetched("http://me:word@127.0.0.1/"), /must not hold a user name/);
  const closed = { sections: { network: {} } };
  for (const host of ["127.0.0.1", "localhost", "0x7f.1", "[::1]", "169.254.169.254", "10.0.0.1"])
    assert.match(
      await fetched(peer.url("/", host), closed),
      /^! web_fetch: http\S+ leads to \S+, which is not an address of the public internet/,
    );
  assert.equal(peer.requests.length, 2);
});

test("[WEB2] redirects are followed, five at most", async () => {
  await using peer = await listen(({ url = "" }, response) => {
    const left = Number(url.slice(1));
    if (left === 0) response.end("<html><p>at last");
    else response.writeHead(302, { location: `${left - 1}#there` }).end("moved");
  });
  assert.equal(await fetched(peer.url("/5")), `Address: ${peer.url("/0")}\n\nat last`);
  assert.equal(
    await fetched(peer.url("/6")),
    `! web_fetch: ${peer.url("/6")} leads on and on: more than 5 redirects.`,
  );
});

test("[WEB2] where a redirect leads is judged as the address was", async () => {
  let target = "";
  await using peer = await listen(({ url }, response) =>
    url === "/"
      ? void response.writeHead(307, { location: target }).end()
      : void response.end("<html>secret"),
  );
  const leading = (to: string, asking?: WebAsking) => {
    target = to;
    return fetched(peer.url(), asking);
  };
  const there = peer.url("/x", "127.0.0.2");
  assert.match(await leading(there), /secret$/);
  const count = peer.requests.length;
  const only = { sections: { network: { allow_private_addresses: ["127.0.0.1"] } } };
  assert.match(await leading(there, only), /leads to 127\.0\.0\.2, which is not an address/);
  const outside = /127\.0\.0\.2 is outside of the domains/;
  assert.match(await leading(there, limited({ allowed_domains: ["127.0.0.1"] })), outside);
  assert.match(await leading(there, limited({ blocked_domains: ["127.0.0.2"] })), outside);
  const policy = limitedTo("127.0.0.1");
  assert.match(await leading(there, { policy }), /127\.0\.0\.2 is none of the hosts/);
  assert.match(await leading("file:///etc/passwd"), /leads to what is no address of the web/);
  assert.equal(peer.requests.length, count + 5, "only the first address was asked");
});

test("[WEB2] a page has a size, and an interrupt ends it", async () => {
  const page = Buffer.alloc(limits.pageBytesMax, "a ");
  await using peer = await listen(({ url }, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    if (url === "/endless") response.write("<p>on");
    else response.end(url === "/most" ? page : Buffer.concat([page, page.subarray(0, 1)]));
  });
  assert.match(await fetched(peer.url("/most")), /The page is cut here/);
  assert.match(await fetched(peer.url("/more")), /answered with more than 10485760 bytes/);
  const abort = new AbortController();
  const reading = fetched(peer.url("/endless"), { signal: abort.signal });
  while (peer.requests.length < 3) await new Promise(setImmediate);
  const { socket } = peer.requests[2] ?? assert.fail();
  const gone = new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
  abort.abort(new Error("interrupted"));
  await assert.rejects(reading, /^Error: interrupted$/);
  await gone;
});

test("[WEB3] where the network is limited only its hosts are reached", async () => {
  await using peer = await listen(pages({ "/": "<p>there" }));
  const refused = /^! web_fetch: 127\.0\.0\.1 is none of the hosts that this environment may reach/;
  assert.match(await fetched(peer.url(), { policy: limitedTo("127.0.0.1") }), /there$/);
  assert.match(await fetched(peer.url(), { policy: limitedTo("127.0.0.2") }), refused);
  assert.match(await fetched(peer.url(), { policy: limitedTo() }), refused);
  assert.equal(peer.requests.length, 1);
  const policy = limitedTo("api.example.com", "*.example.org");
  const isAllowed = (host: string, port = 443) => judgeTarget(policy, { host, port }).isAllowed;
  for (const host of ["api.example.com", "a.example.org", "a.b.example.org", "pypi.org"])
    assert.equal(isAllowed(host), true, host);
  for (const host of ["example.com", "b.api.example.com", "example.org", "aexample.org"])
    assert.equal(isAllowed(host), false, host);
  const heard: unknown[] = [];
  const onRefused = ({ host, port, reason }: Refusal) => heard.push([host, port, reason]);
  const atPort = await fetched("https://pypi.org:8443/", { policy, onRefused });
  assert.match(atPort, /^! web_fetch: this environment allows pypi\.org at port 80 and 443 alone/);
  assert.deepEqual(heard, [["pypi.org", 8443, "port"]]);
});

test("[WEB4] domains hold for all below them, however the host is written", async () => {
  await using peer = await listen(pages({ "/": "<p>there" }));
  const refused = /^! web_fetch: 127\.0\.0\.1 is outside of the domains that this agent may fetch/;
  assert.match(await fetched(peer.url(), limited({ allowed_domains: ["127.0.0.1"] })), /there$/);
  assert.match(await fetched(peer.url(), limited({ allowed_domains: ["example.com"] })), refused);
  assert.match(await fetched(peer.url(), limited({ blocked_domains: ["127.0.0.1"] })), refused);
  assert.match(await fetched(peer.url(), limited({ blocked_domains: ["example.com"] })), /there$/);
  assert.equal(peer.requests.length, 2);
  const isIn = (domain: string, url: string) =>
    areDomainsGood({ allowed_domains: [domain] }, new URL(url));
  const good = [
    ["example.com", "https://example.com/a"],
    ["example.com", "https://A.Example.COM:8443/"],
    ["Example.com", "https://example.com./"],
    ["example.com/docs", "https://example.com/docs"],
    ["example.com/docs/", "https://www.example.com/docs/a"],
  ] as const;
  for (const [domain, url] of good) {
    assert.equal(isIn(domain, url), true, url);
    assert.equal(areDomainsGood({ blocked_domains: [domain] }, new URL(url)), false, url);
  }
  for (const [domain, url] of [
    ["example.com", "https://aexample.com/"],
    ["example.com", "https://example.com.evil.example/"],
    ["www.example.com", "https://example.com/"],
    ["example.com/docs", "https://example.com/docserver"],
    ["example.com/docs", "https://example.com/"],
  ] as const)
    assert.equal(isIn(domain, url), false, url);
});

const pdf = Buffer.from("%PDF-1.7 a few pages");

test("[WEB6] pages are text with title and links, other text stays as it is", async () => {
  const json = '{"a":  "<p>"}';
  await using peer = await listen(
    pages({
      "/dir/page": `<title>Of &amp; on</title><nav><a href="/">Home</a></nav><h2>Go</h2><p>See
        <a href="../x?a=1&amp;b">there</a>.<script>no()</script>`,
      "/main": `<nav>menu</nav><main><p>${"word ".repeat(50)}</main><footer>foot</footer>`,
      "/short": "<nav>menu</nav><main>few</main><footer>foot</footer>",
      "/json": ["application/json", json],
      "/feed": ["application/atom+xml; charset=utf-8", "<feed>x</feed>"],
      "/text": ["text/plain", "a\n  <b>b\n"],
      "/untyped": [null, "<!DOCTYPE html><p>guessed"],
      "/plain": [null, "only words"],
      "/empty": "<script>all of it</script>",
      "/zip": ["application/zip", Buffer.from([0x50, 0x4b, 3, 4])],
      "/bytes": [null, Buffer.from([1, 0, 2])],
    }),
  );
  const shown = async (path: string) => {
    const text = await fetched(peer.url(path));
    return text
      .replace(`Address: ${peer.url(path)}\n\n`, "")
      .replaceAll(peer.url(), "http://peer/");
  };
  assert.equal(
    await shown("/dir/page"),
    "Title: Of & on\n[Home](http://peer/)\n\n## Go\n\nSee [there](http://peer/x?a=1&b).",
  );
  assert.equal(await shown("/main"), "word ".repeat(50).trimEnd());
  assert.equal(await shown("/short"), "menu\n\nfew\n\nfoot");
  assert.equal(await shown("/json"), json);
  assert.equal(await shown("/feed"), "<feed>x</feed>");
  assert.equal(await shown("/text"), "a\n  <b>b\n");
  assert.equal(await shown("/untyped"), "guessed");
  assert.equal(await shown("/plain"), "only words");
  assert.match(await shown("/empty"), /^! web_fetch: \S+ has no text/);
  assert.match(await shown("/zip"), /^! web_fetch: \S+ is application\/zip: only text/);
  assert.match(await shown("/bytes"), /^! web_fetch: \S+ is of no type that it names: only text/);
  assert.match(await shown("/gone"), /^! web_fetch: \S+ answered with the status 404\. nothing at/);
});

test("[WEB6] a PDF is a document for a model that takes some", async () => {
  await using peer = await listen(
    pages({
      "/a.pdf": ["application/pdf", pdf],
      "/large.pdf": ["application/pdf", Buffer.alloc(limits.documentBytesMax + 1, pdf)],
    }),
  );
  const asking = { model: "sim-large" };
  const { content, isError } = await w.run("web_fetch", { url: peer.url("/a.pdf") }, asking);
  const data = pdf.toString("base64");
  assert.deepEqual(content, [
    { type: "text", text: `Address: ${peer.url("/a.pdf")}` },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data } },
  ]);
  assert.equal(isError, false);
  assert.match(await fetched(peer.url("/large.pdf"), asking), /a PDF of more than 700000 bytes/);
  const blind = await fetched(peer.url("/a.pdf"), { model: "sim-blind" });
  assert.match(blind, /^! web_fetch: \S+ is a PDF, which the model of this agent cannot read/);
});

test("[WEB7] so much of a page is shown, and no more", async () => {
  const page = "ä€😀 ".repeat(2_000);
  await using peer = await listen(
    pages({ "/": page, "/text": ["text/plain; charset=utf-8", page] }),
  );
  const cut = async (path: string, max_content_tokens: number) => {
    const text = await fetched(peer.url(path), limited({ max_content_tokens }));
    const [, shown = "", note = ""] = /^Address: \S+\n\n([^]*?)\n\[(.*)\]$/.exec(text) ?? [];
    return { shown, note };
  };
  for (const path of ["/", "/text"])
    for (const tokens of [1, 2, 3, 100, 999]) {
      const { shown, note } = await cut(path, tokens);
      const bytes = Buffer.byteLength(shown);
      assert.ok(bytes <= tokens * 4 && bytes > tokens * 4 - 5, `${bytes} bytes`);
      assert.ok(page.startsWith(shown) && shown.isWellFormed());
      assert.equal(note, `The page is cut here: of its text ${tokens} tokens are shown.`);
    }
  const whole = await fetched(peer.url(), limited({ max_content_tokens: 5_000 }));
  assert.equal(whole.endsWith("]"), false);
  await using long = await listen(pages({ "/": "word ".repeat(50_000) }));
  const usual = await fetched(long.url());
  assert.match(usual, /of its text 25000 tokens are shown\.\]$/);
  assert.ok(usual.length > 100_000 && usual.length < 100_200);
});
