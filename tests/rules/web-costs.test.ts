// Rule WEB13: what searches and pages of agents cost, in their sessions, in the ledger and under limits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limitsOf, setSpend } from "../../server/limits/module.ts";
import { queryPosted } from "../posted.ts";
import { listen, openWebHouse, pages, type Peer, type WebHouse } from "./web-tools-house.ts";

let w: WebHouse;
let peer: Peer;
before(async () => {
  w = await openWebHouse();
  peer = await listen((request, response) => {
    if (request.url?.startsWith("/search?q=fails")) response.writeHead(500).end();
    else if (request.url?.startsWith("/search")) response.end('{"results":[]}');
    else pages({ "/": "<p>there" })(request, response);
  });
});
after(async () => {
  await peer[Symbol.asyncDispose]();
  await w[Symbol.asyncDispose]();
});

const priceNano = { web_search: 10_000_000, web_fetch: 500 };
const search = (query: string) =>
  w.run(
    "web_search",
    { query },
    { web: { provider: { name: "searxng", url: peer.url("") }, priceNano } },
  );
const fetchPage = (path: string) =>
  w.run("web_fetch", { url: peer.url(path) }, { web: { priceNano } });

const rows = () =>
  queryPosted<Record<string, unknown>>(
    w.house.world.db,
    sql`select kind, outcome, upstream, origin, session_id as session, agent_id as agent,
      environment_id as environment, amount_nano as nano, list_amount_nano as list, input_tokens as input
      from ledger where kind like 'web_%' order by at, id`,
  );

test("[WEB13] what succeeded is counted once, in the session and in the ledger; what failed is not", async () => {
  const { session, sessions } = w;
  const searched = await search("x");
  assert.deepEqual(searched.usage, { web_search_requests: 1, web_fetch_requests: 0 });
  const fetched = await fetchPage("/");
  assert.deepEqual(fetched.usage, { web_search_requests: 0, web_fetch_requests: 1 });
  await search("y");
  for (const failed of [await search("fails"), await search(""), await fetchPage("/gone")]) {
    assert.equal(failed.isError, true);
    assert.deepEqual(failed.usage, { web_search_requests: 0, web_fetch_requests: 0 });
  }
  const common = {
    outcome: "served",
    origin: "session",
    session: session.id,
    agent: session.agent.id,
    environment: session.environmentId,
    input: 0,
  };
  const ofSearch = {
    ...common,
    kind: "web_search",
    upstream: "searxng",
    nano: 10_000_000,
    list: 10_000_000,
  };
  const ofPage = { ...common, kind: "web_fetch", upstream: "web", nano: 500, list: 500 };
  assert.deepEqual(await rows(), [ofSearch, ofPage, ofSearch]);
  const { usage } = await sessions.read(session.id);
  const counts = { web_search_requests: 2, web_fetch_requests: 1 };
  assert.deepEqual(usage.server_tool_use, counts);
  assert.equal(usage.list_cost.amount, "3", "cents, rounded up");
  const { webSearchRequests, webFetchRequests, listAmountNano } = session.usage;
  assert.deepEqual([webSearchRequests, webFetchRequests, listAmountNano], [2, 1, 20_000_500]);
});

test("[WEB13] a use whose settlement is written twice counts once", async () => {
  const { db } = w.house.world;
  const { countedBy } = await w.accountingOf();
  const readUsage = async () => (await w.sessions.read(w.session.id)).usage.server_tool_use;
  const { web_search_requests: before } = await readUsage();
  const use = { name: "web_search", listAmountNano: 0 } as const;
  for (const id of ["hop_1", "hop_1", "hop_2"]) await db.query(countedBy(id, use));
  assert.equal((await readUsage()).web_search_requests, before + 2);
});

test("[WEB13] a spend limit that is reached refuses them, and rates do not", async () => {
  const { house } = w;
  const { organization_id: id } = house.organizations.platform;
  const count = peer.requests.length;
  const limit = async (nano: bigint | null) => {
    await house.world.db.tx((tx) => setSpend(tx, id, "", nano));
    limitsOf(house.world).changed(id);
  };
  await limit(1n);
  const [searched, fetched] = [await search("x"), await fetchPage("/")];
  for (const { content, isError } of [searched, fetched]) {
    assert.equal(isError, true);
    assert.match(JSON.stringify(content), /web_(search|fetch): .*spend limit/i);
  }
  assert.equal(peer.requests.length, count);
  await limit(null);
  assert.equal((await search("x")).isError, false);
});
