// Rule AUD14: the audit log for programs, newest first with filters, or behind a number in the order of the chain.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as audit from "../../server/audit/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant } from "./audit-house.ts";
import { makeKey, sentenceOf } from "./support.ts";

interface Entry {
  id: string;
  sequence: number;
  action: string;
  details: { name?: string };
}

let house: House;
let acme: Tenant;
let key: string;
before(async () => {
  house = await openHouse();
  acme = await auditTenant(house, "an organization whose log is read");
  key = (await makeKey(house, acme)).secret;
});
after(() => house[Symbol.asyncDispose]());

/** Committed one after another; `at` is when they were begun. */
const write = (name: string, action = "thing.made") =>
  house.world.db.tx((tx) =>
    audit.record(tx, house.world, audit.operator, {
      organizationId: acme.organization_id,
      action,
      target: { type: "thing", id: `thing_${name}` },
      details: { name },
    }),
  );
const ask = (query: string, by = key) =>
  house.ask("GET", `/v1/organizations/audit_events?${query}`, { key: by });
async function list(query: string) {
  const { status, body } = await ask(query);
  assert.equal(status, 200, JSON.stringify(body));
  return body as { data: Entry[]; next_page: string | null };
}
const namesOf = (data: readonly Entry[]) => data.map(({ details }) => details.name);

test("[AUD14] a program reads what the console shows, with its filters and pages", async () => {
  for (const name of ["one", "two", "three"]) await write(name, `filtered.${name}`);
  const { data, next_page: next } = await list("action=filtered.&limit=2");
  assert.deepEqual(namesOf(data), ["three", "two"]);
  const rest = await list(`action=filtered.&limit=2&page=${next}`);
  assert.deepEqual([namesOf(rest.data), rest.next_page], [["one"], null]);
  assert.deepEqual(namesOf((await list("target_id=thing_two")).data), ["two"]);
  const inConsole = await house.ask("GET", "/console/api/audit?limit=100", { cookie: acme.cookie });
  const all = await list("limit=100");
  const [first] = all.data;
  const shown = inConsole.body.data as Entry[];
  assert.deepEqual(
    first,
    shown.find(({ id }) => id === first?.id),
  );
});

test("[AUD14] behind a number come all events in the order of the chain, once, over pages and later calls", async () => {
  const last = (await list("limit=1")).data[0]?.sequence ?? 0;
  for (const name of ["a", "b", "c", "d", "e"]) await write(name);
  const seen: Entry[] = [];
  let page = "";
  do {
    const found = await list(`after_sequence=${last}&limit=2${page}`);
    seen.push(...found.data);
    page = found.next_page === null ? "" : `&page=${found.next_page}`;
  } while (page !== "");
  assert.deepEqual(namesOf(seen), ["a", "b", "c", "d", "e"]);
  assert.deepEqual(
    seen.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5].map((n) => last + n),
  );
  assert.deepEqual((await list(`after_sequence=${last + 5}`)).data, []);
  await write("f");
  assert.deepEqual(namesOf((await list(`after_sequence=${last + 5}`)).data), ["f"]);
  const whole = await list("after_sequence=0&limit=3");
  assert.deepEqual(
    whole.data.map(({ sequence }) => sequence),
    [1, 2, 3],
  );
});

test("[AUD14] it is refused beside filters, with what is no number, and by keys that may not", async () => {
  const beside = await ask("after_sequence=1&action=thing.");
  assert.match(sentenceOf(beside, 400), /^after_sequence, action: .*leave out one of the two/);
  for (const wrong of ["-1", "x", "1.5"])
    assert.match(sentenceOf(await ask(`after_sequence=${wrong}`), 400), /^after_sequence/);
  const { next_page: page } = await list("limit=1");
  const mixed = await ask(`after_sequence=0&page=${page}`);
  assert.match(sentenceOf(mixed, 400), /^page/);
  assert.equal((await ask("limit=1", acme.api_key)).status, 403);
  const { enterprise, cloud, other } = house.organizations;
  const asked = async (tenant: Tenant, body = {}) =>
    ask("limit=100", (await makeKey(house, tenant, body)).secret);
  assert.equal((await asked(cloud)).status, 404);
  const foreign = (await asked(other)).body.data as Entry[];
  assert.ok(foreign.every(({ action }) => !action.startsWith("thing.")));
  assert.equal((await asked(enterprise, { scopes: ["read:org_audit"] })).status, 200);
  assert.equal((await asked(enterprise, { scopes: ["read:members"] })).status, 403);
});
