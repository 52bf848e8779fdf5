// Rules ALT9 to ALT11: what is told of alerts, by webhooks and by mail.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { look } from "../../server/alerts/look/look.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { alertsOf, minute, stopLooks } from "./alerts-house.ts";
import { addMember } from "./members-house.ts";
import { openMailServer, type MailServer } from "./smtp.ts";
import { until } from "./support.ts";
import { localNetwork } from "./federation-house.ts";
import { openReceiver, webhooksOf, type Receiver } from "./webhooks-house.ts";

let house: House;
let mail: MailServer;
let receiver: Receiver;
let platform: Tenant;
let other: Tenant;
before(async () => {
  mail = await openMailServer();
  receiver = await openReceiver();
  house = await openHouse({
    sections: {
      mail: { host: "127.0.0.1", port: mail.port, secure: false, from: "plinth@mail.example" },
      ...localNetwork,
    },
  });
  ({ platform, other } = house.organizations);
  await stopLooks(house);
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
  await mail?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const { db } = house.world;
  await until(async () => (await jobsLeft()).length === 0, "jobs to end");
  for (const table of [
    "alerts",
    "alert_rules",
    "alert_settings",
    "request_minutes",
    "upstream_minutes",
  ])
    await db.query({ text: `delete from ${table}`, values: [] });
  mail.mails.splice(0);
  receiver.received.splice(0);
});
const { at, lookAt, firing, count, attempt, ask } = alertsOf(() => house);
const webhooks = webhooksOf(() => house);
const jobsLeft = () =>
  house.world.db.query(
    sql`select id from jobs where kind = any('{alerts.mail,webhooks.post}'::text[])`,
  );
const setMail = (tenant: Tenant, body: object) => ask(tenant, "POST", "alert_settings", body);
const mails = (many: number) =>
  until(async () => mail.mails.length >= many && mail.mails, `${many} mails`);
const fieldOf = (whole: string, field: string) =>
  new RegExp(`^${field}: (.*)$`, "m").exec(whole)?.[1] ?? "";
const textOf = (whole: string) => whole.replaceAll("=\n", "").replaceAll("=3D", "=");

interface Event {
  type: string;
  id: string;
  data: Record<string, string>;
}
const events = async (many: number) => {
  await until(async () => receiver.received.length >= many, `${many} events`);
  return receiver.received.map(({ body }) => JSON.parse(body) as Event);
};

test("[ALT10] endpoints are told of the organization's alerts and of their ends, as far as they take them", async () => {
  const enabled_events = ["alert.firing", "alert.resolved"];
  const at = (path: string) => receiver.url + path;
  const { id: both } = await webhooks.make(platform, at("/both"), { enabled_events });
  const { id: ends } = await webhooks.make(platform, at("/ends"), {
    enabled_events: ["alert.resolved"],
  });
  const { id: deaf } = await webhooks.make(platform, at("/deaf"));
  const { id: foreign } = await webhooks.make(other, at("/foreign"), { enabled_events });
  for (const tenant of [platform, other]) await count(tenant, minute(0), 100, 100);
  await lookAt(minute(0));
  const [shares] = await firing(platform, "error_share");
  const [others] = await firing(other, "error_share");
  const [begun] = (await events(2)).filter(({ data }) => data["id"] === shares?.id);
  assert.equal(begun?.type, "event");
  assert.deepEqual(begun?.data, {
    type: "alert.firing",
    id: shares?.id,
    kind: "error_share",
    organization_id: platform.organization_id,
  });
  await lookAt(minute(10));
  for (let number = 15; number <= 20; number++) await attempt(platform, minute(number), "failed");
  // One begins and others end in one look.
  await lookAt(minute(20));
  const [down] = await firing(platform, "upstream_down");
  await events(6);
  const told = receiver.received.map(({ path, body }) => {
    const { data } = JSON.parse(body) as Event;
    return [path.replace("/hook", ""), data["type"], data["id"]].join(" ");
  });
  assert.deepEqual(
    told.toSorted(),
    [
      `/both alert.firing ${shares?.id}`,
      `/both alert.firing ${down?.id}`,
      `/both alert.resolved ${shares?.id}`,
      `/ends alert.resolved ${shares?.id}`,
      `/foreign alert.firing ${others?.id}`,
      `/foreign alert.resolved ${others?.id}`,
    ].toSorted(),
  );
  for (const each of [both, ends, deaf]) await webhooks.remove(platform, each);
  await webhooks.remove(other, foreign);
});

