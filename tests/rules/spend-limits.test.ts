// Rules LIM18 to LIM21 over HTTP: spend limits of members, of platform organizations, and who asks for more.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { spanOf } from "../../server/limits/periods.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { sentenceOf } from "./support.ts";

let house: House;
let enterprise: Tenant;
let platform: Tenant;
let owner: string;
before(async () => {
  house = await openHouse();
  ({ enterprise, platform } = house.organizations);
  owner = (await house.ask("GET", "/console/api/me", { cookie: enterprise.cookie })).body.user.id;
});
after(() => house[Symbol.asyncDispose]());

/** Over the API with an access token, in the name of the owner. */
const call = (method: string, path: string, body?: unknown, tenant = enterprise) =>
  house.ask(method, `/v1/organizations/${path}`, {
    key: tenant.oauth_access_token,
    ...(body !== undefined && { body }),
  });
const inConsole = (method: string, path: string, body?: unknown, { cookie } = enterprise) =>
  house.ask(method, `/console/api/${path}`, { cookie, ...(body !== undefined && { body }) });
const set = (amount: string | null, period = "monthly") =>
  call("POST", "spend_limits", { scope: { type: "user", user_id: owner }, amount, period });
const remove = async () => {
  const { body } = await call("GET", "spend_limits?scope_type[]=user");
  for (const { id } of body.data) await call("DELETE", `spend_limits/${id}`);
};

/** A quarter of a hundredth of a unit each. */
const message = (by: Record<string, string>) =>
  house.ask("POST", "/v1/messages", {
    ...by,
    body: {
      model: "sim-large",
      max_tokens: 100,
      messages: [{ role: "user", content: "[[tokens 100]]" }],
    },
  });

interface Row {
  actor: { user_id: string };
  period: string;
  amount: string | null;
  period_to_date_spend: string;
  source: { type: string };
  spend_limit_id: string | null;
}
const effective = async (query = ""): Promise<Row[]> =>
  (await call("GET", `spend_limits/effective${query}`)).body.data;

test("[LIM18] [USE16] what a member has just spent is shown at once", async () => {
  const spent = async () => Number((await effective("?period[]=monthly"))[0]?.period_to_date_spend);
  for (let round = 0; round < 3; round++) {
    const before = await spent();
    assert.equal((await message({ cookie: enterprise.cookie })).status, 200);
    assert.ok((await spent()) > before);
  }
});

test("[LIM18] a member's limit refuses what could pass it, whatever they ask with; others go on", async () => {
  for (const period of ["daily", "weekly", "monthly"]) {
    const spent = Number((await effective("?period[]=monthly"))[0]?.period_to_date_spend);
    await set(String(Math.ceil(spent) + 1), period);
    const answers = [];
    for (let at = 0; at < 9; at++) answers.push(await message({ cookie: enterprise.cookie }));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0, "nothing was refused");
    const sentence = new RegExp(
      `^The spend limit of this member for the ${period === "daily" ? "day" : period.slice(0, -2)} of `,
    );
    const [first] = refused;
    assert.ok(first);
    assert.match(sentenceOf(first, 429), sentence);
    assert.equal(first.body.error.details.error_code, "enforced_spend_limit_reached");
    assert.equal(first.headers.get("x-should-retry"), "false");
    const row = (await effective(`?period[]=${period}`))[0];
    assert.ok(Number(row?.period_to_date_spend) <= Number(row?.amount), JSON.stringify(row));
    assert.equal((await message({ key: enterprise.api_key })).status, 200);
    await remove();
    assert.equal((await message({ cookie: enterprise.cookie })).status, 200);
  }
});

test("[LIM18] weeks begin on Monday, and every moment lies in its spans", () => {
  const at = (text: string) => new Date(text);
  assert.deepEqual(spanOf("weekly", at("2028-03-05T23:59:59Z")), {
    key: "2028-02-28/7",
    from: "2028-02-28",
    until: "2028-03-06",
  });
  assert.deepEqual(spanOf("monthly", at("2028-02-29T12:00:00Z")), {
    key: "2028-02",
    from: "2028-02-01",
    until: "2028-03-01",
  });
  fc.assert(
    fc.property(
      fc.date({ min: at("2024-01-01"), max: at("2040-01-01"), noInvalidDate: true }),
      (now) => {
        for (const period of ["daily", "weekly", "monthly"] as const) {
          const { from, until } = spanOf(period, now);
          assert.ok(at(from) <= now && now < at(until));
          assert.deepEqual(
            spanOf(period, new Date(at(until).getTime() - 1)),
            spanOf(period, at(from)),
          );
          assert.notEqual(spanOf(period, at(until)).key, spanOf(period, at(from)).key);
        }
      },
    ),
  );
});

