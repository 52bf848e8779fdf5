// Rule ALT2: shares of spend limits, of an organization, a workspace and a person.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { alertsOf, minute, stopLooks } from "./alerts-house.ts";
import { addMember } from "./members-house.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
let enterprise: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, other, enterprise } = house.organizations);
  await stopLooks(house);
});
after(() => house?.[Symbol.asyncDispose]());
beforeEach(async () => {
  const { db } = house.world;
  for (const table of ["alerts", "alert_rules", "spend_limits", "user_spend_limits"])
    await db.query({ text: `delete from ${table}`, values: [] });
  await db.query(sql`delete from spend_months where node = 'tests'`);
  await db.query(sql`delete from spend_user_days where node = 'tests'`);
  await db.query(sql`delete from spend_refusals`);
});
const { lookAt, firing, shown, setRule } = alertsOf(() => house);
const now = minute(0);
const spending = async (tenant: Tenant) =>
  (await firing(tenant, "spend"))
    .map(
      ({ subject, period, threshold, value }) => [subject.type, period, threshold, value] as const,
    )
    .toSorted((one, other) => one.join().localeCompare(other.join()));

const dollar = 1_000_000_000n;
const limitTo = ({ organization_id }: Tenant, workspace: string, nano: bigint) =>
  house.world.db.query(sql`
    insert into spend_limits (organization_id, workspace_id, limit_nano)
    values (${organization_id}, ${workspace}, ${String(nano)}::bigint)
    on conflict (organization_id, workspace_id) do update set limit_nano = excluded.limit_nano`);
const spend = ({ organization_id, workspace_id }: Tenant, nano: bigint, month = "2026-11") =>
  house.world.db.query(sql`
    insert into spend_months (organization_id, month, workspace_id, node, spent_nano)
    values (${organization_id}, ${month}, ${workspace_id}, 'tests', ${String(nano)}::bigint)
    on conflict (organization_id, month, workspace_id, node)
      do update set spent_nano = spend_months.spent_nano + excluded.spent_nano`);

test("[ALT2] each percent of a limit fires at its number, and not below", async () => {
  await limitTo(platform, "", 10n * dollar);
  await spend(platform, 8n * dollar - 1n);
  await lookAt(now);
  assert.deepEqual(await spending(platform), []);
  await spend(platform, 1n);
  await lookAt(now);
  assert.deepEqual(await spending(platform), [["organization", "monthly", 80, 80]]);
  await spend(platform, 2n * dollar - 1n);
  await lookAt(now);
  assert.deepEqual(await spending(platform), [["organization", "monthly", 80, 99.9]]);
  await spend(platform, 1n);
  await lookAt(now);
  assert.deepEqual(await spending(platform), [
    ["organization", "monthly", 100, 100],
    ["organization", "monthly", 80, 100],
  ]);
  assert.deepEqual(await spending(other), []);
  const [whole] = await firing(platform, "spend");
  assert.equal(
    whole?.summary,
    "The organization has reached the monthly spend limit: requests are refused.",
  );
});

test("[ALT2] a workspace counts for itself, and the organization with all of them", async () => {
  await limitTo(platform, platform.workspace_id, 10n * dollar);
  await limitTo(platform, "", 100n * dollar);
  await spend(platform, 9n * dollar);
  await lookAt(now);
  assert.deepEqual(await spending(platform), [["workspace", "monthly", 80, 90]]);
  const [alert] = await firing(platform, "spend");
  assert.deepEqual(alert?.subject, {
    type: "workspace",
    id: platform.workspace_id,
    name: "Default",
  });
});

test("[ALT2] a limit of nothing, another month, and an archived workspace fire nothing", async () => {
  const { db } = house.world;
  await limitTo(platform, "", 0n);
  await limitTo(other, "", 10n * dollar);
  await spend(other, 10n * dollar, "2026-10");
  await limitTo(enterprise, enterprise.workspace_id, dollar);
  await spend(enterprise, dollar);
  await db.query(sql`
    update workspaces set archived_at = ${now} where id = ${enterprise.workspace_id}`);
  try {
    await lookAt(now);
    for (const tenant of [platform, other, enterprise])
      assert.deepEqual(await spending(tenant), []);
  } finally {
    await db.query(sql`
      update workspaces set archived_at = null where id = ${enterprise.workspace_id}`);
  }
});

