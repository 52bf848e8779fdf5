// The official client manages webhook endpoints, and checks the events that are delivered to one of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic, { BadRequestError, NotFoundError } from "@anthropic-ai/sdk";
import { openHouse, type House, type Tenant } from "../house.ts";
import { localNetwork } from "../rules/federation-house.ts";
import { until } from "../rules/support.ts";
import { openReceiver, webhooksOf, type Received, type Receiver } from "../rules/webhooks-house.ts";

let house: House;
let platform: Tenant;
let receiver: Receiver;
let client: Anthropic;
before(async () => {
  house = await openHouse({ sections: localNetwork });
  ({ platform } = house.organizations);
  receiver = await openReceiver();
  const apiKey = platform.admin_api_key;
  client = new Anthropic({ baseURL: house.url, apiKey, maxRetries: 0 });
});
after(async () => {
  await house[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const url = "https://hooks.example/take";

test("endpoints are made, read, changed, listed over pages and deleted", async () => {
  const { webhooks } = client.beta.organization;
  const enabled_events = ["external_key.failed"] as const;
  const made: string[] = [];
  for (const name of ["first", "second", "third"]) {
    const body = { url, name, enabled_events: [...enabled_events] };
    const { signing_secret, ...endpoint } = await webhooks.create(body);
    assert.match(signing_secret, /^whsec_/);
    assert.deepEqual(await webhooks.retrieve(endpoint.id), endpoint);
    made.push(endpoint.id);
  }
  const [first = "", second = "", third = ""] = made;
  const walk = async (order?: "asc" | "desc") => {
    const ids: string[] = [];
    for await (const { id } of webhooks.list({ limit: 1, ...(order && { order }) })) ids.push(id);
    return ids;
  };
  assert.deepEqual(await walk(), [third, second, first]);
  assert.deepEqual(await walk("asc"), [first, second, third]);
  const before = await webhooks.list({ before_id: first, limit: 1 });
  assert.deepEqual(
    before.data.map(({ id }) => id),
    [second],
  );
  const changed = await webhooks.update(first, { state: "disabled", description: "Off" });
  assert.deepEqual(
    [changed.state, changed.description, changed.disabled_reason, changed.name],
    ["disabled", "Off", "", "first"],
  );
  assert.match((await webhooks.regenerateSigningSecret(first)).signing_secret, /^whsec_/);
  for (const id of made)
    assert.deepEqual(await webhooks.delete(id), { id, type: "webhook_endpoint_deleted" });
  await assert.rejects(webhooks.retrieve(first), NotFoundError);
  await assert.rejects(
    webhooks.create({ url: "http://10.0.0.1/", enabled_events: [...enabled_events] }),
    BadRequestError,
  );
});

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
      name,
      String(headers[name]),
    ]),
  );

test("the client believes a delivered event by its signature, and none that was changed", async () => {
  const enabled_events = ["user_profile.enforcement_action_opened" as const];
  const { webhooks } = client.beta.organization;
  const { id, signing_secret: key } = await webhooks.create({ url: receiver.url, enabled_events });
  const sent = await webhooksOf(() => house).sendTest(platform, id);
  assert.equal(sent.status, 200);
  const post = await until(() => Promise.resolve(receiver.received.at(-1)), "the event");
  const headers = headersOf(post);
  const event = client.beta.webhooks.unwrap(post.body, { headers, key });
  assert.equal(event.type, "event");
  assert.equal(event.id, sent.body.event_id);
  assert.ok(event.data.type === "user_profile.enforcement_action_opened");
  assert.equal(event.data.enforcement_action_id, "enac_test");
  assert.equal(event.data.organization_id, platform.organization_id);
  const changed = post.body.replace("enac_test", "enac_other");
  assert.throws(() => client.beta.webhooks.unwrap(changed, { headers, key }));
  const { signing_secret } = await webhooks.regenerateSigningSecret(id);
  assert.throws(() => client.beta.webhooks.unwrap(post.body, { headers, key: signing_secret }));
});

test("a workspace's key makes an endpoint, and the client believes what sessions of it tell", async () => {
  const own = new Anthropic({ baseURL: house.url, apiKey: platform.api_key, maxRetries: 0 });
  interface Made {
    id: string;
    signing_secret: string;
  }
  const body = { url: receiver.url, enabled_events: ["session.created", "session.deleted"] };
  const { id, signing_secret: key } = await own.post<Made>("/v1/webhooks", { body });
  const agent = await own.beta.agents.create({ name: "Helper", model: "sim-small" });
  const environment = await own.beta.environments.create({
    name: "lab",
    config: { type: "self_hosted" },
  });
  const session = await own.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
  });
  await own.beta.sessions.delete(session.id);
  const told = async () => {
    const posts = receiver.received.filter(({ body: text }) => text.includes(session.id));
    return posts.length >= 2 && posts;
  };
  const posts = await until(told, "both events");
  const events = posts.map((post) =>
    own.beta.webhooks.unwrap(post.body, { headers: headersOf(post), key }),
  );
  assert.deepEqual(events.map(({ data }) => data.type).toSorted(), body.enabled_events);
  for (const { data } of events) {
    assert.deepEqual(Object.keys(data).toSorted(), [
      "id",
      "organization_id",
      "type",
      "workspace_id",
    ]);
    assert.deepEqual([data.id, data.organization_id], [session.id, platform.organization_id]);
  }
  // Without a body, as the client sends what has none.
  const { event_type: tested } = await own.post<{ event_type: string }>(`/v1/webhooks/${id}/test`);
  assert.equal(tested, "session.created");
  await until(
    async () => receiver.received.some(({ headers }) => headers["plinth-webhook-test"] === "true"),
    "the test event",
  );
  await own.delete(`/v1/webhooks/${id}`);
});
