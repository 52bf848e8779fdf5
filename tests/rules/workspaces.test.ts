// Rules WSP1 to WSP8 and WSP16, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/workspaces/limits.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { batchesOf, items } from "./batches-house.ts";
import {
  eventsOf,
  expectDeathWithinASecond,
  makeKey,
  me,
  sentenceOf,
  setStatus,
  until,
} from "./support.ts";
import { workspacesOf } from "./workspaces-house.ts";

let house: House;
let platform: Tenant;
let cloud: Tenant;
let other: Tenant;
let w: ReturnType<typeof workspacesOf>;
before(async () => {
  house = await openHouse();
  ({ platform, cloud, other } = house.organizations);
  w = workspacesOf(house);
});
after(async () => {
  await batchesOf(house).idle();
  await house[Symbol.asyncDispose]();
});

const listed = async (tenant: Tenant, query = ""): Promise<string[]> => {
  const { status, body } = await w.overApi(tenant, "GET", `?limit=1000${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body.data as { id: string }[]).map(({ id }) => id);
};
const hello = (more: object = {}) => ({
  model: "sim-small",
  max_tokens: 8,
  messages: [{ role: "user", content: "[[tokens 1]]" }],
  ...more,
});

test("[WSP1] a workspace has every field, and what nobody named has its default", async () => {
  const { status, body } = await w.overApi(cloud, "POST", "", { name: "  Lab  " });
  assert.equal(status, 200, JSON.stringify(body));
  const { id, created_at, display_color, compartment_id, ...rest } = body;
  assert.match(id, /^wrkspc_/);
  assert.match(compartment_id, /^cmprt_\w+$/);
  assert.ok(Date.parse(created_at) > 0);
  assert.match(display_color, /^#[0-9A-F]{6}$/);
  assert.deepEqual(rest, {
    type: "workspace",
    name: "Lab",
    archived_at: null,
    data_residency: {
      allowed_inference_geos: "unrestricted",
      default_inference_geo: "global",
      workspace_geo: "us",
    },
    external_key_id: null,
    tags: {},
    user_profile_id: null,
  });
  assert.deepEqual((await w.overApi(cloud, "GET", `/${id}`)).body, body);
  const nulls = { name: "Lab", data_residency: null, display_color: null, tags: null };
  assert.equal((await w.overApi(cloud, "POST", "", nulls)).status, 200);
});

test("[WSP1] the list hides what is archived and the default one, unless asked", async () => {
  const [first, second, gone] = [
    await w.make(platform),
    await w.make(platform),
    await w.make(platform),
  ];
  await w.overApi(platform, "POST", `/${gone}/archive`);
  const { workspace_id: home } = platform;
  const shown = async (query = "") =>
    (await listed(platform, query)).filter((id) => [first, second, gone, home].includes(id));
  assert.deepEqual(await shown(), [second, first]);
  assert.deepEqual(await shown("&include_archived=true"), [gone, second, first]);
  assert.deepEqual(await shown("&include_default=true"), [second, first, home]);
  const ids = [first, gone, home, await w.make(other)].map((id) => `&ids[]=${id}`).join("");
  assert.deepEqual(await listed(platform, ids), [first]);
  assert.deepEqual(await listed(platform, `${ids}&include_default=true`), [first, home]);
  const many = Array.from({ length: 101 }, (_, at) => `&ids[]=wrkspc_${at}`).join("");
  const answer = await w.overApi(platform, "GET", `?limit=5${many}`);
  assert.match(sentenceOf(answer, 400), /^ids/);
});

test("[WSP2] an organization has no more workspaces than it may, however many come at once", async () => {
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into workspaces (id, organization_id, name, is_default, created_at)
      select 'wrkspc_many' || n, ${other.organization_id}, 'Many', false, now()
      from generate_series(1, ${limits.workspacesPerOrganizationMax - 3}::int) as n`),
  );
  const open = (await listed(other, "&include_default=true")).length;
  const room = limits.workspacesPerOrganizationMax - open;
  const tries = Array.from({ length: room + 6 }, () =>
    w.overApi(other, "POST", "", { name: "One more" }),
  );
  const answers = await Promise.all(tries);
  assert.equal(answers.filter(({ status }) => status === 200).length, room);
  for (const refused of answers.filter(({ status }) => status !== 200)) {
    assert.match(sentenceOf(refused, 400), /has 1000 workspaces.*Archive one/);
    assert.equal(refused.body.error.details.error_code, "workspace_limit_exceeded");
  }
  assert.equal((await w.overApi(other, "POST", "/wrkspc_many1/archive")).status, 200);
  assert.equal((await w.overApi(other, "POST", "", { name: "In its place" })).status, 200);
});

