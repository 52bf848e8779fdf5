// Rules REQ1 to REQ6 and REQ8, over HTTP: what is a row of the request log, what it says, and who reads it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Principal } from "../../kernel/context.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { makeDays } from "../../server/requests/days.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import { trafficPart } from "../../server/traffic/module.ts";
import { openHouse, type House } from "../house.ts";
import { queryPosted } from "../posted.ts";
import { requestIdOf, requestsOf } from "./requests-house.ts";
import { until } from "./support.ts";
import { allText } from "./text.ts";

let house: House;
before(async () => {
  house = await openHouse({
    sections: {
      models: {
        upstreams: { busy: { kind: "simulator", scenario: [{ fail: { status: 529 } }] } },
        models: [
          { id: "busy", upstream: "busy", max_tokens: 64_000 },
          { id: "guarded", upstream: "simulator", guard: "sim-medium" },
          { id: "sim-large", allowed_fallback_models: ["sim-medium", "sim-small"] },
        ],
      },
    },
  });
});
after(() => house[Symbol.asyncDispose]());

const { ask, list, page, read } = requestsOf(() => house);
const platform = () => house.organizations.platform;

const message = (content: string, fields: object = {}, headers: Record<string, string> = {}) =>
  house.ask("POST", "/v1/messages", {
    key: platform().api_key,
    headers,
    body: { model: "sim-large", max_tokens: 60, messages: [{ role: "user", content }], ...fields },
  });

test("[REQ1] requests of keys are rows, good and bad; a look at the console is where it failed, a stranger is none", async () => {
  const good = await message("Hello");
  const unknown = await house.ask("GET", "/v1/no-such-thing", { key: platform().api_key });
  const stranger = await house.ask("POST", "/v1/messages", { key: "sk-plinth-api-none", body: {} });
  const look = await house.ask("GET", "/console/api/me", { cookie: platform().cookie });
  const missed = await house.ask("GET", "/console/api/requests/export?format=xml", {
    cookie: platform().cookie,
  });
  const absent = await house.ask("GET", "/v1/organizations/requests/req_none", {
    key: platform().admin_api_key,
  });
  const change = await house.ask("POST", "/console/api/workspaces", {
    cookie: platform().cookie,
    body: { name: "logged" },
  });
  assert.equal(change.status < 300, true, JSON.stringify(change.body));
  const rows = await list("limit=100");
  const statusOf = (answer: { headers: Headers }) =>
    rows.find(({ id }) => id === requestIdOf(answer))?.status;
  assert.equal(statusOf(good), 200);
  assert.equal(statusOf(unknown), undefined, "no route, and so no credential was looked at");
  assert.equal(statusOf(stranger), undefined);
  assert.equal(statusOf(look), undefined);
  assert.equal(statusOf(missed), missed.status);
  assert.equal(missed.status >= 400, true);
  assert.equal(statusOf(absent), undefined);
  const left = await lookThatIsLeft();
  assert.equal(
    (await list("limit=100")).some(({ id }) => id === left),
    false,
  );
  const row = await read(requestIdOf(change));
  assert.equal(row.origin, "console");
  assert.equal(row.path, "/console/api/workspaces");
});

/** As where a person goes on to another page before this one is there. */
async function lookThatIsLeft(): Promise<string> {
  const { organization_id: organizationId } = platform();
  const { ids } = house.world;
  const requestId = ids.next("req_");
  const who = {
    kind: "console",
    credentialId: ids.next("signin_"),
    organizationId,
    workspaceId: null,
    userId: null,
  };
  requestLogOf(house.world).noteAnswered({
    requestId,
    notes: {},
    operation: "console.workspaces.list",
    method: "GET",
    path: "/console/api/workspaces",
    status: 499,
    seconds: 0.01,
    who: who as unknown as Principal,
    address: "",
    failure: undefined,
  });
  return requestId;
}