test("[ALT11] owners and administrators are mailed, and the addresses that were named", async () => {
  const administrator = await addMember(house, platform, { role: "admin" });
  await addMember(house, platform, { role: "developer" });
  const set = await setMail(platform, { mail_to: ["Ops@alerts.example", "ops@alerts.example"] });
  assert.deepEqual(set.body.mail_to, ["ops@alerts.example"]);
  assert.equal(set.body.has_mail_server, true);
  await count(platform, minute(0), 100, 100);
  await lookAt(minute(0));
  const taken = await mails(3);
  assert.deepEqual(
    taken.map((whole) => fieldOf(whole, "To")).toSorted(),
    [administrator.email, "ops@alerts.example", platform.owner_email].toSorted(),
  );
  const [first = ""] = taken;
  assert.match(textOf(first), /^Subject: Alert at platform of the house: 100 % of requests/m);
  assert.match(textOf(first), /since 2026-11-20 10:00 UTC/);
  assert.match(textOf(first), /http:\/\/127\.0\.0\.1:\d+\/console\/alerts/);
  await lookAt(minute(10));
  await lookAt(minute(20));
  await mails(6);
  assert.equal(
    mail.mails.filter((whole) => fieldOf(whole, "Subject").startsWith("Resolved at")).length,
    3,
  );
});

test("[ALT11] an organization that mails no administrators and named none is sent nothing", async () => {
  assert.equal((await setMail(platform, { mail_administrators: false })).status, 200);
  for (const tenant of [platform, other]) await count(tenant, minute(0), 100, 100);
  await lookAt(minute(0));
  const [only] = await mails(1);
  assert.equal(fieldOf(only ?? "", "To"), other.owner_email);
  await until(async () => (await jobsLeft()).length === 0, "jobs to end");
  assert.equal(mail.mails.length, 1);
});

test("[ALT11] a mail server that is away is asked again, and a refusal for good is told", async () => {
  await setMail(platform, { mail_administrators: false, mail_to: ["ops@alerts.example"] });
  mail.refuse("451 come back later");
  const attempts = mail.attempts;
  await count(platform, minute(0), 100, 100);
  await lookAt(minute(0));
  await mails(1);
  assert.equal(mail.attempts - attempts, 2);
  const settings = async () => (await ask(platform, "GET", "alert_settings")).body;
  assert.equal((await settings()).mail_failure, null);
  mail.refuse("550 no such address");
  await lookAt(minute(10));
  await lookAt(minute(20));
  const failure = await until(
    async () => (await settings()).mail_failure ?? undefined,
    "the failure",
  );
  assert.match(failure.error, /no such address/);
  assert.equal(mail.mails.length, 1);
});

test("[ALT9] what a look tells commits with it, and a look that is cut off tells nothing", async () => {
  const enabled_events = ["alert.firing"];
  const { id } = await webhooks.make(platform, receiver.url, { enabled_events });
  await count(platform, minute(0), 100, 100);
  const world = at(minute(0));
  const cut = world.db.tx(async (tx) => {
    await look(tx, world);
    const kinds = await tx.query<{ kind: string }>(sql`
      select distinct kind from jobs where kind = any('{alerts.mail,webhooks.post}'::text[])`);
    assert.equal(kinds.length, 2);
    throw new Error("the process died");
  });
  await assert.rejects(cut, /died/);
  assert.deepEqual(await jobsLeft(), []);
  assert.deepEqual(await webhooks.deliveries(platform, id), []);
  await Promise.all(Array.from({ length: 8 }, () => lookAt(minute(0))));
  const [event] = await events(1);
  assert.equal(event?.data["type"], "alert.firing");
  assert.equal((await webhooks.deliveries(platform, id)).length, 1);
  await mails(2);
  await until(async () => (await jobsLeft()).length === 0, "jobs to end");
  assert.equal(receiver.received.length, 1);
  await webhooks.remove(platform, id);
});

test("[ALT11] without a mail server nothing is mailed, and that is said", async () => {
  await using plain = await openHouse();
  await stopLooks(plain);
  const alerts = alertsOf(() => plain);
  const tenant = plain.organizations.platform;
  await alerts.count(tenant, minute(0), 100, 100);
  await alerts.lookAt(minute(0));
  assert.equal((await alerts.firing(tenant, "error_share")).length, 1);
  assert.equal((await alerts.ask(tenant, "GET", "alert_settings")).body.has_mail_server, false);
});
