// Rules WHK6 to WHK13, over HTTP and with a receiver: what is posted, how often, and what follows when nobody takes it.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, afterEach, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { emit, forgetOld } from "../../server/webhooks/module.ts";
import { limits } from "../../server/webhooks/limits.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { localNetwork } from "./federation-house.ts";
import { eventsOf, minutes, hours, seconds, sentenceOf, until } from "./support.ts";
import {
  failed,
  openReceiver,
  recovered,
  signatureOf,
  webhooksOf,
  type Receiver,
} from "./webhooks-house.ts";

let house: House;
let platform: Tenant;
let receiver: Receiver;
before(async () => {
  house = await openHouse({ sections: localNetwork });
  ({ platform } = house.organizations);
  receiver = await openReceiver();
});
afterEach(() => {
  receiver.answers(200);
  receiver.received.splice(0);
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const hooks = webhooksOf(() => house);
const happen = (tenant: Tenant, type: typeof failed | typeof recovered, id = "ekey_1") =>
  house.world.db.tx((tx) =>
    emit(tx, house.world, { organizationId: tenant.organization_id, type, data: { id } }),
  );
const arrived = (count: number) =>
  until(
    () => Promise.resolve(receiver.received.length >= count && receiver.received),
    `${count} posts`,
  );

test("[WHK6] an event goes to each enabled endpoint of its organization that wants its type", async () => {
  const at = (name: string) => `${receiver.url}/${name}`;
  const both = await hooks.make(platform, at("both"), { enabled_events: [failed, recovered] });
  const one = await hooks.make(platform, at("one"));
  const otherType = await hooks.make(platform, at("type"), { enabled_events: [recovered] });
  const off = await hooks.make(platform, at("off"));
  await hooks.call(platform, "POST", `/${off.id}`, { state: "disabled" });
  const stranger = await hooks.make(house.organizations.other, at("stranger"));
  await happen(platform, failed);
  await hooks.settled(platform, both.id, 1);
  await hooks.settled(platform, one.id, 1);
  const paths = receiver.received.map(({ path }) => path);
  assert.deepEqual(paths.toSorted(), ["/hook/both", "/hook/one"]);
  const [first, second] = receiver.received;
  assert.equal(first?.body, second?.body);
  assert.equal(first?.headers["webhook-id"], second?.headers["webhook-id"]);
  for (const { id } of [otherType, off]) assert.deepEqual(await hooks.deliveries(platform, id), []);
  for (const { id } of [both, one, otherType, off]) await hooks.remove(platform, id);
  assert.deepEqual(await hooks.deliveries(house.organizations.other, stranger.id), []);
  await hooks.remove(house.organizations.other, stranger.id);
});

test("[WHK6] what the caller takes back is delivered to nobody", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  const organizationId = platform.organization_id;
  const taken = house.world.db.tx(async (tx) => {
    await emit(tx, house.world, { organizationId, type: failed, data: { id: "ekey_1" } });
    throw new Error("taken back");
  });
  await assert.rejects(taken, /taken back/);
  await happen(platform, failed, "ekey_2");
  await hooks.settled(platform, id, 1);
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).data.id as string),
    ["ekey_2"],
  );
  assert.equal((await hooks.deliveries(platform, id)).length, 1);
  await hooks.remove(platform, id);
});