test("[REQ2] what was asked, what answered, and what the ledger charged", async () => {
  const answer = await message("How are you?");
  const row = await read(requestIdOf(answer));
  const { usage } = answer.body;
  const [charged] = await queryPosted<{ nano: number }>(
    house.world.db,
    sql`select sum(amount_nano)::bigint as nano from ledger where request_id = ${row.id}`,
  );
  assert.equal(row.operation, "messages.create");
  assert.equal(row.model, "sim-large");
  assert.equal(row.served_model, "sim-large");
  assert.equal(row.upstream, "simulator");
  assert.equal(row.stop_reason, answer.body.stop_reason);
  assert.deepEqual(row.usage, {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  });
  assert.equal(Number(row.cost?.amount) * 1e7, charged?.nano);
  assert.equal(row.credential_id.startsWith("apikey_"), true);
  assert.equal(row.attempts.length, 1);
  assert.equal(row.attempts[0]?.outcome, "served");
  assert.equal(row.attempts[0]?.end_ms, row.duration_ms);
  assert.equal(new Date(row.ended_at).getTime() - new Date(row.at).getTime(), row.duration_ms);
});

test("[REQ2] a failed request says why, in the words of the server's log", async () => {
  const answer = await message("Hello", { model: "no-model" });
  assert.equal(answer.status, 404);
  const row = await read(requestIdOf(answer));
  assert.equal(row.status, 404);
  assert.deepEqual(row.error, {
    type: "not_found_error",
    message: answer.body.error.message,
  });
  assert.equal(row.model, "no-model");
  assert.equal(row.served_model, null);
  assert.deepEqual(row.attempts, []);
  assert.equal(row.cost, null);
});

test("[REQ2] [TRF1] a stream that fails in its middle has failed, in the log and in the sums", async () => {
  const failed = async () => {
    await trafficPart.of(house.world).flush();
    const [sum] = await house.world.db.query<{ failed: number }>(sql`
      select coalesce(sum(failed), 0)::integer as failed from request_minutes
      where organization_id = ${platform().organization_id}`);
    return sum?.failed ?? 0;
  };
  const before = await failed();
  const id = requestIdOf(await message("[[fail after=3]] Hello", { stream: true }));
  const row = await read(id);
  assert.ok(row.status >= 500, `${row.status}`);
  assert.equal(row.attempts[0]?.outcome, "failed");
  assert.deepEqual(
    (await list("status=5xx")).map((one) => one.id).filter((one) => one === id),
    [id],
  );
  assert.equal(
    (await list("status=ok&limit=100")).some((one) => one.id === id),
    false,
  );
  assert.equal(await failed(), before + 1);
});

test("[REQ3] a stream has its first word; attempts that did not serve say how they ended and why", async () => {
  const streamed = await message("Hello", { stream: true });
  const spoke = await read(requestIdOf(streamed));
  const { first_token_ms: first, duration_ms: whole } = spoke;
  assert.ok(first !== null && first <= whole, `${first} of ${whole} ms`);
  const failed = await message("Hello", { model: "busy" });
  assert.equal(failed.status, 529);
  const row = await read(requestIdOf(failed));
  const [attempt] = row.attempts;
  assert.equal(row.attempts.length, 1);
  assert.equal(attempt?.outcome, "failed");
  assert.equal(attempt?.why, "overloaded_error");
  assert.equal(row.served_model, null);
});

