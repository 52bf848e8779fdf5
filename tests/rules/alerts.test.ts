// Rules ALT1, ALT6, ALT12 and ALT13: rules and settings, who sees and changes them, and what is kept.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { forgetOld } from "../../server/alerts/jobs.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { alertsOf, minute, stopLooks, type ShownAlert } from "./alerts-house.ts";
import { addSignedIn } from "./members-house.ts";
import { sentenceOf, until } from "./support.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, other } = house.organizations);
  await stopLooks(house);
});
after(() => house?.[Symbol.asyncDispose]());
const { lookAt, shown, ask, count } = alertsOf(() => house);
const rule = async (kind: string, tenant = platform) =>
  (await ask(tenant, "GET", `alert_rules/${kind}`)).body;
const change = (kind: string, body: object, tenant: { cookie: string } = platform) =>
  ask(tenant, "POST", `alert_rules/${kind}`, body);
const linesOf = async (action: string) =>
  (await ask(platform, "GET", `audit?action=${action}`)).body.data as {
    target: { id: string };
    details: Record<string, unknown>;
  }[];

test("[ALT1] rules are there by default, on, with their numbers", async () => {
  const { status, body } = await house.ask("GET", "/v1/organizations/alert_rules", {
    key: platform.admin_api_key,
  });
  assert.equal(status, 200);
  const usual = { type: "alert_rule", enabled: true, is_default: true };
  assert.deepEqual(body.data, [
    { ...usual, kind: "spend", percents: [80, 100] },
    { ...usual, kind: "error_share", percent: 5, minutes: 10, requests_min: 20 },
    { ...usual, kind: "upstream_down", minutes: 5, failures_min: 5 },
    { ...usual, kind: "job_backlog", minutes: 10 },
  ]);
});

test("[ALT1] [ALT6] a number that is set stays, null is the default again, and both are in the audit log", async () => {
  const set = await change("error_share", { percent: 7, enabled: false });
  assert.equal(set.status, 200);
  const numbers = { percent: 7, minutes: 10, requests_min: 20 };
  assert.deepEqual(set.body, {
    type: "alert_rule",
    kind: "error_share",
    enabled: false,
    is_default: false,
    ...numbers,
  });
  await change("error_share", { minutes: 3 });
  assert.deepEqual(await rule("error_share"), { ...set.body, minutes: 3 });
  assert.equal((await rule("error_share", other)).percent, 5);
  const back = await change("error_share", { percent: null, minutes: null, enabled: true });
  assert.equal(back.body.is_default, true);
  assert.equal(back.body.percent, 5);
  await change("error_share", {});
  await change("error_share", { enabled: true });
  const lines = await linesOf("alert_rule.updated");
  assert.equal(lines.length, 3, "what changes nothing leaves no line");
  assert.equal(lines[0]?.target.id, "error_share");
  const [newest] = lines;
  assert.deepEqual(newest?.details, {
    enabled: true,
    percent: 5,
    minutes: 10,
    requests_min: 20,
    before: { enabled: false, percent: 7, minutes: 3, requests_min: 20 },
  });
});

test("[ALT6] a rule takes its own numbers, within their limits", async () => {
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ["spend", { percent: 5 }, /^percent: is no number of the rule spend, which has percents\.$/],
    ["job_backlog", { requests_min: 5 }, /^requests_min: is no number of the rule job_backlog/],
    ["spend", { percents: [] }, /^percents/],
    ["spend", { percents: [0] }, /^percents/],
    ["spend", { percents: [101] }, /^percents/],
    ["spend", { percents: [1, 2, 3, 4, 5] }, /^percents/],
    ["error_share", { percent: 0 }, /^percent/],
    ["error_share", { percent: 101 }, /^percent/],
    ["error_share", { percent: 5.5 }, /^percent/],
    ["error_share", { minutes: 0 }, /^minutes/],
    ["error_share", { minutes: 61 }, /^minutes: must be at most 60 for the rule error_share\.$/],
    ["upstream_down", { minutes: 61 }, /^minutes/],
    ["upstream_down", { failures_min: 0 }, /^failures_min/],
    ["job_backlog", { minutes: 1441 }, /^minutes/],
  ];
  for (const [kind, body, sentence] of refused)
    assert.match(sentenceOf(await change(kind, body), 400), sentence);
  for (const [kind, body] of [
    ["error_share", { minutes: 60, percent: 100, requests_min: 1 }],
    ["upstream_down", { minutes: 1, failures_min: 1 }],
    ["job_backlog", { minutes: 1440 }],
    ["spend", { percents: [100, 1, 1] }],
  ] as const)
    assert.equal((await change(kind, body)).status, 200);
  assert.deepEqual((await rule("spend")).percents, [1, 100]);
  assert.equal((await change("weather", {})).status, 404);
  await house.world.db.query(sql`delete from alert_rules`);
});