test("[WSP3] an update changes what it names and leaves the rest", async () => {
  const id = await w.make(platform, { tags: { team: "a", cost: "1" }, display_color: "#abcdef" });
  const body = { name: "New name", tags: { team: null, area: "b" }, display_color: null };
  const { status, body: changed } = await w.overApi(platform, "POST", `/${id}`, body);
  assert.equal(status, 200, JSON.stringify(changed));
  assert.equal(changed.name, "New name");
  assert.equal(changed.display_color, "#ABCDEF");
  assert.deepEqual(changed.tags, { area: "b", cost: "1" });
  const [event] = await eventsOf(house, platform, 1);
  assert.equal(event?.action, "workspace.updated");
  for (const nothing of [{}, { name: "New name" }, { tags: {} }, { tags: { gone: null } }])
    assert.deepEqual((await w.overApi(platform, "POST", `/${id}`, nothing)).body, changed);
  assert.equal((await eventsOf(house, platform, 1))[0]?.id, event?.id, "an event of no change");
  await w.overApi(platform, "POST", `/${id}/archive`);
  const late = await w.overApi(platform, "POST", `/${id}`, { name: "Late" });
  assert.match(sentenceOf(late, 400), /is archived/);
});

test("[WSP4] the default place is one of those allowed", async () => {
  const residency = (data_residency: object, name = "Places") =>
    w.overApi(platform, "POST", "", { name, data_residency });
  const us = { allowed_inference_geos: ["us", "us"], default_inference_geo: "us" };
  const { body } = await residency(us);
  assert.deepEqual(body.data_residency, {
    allowed_inference_geos: ["us"],
    default_inference_geo: "us",
    workspace_geo: "us",
  });
  assert.match(
    sentenceOf(await residency({ allowed_inference_geos: ["us"] }), 400),
    /^data_residency\.default_inference_geo: global is not among/,
  );
  for (const wrong of [[], ["eu"], "none"])
    assert.match(sentenceOf(await residency({ allowed_inference_geos: wrong }), 400), /^data_res/);
  const change = (data_residency: object) =>
    w.overApi(platform, "POST", `/${body.id}`, { data_residency });
  assert.match(sentenceOf(await change({ default_inference_geo: "global" }), 400), /not among/);
  const open = await change({
    allowed_inference_geos: "unrestricted",
    default_inference_geo: "global",
  });
  assert.equal(open.body.data_residency.allowed_inference_geos, "unrestricted");
  assert.match(sentenceOf(await change({ workspace_geo: "eu" }), 400), /workspace_geo.*stays/);
  assert.equal((await change({ workspace_geo: "us" })).status, 200);
});

test("[WSP4] a request that names another place is refused, in a batch too", async () => {
  const data_residency = { allowed_inference_geos: ["us"], default_inference_geo: "us" };
  const workspace_id = await w.make(platform, { data_residency });
  const { secret: key } = await makeKey(house, platform, { kind: "api", workspace_id });
  const send = (body: object) => house.ask("POST", "/v1/messages", { key, body });
  const refusal =
    /^inference_geo: "global" is not allowed in the workspace wrkspc_\w+, which allows us/;
  assert.match(sentenceOf(await send(hello({ inference_geo: "global" })), 400), refusal);
  for (const fine of [{ inference_geo: "us" }, { inference_geo: null }, {}])
    assert.equal((await send(hello(fine))).status, 200);
  const elsewhere = { key: platform.api_key, body: hello({ inference_geo: "global" }) };
  assert.equal((await house.ask("POST", "/v1/messages", elsewhere)).status, 200);
  const b = batchesOf(house);
  const requests = [
    { custom_id: "there", params: hello({ inference_geo: "global" }) },
    { custom_id: "here", params: hello({ inference_geo: "us" }) },
  ];
  const { id } = await b.create(requests, { key });
  await b.ended(id, { key });
  const results = await b.results(id, { key });
  assert.match(JSON.stringify(results.get("there")), /errored.*inference_geo: \\"global\\"/);
  assert.match(JSON.stringify(results.get("here")), /succeeded/);
});

test("[WSP5] tags have keys and values that fit, and none begins with the vendor's name", async () => {
  const tagged = (tags: unknown) => w.overApi(platform, "POST", "", { name: "Tagged", tags });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));
  const fine = [many(50), { ["🏛".repeat(64)]: "v".repeat(256) }, { "": "x" }].slice(0, 2);
  for (const tags of fine) assert.deepEqual((await tagged(tags)).body.tags, tags);
  const refused: [object, RegExp][] = [
    [many(51), /^tags: are 51; .* at most 50/],
    [{ ["k".repeat(65)]: "v" }, /^tags: the key "k+" has 65 characters/],
    [{ k: "v".repeat(257) }, /^tags\.k: /],
    [{ anthropic_team: "v" }, /^tags: the key "anthropic_team" begins with anthropic/],
    [{ AnthropicX: "v" }, /reserved/],
    [{ " ": "v" }, /can be seen/],
    [{ "a\nb": "v" }, /one line/],
    [{ k: "a\u2028b" }, /^tags\.k: .*line end/],
    [{ k: 7 }, /^tags\.k: /],
  ];
  for (const [tags, sentence] of refused)
    assert.match(sentenceOf(await tagged(tags), 400), sentence);
  const { id } = (await tagged(many(50))).body as { id: string };
  const swap = await w.overApi(platform, "POST", `/${id}`, { tags: { k0: null, new: "v" } });
  assert.equal(Object.keys(swap.body.tags).length, 50);
  const more = await w.overApi(platform, "POST", `/${id}`, { tags: { more: "v" } });
  assert.match(sentenceOf(more, 400), /51/);
});

