// Rules AUD10 and AUD11, over HTTP: what filters let through, on pages and in exports, and how the chain is shown.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import * as audit from "../../server/audit/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant } from "./audit-house.ts";
import { chainsOf } from "./audit-chains.ts";
import { makeKey, sentenceOf, type Event } from "./support.ts";

let house: House;
let acme: Tenant;
before(async () => {
  house = await openHouse();
  acme = await auditTenant(house, "an organization with a log");
  const act = async (action: string, name: string, at: Partial<audit.AuditActor>, id: string) => {
    // Times are told in milliseconds, and no two of these may have the same.
    await setTimeout(2);
    await house.world.db.tx((tx) =>
      audit.record(
        tx,
        house.world,
        { ...audit.operator, ...at },
        {
          organizationId: acme.organization_id,
          action,
          target: { type: "thing", id },
          details: { name, before: { colour: "deep-blue" }, n: 17 },
        },
      ),
    );
  };
  const ann = { type: "user", id: "user_ann", name: "Ann Ökonom", address: "10.0.0.1" } as const;
  const bob = { type: "user", id: "user_bob", name: "Bob", address: "10.0.0.2" } as const;
  await act("thing.made", "first", ann, "thing_1");
  await act("thing.made", "second", bob, "thing_2");
  await act("thing.changed", "third", ann, "thing_1");
  await act("other.made", '=HYPERLINK("http://x")', ann, "thing_3");
  await act("thing_like.made", 'a "quoted",\nname', bob, "thing_1");
});
after(() => house[Symbol.asyncDispose]());

type Entry = Event & { at: string; details: Record<string, unknown> };
const { run } = chainsOf(() => house);
const get = (query: string, tenant = acme, path = "") =>
  house.ask("GET", `/console/api/audit${path}?${query}`, { cookie: tenant.cookie });

async function found(query: string, tenant = acme): Promise<string[]> {
  const { status, body } = await get(`limit=100&${query}`, tenant);
  assert.equal(status, 200, JSON.stringify(body));
  return (body.data as Entry[]).map(({ details }) => String(details["name"]));
}
const exported = async (query: string, tenant = acme) => {
  const url = `${house.url}/console/api/audit/export?${query}`;
  const response = await fetch(url, { headers: { cookie: tenant.cookie } });
  assert.equal(response.status, 200);
  return { headers: response.headers, text: await response.text() };
};
const odd = 'a "quoted",\nname';
const formula = '=HYPERLINK("http://x")';

test("[AUD10] by action or how it begins, actor, target and address, alone and together", async () => {
  assert.deepEqual(await found("action=thing.made"), ["second", "first"]);
  assert.deepEqual(await found("action=thing."), ["third", "second", "first"]);
  assert.deepEqual(await found("action=thing"), [odd, "third", "second", "first"]);
  assert.deepEqual(await found("action=nothing"), []);
  assert.deepEqual(await found("actor_id=user_bob"), [odd, "second"]);
  assert.deepEqual(await found("target_id=thing_1"), [odd, "third", "first"]);
  assert.deepEqual(await found("address=10.0.0.1"), [formula, "third", "first"]);
  assert.deepEqual(await found("action=thing.&actor_id=user_ann&target_id=thing_1"), [
    "third",
    "first",
  ]);
});

test("[AUD10] by words of any field: whole ones, and the beginning of the last", async () => {
  for (const [words, names] of [
    ["third", ["third"]],
    ["thi", [odd, formula, "third", "second", "first"]],
    ["ökon", [formula, "third", "first"]],
    ["thing_2 bob", [odd, "second"]],
    ["BOB SEC", ["second"]],
    ["deep blue bob", [odd, "second"]],
    ["deep-blue 17 third", ["third"]],
    ["eep", []],
    ["third first", []],
    ["10.0.0.2 made", [odd, "second"]],
    ["'quoted' | !x", []],
    ["&|!:*", []],
  ] as const)
    assert.deepEqual(
      await found(`actor_id=&q=${encodeURIComponent(words)}`.slice(10)),
      names,
      words,
    );
  assert.deepEqual(await found(`q=${encodeURIComponent("third")}&action=thing.made`), []);
});

test("[AUD10] by a span of time: its first moment is in it, its last is not", async () => {
  const { body } = await get("limit=100&q=thing");
  const [, , third, second] = body.data as { at: string }[];
  const time = (event?: { at: string }) => encodeURIComponent(event?.at ?? "");
  await run("select 1");
  const names = await found(`from=${time(second)}&to=${time(third)}&q=thing`);
  assert.ok(names.includes("second") && !names.includes("third"), String(names));
  assert.match(
    sentenceOf(await get("from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z"), 400),
    /^from, to/,
  );
  assert.match(sentenceOf(await get("from=yesterday"), 400), /^from/);
});