test("[ALT11] [ALT6] whom alerts are mailed to is set, checked and in the audit log", async () => {
  const settings = async (tenant = platform) => (await ask(tenant, "GET", "alert_settings")).body;
  const usual = {
    type: "alert_settings",
    mail_administrators: true,
    mail_to: [],
    has_mail_server: false,
    mail_failure: null,
  };
  assert.deepEqual(await settings(), usual);
  const set = (body: object) => ask(platform, "POST", "alert_settings", body);
  const done = await set({ mail_to: ["ops@alerts.example"], mail_administrators: false });
  assert.deepEqual(done.body, {
    ...usual,
    mail_administrators: false,
    mail_to: ["ops@alerts.example"],
  });
  assert.deepEqual(await settings(), done.body);
  assert.deepEqual(await settings(other), usual);
  await set({ mail_administrators: false });
  assert.equal((await linesOf("alert_settings.updated")).length, 1);
  for (const mail_to of [["ops"], ["a b@alerts.example"], Array(21).fill("a@alerts.example")])
    assert.match(sentenceOf(await set({ mail_to }), 400), /^mail_to/);
});

test("[ALT13] alerts are read by those who may read limits, and rules changed by those who may change them", async () => {
  const roles = [
    ["user", 403, 403],
    ["billing", 200, 403],
    ["developer", 200, 403],
    ["admin", 200, 200],
  ] as const;
  for (const [role, reads, writes] of roles) {
    const person = await addSignedIn(house, platform, role);
    for (const path of ["alerts", "alert_rules", "alert_rules/spend", "alert_settings"])
      assert.equal((await ask(person, "GET", path)).status, reads, `${role}, ${path}`);
    assert.equal((await change("spend", {}, person)).status, writes, role);
    assert.equal((await ask(person, "POST", "alert_settings", {})).status, writes, role);
  }
});

test("[ALT13] pages of alerts, by state, are the organization's own", async () => {
  for (const number of [0, 1, 2]) {
    await count(platform, minute(number * 60), 100, 100);
    await count(other, minute(number * 60), 100, 100);
    await lookAt(minute(number * 60));
    await lookAt(minute(number * 60 + 10));
    if (number < 2) await lookAt(minute(number * 60 + 20));
  }
  const read = async (query: string) => {
    const answer = await house.ask("GET", `/v1/organizations/alerts?${query}`, {
      key: platform.admin_api_key,
    });
    assert.equal(answer.status, 200);
    return answer.body as { data: ShownAlert[]; next_page: string | null };
  };
  const all = await read("");
  assert.deepEqual(
    all.data.map(({ state }) => state),
    ["firing", "resolved", "resolved"],
  );
  const first = await read("state=resolved&limit=1");
  const second = await read(`state=resolved&limit=1&page=${first.next_page}`);
  assert.deepEqual(
    [...first.data, ...second.data].map(({ id }) => id),
    all.data.slice(1).map(({ id }) => id),
  );
  assert.equal(second.next_page, null);
  const foreign = (await shown(other))[0]?.id ?? "";
  const one = (id: string) =>
    house.ask("GET", `/v1/organizations/alerts/${id}`, { key: platform.admin_api_key });
  assert.equal((await one(foreign)).status, 404);
  assert.deepEqual((await one(all.data[0]?.id ?? "")).body, all.data[0]);
});

test("[ALT13] of a workspace that is hidden there is no alert", async () => {
  const { db, ids } = house.world;
  const developer = await addSignedIn(house, platform, "developer");
  const made = await ask(platform, "POST", "workspaces", { name: "Vault" });
  const hidden = made.body.id ?? made.body.workspace?.id;
  const [id, seen] = [ids.next("alert_"), ids.next("alert_")];
  for (const [alert, workspace] of [
    [id, hidden],
    [seen, platform.workspace_id],
  ])
    await db.query(sql`
      insert into alerts (id, organization_id, kind, subject_type, subject_id, period, level, value,
        threshold, firing_since)
      values (${alert}, ${platform.organization_id}, 'spend', 'workspace', ${workspace}, 'monthly', 80,
        80, 80, ${minute(0)})`);
  const known = async (who: { cookie: string }) =>
    (await shown(who)).filter(({ kind }) => kind === "spend").map((alert) => alert.id);
  assert.deepEqual(await known(platform), [seen, id]);
  assert.deepEqual(await known(developer), [seen]);
  assert.equal((await ask(developer, "GET", `alerts/${id}`)).status, 404);
  assert.equal((await ask(developer, "GET", `alerts/${seen}`)).status, 200);
});

test("[ALT12] what was resolved is forgotten after 90 days, and what fires is not", async () => {
  const before = (await shown(platform)).length;
  const resolved = (await shown(platform, "&state=resolved")).length;
  assert.ok(resolved > 0 && before > resolved);
  const days = (number: number) => minute(80 + number * 24 * 60, 1);
  const { world } = house;
  const forget = (now: Date) => forgetOld({ ...world, clock: { ...world.clock, now: () => now } });
  await forget(days(89));
  assert.equal((await shown(platform)).length, before);
  await forget(days(90));
  assert.equal((await shown(platform)).length, before - resolved);
});

test("[ALT7] every process looks by itself, and one at a time tells", async () => {
  await using second = await house.openSecondServer();
  const { db } = house.world;
  await db.query(sql`delete from alerts`);
  const now = new Date(Math.floor(second.world.clock.now().getTime() / 60_000) * 60_000);
  await count(platform, now, 1000, 1000);
  await until(async () => {
    const due = await db.query(sql`
      update schedule_occurrences set nominal_at = statement_timestamp()
      where schedule = 'alerts.look' and fired_at is null returning schedule`);
    return due.length > 0;
  }, "the schedule of looks");
  await until(async () => (await shown(platform)).length > 0, "the look of a process");
  await stopLooks(house);
  assert.equal((await shown(platform)).length, 1);
});