test("[ALT2] limits of a person are told by day, week and month", async () => {
  const { db } = house.world;
  const { id } = await addMember(house, enterprise, { role: "user" });
  for (const period of ["daily", "weekly", "monthly"])
    await db.query(sql`
      insert into user_spend_limits (organization_id, user_id, period, id, limit_nano, created_at, updated_at)
      values (${enterprise.organization_id}, ${id}, ${period}, ${`spl_${period}`},
        ${String(10n * dollar)}::bigint, ${now}, ${now})`);
  const spent = (day: string, dollars: bigint) =>
    db.query(sql`
      insert into spend_user_days (organization_id, user_id, day, node, spent_nano)
      values (${enterprise.organization_id}, ${id}, ${day}::date, 'tests', ${String(dollars * dollar)}::bigint)`);
  // The look is on Friday, 20 November.
  await spent("2026-11-20", 7n);
  await spent("2026-11-16", 1n);
  await spent("2026-11-15", 2n);
  await spent("2026-10-31", 90n);
  await spent("2026-11-21", 90n);
  await lookAt(now);
  assert.deepEqual(await spending(enterprise), [
    ["user", "monthly", 100, 100],
    ["user", "monthly", 80, 100],
    ["user", "weekly", 80, 80],
  ]);
});

test("[ALT2] [ALT8] a limit that is raised ends its alerts at once, and numbers are the organization's", async () => {
  await setRule(platform, "spend", { percents: [70, 50, 70] });
  await limitTo(platform, "", 10n * dollar);
  await spend(platform, 10n * dollar);
  await lookAt(now);
  assert.deepEqual(
    (await spending(platform)).map(([, , threshold]) => threshold),
    [50, 70],
  );
  await limitTo(platform, "", 20n * dollar);
  await lookAt(minute(0, 30));
  assert.deepEqual(
    (await spending(platform)).map(([, , threshold]) => threshold),
    [50],
  );
  assert.equal((await shown(platform, "&state=resolved"))[0]?.resolution, "well");
});

test("[ALT2] a limit that refuses is reached once nine tenths are spent", async () => {
  await limitTo(platform, "", 10n * dollar);
  await spend(platform, 9n * dollar - 1n);
  const refuse = (month: string, nano: bigint) =>
    house.world.db.query(sql`
      insert into spend_refusals (organization_id, holder_id, period_key, limit_nano, refused_at)
      values (${platform.organization_id}, '', ${month}, ${String(nano)}::bigint, ${now})`);
  const reached = async () => {
    await lookAt(now);
    return (await spending(platform)).some(([, , threshold]) => threshold === 100);
  };
  await refuse("2026-11", 10n * dollar);
  assert.equal(await reached(), false);
  await spend(platform, 1n);
  assert.equal(await reached(), true);
  await limitTo(platform, "", 10n * dollar - 1n);
  assert.equal(await reached(), false, "it was another limit that refused");
  await limitTo(platform, "", 10n * dollar);
  await house.world.db.query(sql`delete from spend_refusals`);
  await refuse("2026-10", 10n * dollar);
  assert.equal(await reached(), false, "it was another month");
});

test("[LIM24] [ALT2] what a limit refuses for want of money is noted, for its month", async () => {
  const { db } = house.world;
  const set = await house.ask("POST", "/console/api/spend_limits", {
    cookie: platform.cookie,
    body: { scope: { type: "organization" }, amount: "1" },
  });
  assert.equal(set.status, 200);
  const answer = await house.ask("POST", "/v1/messages", {
    key: platform.api_key,
    body: {
      model: "sim-large",
      max_tokens: 60_000,
      messages: [{ role: "user", content: "[[tokens 1]]" }],
    },
  });
  assert.equal(answer.status, 429, JSON.stringify(answer.body));
  const rows = await db.query(sql`
    select holder_id, period_key, limit_nano::text as nano from spend_refusals
    where organization_id = ${platform.organization_id}`);
  const month = house.world.clock.now().toISOString().slice(0, 7);
  assert.deepEqual(rows, [{ holder_id: "", period_key: month, nano: "10000000" }]);
});
