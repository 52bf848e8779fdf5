// Rules WEB9 to WEB12: who is offered a search, what is asked of search servers, and what becomes of their answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readWebSettings, type WebSettings } from "../../server/web_tools/settings.ts";
import {
  listen,
  openWebHouse,
  type Peer,
  type WebAsking,
  type WebHouse,
} from "./web-tools-house.ts";

let w: WebHouse;
before(async () => {
  w = await openWebHouse();
});
after(() => w[Symbol.asyncDispose]());

const key = "a-key-that-nobody-reads";
const searxng = (peer: Peer) => ({ provider: { name: "searxng", url: peer.url("") } }) as const;
const brave = (peer: Peer) => ({ provider: { name: "brave", url: peer.url(""), key } }) as const;
/** Nothing is allowed of the private addresses: the operator has named this one. */
const closed = { sections: { network: {} } };
const searched = (
  query: string,
  web: Partial<WebSettings>,
  more: WebAsking & { input?: object } = {},
) => w.said("web_search", { query, ...more.input }, { web, ...closed, ...more });

const answering = (body: unknown, status = 200) =>
  listen((_, response) => response.writeHead(status).end(JSON.stringify(body)));
const resultOf = (url: string, more: object = {}) => ({ url, title: "T", content: "C", ...more });
const askedOf = ({ requests: [request] }: Peer) => {
  const url = new URL(request?.url ?? "", "http://peer");
  return {
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request?.headers ?? {},
  };
};

test("[WEB9] a search is offered where there is a server for it", async () => {
  const names = (asking: WebAsking) => w.offered(asking).map(({ name, policy }) => [name, policy]);
  await using peer = await answering({ results: [] });
  const fetching = ["web_fetch", "always_allow"];
  assert.deepEqual(names({}), [fetching]);
  assert.deepEqual(names({ web: searxng(peer) }), [["web_search", "always_allow"], fetching]);
  const configs = [
    { name: "web_search", permission_policy: { type: "always_ask" } },
    { name: "web_fetch", enabled: false },
  ];
  assert.deepEqual(names({ web: searxng(peer), configs }), [["web_search", "always_ask"]]);
  assert.equal(
    await w.said("web_search", { query: "x" }),
    "! web_search: This server has no search server. Its operator names one with the setting web.search_provider.",
  );
  assert.equal(
    await w.said("web_fetch", { url: peer.url() }, { configs }),
    "! web_fetch: This agent does not have it.",
  );
  assert.equal(await w.said("bash", {}), "! bash: There is no such tool.");
  assert.equal(peer.requests.length, 0);
});

test("[WEB10] SearXNG is asked, and its results are shown", async () => {
  await using peer = await answering({
    results: [
      { url: "https://a.example/1", title: "One <b>bold</b> &amp; more", content: "Some\n words" },
      { url: "https://b.example/", title: "", content: "", publishedDate: "2026-01-02T00:00:00" },
      { url: "javascript:alert(1)", title: "none" },
      "no result",
    ],
  });
  assert.equal(
    await searched("  of   the web ", searxng(peer)),
    "1. One bold & more\n   https://a.example/1\n   Some words\n\n2. https://b.example/\n   https://b.example/\n   2026-01-02T00:00:00",
  );
  const { path, query } = askedOf(peer);
  assert.equal(path, "/search");
  assert.deepEqual(query, { q: "of the web", format: "json" });
});

test("[WEB10] Brave is asked with its key, and told where the user is", async () => {
  const web = {
    results: [{ url: "https://a.example/", title: "A", age: "3 days ago", description: "D" }],
  };
  await using peer = await answering({ type: "search", web });
  const user_location = {
    type: "approximate",
    country: "DE",
    city: "Köln",
    timezone: "Europe/Berlin",
  };
  const configs = [{ name: "web_search", user_location }];
  assert.equal(
    await searched("x", brave(peer), { configs }),
    "1. A\n   https://a.example/\n   3 days ago\n   D",
  );
  const { path, query, headers } = askedOf(peer);
  assert.equal(path, "/res/v1/web/search");
  assert.deepEqual(query, { q: "x", count: "20", text_decorations: "false", country: "DE" });
  assert.equal(headers["x-subscription-token"], key);
  assert.equal(headers["x-loc-timezone"], "Europe/Berlin");
  assert.equal(headers["x-loc-city"], undefined, "it is no ASCII");
  await using empty = await answering({ type: "search" });
  assert.equal(await searched("x", brave(empty)), "Nothing was found.");
});

test("[WEB10] ten results at most, cut where they are long", async () => {
  const results = Array.from({ length: 30 }, (_, at) =>
    resultOf(`https://a.example/${at}`, { title: "t".repeat(900), content: "w".repeat(9_000) }),
  );
  await using peer = await answering({ results });
  const text = await searched("x", searxng(peer));
  assert.deepEqual(text.match(/^\d+\./gm)?.length, 10);
  assert.ok(
    text.includes(`10. ${"t".repeat(300)}…\n   https://a.example/9\n   ${"w".repeat(1_000)}…`),
  );
});