test("[WHK7] body, headers and signature are those of the standard, at every attempt", async () => {
  const { id, signing_secret: secret } = await hooks.make(platform, receiver.url);
  receiver.answers(503);
  await happen(platform, failed);
  const waiting = await hooks.settled(platform, id, 1);
  const { body: renewed } = await hooks.call(platform, "POST", `/${id}/regenerate_signing_secret`);
  receiver.answers(204);
  await hooks.hasten();
  const delivered = await hooks.settled(platform, id, 2);
  assert.deepEqual([waiting.state, delivered.state], ["waiting", "delivered"]);
  const [first, second] = receiver.received;
  assert.ok(first && second);
  const content = JSON.parse(first.body);
  assert.deepEqual(content, {
    type: "event",
    id: waiting.event_id,
    created_at: content.created_at,
    data: { id: "ekey_1", type: failed, organization_id: platform.organization_id },
  });
  assert.match(content.id, /^evt_/);
  assert.ok(Math.abs(Date.parse(content.created_at) - Date.now()) < minutes(5));
  assert.equal(second.body, first.body);
  for (const [post, keys] of [
    [first, [secret]],
    // Rule WHK5: the one that was replaced signs on.
    [second, [renewed.signing_secret, secret]],
  ] as const) {
    assert.equal(post.headers["webhook-id"], content.id);
    assert.equal(post.headers["content-type"], "application/json");
    const ms = Number(post.headers["webhook-timestamp"]) * 1000;
    assert.ok(Math.abs(ms - Date.now()) < minutes(5), `${ms}`);
    const signatures = keys.map((key: string) => signatureOf(key, post));
    assert.equal(post.headers["webhook-signature"], signatures.join(" "));
  }
  assert.notEqual(signatureOf(secret, second), signatureOf(renewed.signing_secret, second));
  await hooks.remove(platform, id);
});

test("[WHK8] a status alone decides; redirects, silence and closed doors are told in words", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  const went = async () => {
    await happen(platform, failed);
    return until(
      async () => {
        const [newest] = await hooks.deliveries(platform, id);
        return newest?.attempts === 1 && newest;
      },
      "the attempt to end",
      30_000,
    );
  };
  const endless = (response: ServerResponse) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.write("x".repeat(100_000));
  };
  receiver.answers(endless);
  let newest = await went();
  assert.deepEqual([newest.state, newest.status_code, newest.error], ["delivered", 200, null]);
  receiver.answers((response) => response.writeHead(302, { location: "/elsewhere" }).end());
  newest = await went();
  assert.deepEqual([newest.state, newest.status_code], ["waiting", 302]);
  assert.equal(newest.error, "answered with a redirect (302), which is not followed.");
  receiver.answers(410);
  newest = await went();
  assert.deepEqual([newest.status_code, newest.error], [410, "answered with the status 410."]);
  assert.ok(receiver.received.every(({ path }) => path === "/hook"));
  await hooks.call(platform, "POST", `/${id}`, { url: "http://127.0.0.1:9/hook" });
  newest = await went();
  assert.deepEqual([newest.status_code, newest.state], [null, "waiting"]);
  assert.match(newest.error ?? "", /^cannot be reached \(/);
  await hooks.call(platform, "POST", `/${id}`, { url: receiver.url });
  receiver.answers(() => {});
  const began = performance.now();
  newest = await went();
  assert.equal(newest.error, "did not answer whole within 10 seconds.");
  assert.ok(performance.now() - began > seconds(9));
  await hooks.remove(platform, id);
});

test("[WHK9] eight failures, with pauses that grow, disable the endpoint and say why", async () => {
  const { id } = await hooks.make(platform, receiver.url, { name: "Down" });
  receiver.answers(500);
  await happen(platform, failed);
  const pauses: number[] = [];
  for (let attempt = 1; attempt < 8; attempt++) {
    const { attempted_at, next_attempt_at, state, event_id } = await hooks.settled(
      platform,
      id,
      attempt,
    );
    assert.equal(state, "waiting");
    pauses.push(Date.parse(next_attempt_at ?? "") - Date.parse(attempted_at ?? ""));
    const [job] = await house.world.db.query<{ ms: number }>(sql`
      select extract(epoch from run_at - statement_timestamp())::float8 * 1000 as ms
      from jobs where kind = 'webhooks.post' and state = 'waiting'`);
    assert.ok(Math.abs((job?.ms ?? 0) - (pauses.at(-1) ?? 0)) < seconds(8), `${job?.ms}`);
    assert.ok(receiver.received.every(({ headers }) => headers["webhook-id"] === event_id));
    await hooks.hasten();
  }
  const m = minutes;
  const wanted = [seconds(10), m(1), m(5), m(30), hours(2), hours(6), hours(12)];
  assert.deepEqual(pauses, wanted);
  const last = await hooks.settled(platform, id, 8);
  assert.deepEqual([last.state, last.next_attempt_at], ["failed", null]);
  assert.equal(receiver.received.length, 8);
  const { body } = await hooks.call(platform, "GET", `/${id}`);
  assert.equal(body.state, "disabled");
  assert.equal(
    body.disabled_reason,
    `All 8 attempts to deliver the event ${last.event_id} (${failed}) failed. The last time the address answered with the status 500.`,
  );
  const event = (await eventsOf(house, platform)).find(({ target }) => target?.id === id);
  assert.deepEqual([event?.action, event?.actor.type], ["webhook_endpoint.disabled", "system"]);
  const again = await hooks.call(platform, "POST", `/${id}`, { state: "enabled" });
  assert.deepEqual([again.body.state, again.body.disabled_reason], ["enabled", ""]);
  await hooks.remove(platform, id);
});

