// Rules RBD1, RBD8, RBD9 and RBD10: who may set and read, what each look leaves, what waits, and how long all is kept.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { sweepBodies } from "../../server/request_bodies/jobs.ts";
import { insertBodies } from "../../server/request_bodies/kept/queries.ts";
import { limits } from "../../server/request_bodies/limits.ts";
import { bodyKeeperOf } from "../../server/request_bodies/module.ts";
import { findBody } from "../../server/request_bodies/queries.ts";
import { openHouse, type House } from "../house.ts";
import { addSignedIn } from "./members-house.ts";
import { bodiesOf, valueOf } from "./request-bodies-house.ts";
import { requestIdOf } from "./requests-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const bodies = bodiesOf(() => house);
const { defaultWorkspace, flush, kept, look, message, rows, set, settings } = bodies;
const platform = () => house.organizations.platform;

interface AuditRow {
  action: string;
  target_id: string;
  details: Record<string, unknown>;
}
const eventsOf = (action: string) =>
  house.world.db.query<AuditRow>(sql`
    select action, target_id, details from audit_events
    where organization_id = ${platform().organization_id} and action = ${action}
    order by at, id`);

const signal = new AbortController().signal;
const sweep = () => sweepBodies(house.world, signal);
/** As though it had been kept so long ago. */
const age = async (id: string, ms: number) => {
  const at = new Date(house.world.clock.now().getTime() - ms);
  const day = at.toISOString().slice(0, 10);
  const { db } = house.world;
  await db.query(sql`select request_bodies_make_day(${day}::date)`);
  await db.query(sql`update request_bodies set at = ${at} where request_id = ${id}`);
};

test("[RBD1] each change is in the audit log, and no word of its rules", async () => {
  await set({ redact: [] });
  const redact = [
    { type: "word", word: "zebrafish-jade" },
    { type: "field", field: "metadata.user_id" },
  ];
  const changed = await settings("POST", { kept_days: 3, redact });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.deepEqual(changed.body.redact, redact);
  assert.equal(changed.body.max_bytes, 65_536);
  await settings("POST", { kept_days: 3 });
  const events = await eventsOf("request_bodies.updated");
  const last = events.at(-1);
  assert.deepEqual(last?.details, {
    kept_days: 3,
    kept_days_before: 7,
    redact: ["word", "field metadata.user_id"],
    redact_before: [],
  });
  assert.equal(last?.target_id, await defaultWorkspace());
  assert.equal(JSON.stringify(events).includes("zebrafish"), false);
});

test("[RBD1] people who work there see whether it is kept, and no word of the rules; cloud organizations keep none", async () => {
  await set({ redact: [{ type: "email" }, { type: "word", word: "zebrafish-jade" }] });
  const { ask, organizations } = house;
  const { cookie } = await addSignedIn(house, platform(), "developer");
  const path = `/console/api/workspaces/${await defaultWorkspace()}/request_bodies`;
  const seen = await ask("GET", path, { cookie });
  assert.equal(seen.body.enabled, true);
  assert.deepEqual(seen.body.redact, [{ type: "email" }, { type: "word", word: "[hidden]" }]);
  assert.equal((await ask("POST", path, { cookie, body: { enabled: false } })).status, 403);
  assert.equal((await ask("DELETE", path, { cookie })).status, 403);
  const { cloud } = organizations;
  const one = `/console/api/workspaces/${await defaultWorkspace(cloud)}/request_bodies`;
  const body = { enabled: true };
  assert.equal((await ask("POST", one, { cookie: cloud.cookie, body })).status, 404);
});

test("[RBD1] what is out of its limits is refused", async () => {
  const many = Array.from({ length: 21 }, () => ({ type: "email" }));
  for (const change of [
    { max_bytes: 1023 },
    { max_bytes: 1024 * 1024 + 1 },
    { kept_days: 0 },
    { kept_days: 31 },
    { redact: many },
    { redact: [{ type: "pattern", pattern: "(a+)+" }] },
    { redact: [{ type: "word", word: "x" }] },
    { redact: [{ type: "field", field: "a..b" }] },
    { redact: [{ type: "email", word: "x" }] },
  ])
    assert.equal((await settings("POST", change)).status, 400, JSON.stringify(change));
  assert.equal((await settings("POST", { redact: many.slice(1) })).status, 200);
});

