// Rules AUD12 and AUD13, over HTTP: first uses of credentials in an hour, and attempts that were denied.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import * as audit from "../../server/audit/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant } from "./audit-house.ts";
import { makeKey } from "./support.ts";
import { testTimeoutMs } from "../test-timeout.ts";

let house: House;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:10:00Z"));
  house = await openHouse({ clock });
});
after(() => house[Symbol.asyncDispose]());

const flush = () => audit.accessRecorderOf(house.world).flush();
interface Entry {
  action: string;
  actor: { type: string; id: string | null };
  target: { type: string; id: string } | null;
  address: string;
  details: Record<string, unknown>;
}

/** What was noted of requests, oldest first. */
async function noted({ cookie }: Tenant, action: string): Promise<Entry[]> {
  await flush();
  const query = `limit=100&action=${action}`;
  const { body } = await house.ask("GET", `/console/api/audit?${query}`, { cookie });
  return (body.data as Entry[]).toReversed();
}
const times = <T>(count: number, act: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, act));

test("[AUD12] a credential's first use in an hour leaves an event with its kind, and tells of the hour before", async () => {
  const somebody = await auditTenant(house, "uses keys");
  const { api_key, admin_api_key, cookie } = somebody;
  const models = (key: string) => house.ask("GET", "/v1/models", { key });
  await times(5, () => models(api_key));
  await flush();
  await times(3, () => models(api_key));
  await house.ask("GET", "/v1/organizations/me", { key: admin_api_key });
  await house.ask("GET", "/console/api/keys", { cookie });
  const first = await noted(somebody, "credential.used");
  assert.deepEqual(
    first.map(({ details, target, actor }) => [details["kind"], target?.id === actor.id]),
    [
      ["api_key", true],
      ["admin_key", true],
    ],
  );
  clock.advance(3_000_000);
  await models(api_key);
  const [, , again] = await noted(somebody, "credential.used");
  assert.deepEqual(again?.details, {
    kind: "api_key",
    hour: "2026-11-20T13:00:00.000Z",
    last_hour: "2026-11-20T12:00:00.000Z",
    uses_in_last_hour: 8,
  });
});

test("[AUD12] a use in the last minute of an hour and one in the next are two, though written together", async () => {
  const somebody = await auditTenant(house, "uses keys at the turn");
  const ask = () => house.ask("GET", "/v1/models", { key: somebody.api_key });
  clock.jumpTo(new Date("2026-11-20T13:59:59Z"));
  await ask();
  clock.jumpTo(new Date("2026-11-20T14:00:01Z"));
  await ask();
  const hours = (await noted(somebody, "credential.used")).map(({ details }) => details["hour"]);
  assert.deepEqual(hours.map(String).toSorted(), [
    "2026-11-20T13:00:00.000Z",
    "2026-11-20T14:00:00.000Z",
  ]);
});

test("[AUD12] two processes that see a credential in the same hour leave one event", async () => {
  const somebody = await auditTenant(house, "uses keys on two");
  {
    await using other = await house.openSecondServer();
    const headers = { "x-api-key": somebody.api_key };
    await fetch(`${other.url}/v1/models`, { headers }).then((response) => response.text());
    await house.ask("GET", "/v1/models", { key: somebody.api_key });
    await flush();
  }
  assert.equal((await noted(somebody, "credential.used")).length, 1);
});

test("[AUD13] a dead key, a missing permission and a route of another type leave one event each, with a count", async () => {
  const somebody = await auditTenant(house, "is denied");
  const { cookie, api_key } = somebody;
  const { id, secret } = await makeKey(house, somebody);
  const body = { status: "inactive" };
  await house.ask("POST", `/console/api/keys/${id}`, { cookie, body });
  await times(7, () => house.ask("GET", "/v1/models", { key: secret }));
  await times(4, () => house.ask("GET", "/v1/organizations/api_keys", { key: api_key }));
  await times(3, () =>
    house.ask("GET", "/v1/organizations/rbac_groups", { key: somebody.admin_api_key }),
  );
  await house.ask("GET", "/v1/models", { key: "sk-plinth-nobody" });
  await house.ask("GET", "/v1/organizations/api_keys/apikey_none", { key: somebody.admin_api_key });
  const denied = await noted(somebody, "request.denied");
  assert.deepEqual(
    denied.map(({ actor, target, details: { status, error, count } }) => [
      actor.type,
      target?.id,
      status,
      error,
      count,
    ]),
    [
      ["admin_key", "models.list", 401, "authentication_error", 7],
      ["api_key", "api_keys.list", 403, "permission_error", 4],
      ["admin_key", "rbac_groups.list", 404, "organization_type_not_supported", 3],
    ],
  );
  assert.equal(denied[0]?.actor.id, id);
  assert.ok(denied.every(({ address }) => address !== ""));
  assert.ok(!JSON.stringify(denied).includes(secret));
  assert.equal((await noted(somebody, "request.denied")).length, 3);
});

test("[AUD13] a flood of different attempts stays a few events", async () => {
  const somebody = await auditTenant(house, "is flooded");
  const { cookie } = somebody;
  for (let number = 0; number < 60; number++) {
    const { id, secret } = await makeKey(house, somebody);
    await house.ask("POST", `/console/api/keys/${id}`, { cookie, body: { status: "inactive" } });
    await times(2, () => house.ask("GET", "/v1/models", { key: secret }));
  }
  const denied = await noted(somebody, "request.denied");
  assert.equal(denied.length, 51);
  assert.deepEqual(
    [denied.at(-1)?.target?.id, denied.at(-1)?.actor.id, denied.at(-1)?.details["count"]],
    ["others", null, 20],
  );
});

test("[AUD13] what was counted is written when the minute is over, and when the server stops", async () => {
  await using own = await openHouse({ clock, sections: { audit: {} } });
  const { platform } = own.organizations;
  await own.ask("GET", "/v1/organizations/me", { key: platform.api_key });
  clock.advance(60_000);
  const count = async () => {
    const text = "select count(*)::int as count from audit_events where action = 'request.denied'";
    const [row] = await own.world.db.query<{ count: number }>({ text, values: [] });
    return row?.count ?? 0;
  };
  const endMs = performance.now() + testTimeoutMs;
  while ((await count()) === 0 && performance.now() < endMs)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await count(), 1);
  {
    await using other = await own.openSecondServer();
    const headers = { "x-api-key": platform.api_key };
    const url = `${other.url}/v1/organizations/me`;
    await fetch(url, { headers }).then((response) => response.text());
  }
  assert.equal(await count(), 2);
});
