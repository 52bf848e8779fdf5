// Rules TOK6 to TOK10: the token endpoint, and the chains of refresh tokens.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { askAt, eventsOf, expectDeathWithinASecond, hours, me, minutes, until } from "./support.ts";
import { askToken, clientId, personIn, programIn, refresh, refusalOf } from "./tokens-house.ts";

let house: House;
let platform: Tenant;
let timed: House;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  [house, timed] = await Promise.all([openHouse(), openHouse({ clock })]);
  ({ platform } = house.organizations);
});
after(async () => {
  await using _timed = timed;
  await using _house = house;
});

const program = async (of: House, tenant: Tenant) => {
  const userId = await personIn(of, tenant, "admin");
  return { userId, ...(await programIn(of, tenant, { userId })) };
};
const form = (of: House, body: string, type = "application/x-www-form-urlencoded") =>
  of.ask("POST", "/v1/oauth/token", { body, headers: { "content-type": type } });

test("[TOK6] JSON and forms are taken alike, and answers are stored by nobody", async () => {
  const { refresh_token: first = "" } = await program(house, platform);
  const asJson = await refresh(house, first);
  assert.equal(asJson.status, 200);
  const fields = { grant_type: "refresh_token", client_id: clientId, unknown: "ignored" };
  const body = new URLSearchParams({ ...fields, refresh_token: asJson.body.refresh_token });
  const asForm = await form(house, body.toString());
  assert.equal(asForm.status, 200);
  assert.deepEqual(Object.keys(asForm.body as object).sort(), [
    "access_token",
    "expires_in",
    "refresh_token",
    "scope",
    "token_type",
  ]);
  assert.deepEqual(
    [asForm.body.token_type, asForm.body.expires_in, asForm.body.scope],
    ["Bearer", 3600, "org:admin"],
  );
  for (const { headers } of [asJson, asForm, await askToken(house, {})]) {
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(headers.get("request-id") ?? "", /^req_/);
    assert.equal(headers.get("access-control-allow-origin"), null);
  }
  const preflight = await house.ask("OPTIONS", "/v1/oauth/token", {
    headers: { origin: "https://elsewhere.example", "access-control-request-method": "POST" },
  });
  assert.equal(preflight.headers.get("access-control-allow-origin"), null);
});

test("[TOK6] refusals have the fields of RFC 6749", async () => {
  const grant_type = "refresh_token";
  assert.match(refusalOf(await askToken(house, {}), 400, "invalid_request"), /grant_type/);
  assert.match(
    refusalOf(await askToken(house, { grant_type: "password" }), 400, "unsupported_grant_type"),
    /refresh_token/,
  );
  refusalOf(await askToken(house, { grant_type: "toString" }), 400, "unsupported_grant_type");
  assert.match(
    refusalOf(await askToken(house, { grant_type }), 400, "invalid_request"),
    /^refresh_token: /,
  );
  const lacking = { grant_type, refresh_token: "x" };
  assert.match(refusalOf(await askToken(house, lacking), 400, "invalid_request"), /^client_id: /);
  refusalOf(await askToken(house, { ...lacking, client_id: 7 }), 400, "invalid_request");
  refusalOf(await askToken(house, "{"), 400, "invalid_request");
  refusalOf(await askToken(house, "[]"), 400, "invalid_request");
  refusalOf(await form(house, "a", "text/plain"), 415, "invalid_request");
  refusalOf(await askToken(house, { grant_type: "x".repeat(70_000) }), 413, "invalid_request");
  const twice = "grant_type=refresh_token&client_id=a&client_id=b";
  assert.match(refusalOf(await form(house, twice), 400, "invalid_request"), /^client_id: .*twice/);
  assert.match(refusalOf(await form(house, "grant_type=%00"), 400, "invalid_request"), /U\+0000/);
});

test("[TOK6] a description holds no quotation mark, and no secret", async () => {
  const answer = await askToken(house, `{"grant_type":"sk-plinth-ort-`);
  const sentence = refusalOf(answer, 400, "invalid_request");
  assert.match(sentence, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
});

test("[TOK7] a refresh gives the next pair, and the old access token goes on to its end", async () => {
  const first = await program(house, platform);
  const { status, body } = await refresh(house, first.refresh_token ?? "");
  assert.equal(status, 200);
  assert.notEqual(body.refresh_token, first.refresh_token);
  for (const key of [first.access_token, body.access_token as string])
    assert.equal((await house.ask("GET", me, { key })).status, 200);
  assert.equal((await refresh(house, body.refresh_token)).status, 200);
});

test("[TOK7] of eight redemptions at once, on two processes, exactly one gets tokens", async () => {
  await using neighbour = await house.openSecondServer();
  const { refresh_token = "" } = await program(house, platform);
  const body = { grant_type: "refresh_token", refresh_token, client_id: clientId };
  const urls = Array.from({ length: 8 }, (_, i) => (i % 2 ? house.url : neighbour.url));
  const answers = await Promise.all(
    urls.map((url) => askAt(url, "POST", "/v1/oauth/token", { body })),
  );
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1, JSON.stringify(answers.map(({ status }) => status)));
});