test("[RBD1] another organization and an API key set and see nothing; an archived workspace keeps nothing", async () => {
  const { ask, organizations } = house;
  const path = `/v1/organizations/workspaces/${await defaultWorkspace()}/request_bodies`;
  for (const method of ["GET", "POST", "DELETE"]) {
    const body = method === "POST" ? { body: { enabled: true } } : {};
    const foreign = await ask(method, path, { key: organizations.other.admin_api_key, ...body });
    assert.equal(foreign.status, 404);
    const byApiKey = await ask(method, path, { key: platform().api_key, ...body });
    assert.equal(byApiKey.status, 403);
  }
  const key = platform().admin_api_key;
  const made = await ask("POST", "/v1/organizations/workspaces", { key, body: { name: "Old" } });
  const one = `/v1/organizations/workspaces/${made.body.id}`;
  await ask("POST", `${one}/archive`, { key });
  const refused = await ask("POST", `${one}/request_bodies`, { key, body: { enabled: true } });
  assert.equal(refused.status, 400);
});

test("[RBD9] each look is an event before anything is shown; without a body there is none", async () => {
  await set({});
  const { id } = await kept(await message("Hello"));
  const before = (await eventsOf("request_body.read")).filter((row) => row.target_id === id);
  const { headers } = await look(id);
  assert.equal(headers.get("cache-control"), "no-store");
  const events = (await eventsOf("request_body.read")).filter((row) => row.target_id === id);
  assert.equal(events.length, before.length + 1);
  assert.deepEqual(events.at(-1)?.details, { workspace_id: await defaultWorkspace() });
  const none = await look("req_01m8h6qy8p0000yx70x2jp0j3w");
  assert.equal(none.status, 404);
  assert.equal(none.body.error.details.error_code, "request_body_not_kept");
  const { db } = house.world;
  const all = (await eventsOf("request_body.read")).length;
  await db.query(sql`alter table audit_events rename to audit_events_away`);
  const unwritten = await look(id);
  await db.query(sql`alter table audit_events_away rename to audit_events`);
  assert.equal(unwritten.status, 500);
  assert.equal(JSON.stringify(unwritten.body).includes("Hello"), false);
  assert.equal((await eventsOf("request_body.read")).length, all);
  assert.ok(house.expectErrors().length > 0);
});

test("[RBD9] another organization's are absent, and an API key reads none", async () => {
  await set({});
  const { id } = await kept(await message("Hello"));
  assert.equal((await look(id, house.organizations.other)).status, 404);
  const path = `/v1/organizations/requests/${id}/body`;
  assert.equal((await house.ask("GET", path, { key: platform().api_key })).status, 403);
  assert.equal((await house.ask("GET", path, { cookie: platform().cookie })).status, 200);
});

test("[RBD10] it can be read for as many days as its workspace says, and is then deleted", async () => {
  await set({ kept_days: 2 });
  const early = await kept(await message("Hello early"));
  const late = await kept(await message("Hello late"));
  const span = 2 * limits.dayMs;
  await age(early.id, span);
  await age(late.id, span - 60_000);
  const found = async (id: string) => {
    const { db } = house.world;
    const [row] = await db.query<{ at: Date }>(
      sql`select at from request_bodies where request_id = ${id}`,
    );
    return row;
  };
  await sweep();
  assert.equal(await found(early.id), undefined);
  assert.notEqual(await found(late.id), undefined);
  await settings("POST", { enabled: false, kept_days: 1 });
  await sweep();
  assert.equal(await found(late.id), undefined);
});

test("[RBD10] what is over is not shown, to the second, also before it is deleted", async () => {
  await set({ kept_days: 30 });
  const { id, at: text } = await kept(await message("Hello"));
  const at = new Date(text);
  const { db } = house.world;
  const seen = (now: number) =>
    findBody(db, platform().organization_id, { id, at, now: new Date(now) });
  const over = at.getTime() + 30 * limits.dayMs;
  assert.notEqual(await seen(over - 1), undefined);
  assert.equal(await seen(over), undefined);
});

test("[RBD10] days that no workspace may keep any more are dropped whole", async () => {
  const { db, clock } = house.world;
  const dayBefore = (days: number) =>
    new Date(clock.now().getTime() - days * limits.dayMs).toISOString().slice(0, 10);
  for (const days of [29, 30, 31, 45])
    await db.query(sql`select request_bodies_make_day(${dayBefore(days)}::date)`);
  await sweep();
  const days = await db.query<{ day: string }>(sql`
    select to_char(day, 'YYYY-MM-DD') as day from request_bodies_days order by day`);
  const known = new Set(days.map(({ day }) => day));
  assert.deepEqual(
    [45, 31, 30, 29, 0, -1, -2].map((each) => known.has(dayBefore(each))),
    [false, false, true, true, true, true, true],
  );
});

