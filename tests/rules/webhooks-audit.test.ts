// Rules WHK22 and WHK23, over HTTP and with a receiver: the audit log, told to endpoints of its organization.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import * as audit from "../../server/audit/module.ts";
import { tellAuditEvents } from "../../server/webhooks/audit-events.ts";
import { limits } from "../../server/webhooks/limits.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { localNetwork } from "./federation-house.ts";
import { groupsOf } from "./groups-house.ts";
import { makeKey, sentenceOf, until } from "./support.ts";
import {
  beta,
  failed,
  openReceiver,
  signatureOf,
  webhooksOf,
  type Received,
  type Receiver,
} from "./webhooks-house.ts";

const audited = "audit_event.created";
const url = "https://hooks.example/take";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let receiver: Receiver;
before(async () => {
  house = await openHouse({ sections: localNetwork });
  ({ platform, enterprise } = house.organizations);
  receiver = await openReceiver();
});
afterEach(async () => {
  for (const tenant of [platform, enterprise, house.organizations.other])
    for (const { id } of (await hooks.call(tenant, "GET")).body.data)
      await hooks.remove(tenant, id);
  receiver.answers(200);
  receiver.received.splice(0);
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const hooks = webhooksOf(() => house);
const make = (tenant = platform, address = receiver.url) =>
  hooks.make(tenant, address, { enabled_events: [audited] });

/** Committed one after another, unless `then` throws. */
const write = (names: readonly string[], tenant = platform, then = () => {}) =>
  house.world.db.tx(async (tx) => {
    for (const name of names)
      await audit.record(tx, house.world, audit.operator, {
        organizationId: tenant.organization_id,
        action: `thing.${name}`,
        details: { name, secret_of_the_house: "not for the wire" },
      });
    tx.beforeCommit(() => Promise.resolve(then()));
  });

interface Told {
  type: string;
  id: string;
  organization_id: string;
  action: string;
  sequence: number;
}
const toldBy = ({ body }: Received) => (JSON.parse(body) as { data: Told }).data;
/** What has come of things, in the order of the chain. */
const things = () =>
  receiver.received
    .map(toldBy)
    .filter(({ action }) => action.startsWith("thing."))
    .toSorted((a, b) => a.sequence - b.sequence);
const came = (count: number) =>
  until(() => Promise.resolve(things().length >= count && things()), `${count} things`);
const namesOf = (told: readonly Told[]) => told.map(({ action }) => action.slice(6));

test("[WHK22] each event of the organization's log comes once, signed, with its place and nothing else of it", async () => {
  await write(["before"]);
  const { signing_secret: secret } = await make();
  await write(["elsewhere"], house.organizations.other);
  await write(["one", "two"]);
  await write(["three"]);
  const [first, ...more] = await came(3);
  assert.deepEqual(namesOf([first!, ...more]), ["one", "two", "three"]);
  const { admin_api_key: key } = platform;
  const path = `/v1/organizations/audit_events?after_sequence=${first!.sequence - 1}&limit=1`;
  const [event] = (await house.ask("GET", path, { key })).body.data;
  assert.deepEqual(first, {
    id: event.id,
    action: "thing.one",
    sequence: event.sequence,
    type: audited,
    organization_id: platform.organization_id,
  });
  for (const post of receiver.received) {
    assert.equal(post.headers["webhook-signature"], signatureOf(secret, post));
    assert.ok(!post.body.includes("not for the wire"), post.body);
  }
  const ids = receiver.received.map((post) => toldBy(post).id);
  assert.equal(new Set(ids).size, ids.length, "each event came once");
  assert.ok(!namesOf(things()).includes("before"));
});

test("[WHK22] what is taken back is told to no endpoint, and what comes behind it is", async () => {
  await make();
  const taken = write(["taken"], platform, () => {
    throw new Error("taken back");
  });
  await assert.rejects(taken, /taken back/);
  await write(["kept"]);
  assert.deepEqual(namesOf(await came(1)), ["kept"]);
});

test("[WHK22] a long log is told whole, by two processes at once, each event once", async () => {
  const { id } = await make();
  await using neighbour = await house.openSecondServer();
  const count = limits.auditEventsAtOnce + 20;
  await write(Array.from({ length: count }, (_, index) => `n${index}`));
  const looks = [0, 1, 2, 3, 4, 5].map((n) => (n % 2 === 0 ? house : neighbour).world);
  await Promise.all(looks.map(tellAuditEvents));
  const told = await came(count);
  assert.deepEqual(
    namesOf(told),
    Array.from({ length: count }, (_, index) => `n${index}`),
  );
  const rows = await house.world.db.query<{ bodies: number }>(sql`
    select count(distinct event_id)::integer as bodies from webhook_deliveries
    where endpoint_id = ${id} and body like '%thing.n%'`);
  assert.deepEqual(rows, [{ bodies: count }]);
});

test("[WHK22] what was committed before an endpoint is disabled comes when it is enabled, and nothing of between", async () => {
  const { id } = await make();
  const change = async (body: object) =>
    assert.equal((await hooks.call(platform, "POST", `/${id}`, body)).status, 200);
  // The endpoint is locked meanwhile: no process can have told it.
  const disabled = await house.world.db.tx(async (tx) => {
    await tx.query(sql`select id from webhook_endpoints where id = ${id} for update`);
    await write(["until then"]);
    return { disabling: change({ state: "disabled" }) };
  });
  await disabled.disabling;
  await write(["meanwhile"]);
  await change({ state: "enabled" });
  await write(["from now on"]);
  assert.deepEqual(namesOf(await came(2)), ["until then", "from now on"]);
  await change({ enabled_events: [failed] });
  await write(["not wanted"]);
  await change({ enabled_events: [audited] });
  await write(["wanted"]);
  assert.deepEqual(namesOf(await came(3)), ["until then", "from now on", "wanted"]);
});

test("[WHK23] endpoints of the log are made and changed by those alone who may read it", async () => {
  const groups = groupsOf(house);
  const webhooksOnly = await groups.managed(enterprise, ["permission_webhooks_write"]);
  const both = await groups.managed(enterprise, [
    "permission_webhooks_write",
    "permission_audit_read",
  ]);
  const own = await make(enterprise, url);
  const plain = await hooks.make(webhooksOnly, url);
  const words = /audit_event\.created tells of the audit log.*without the permission audit:read/;
  const taking = { url, enabled_events: [failed, audited] };
  const tries = [
    hooks.call(webhooksOnly, "POST", "", taking),
    hooks.call(webhooksOnly, "POST", `/${plain.id}`, { enabled_events: [audited] }),
    hooks.call(webhooksOnly, "POST", `/${own.id}`, { url: "https://elsewhere.example/" }),
    hooks.call(webhooksOnly, "POST", `/${own.id}`, { enabled_events: [failed] }),
    hooks.call(webhooksOnly, "POST", `/${own.id}/regenerate_signing_secret`),
    hooks.call(webhooksOnly, "DELETE", `/${own.id}`),
    hooks.sendTest(webhooksOnly, own.id),
    hooks.replay(webhooksOnly, own.id, "whdl_1"),
  ];
  for (const answer of await Promise.all(tries)) assert.match(sentenceOf(answer, 403), words);
  assert.equal((await hooks.call(enterprise, "GET", `/${own.id}`)).body.url, url);
  assert.equal((await hooks.call(webhooksOnly, "GET", `/${own.id}`)).status, 200);
  assert.equal((await hooks.call(both, "POST", "", taking)).status, 200);
  const renamed = await hooks.call(both, "POST", `/${own.id}`, { name: "Theirs" });
  assert.equal(renamed.status, 200);
  // Reading the log makes no endpoint, and no scope of an admin key does.
  const { secret: key } = await makeKey(house, enterprise, { scopes: ["read:org_audit"] });
  const asked = { key, headers: beta, body: taking };
  assert.equal((await house.ask("POST", "/v1/organizations/webhooks", asked)).status, 403);
});

test("[WHK23] an endpoint of a workspace cannot take the log, and a stranger's is absent", async () => {
  const { api_key: key } = platform;
  const body = { url, enabled_events: [audited] };
  assert.match(
    sentenceOf(await house.ask("POST", "/v1/webhooks", { key, body }), 400),
    /^enabled_events/,
  );
  const { id } = await make(platform, url);
  const { other } = house.organizations;
  const stranger = await hooks.call(other, "POST", `/${id}`, { url: receiver.url });
  assert.equal(sentenceOf(stranger, 404), `There is no webhook endpoint ${id}.`);
});

test("[WHK12] [WHK22] a test of it looks as the real ones, of an event that does not exist", async () => {
  const { id } = await make();
  const sent = await hooks.sendTest(platform, id, { event_type: audited });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const found = await until(
    () =>
      Promise.resolve(
        receiver.received.find(({ headers }) => headers["plinth-webhook-test"] === "true"),
      ),
    "the test",
  );
  const organization_id = platform.organization_id;
  assert.deepEqual(toldBy(found), {
    id: "audit_test",
    action: "key.created",
    sequence: 1,
    test: true,
    type: audited,
    organization_id,
  });
});