test("[WHK10] a runner that dies in the middle leaves the attempt to another, with the same id", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  const held: (() => void)[] = [];
  receiver.answers((response) => held.push(() => response.writeHead(200).end()));
  await happen(platform, failed);
  await arrived(1);
  // As it is found when the process that ran it was killed.
  await house.world.db.query(sql`
    update jobs set lease_until = statement_timestamp() - interval '1 minute',
      lease_owner = 'worker_dead', lease_epoch = lease_epoch + 1
    where kind = 'webhooks.post' and state = 'running'`);
  await arrived(2);
  for (const answer of held) answer();
  const delivery = await hooks.settled(platform, id, 1);
  assert.equal(delivery.state, "delivered");
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual(ids, [delivery.event_id, delivery.event_id]);
  assert.equal((await hooks.deliveries(platform, id)).length, 1);
  await hooks.remove(platform, id);
});

test("[WHK10] a second job for an attempt that is under way loses nothing of what comes after it", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  const held: (() => void)[] = [];
  receiver.answers((response) => held.push(() => response.writeHead(500).end()));
  await happen(platform, failed);
  await arrived(1);
  // As it is put in when the endpoint is enabled again while an attempt runs, and nobody has taken it yet.
  await house.world.db.query(sql`
    insert into jobs (id, kind, key, lane, payload, priority, state, run_at, attempts_max, created_at)
    select 'job_twin', kind, key, lane, payload, priority, 'waiting',
           statement_timestamp() + interval '1 hour', attempts_max, created_at
    from jobs where kind = 'webhooks.post' and state = 'running'`);
  for (const answer of held) answer();
  await hooks.settled(platform, id, 1);
  receiver.answers(200);
  await hooks.hasten();
  assert.equal((await hooks.settled(platform, id, 2)).state, "delivered");
  assert.equal(receiver.received.length, 2);
  await hooks.remove(platform, id);
});

test("[WHK11] an attempt that fails after its endpoint was disabled names no next one", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  const held: (() => void)[] = [];
  receiver.answers((response) => held.push(() => response.writeHead(500).end()));
  await happen(platform, failed);
  await arrived(1);
  await hooks.call(platform, "POST", `/${id}`, { state: "disabled" });
  for (const answer of held) answer();
  const paused = await hooks.settled(platform, id, 1);
  assert.deepEqual([paused.state, paused.next_attempt_at], ["waiting", null]);
  // Of deliveries: schedules put in jobs of their own at any moment.
  const jobs = sql`select id from jobs where kind = 'webhooks.post'`;
  assert.deepEqual(await house.world.db.query(jobs), []);
  receiver.answers(200);
  await hooks.call(platform, "POST", `/${id}`, { state: "enabled" });
  assert.equal((await hooks.settled(platform, id, 2)).state, "delivered");
  await hooks.remove(platform, id);
});