test("[WSP6] keys and profiles that are not there are refused", async () => {
  const id = await w.make(platform);
  for (const path of ["", `/${id}`])
    for (const field of ["external_key_id", "user_profile_id"]) {
      const send = (value: string | null) =>
        w.overApi(platform, "POST", path, { name: "Foreign", [field]: value });
      assert.match(sentenceOf(await send("ekey_1"), 400), new RegExp(`^${field}: .*leave it out`));
      assert.equal((await send(null)).body[field], null);
    }
});

test("[WSP7] archiving is for ever and happens once; the default workspace stays", async () => {
  const id = await w.make(platform);
  const first = await w.overApi(platform, "POST", `/${id}/archive`);
  assert.ok(Date.parse(first.body.archived_at) > 0, JSON.stringify(first.body));
  const events = await eventsOf(house, platform, 1);
  const second = await w.overApi(platform, "POST", `/${id}/archive`);
  assert.deepEqual([second.status, second.body], [200, first.body]);
  assert.deepEqual(await eventsOf(house, platform, 1), events);
  const home = await w.overApi(platform, "POST", `/${platform.workspace_id}/archive`);
  assert.match(sentenceOf(home, 400), /default one, which is not archived/);
});

test("[WSP8] with a workspace its keys end, on another process within a second, and for ever", async () => {
  await using neighbour = await house.openSecondServer();
  const workspace_id = await w.make(platform);
  const { id, secret: key } = await makeKey(house, platform, { kind: "api", workspace_id });
  const beside = await makeKey(house, platform, {
    kind: "api",
    workspace_id: await w.make(platform),
  });
  const models = "/v1/models";
  assert.equal((await house.ask("GET", models, { key })).status, 200);
  await w.overApi(platform, "POST", `/${workspace_id}/archive`);
  const since = performance.now();
  assert.match(sentenceOf(await house.ask("GET", models, { key }), 401), /is archived/);
  await expectDeathWithinASecond(neighbour.url, models, { key }, since);
  const [event] = await eventsOf(house, platform, 1);
  assert.equal(event?.action, "workspace.archived");
  assert.match(JSON.stringify(event), /"keys_archived":1/);
  const shown = await house.ask("GET", `/v1/organizations/api_keys/${id}`, {
    key: platform.admin_api_key,
  });
  assert.equal(shown.body.status, "archived");
  assert.match(sentenceOf(await setStatus(house, platform, id, "active"), 400), /for ever/);
  assert.equal((await house.ask("GET", models, { key: beside.secret })).status, 200);
  const body = { name: "Late", kind: "api", workspace_id };
  const late = await house.ask("POST", "/console/api/keys", { cookie: platform.cookie, body });
  assert.match(sentenceOf(late, 400), /is archived/);
  assert.equal((await house.ask("GET", me, { key: platform.admin_api_key })).status, 200);
});

test("[BAT35] what runs in a workspace that is archived is canceled", async () => {
  const workspace_id = await w.make(platform);
  const { secret: key } = await makeKey(house, platform, { kind: "api", workspace_id });
  const slow = Array.from({ length: 40 }, () => "[[tokens 8]] [[rate 2]]");
  const { id } = await batchesOf(house).create(items(...slow), { key });
  await w.overApi(platform, "POST", `/${workspace_id}/archive`);
  await until(async () => {
    const [row] = await house.world.db.query<{ state: string }>(
      sql`select state from batches where id = ${id}`,
    );
    return row?.state === "ended";
  }, "the end of the batch");
  const rows = await house.world.db.query<{ type: string; count: number }>(
    sql`select type, count(*)::int as count from batch_results where batch_id = ${id} group by type order by type`,
  );
  const canceled = rows.find(({ type }) => type === "canceled")?.count ?? 0;
  assert.ok(canceled > 20, JSON.stringify(rows));
});

test("[WSP16] a workspace of another organization is absent, in the same words as none", async () => {
  const theirs = await w.make(cloud);
  const never = theirs.replace(/...$/, "zzz");
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["POST", "", { name: "Mine" }],
    ["POST", "/archive", undefined],
    ["GET", "/members", undefined],
    ["POST", "/members", { user_id: "user_x", workspace_role: "workspace_user" }],
    ["DELETE", "/members/user_x", undefined],
  ] as const) {
    const ask = async (id: string) =>
      sentenceOf(await w.overApi(platform, method, `/${id}${path}`, body), 404).replace(id, "…");
    assert.equal(await ask(theirs), await ask(never), `${method} ${path}`);
  }
  for (const field of ["after_id", "before_id"]) {
    const answer = await w.overApi(platform, "GET", `?${field}=${theirs}`);
    assert.match(sentenceOf(answer, 400), new RegExp(`^${field}: is not the id of a workspace`));
  }
});