test("[TOK8] an old one ends the family within a second everywhere, and the log says so", async () => {
  await using neighbour = await timed.openSecondServer();
  const tenant = timed.organizations.platform;
  const { refresh_token: old = "", userId } = await program(timed, tenant);
  const { body } = await refresh(timed, old);
  const key = body.access_token as string;
  assert.equal((await askAt(neighbour.url, "GET", me, { key })).status, 200);
  assert.match(refusalOf(await refresh(timed, old), 400, "invalid_grant"), /used before/);
  assert.equal((await timed.ask("GET", me, { key })).status, 401);
  await until(
    async () => (await askAt(neighbour.url, "GET", me, { key })).status === 401,
    "the other process to hear of it",
  );
  refusalOf(await refresh(timed, body.refresh_token), 400, "invalid_grant");
  const [event] = await eventsOf(timed, tenant);
  assert.deepEqual(
    [event?.action, event?.actor.type, event?.actor.id],
    ["program_sign_in.ended", "user", userId],
  );
});

test("[TOK8] on another process in real time, too", async () => {
  await using neighbour = await house.openSecondServer();
  const { refresh_token: old = "" } = await program(house, platform);
  const { body } = await refresh(house, old);
  const next = (await refresh(house, body.refresh_token)).body;
  const key = next.access_token as string;
  assert.equal((await askAt(neighbour.url, "GET", me, { key })).status, 200);
  // Somebody has gone on with what came of it: no grace is left.
  refusalOf(await refresh(house, old), 400, "invalid_grant");
  await expectDeathWithinASecond(neighbour.url, me, { key }, performance.now());
});

test("[TOK8] two that are under way at the same time: one gets tokens, and they go on working", async () => {
  const { refresh_token = "" } = await program(house, platform);
  const { db } = house.world;
  const asked: Promise<Answer>[] = [];
  await db.tx(async (tx) => {
    await tx.query({
      text: "select id from token_families order by id desc limit 1 for update",
      values: [],
    });
    asked.push(refresh(house, refresh_token), refresh(house, refresh_token));
    await until(async () => {
      const [row] = await db.query<{ count: number }>({
        text: `select count(*) as count from pg_stat_activity
               where wait_event_type = 'Lock' and datname = current_database()`,
        values: [],
      });
      return Number(row?.count) === 2;
    }, "both to wait for the family");
  });
  const answers = await Promise.all(asked);
  const won = answers.find(({ status }) => status === 200);
  const lost = answers.find(({ status }) => status !== 200);
  assert.match(refusalOf(lost ?? assert.fail("both won"), 400, "invalid_grant"), /the same time/);
  const key = won?.body.access_token as string;
  assert.equal((await house.ask("GET", me, { key })).status, 200);
});

test("[TOK9] another client does not refresh it, and a family ends 30 days after its last use", async () => {
  const tenant = timed.organizations.platform;
  const { refresh_token = "" } = await program(timed, tenant);
  refusalOf(await refresh(timed, refresh_token, "another"), 400, "invalid_grant");
  clock.advance(hours(30 * 24) - 1);
  const { status, body } = await refresh(timed, refresh_token);
  assert.equal(status, 200, "a stranger's try does not harm it");
  clock.advance(hours(30 * 24));
  assert.match(refusalOf(await refresh(timed, body.refresh_token), 400, "invalid_grant"), /ended/);
});

test("[TOK10] refusals are counted by address; after a minute it goes on", async () => {
  clock.advance(minutes(10));
  const again = () => refresh(timed, "sk-plinth-ort-nothing");
  for (let i = 0; i < 1_000; i += 50) await Promise.all(Array.from({ length: 50 }, again));
  const refused = await again();
  refusalOf(refused, 429, "temporarily_unavailable");
  assert.equal(refused.headers.get("retry-after"), "60");
  clock.advance(minutes(1));
  refusalOf(await again(), 400, "invalid_grant");
});