test("[WEB10] domains are asked for, and what is of others is left out", async () => {
  const results = [
    resultOf("https://docs.a.example/guide/1"),
    resultOf("https://a.example/guidebook"),
    resultOf("https://b.example/"),
    resultOf("https://c.example/"),
  ];
  const shown = async (config: object, input: object) => {
    await using peer = await answering({ results });
    const configs = [{ name: "web_search", ...config }];
    const text = await searched("x", searxng(peer), { configs, input });
    return [askedOf(peer).query["q"], ...(text.match(/https:\S+/g) ?? [])];
  };
  const [a, guidebook, b, c] = results.map(({ url }) => url);
  assert.deepEqual(await shown({ allowed_domains: ["a.example/guide"] }, {}), [
    "x site:a.example/guide",
    a,
  ]);
  assert.deepEqual(await shown({ allowed_domains: ["a.example", "b.example"] }, {}), [
    "x (site:a.example OR site:b.example)",
    a,
    guidebook,
    b,
  ]);
  assert.deepEqual(
    await shown({ blocked_domains: ["a.example"] }, { blocked_domains: ["b.example"] }),
    ["x -site:a.example -site:b.example", c],
  );
  assert.deepEqual(
    await shown(
      { allowed_domains: ["a.example", "b.example"] },
      { allowed_domains: ["b.example"] },
    ),
    ["x (site:a.example OR site:b.example) site:b.example", b],
  );
  assert.deepEqual(await shown({}, { allowed_domains: [] }), ["x", a, guidebook, b, c]);
  const many = Array.from({ length: 64 }, (_, at) => `d${at}.example`);
  assert.deepEqual(await shown({ allowed_domains: [...many.slice(1), "b.example"] }, {}), ["x", b]);
});

test("[WEB10] a query is some words, and domains are a list", async () => {
  await using peer = await answering({ results: [] });
  const said = (input: object) => w.said("web_search", input, { web: searxng(peer) });
  assert.equal(await said({}), "! web_search: query: must be a text.");
  assert.equal(await said({ query: " \n" }), "! web_search: query: must not be empty.");
  assert.match(await said({ query: "x".repeat(401) }), /query: must have at most 400 characters/);
  assert.match(await said({ query: "x", allowed_domains: "a" }), /allowed_domains: must be a list/);
  assert.equal(peer.requests.length, 0);
});

test("[WEB11] a search server that fails is told without its address and key", async () => {
  const failing = async (answer: Parameters<typeof listen>[0], words: RegExp) => {
    await using peer = await listen(answer);
    const text = await searched("x", brave(peer));
    assert.match(text, words);
    for (const secret of [key, "127.0.0.1", String(peer.port)])
      assert.equal(text.includes(secret), false, text);
  };
  const begins = "^! web_search: The search server ";
  await failing(
    (_, response) => response.writeHead(429).end(key),
    new RegExp(`${begins}answered with the status 429\\.$`),
  );
  await failing(
    (_, response) => response.end("<p>no"),
    new RegExp(`${begins}answered with something other`),
  );
  await failing(
    (_, response) => response.end("[1]"),
    new RegExp(`${begins}answered with something other`),
  );
  await failing(
    (_, response) => response.end(`{"web":1}`),
    new RegExp(`${begins}answered with something other`),
  );
  await failing(
    ({ socket }) => socket.destroy(),
    new RegExp(`${begins}broke off before it had answered \\(`),
  );
  await failing(
    (_, response) => response.writeHead(302, { location: "/" }).end(),
    new RegExp(`${begins}answered with a redirect`),
  );
  await failing(
    (_, response) => response.end(Buffer.alloc(2 ** 21 + 1)),
    new RegExp(`${begins}answered with more than`),
  );
});

test("[WEB12] a provider without its address or key is refused at the start", () => {
  const read = (web: object, fromEnvironment?: string) => {
    const section = () => web as never;
    return readWebSettings({ section, file: "the file" }, fromEnvironment);
  };
  const url = "http://search.internal:8080/";
  assert.deepEqual(read({}), { provider: null, priceNano: { web_search: 0, web_fetch: 0 } });
  assert.deepEqual(read({ search_provider: "none", search_url: "x", search_price: 10 }), {
    provider: null,
    priceNano: { web_search: 10_000_000, web_fetch: 0 },
  });
  assert.deepEqual(read({ search_provider: "searxng", search_url: url, fetch_price: 0.0001 }), {
    provider: { name: "searxng", url: "http://search.internal:8080" },
    priceNano: { web_search: 0, web_fetch: 100 },
  });
  const ownKey = { search_provider: "brave", search_key: "of the file" };
  const braveUrl = "https://api.search.brave.com";
  assert.deepEqual(read(ownKey).provider, { name: "brave", url: braveUrl, key: "of the file" });
  assert.deepEqual(read(ownKey, key).provider, { name: "brave", url: braveUrl, key });
  assert.throws(
    () => read({ search_provider: "searxng" }),
    /the file names a search_provider and no search_url/,
  );
  assert.throws(
    () => read({ search_provider: "brave" }),
    /names brave and no key: .*PLINTH_WEB_SEARCH_KEY/,
  );
  for (const wrong of [
    "searx",
    "ftp://a.example",
    "https://me:word@a.example",
    "https://a.example?q",
  ])
    assert.throws(
      () => read({ search_provider: "searxng", search_url: wrong }),
      /search_url that is no http/,
    );
});