test("[WHK11] a disabled endpoint gets nothing, and what waited goes out when it is enabled", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  const turn = (state: string) => hooks.call(platform, "POST", `/${id}`, { state });
  receiver.answers(500);
  await happen(platform, failed, "ekey_waits");
  await hooks.settled(platform, id, 1);
  await turn("disabled");
  const [paused] = await hooks.deliveries(platform, id);
  assert.deepEqual([paused?.state, paused?.next_attempt_at], ["waiting", null]);
  await happen(platform, failed, "ekey_unheard");
  receiver.answers(200);
  await hooks.hasten();
  await until(
    async () => (await house.world.db.query(sql`select id from jobs`)).length === 0,
    "the job to end",
  );
  assert.equal(receiver.received.length, 1);
  await turn("enabled");
  const delivered = await hooks.settled(platform, id, 2);
  assert.deepEqual([delivered.state, delivered.event_id], ["delivered", paused?.event_id]);
  const ids = receiver.received.map(({ body }) => JSON.parse(body).data.id as string);
  assert.deepEqual(ids, ["ekey_waits", "ekey_waits"]);
  // Enabled while its job still waits for a later time: that job comes now, and no second one.
  receiver.answers(500);
  await happen(platform, failed, "ekey_again");
  await hooks.settled(platform, id, 1);
  receiver.answers(200);
  await turn("disabled");
  await turn("enabled");
  await until(async () => {
    const [newest] = await hooks.deliveries(platform, id);
    return newest?.state === "delivered" && newest.attempts === 2;
  }, "the second attempt");
  assert.equal(receiver.received.length, 4);
  await hooks.remove(platform, id);
});

test("[WHK12] a test event is signed as any other, and says that it is a test", async () => {
  const enabled_events = [recovered, "user_profile.enforcement_action_opened"];
  const { id, signing_secret } = await hooks.make(platform, receiver.url, { enabled_events });
  const sent = await hooks.sendTest(platform, id);
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const { event_type, is_test, state, attempts } = sent.body;
  assert.deepEqual([event_type, is_test, state, attempts], [recovered, true, "waiting", 0]);
  const delivery = await hooks.settled(platform, id, 1);
  assert.deepEqual([delivery.id, delivery.status_code], [sent.body.id, 200]);
  const [post] = receiver.received;
  assert.ok(post);
  assert.equal(post.headers["webhook-signature"], signatureOf(signing_secret, post));
  const { organization_id } = platform;
  const data = { id: "ekey_test", test: true, type: recovered, organization_id };
  assert.deepEqual(JSON.parse(post.body).data, data);
  const chosen = { event_type: "user_profile.enforcement_action_opened" };
  assert.equal((await hooks.sendTest(platform, id, chosen)).status, 200);
  const [, second] = await arrived(2);
  assert.equal(JSON.parse(second?.body ?? "").data.enforcement_action_id, "enac_test");
  const other = await hooks.sendTest(platform, id, { event_type: failed });
  assert.match(sentenceOf(other, 400), /^event_type: the webhook endpoint takes /);
  receiver.answers(500);
  for (let count = 0; count < 10; count++)
    assert.equal((await hooks.sendTest(platform, id)).status, 200);
  assert.match(sentenceOf(await hooks.sendTest(platform, id), 400), /^10 test events wait/);
  await hooks.call(platform, "POST", `/${id}`, { state: "disabled" });
  assert.match(sentenceOf(await hooks.sendTest(platform, id), 400), /is disabled: enable it/);
  await hooks.remove(platform, id);
});

test("[WHK13] the last 20 are shown, and what is 30 days old is forgotten", async () => {
  const { id } = await hooks.make(platform, receiver.url);
  for (let count = 0; count < 22; count++) await happen(platform, failed, `ekey_${count}`);
  await arrived(22);
  const shown = await until(async () => {
    const data = await hooks.deliveries(platform, id);
    return data.every(({ state }) => state === "delivered") && data;
  }, "all to be delivered");
  assert.equal(shown.length, 20);
  const last = receiver.received.find(({ body }) => JSON.parse(body).data.id === "ekey_21");
  assert.equal(shown[0]?.event_id, last?.headers["webhook-id"]);
  const [first] = shown;
  const age = (ms: number) =>
    house.world.db.query(sql`
      update webhook_deliveries set created_at = ${new Date(Date.now() - ms)}
      where id = ${first?.id}`);
  await age(limits.deliveriesKeptMs - hours(1));
  await forgetOld(house.world);
  const has = async () => (await hooks.deliveries(platform, id))[0]?.id === first?.id;
  assert.ok(await has());
  await age(limits.deliveriesKeptMs + hours(1));
  await forgetOld(house.world);
  assert.ok(!(await has()));
  await hooks.remove(platform, id);
});
