// Rules LIM14 to LIM16 and LIM22 over HTTP: limits as people see and set them in the console, and programs see them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Answer, type Ask, type House, type Tenant } from "../house.ts";
import { addSignedIn } from "./members-house.ts";
import { sentenceOf } from "./support.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse({ sections: { limits: { organization: { input_tokens: 50_000 } } } });
  ({ platform, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const call = (method: string, path: string, body?: unknown, tenant: Ask = platform) =>
  house.ask(method, `/console/api/${path}`, {
    cookie: tenant.cookie ?? "",
    ...(body !== undefined && { body }),
  });
const setRate = (body: object, tenant?: Ask) => call("POST", "rate_limits", body, tenant);
const setSpend = (body: object, tenant?: Ask) => call("POST", "spend_limits", body, tenant);

interface Limit {
  type: string;
  value: number;
  org_limit: number | null;
  source: { type: string };
  used: number;
}

async function ratesOf(group: string, workspaceId?: string): Promise<Limit[]> {
  const query = workspaceId === undefined ? "" : `?workspace_id=${workspaceId}`;
  const { status, body } = await call("GET", `rate_limits${query}`);
  assert.equal(status, 200);
  return body.data.find((each: { group: { id: string } }) => each.group.id === group)?.limits;
}

const said = (limits: Limit[]) =>
  limits.map(({ value, org_limit, source }) => [value, org_limit, source.type]);

const askModel = (model: string, content: string, max_tokens = 50) =>
  house.ask("POST", "/v1/messages", {
    key: platform.api_key,
    body: { model, max_tokens, messages: [{ role: "user", content }] },
  });

async function auditLines(action: string) {
  const { body } = await call("GET", `audit?action=${action}`);
  return body.data as {
    target: { id: string };
    details: Record<string, unknown>;
    actor: { id: string };
  }[];
}

test("[LIM14] each group shows what holds, where it comes from, and what the last minute used", async () => {
  const { workspace_id: workspace } = platform;
  assert.deepEqual(said(await ratesOf("sim-large")), [
    [1_000_000, null, "default"],
    [50_000, null, "settings"],
    [1_000_000_000, null, "default"],
  ]);
  assert.deepEqual(said(await ratesOf("sim-large", workspace)), [
    [1_000_000, 1_000_000, "organization"],
    [50_000, 50_000, "organization"],
    [1_000_000_000, 1_000_000_000, "organization"],
  ]);
  const group = "sim-large";
  const inWorkspace = { workspace_id: workspace, group };
  await setRate({ group, limits: [{ type: "requests_per_minute", value: 90 }] });
  const set = await setRate({
    ...inWorkspace,
    limits: [
      { type: "requests_per_minute", value: 7 },
      { type: "output_tokens_per_minute", value: 0 },
    ],
  });
  assert.equal(set.status, 200);
  assert.deepEqual(set.body.group, { id: group, type: "model_group", display_name: group });
  assert.deepEqual(set.body.models, [group]);
  const expected = [
    [7, 90, "workspace"],
    [50_000, 50_000, "organization"],
    [0, 1_000_000_000, "workspace"],
  ];
  assert.deepEqual(said(set.body.limits), expected);
  assert.deepEqual(said(await ratesOf(group, workspace)), expected);
  await setRate({ ...inWorkspace, limits: [{ type: "output_tokens_per_minute", value: null }] });
  const { body } = await askModel("sim-large", "[[tokens 3]] four words of text");
  const used = (await ratesOf(group)).map((limit) => limit.used);
  assert.deepEqual(used, [1, body.usage.input_tokens, 3]);
  assert.deepEqual(
    (await ratesOf(group, workspace)).map((limit) => limit.used),
    used,
  );
  await house.world.db.query(sql`update ledger set kind = 'guard'`);
  assert.equal((await ratesOf(group))[0]?.used, 0, "guards fall under no limit");
  await house.world.db.query(sql`update ledger set kind = 'message'`);
  await house.world.db.query(sql`update ledger set at = at - interval '61 seconds'`);
  assert.deepEqual(
    (await ratesOf(group)).map((limit) => limit.used),
    [0, 0, 0],
  );
});

test("[LIM14] [LIM16] what was set holds for the next request, and taken away it holds no more", async () => {
  const group = "sim-small";
  const limits = [{ type: "requests_per_minute", value: 1 }];
  assert.equal((await setRate({ group, limits })).status, 200);
  assert.equal((await askModel(group, "one")).status, 200);
  const refused = await askModel(group, "two");
  assert.equal(refused.status, 429);
  assert.match(refused.body.error.message, /limit of 1 requests a minute of this organization/);
  const gone = [{ type: "requests_per_minute", value: null }];
  assert.deepEqual(said((await setRate({ group, limits: gone })).body.limits)[0], [
    1_000_000,
    null,
    "default",
  ]);
  assert.equal((await askModel(group, "three")).status, 200);
});

test("[LIM15] a spend limit is a decimal text of hundredths; the month's sums are exact", async () => {
  const scope = { type: "workspace", workspace_id: platform.workspace_id };
  const month = new Date().toISOString().slice(0, 7);
  const before = await call("GET", "spend_limits");
  assert.equal(before.body.month, month);
  assert.deepEqual(
    before.body.data.map(
      ({ scope: { type }, amount }: { scope: { type: string }; amount: null }) => [type, amount],
    ),
    [
      ["organization", null],
      ["workspace", null],
    ],
  );
  // sim-medium: 3,000 nano-dollars an input token and 15,000 an output token.
  const { body } = await askModel("sim-medium", "[[tokens 40]]");
  const nano = body.usage.input_tokens * 3_000 + body.usage.output_tokens * 15_000;
  const spent = async () => {
    const list = await call("GET", "spend_limits");
    return list.body.data.map((each: { period_to_date_spend: string }) =>
      Math.round(Number(each.period_to_date_spend) * 1e7),
    ) as number[];
  };
  const start = before.body.data.map(
    ({ period_to_date_spend: text }: { period_to_date_spend: string }) =>
      Math.round(Number(text) * 1e7),
  ) as number[];
  assert.deepEqual(
    await spent(),
    start.map((sum) => sum + nano),
  );
  const payer = [platform.organization_id, "wrkspc_else", "key_1", null, "sim-medium", "simulator"];
  const hops = JSON.stringify({
    who: [[...payer, "message", null, null, month]],
    hops: [["hop_open", "req_1", 0, 25_000_001, Date.now()]],
  });
  await house.world.db.query(sql`
    insert into ledger_reservations (node, slot, epoch, seq, hops)
    values ('node_nobody', 0, 0, 0, ${hops})`);
  const set = await setSpend({ scope, amount: "50000", period: "monthly" });
  assert.equal(set.status, 200);
  const { type, period, amount, reserved } = set.body;
  assert.deepEqual([type, period, amount, reserved], ["spend_limit", "monthly", "50000", "0"]);
  assert.deepEqual(set.body.scope, scope);
  const list = await call("GET", "spend_limits");
  assert.deepEqual(
    list.body.data.map((each: { reserved: string }) => each.reserved),
    ["2.5000001", "0"],
  );
  await house.world.db.query(sql`delete from ledger_reservations where node = 'node_nobody'`);
});

test("[LIM15] a developer sees the spend of workspaces that they know of, billing that of all, by name", async () => {
  const { id: elsewhere } = (await call("POST", "workspaces", { name: "Elsewhere" })).body;
  const readsAs = async (role: "developer" | "billing", path: string) =>
    call("GET", path, undefined, await addSignedIn(house, platform, role));
  const namesFor = async (role: "developer" | "billing") => {
    const { body } = await readsAs(role, "spend_limits");
    return body.data.map((each: { workspace_name: string | null }) => each.workspace_name);
  };
  assert.deepEqual(await namesFor("developer"), [null, "Default"]);
  assert.deepEqual(await namesFor("billing"), [null, "Default", "Elsewhere"]);
  const rates = `rate_limits?workspace_id=${elsewhere}`;
  assert.match(sentenceOf(await readsAs("developer", rates), 404), new RegExp(elsewhere));
  assert.equal((await readsAs("billing", rates)).status, 200);
});

test("[LIM15] [LIM16] a limit that is reached refuses; taken away, it does not", async () => {
  const scope = { type: "organization" };
  assert.equal((await setSpend({ scope, amount: "0" })).status, 200);
  const refused = await askModel("sim-medium", "hello");
  assert.equal(refused.body.error.details.error_code, "enforced_spend_limit_reached");
  assert.equal((await call("DELETE", "spend_limits/organization")).status, 204);
  assert.equal((await askModel("sim-medium", "hello")).status, 200);
  const again = await call("DELETE", "spend_limits/organization");
  assert.match(sentenceOf(again, 404), /organization/);
});

test("[LIM16] each change leaves one line with what was before; what changes nothing leaves none", async () => {
  const group = "sim-classic";
  const count = async () => (await auditLines("rate_limit.set")).length;
  const start = await count();
  const limits = [
    { type: "requests_per_minute", value: 5 },
    { type: "input_tokens_per_minute", value: null },
  ];
  await setRate({ group, limits });
  await setRate({ group, limits });
  assert.equal(await count(), start + 1);
  await setRate({ group, limits: [{ type: "requests_per_minute", value: null }] });
  const [last, first] = await auditLines("rate_limit.set");
  const target = { type: "organization", id: platform.organization_id };
  assert.deepEqual(first?.details, {
    name: group,
    requests_per_minute: 5,
    before: { requests_per_minute: null },
  });
  assert.deepEqual([first?.target, last?.target], [target, target]);
  assert.deepEqual(last?.details, {
    name: group,
    requests_per_minute: null,
    before: { requests_per_minute: 5 },
  });

  const scope = { type: "workspace", workspace_id: platform.workspace_id };
  await setSpend({ scope, amount: "700" });
  await setSpend({ scope, amount: "700" });
  await setSpend({ scope, amount: "900" });
  await call("DELETE", `spend_limits/${platform.workspace_id}`);
  const spendLines = await auditLines("spend_limit.set");
  const ofWorkspace = ({ target: { id } }: { target: { id: string } }) =>
    id === platform.workspace_id;
  const amounts = spendLines.filter(ofWorkspace).map(({ details: { amount } }) => amount);
  assert.deepEqual(amounts.slice(0, 3), ["900", "700", "50000"]);
  const [raised] = spendLines;
  assert.deepEqual(raised?.details, { amount: "900", amount_before: "700" });
  assert.deepEqual(raised?.target, { type: "workspace", id: platform.workspace_id });
  const [removed] = await auditLines("spend_limit.removed");
  assert.deepEqual(removed?.details, { amount_before: "900" });
});

test("[LIM16] roles: owners and admins change, developers and billing look, others see nothing", async () => {
  const limits = [{ type: "requests_per_minute", value: 900_000 }];
  const may: Record<string, [number, number]> = {
    admin: [200, 200],
    owner: [200, 200],
    developer: [200, 403],
    billing: [200, 403],
    user: [403, 403],
    managed: [403, 403],
    membership_admin: [403, 403],
  };
  for (const [role, [reads, writes]] of Object.entries(may)) {
    await house.world.db.query(sql`
      update users set role = ${role} where organization_id = ${other.organization_id}`);
    const seat = { cookie: await house.signIn(other) };
    assert.equal((await call("GET", "rate_limits", undefined, seat)).status, reads, role);
    assert.equal((await call("GET", "spend_limits", undefined, seat)).status, reads, role);
    assert.equal((await setRate({ group: "sim-small", limits }, seat)).status, writes, role);
    const spend = { scope: { type: "organization" }, amount: "100000" };
    assert.equal((await setSpend(spend, seat)).status, writes, role);
    const gone = await call("DELETE", "spend_limits/organization", undefined, seat);
    assert.equal(gone.status, writes === 200 ? 204 : writes, role);
  }
});

test("[LIM16] what is not there, not whole or said twice is refused, and the sentence names it", async () => {
  const group = "sim-small";
  const limits = [{ type: "requests_per_minute", value: 5 }];
  const wrong: [Promise<Answer>, number, RegExp][] = [
    [
      setRate({ group: "nothing", limits }),
      400,
      /^group: there is no group of models named nothing/,
    ],
    [setRate({ group, limits: [] }), 400, /^limits: /],
    [
      setRate({ group, limits: [limits[0], limits[0]] }),
      400,
      /^limits: requests_per_minute is there twice/,
    ],
    [setRate({ group, limits: [{ type: "requests", value: 5 }] }), 400, /^limits\.0\.type: /],
    [
      setRate({ group, limits: [{ type: "requests_per_minute", value: -1 }] }),
      400,
      /^limits\.0\.value: /,
    ],
    [
      setRate({ group, limits: [{ type: "requests_per_minute", value: 1.5 }] }),
      400,
      /^limits\.0\.value: /,
    ],
    [setRate({ group, limits, workspace_id: other.workspace_id }), 404, /workspace/],
    [call("GET", `rate_limits?workspace_id=${other.workspace_id}`), 404, /workspace/],
    [setSpend({ scope: { type: "organization" }, amount: "5.5" }), 400, /^amount: /],
    [setSpend({ scope: { type: "organization" }, amount: "-5" }), 400, /^amount: /],
    [setSpend({ scope: { type: "organization" }, amount: "100000000001" }), 400, /^amount: /],
    [setSpend({ scope: { type: "user" }, amount: "5" }), 400, /^scope/],
    [
      setSpend({ scope: { type: "workspace", workspace_id: other.workspace_id }, amount: "5" }),
      404,
      /workspace/,
    ],
    [setSpend({ scope: { type: "organization" }, amount: "5", period: "daily" }), 400, /^period: /],
    [call("DELETE", `spend_limits/${other.workspace_id}`), 404, /spend limit/],
  ];
  for (const [answer, status, sentence] of wrong)
    assert.match(sentenceOf(await answer, status), sentence);
  const most = await setSpend({ scope: { type: "organization" }, amount: "100000000000" });
  assert.equal(most.status, 200, "a billion units is the most");
  await call("DELETE", "spend_limits/organization");
});

test("[LIM22] programs are shown the same, of the organization or of one workspace", async () => {
  const { workspace_id: workspace } = platform;
  const read = (key: string, query = "") =>
    house.ask("GET", `/v1/organizations/limits${query}`, { key });
  const { body } = await read(platform.admin_api_key);
  assert.deepEqual(body.rate_limits, (await call("GET", "rate_limits")).body.data);
  const { month, data } = (await call("GET", "spend_limits")).body;
  assert.deepEqual([body.month, body.spend_limits], [month, data]);
  const one = (await read(platform.admin_api_key, `?workspace_id=${workspace}`)).body;
  const scope = { type: "workspace", workspace_id: workspace };
  assert.deepEqual([one.spend_limits.length, one.spend_limits[0].scope], [1, scope]);
  assert.ok(
    one.rate_limits.every((each: { workspace_id: string }) => each.workspace_id === workspace),
  );
  const absent = await read(other.admin_api_key, `?workspace_id=${workspace}`);
  assert.match(sentenceOf(absent, 404), /workspace/);
  assert.equal((await read(platform.api_key)).status, 403);
  assert.equal((await read(house.organizations.cloud.admin_api_key)).status, 404);
});