test("[LIM19] effective limits tell what holds and what is spent, a member without one too", async () => {
  await remove();
  const [none, ...others] = await effective();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [none?.amount, none?.period, none?.source, none?.spend_limit_id],
    [null, "monthly", { type: "organization" }, null],
  );
  const { body } = await set("100000", "weekly");
  await set(null, "daily");
  const rows = await effective();
  assert.deepEqual(Object.fromEntries(rows.map(({ period, amount }) => [period, amount])), {
    daily: null,
    weekly: "100000",
  });
  assert.equal(rows.find(({ period }) => period === "weekly")?.spend_limit_id, body.id);
  assert.equal((await effective(`?user_ids[]=${owner}&period[]=monthly`)).length, 1);
  assert.equal((await effective("?user_ids[]=user_nobody")).length, 0);
  const many = Array.from({ length: 101 }, (_, at) => `user_ids[]=user_${at}`).join("&");
  assert.equal((await call("GET", `spend_limits/effective?${many}`)).status, 400);
  await remove();
});

test("[LIM20] enterprise organizations set limits of members, and what is no such limit is refused", async () => {
  const made = await set("50000");
  const { id, created_at } = made.body;
  assert.deepEqual(made.body, {
    id,
    type: "spend_limit",
    scope: { type: "user", user_id: owner },
    period: "monthly",
    amount: "50000",
    currency: "USD",
    is_enabled: true,
    created_at,
    updated_at: created_at,
  });
  const again = await set("7");
  assert.deepEqual(
    [again.body.id, again.body.amount, again.body.created_at],
    [id, "7", created_at],
  );
  assert.deepEqual((await call("GET", `spend_limits/${id}`)).body, again.body);
  const wrong = async (body: unknown) => sentenceOf(await call("POST", "spend_limits", body), 400);
  const amount = "100";
  assert.match(await wrong({ scope: { type: "organization" }, amount }), /^scope: over the API/);
  assert.match(await wrong({ scope: { type: "user", user_id: owner }, amount: "1.5" }), /amount/);
  const stranger = { scope: { type: "user", user_id: "user_nobody" }, amount };
  assert.equal((await call("POST", "spend_limits", stranger)).status, 404);
  assert.match(
    sentenceOf(await call("GET", "spend_limits?scope_type[]=usage_tier"), 400),
    /usage_tier/,
  );
  const deleted = await call("DELETE", `spend_limits/${id}`);
  assert.deepEqual(deleted.body, { id, type: "spend_limit_deleted" });
  assert.equal((await call("DELETE", `spend_limits/${id}`)).status, 404);
});