test("[REQ3] a refusal that another model answers: both attempts, and the second one served", async () => {
  const answer = await message(
    "[[refuse category=cyber]] Hello",
    { fallbacks: [{ model: "sim-medium" }] },
    { "anthropic-beta": "server-side-fallback-2026-07-01" },
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const row = await read(requestIdOf(answer));
  assert.equal(row.fell_back, answer.body.model === "sim-medium");
  assert.equal(row.fell_back, true, JSON.stringify(answer.body));
  const told = row.attempts.map(({ model, outcome, why }) => ({ model, outcome, why }));
  assert.deepEqual(told, [
    { model: "sim-large", outcome: "declined", why: "cyber" },
    { model: "sim-medium", outcome: "served", why: null },
  ]);
  assert.deepEqual(
    (await list("fell_back=true")).map(({ id }) => id),
    [row.id],
  );
});

test("[REQ3] a guard is an attempt, and not among the tokens", async () => {
  const answer = await message("Hello", { model: "guarded" });
  const row = await read(requestIdOf(answer));
  assert.deepEqual(
    row.attempts.map(({ model, is_guard }) => ({ model, is_guard })),
    [
      { model: "guarded", is_guard: false },
      { model: "sim-medium", is_guard: true },
    ],
  );
  assert.equal(row.usage?.input_tokens, answer.body.usage.input_tokens);
  assert.ok(Number(row.attempts[1]?.input_tokens) > 0, "the guard has read something");
});

test("[REQ2] a client that leaves in the middle: 499, and what the ledger charged for it", async () => {
  const gone = new AbortController();
  const answer = await fetch(`${house.url}/v1/messages`, {
    method: "POST",
    signal: gone.signal,
    headers: { "x-api-key": platform().api_key, "content-type": "application/json" },
    body: JSON.stringify({
      model: "sim-large",
      max_tokens: 900,
      stream: true,
      messages: [{ role: "user", content: "[[tokens 900]] [[rate 200]] Hello" }],
    }),
  });
  const reader = answer.body?.getReader();
  for (let chunks = 0; chunks < 8; chunks++) await reader?.read();
  gone.abort();
  const id = requestIdOf(answer);
  const [row] = await until(async () => {
    const found = (await list("limit=100")).filter((each) => each.id === id);
    return found.length > 0 && found;
  }, "the request in the log");
  const [charged] = await queryPosted<{ nano: number }>(
    house.world.db,
    sql`select sum(amount_nano)::bigint as nano from ledger where request_id = ${id}`,
  );
  assert.equal(row?.status, 499);
  assert.equal(row?.attempts[0]?.outcome, "cut");
  assert.equal(row?.attempts[0]?.why, "client_gone");
  assert.equal(Math.round(Number(row?.cost?.amount) * 1e7), charged?.nano);
  assert.ok(Number(charged?.nano) > 0);
});

test("[REQ5] no word of a conversation is in the log, however the request ends", async () => {
  const words = "zebrafish-quartz";
  const asked = { role: "user", content: words };
  await message(words);
  await message(words, { stream: true, stop_sequences: [words] });
  await message(words, { model: "busy" });
  await message(words, { [words]: 1 });
  await message(words, { system: 7, messages: [asked, { role: words, content: words }] });
  await message(words, { tools: [{ name: `${words} !`, input_schema: { type: words } }] });
  await message(words, { tool_choice: { type: "tool", name: words } });
  await message(words, { model: words });
  await message(words, { messages: [{ ...asked, [words]: words }] });
  await house.ask("POST", "/v1/messages", {
    key: platform().api_key,
    body: `{"${words}": ${words}`,
  });
  await message(`[[fail status=400 message=${words}]]`);
  await message(words, { messages: [{ role: "user", content: [{ type: words, text: words }] }] });
  await list();
  // Nor anywhere else in the database; what was named as a model is no conversation.
  const lines = (await allText(house.world.db)).split("\n").filter((line) => line.includes(words));
  assert.deepEqual(
    lines.filter((line) => !line.includes(`"model_asked": "${words}"`)),
    [],
  );
});

test("[REQ6] newest first, page by page; another organization sees and finds none of it", async () => {
  const made = [];
  for (const text of ["one", "two", "three"]) made.push(requestIdOf(await message(text)));
  const first = await page("operation=messages.create&limit=2");
  const second = await page(
    `operation=messages.create&limit=2&page=${encodeURIComponent(first.next_page ?? "")}`,
  );
  const ids = [...first.data, ...second.data].map(({ id }) => id);
  assert.deepEqual(ids.slice(0, 3), made.toReversed());
  assert.equal(new Set(ids).size, 4);
  const { other } = house.organizations;
  assert.deepEqual(await list("", other), []);
  const foreign = await ask(`/${made[0]}`, other);
  assert.equal(foreign.status, 404);
  const forged = await ask("?page=abc");
  assert.equal(forged.status, 400);
  const byApiKey = await house.ask("GET", "/v1/organizations/requests", {
    key: platform().api_key,
  });
  assert.equal(byApiKey.status, 403);
});

test("[REQ6] filters choose by status, model, upstream, key, workspace, time, price and words of the error", async () => {
  const { body: good } = await message("A question of some length for a price");
  assert.ok(good);
  await message("Hello", { model: "no-model-of-ours" });
  const all = await list("limit=200");
  const check = async (query: string, fits: (row: (typeof all)[number]) => boolean) => {
    const found = await list(`limit=200&${query}`);
    const ids = new Set(all.map(({ id }) => id));
    const known = found.filter(({ id }) => ids.has(id)).map(({ id }) => id);
    const wanted = all.filter(fits).map(({ id }) => id);
    assert.deepEqual(known, wanted, query);
    assert.ok(wanted.length > 0 && wanted.length < all.length, `${query} chooses`);
  };
  await check("status=error", ({ status }) => status >= 400);
  await check("status=ok", ({ status }) => status < 400);
  await check("status=4xx", ({ status }) => status >= 400 && status < 500);
  await check("status=529", ({ status }) => status === 529);
  await check("model=sim-medium", ({ served_model }) => served_model === "sim-medium");
  await check("model=no-model-of-ours", ({ model }) => model === "no-model-of-ours");
  await check("error=no-model-OF", ({ error }) => /no-model-of/.test(error?.message ?? ""));
  await check("upstream=busy", ({ upstream }) => upstream === "busy");
  await check("origin=console", ({ origin }) => origin === "console");
  await check("min_cost=0.001", ({ cost }) => Number(cost?.amount ?? 0) >= 0.001);
  const key = all.find(({ operation }) => operation === "messages.create")?.credential_id;
  await check(`credential_id=${key}`, ({ credential_id }) => credential_id === key);
  const middle = all[Math.floor(all.length / 2)]?.at ?? "";
  await check(`from=${middle}`, ({ at }) => at >= middle);
  await check(`to=${middle}`, ({ at }) => at < middle);
  const crossed = await ask(`?from=${middle}&to=${middle}`);
  assert.equal(crossed.status, 400);
});

test("[REQ8] what ended, in the order in which it ended, also where it began long before", async () => {
  const { db, ids, clock } = house.world;
  const id = requestIdOf(await message("The one that is copied"));
  await list();
  const longId = ids.next("req_");
  const beganMs = clock.now().getTime() - 3_600_000;
  // In the first hour of a day it is the one before.
  await makeDays(house.world).makeFor([{ at: new Date(beganMs) }]);
  await db.query(sql`
    insert into requests select (jsonb_populate_record(requests, jsonb_build_object('id', ${longId}::text,
      'at', ${new Date(beganMs)}::timestamptz, 'ms', 3600000))).*
    from requests where id = ${id}`);
  const rows = await list(`limit=100&ended_after=${new Date(beganMs + 3_590_000).toISOString()}`);
  const ends = rows.map(({ ended_at }) => ended_at);
  assert.deepEqual(ends, ends.toSorted());
  assert.ok(rows.some((row) => row.id === longId));
  const later = await list(`ended_after=${new Date(beganMs + 3_600_001).toISOString()}`);
  assert.equal(
    later.some((row) => row.id === longId),
    false,
  );
  const both = await ask(`?ended_after=${ends[0]}&from=${ends[0]}`);
  assert.equal(both.status, 400);
});