test("[AUD10] pages with filters come round without a gap or a double", async () => {
  for (const query of ["action=thing", "q=made", "target_id=thing_1", "address=10.0.0.1"]) {
    const paged: string[] = [];
    let page = "";
    do {
      const { body } = await get(`limit=1&${query}${page}`);
      paged.push(...(body.data as Entry[]).map(({ details }) => String(details["name"])));
      page = body.next_page === null ? "" : `&page=${encodeURIComponent(body.next_page)}`;
    } while (page !== "");
    assert.deepEqual(paged, await found(query), query);
  }
});

test("[AUD10] another organization's events are found by no filter, and its actions are not named", async () => {
  const other = await auditTenant(house, "an organization beside it");
  for (const query of [
    "action=thing",
    "actor_id=user_ann",
    "target_id=thing_1",
    "address=10.0.0.1",
    "q=third",
  ])
    assert.deepEqual(await found(query, other), [], query);
  const actionsOf = async (tenant: Tenant) =>
    (await get("", tenant, "/actions")).body.data as string[];
  assert.ok((await actionsOf(acme)).includes("thing.changed"));
  assert.ok(!(await actionsOf(other)).includes("thing.changed"));
  assert.doesNotMatch((await exported("format=csv", other)).text, /thing\.made/);
});

test("[AUD11] the export as JSON lines has every event that the list has, as the list shows it", async () => {
  const { headers, text } = await exported("format=jsonl");
  assert.match(
    headers.get("content-disposition") ?? "",
    /^attachment; filename="audit-[\d-]+\.jsonl"$/,
  );
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  assert.deepEqual(lines, (await get("limit=100")).body.data);
  const some = await exported("format=jsonl&action=thing.made");
  assert.equal(some.text.trimEnd().split("\n").length, 2);
  assert.equal((await exported("format=jsonl&action=nothing")).text, "");
  assert.match(sentenceOf(await get("format=xml", acme, "/export"), 400), /^format/);
});

test("[AUD11] the export as CSV quotes what must be, and no cell begins a formula", async () => {
  for (const name of ["+1", "-1", "@x", "\tx"])
    await house.world.db.tx((tx) =>
      audit.record(
        tx,
        house.world,
        { ...audit.operator, name },
        {
          organizationId: acme.organization_id,
          action: "thing.counted",
        },
      ),
    );
  await makeKey(house, acme);
  const { text } = await exported("format=csv");
  const [head, ...rows] = text.trimEnd().split("\r\n");
  assert.equal(
    head,
    "time,action,actor_type,actor_id,actor_name,target_type,target_id,address,request_id,details,event_id,sequence,hash",
  );
  assert.equal(rows.length, (await get("limit=100")).body.data.length);
  for (const cell of text.matchAll(/(?:^|,)"((?:[^"]|"")*)"/gm))
    assert.doesNotMatch(cell[1] ?? "", /^[=+\-@\t\r]/);
  for (const name of ["+1", "-1", "@x", "\tx"]) assert.ok(text.includes(`"'${name}"`), name);
});

test("[AUD11] an export goes on over many pages of the database", async () => {
  await run(
    `select audit_append($1, (select jsonb_agg(jsonb_build_object('id', 'audit_many' || n,
      'at', '2026-01-01T00:00:00Z', 'action', 'many.made', 'actor_type', 'system', 'address', '',
      'details', '{}'::jsonb, 'words', '[]'::jsonb)) from generate_series(1, 2503) as n))`,
    [acme.organization_id],
  );
  const { text } = await exported("format=jsonl&action=many.");
  const ids = new Set(
    text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as Event).id),
  );
  assert.equal(ids.size, 2_503);
});

test("[AUD6] the console is told how far the chain was verified, and what was found", async () => {
  const somebody = await auditTenant(house, "an organization with a chain");
  const chain = async () => (await get("", somebody, "/chain")).body as Record<string, unknown>;
  const { events, verified_at, problem } = await chain();
  assert.ok(Number(events) >= 5 && verified_at === null && problem === null);
  await audit.verifyAll(house.world, AbortSignal.timeout(60_000));
  const after = await chain();
  assert.deepEqual([after["verified_events"], after["problem"]], [after["events"], null]);
  assert.match(String(after["verified_at"]), /^\d{4}-/);
});
