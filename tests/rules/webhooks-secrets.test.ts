// Rules WHK5 and WHK20: what was signed with a secret that is replaced, and deliveries that are sent again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { localNetwork } from "./federation-house.ts";
import { eventsOf, sentenceOf, until } from "./support.ts";
import { openReceiver, webhooksOf, type Received, type Receiver } from "./webhooks-house.ts";

let house: House;
let platform: Tenant;
let receiver: Receiver;
before(async () => {
  house = await openHouse({ sections: localNetwork });
  ({ platform } = house.organizations);
  receiver = await openReceiver();
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const client = new Anthropic({ apiKey: "none" });
const isTaken = ({ headers, body }: Received, key: string): boolean => {
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  const own = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  try {
    return client.beta.webhooks.unwrap(body, { headers: own, key }).type === "event";
  } catch {
    return false;
  }
};

for (const whose of ["organization", "workspace"] as const) {
  const hooks = webhooksOf(() => house, whose);
  const rotate = whose === "workspace" ? "rotate_secret" : "regenerate_signing_secret";
  const renew = async (id: string): Promise<string> => {
    const { status, body } = await hooks.call(platform, "POST", `/${id}/${rotate}`);
    assert.equal(status, 200);
    return (body as { signing_secret: string }).signing_secret;
  };
  const posted = async (id: string): Promise<Received> => {
    const { body } = await hooks.sendTest(platform, id);
    const arrived = receiver.received.length;
    await until(
      async () => (await hooks.deliveries(platform, id)).every(({ state }) => state !== "waiting"),
      "the delivery",
    );
    const all = receiver.received.slice(Math.max(0, arrived - 1));
    const post = all.find(({ headers }) => headers["webhook-id"] === body.event_id);
    assert.ok(post);
    return post;
  };

  test(`[WHK5] of the ${whose}, the old secret signs beside the new one for a day, and no other`, async () => {
    const { id, signing_secret: first } = await hooks.make(platform, receiver.url);
    const second = await renew(id);
    const both = await posted(id);
    assert.deepEqual(
      [first, second].map((key) => isTaken(both, key)),
      [true, true],
    );
    const signatures = String(both.headers["webhook-signature"]).split(" ");
    assert.equal(signatures.length, 2);
    assert.ok(signatures.every((each) => each.startsWith("v1,")));
    await house.world.db.query(sql`
      update webhook_endpoints
      set replaced_secret_until = replaced_secret_until - interval '24 hours 1 second'
      where id = ${id}`);
    const later = await posted(id);
    assert.deepEqual(
      [first, second].map((key) => isTaken(later, key)),
      [false, true],
    );
    // Made anew twice, the first is over at once.
    const third = await renew(id);
    const fourth = await renew(id);
    const last = await posted(id);
    assert.deepEqual(
      [second, third, fourth].map((key) => isTaken(last, key)),
      [false, true, true],
    );
    await hooks.remove(platform, id);
  });

  test(`[WHK20] of the ${whose}, a delivery is sent again under its id, and one at a time`, async () => {
    const { id } = await hooks.make(platform, receiver.url);
    const post = await posted(id);
    const [sent] = await hooks.deliveries(platform, id);
    assert.ok(sent);
    const again = await hooks.replay(platform, id, sent.id);
    assert.deepEqual([again.status, again.body.event_id], [200, sent.event_id]);
    assert.notEqual(again.body.id, sent.id);
    await until(
      async () => (await hooks.deliveries(platform, id))[0]?.state === "delivered",
      "the replay",
    );
    const same = receiver.received.filter(({ headers }) => headers["webhook-id"] === sent.event_id);
    assert.deepEqual(
      same.map(({ body }) => body),
      [post.body, post.body],
    );
    receiver.answers(500);
    await hooks.replay(platform, id, sent.id);
    const refused = await hooks.replay(platform, id, sent.id);
    assert.match(sentenceOf(refused, 400), /is on its way to this endpoint already/);
    receiver.answers(200);
    await hooks.settled(platform, id, 1);
    await hooks.call(platform, "POST", `/${id}`, { state: "disabled" });
    const off = await hooks.replay(platform, id, sent.id);
    assert.match(sentenceOf(off, 400), /is disabled: enable it, then replay/);
    await hooks.call(platform, "POST", `/${id}`, { state: "enabled" });
    assert.equal((await hooks.replay(platform, id, "whdl_none")).status, 404);
    const stranger = await hooks.replay(house.organizations.other, id, sent.id);
    assert.equal(stranger.status, 404);
    const events = (await eventsOf(house, platform)).filter(({ target }) => target?.id === id);
    assert.equal(events.filter(({ action }) => action === "webhook_endpoint.replayed").length, 2);
    await hooks.remove(platform, id);
  });
}