test("[LIM20] platform organizations have theirs over the API where the operator says so", async () => {
  assert.equal((await call("GET", "spend_limits", undefined, platform)).status, 404);
  const shared = { scope: { type: "organization" }, amount: "12300" };
  for (const spend_limits_api of ["read", "write"] as const) {
    await using open = await openHouse({ sections: { limits: { spend_limits_api } } });
    const { platform: tenant, other } = open.organizations;
    const api = (method: string, path: string, body?: unknown, by = tenant) =>
      open.ask(method, `/v1/organizations/${path}`, {
        key: by.admin_api_key,
        ...(body !== undefined && { body }),
      });
    const first = await api("POST", "spend_limits", shared);
    if (spend_limits_api === "read") {
      assert.match(sentenceOf(first, 403), /^Spend limits are not set over the API here/);
      assert.equal(
        first.body.error.details.error_code,
        "spend_limits_admin_api_writes_not_enabled",
      );
      await open.ask("POST", "/console/api/spend_limits", { cookie: tenant.cookie, body: shared });
    } else assert.equal(first.status, 200);
    const { body } = await api("GET", "spend_limits");
    assert.deepEqual(
      body.data.map((row: { scope: unknown; amount: string }) => [row.scope, row.amount]),
      [[shared.scope, shared.amount]],
    );
    const [{ id }] = body.data;
    assert.equal((await api("GET", `spend_limits/${id}`, undefined, other)).status, 404);
    assert.equal((await api("GET", "spend_limits/effective")).status, 404);
    assert.equal((await api("GET", "spend_limit_increase_requests")).status, 404);
    if (spend_limits_api === "read") continue;
    const { workspace_id } = tenant;
    const scope = { type: "workspace", workspace_id };
    const wrong = async (body: unknown) => sentenceOf(await api("POST", "spend_limits", body), 400);
    assert.match(await wrong({ scope, amount: null }), /^amount/);
    assert.match(await wrong({ scope, amount: "1", period: "daily" }), /^period/);
    assert.match(await wrong({ scope: { type: "user", user_id: "u" }, amount: "1" }), /^scope/);
    assert.equal((await api("POST", "spend_limits", { scope, amount: "1" })).status, 200);
    const ofPlace = await api("GET", `spend_limits?workspace_id=${workspace_id}`);
    assert.deepEqual(
      ofPlace.body.data.map((row: { scope: unknown }) => row.scope),
      [scope],
    );
    assert.equal((await api("DELETE", `spend_limits/${id}`)).status, 200);
    assert.equal((await api("GET", "spend_limits")).body.data.length, 1);
  }
});

const askForMore = (period = "monthly") =>
  inConsole("POST", "own_spend/increase", { period, reason: "a long night" });
const requests = async (query = "") =>
  (await call("GET", `spend_limit_increase_requests${query}`)).body.data;

test("[LIM21] a member asks, an administrator approves, and the limit is set", async () => {
  await set("100");
  const asked = await askForMore();
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const { id } = asked.body;
  assert.match(sentenceOf(await askForMore(), 400), /asked already/);
  const [pending] = await requests("?status[]=pending");
  assert.deepEqual(
    [pending.id, pending.actor.user_id, pending.spend_summary.amount, pending.reason],
    [id, owner, "100", "a long night"],
  );
  const path = `spend_limit_increase_requests/${id}`;
  const approved = await call("POST", `${path}/approve`, { amount: "90000" });
  const { status, spend_limit, resolved_by, spend_summary } = approved.body;
  assert.deepEqual(
    [status, spend_limit.amount, resolved_by.user_id, spend_summary],
    ["approved", "90000", owner, null],
  );
  assert.equal((await effective())[0]?.amount, "90000");
  assert.match(
    sentenceOf(await call("POST", `${path}/approve`, { amount: "1" }), 400),
    /approved already/,
  );
  assert.match(sentenceOf(await call("POST", `${path}/deny`, {}), 400), /approved already/);
  const mine = await inConsole("GET", "own_spend");
  assert.deepEqual([mine.body.data[0].amount, mine.body.requests[0].status], ["90000", "approved"]);
  assert.equal((await call("GET", path, undefined, house.organizations.other)).status, 404);
});

test("[LIM21] of many who decide at once one does; denying twice is no more", async () => {
  for (const [at, period] of ["daily", "weekly", "monthly"].entries()) {
    await remove();
    const { id } = (await askForMore(period)).body;
    const path = `spend_limit_increase_requests/${id}`;
    const amounts = Array.from({ length: 6 }, (_, index) => String(1000 * (at + 1) + index));
    const answers = await Promise.all([
      ...amounts.map((amount) => call("POST", `${path}/approve`, { amount })),
      call("POST", `${path}/deny`, {}),
    ]);
    const good = answers.filter(({ status }) => status === 200);
    assert.equal(good.length, 1, answers.map(({ status }) => status).join());
    const [first] = good;
    const rows = await effective(`?period[]=${period}`);
    const isDenied = first?.body.status === "denied";
    assert.equal(rows[0]?.amount, isDenied ? null : first?.body.spend_limit.amount);
  }
  const { id } = (await askForMore("daily")).body;
  const path = `spend_limit_increase_requests/${id}`;
  for (const _ of [1, 2])
    assert.equal((await call("POST", `${path}/deny`, {})).body.status, "denied");
  assert.match(
    sentenceOf(await call("POST", `${path}/approve`, { amount: "1" }), 400),
    /denied already/,
  );
  await remove();
});