test("[RBD10] switching off deletes nothing; deleting hides all, what is on its way included", async () => {
  await set({});
  const one = await kept(await message("Hello one"));
  await settings("POST", { enabled: false });
  assert.equal((await look(one.id)).status, 200);
  await settings("POST", { enabled: true });
  const waits = requestIdOf(await message("Hello two"));
  const deleted = await settings("DELETE");
  assert.equal(deleted.status, 200);
  assert.ok(deleted.body.deleted >= 1);
  await flush();
  assert.equal(await rows(), 0);
  for (const id of [one.id, waits]) assert.equal((await look(id)).status, 404);
  const [event] = (await eventsOf("request_bodies.deleted")).slice(-1);
  assert.equal(event?.target_id, await defaultWorkspace());
  assert.notEqual((await settings("GET")).body.kept_since, null);
  const later = await kept(await message("Hello later"));
  assert.equal(later.ended, "complete");
});

test("[RBD8] it is written by the rules that hold then: switched off, or made stricter, also while it is written", async () => {
  await set({});
  const { db } = house.world;
  const before = await rows();
  const off = requestIdOf(await message("zebrafish-ruby"));
  await db.query(sql`update request_body_settings set enabled = false, version = version + 1`);
  await flush();
  assert.equal((await look(off)).status, 404);
  assert.equal(await rows(), before);
  await db.query(sql`update request_body_settings set enabled = true, version = version + 1`);
  const strict = await message("zebrafish-ruby");
  await db.query(sql`
    update request_body_settings set version = version + 1,
      redact = '[{"type":"word","word":"zebrafish-ruby"}]'`);
  assert.equal(JSON.stringify(await kept(strict)).includes("ruby"), false);
});

test("[RBD8] a row by rules that have changed meanwhile is not written, and made again", async () => {
  await set({});
  const { db, ids, clock } = house.world;
  const [row] = await db.query<{ version: number }>(
    sql`select version from request_body_settings where enabled`,
  );
  const body = {
    requestId: ids.next("req_"),
    at: clock.now(),
    organizationId: platform().organization_id,
    workspaceId: await defaultWorkspace(),
    sealed: "x",
    version: row?.version ?? 0,
  };
  const { other } = house.organizations;
  const written = (more: object) => insertBodies(db, [{ ...body, ...more }]);
  assert.equal((await written({ version: body.version - 1 })).size, 0);
  assert.equal((await written({ organizationId: other.organization_id })).size, 0);
  assert.equal((await written({ workspaceId: await defaultWorkspace(other) })).size, 0);
  assert.equal((await written({})).size, 1);
  await db.query(sql`delete from request_bodies where request_id = ${body.requestId}`);
});

test("[RBD8] so many bytes wait at most; of more there is a row without a body, and a count", async () => {
  await set({});
  const { db } = house.world;
  await flush();
  await db.query(sql`alter table request_bodies rename to request_bodies_away`);
  const size = 7 * 1024 * 1024;
  const asked: string[] = [];
  for (let count = 0; count < 6; count++) asked.push(requestIdOf(await message("x".repeat(size))));
  await flush();
  await db.query(sql`alter table request_bodies_away rename to request_bodies`);
  const all = [];
  for (const id of asked) all.push(await kept(id));
  const fits = Math.floor(limits.waitingBytesMax / size);
  assert.deepEqual(
    all.map(({ request }) => request !== null),
    asked.map((_, at) => at < fits),
  );
  assert.equal(all.at(-1)?.ended, null);
  const metrics = String((await house.ask("GET", "/metrics")).body);
  assert.match(metrics, /^plinth_request_bodies_not_kept_total(\{[^}]*\})? 2$/m);
  const warned = house.log.filter(({ message: text }) =>
    /kept bodies .* cannot be/.test(String(text)),
  );
  assert.ok(warned.length > 0);
  const next = await kept(await message("Hello"));
  assert.equal(valueOf(next.request).messages[0].content, "Hello");
});

test("[RBD8] the stop of a process writes what waits", async () => {
  await set({});
  let id = "";
  {
    await using other = await house.openSecondServer();
    await bodyKeeperOf(other.world).look();
    const answer = await fetch(`${other.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": platform().api_key, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim-large",
        max_tokens: 9,
        messages: [{ role: "user", content: "Hello" }],
      }),
    });
    await answer.text();
    id = requestIdOf(answer);
  }
  assert.equal((await look(id)).status, 200);
});
