// The real program is killed while it delivers an event: another start delivers it, under the same id.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratch, until } from "../kernel/sql-harness.ts";
import { openReceiver, signatureOf } from "../rules/webhooks-house.ts";
import { ask, initOwner, nothingLeft, startPlinth, type Owner } from "./plinth.ts";

const beta = { "vendor-beta": "webhooks-2026-10-07" };

async function signIn(url: string, { owner_email: email, owner_password: password }: Owner) {
  const answer = await ask(url, "POST", "/console/api/sign_in", { body: { email, password } });
  assert.equal(answer.status, 200);
  const [cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";");
  return { cookie, origin: url };
}

test("[WHK10] kill -9 in the middle of an attempt repeats it with the same webhook-id, and loses nothing", async () => {
  using home = scratch();
  await using receiver = await openReceiver();
  const data = join(home.path, "data");
  const owner = await initOwner(data);
  const config = join(home.path, "plinth.config.json");
  writeFileSync(config, JSON.stringify({ network: { allow_private_addresses: ["127.0.0.0/8"] } }));
  const options = { env: { PLINTH_CONFIG: config } };
  const first = await startPlinth(data, options);
  const headers = { ...beta, "x-api-key": owner.admin_api_key };
  const body = { url: receiver.url, enabled_events: ["external_key.failed"] };
  const made = await ask(first.url, "POST", "/v1/organizations/webhooks", { headers, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id, signing_secret: secret } = made.body;
  // It takes the event and never answers.
  receiver.answers(() => {});
  const test = { headers: await signIn(first.url, owner), body: {} };
  const sent = await ask(first.url, "POST", `/console/api/webhooks/${id}/test`, test);
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  await until("the first attempt arrives", () => receiver.received.length === 1);
  await first.killed();

  receiver.answers(200);
  const second = await startPlinth(data, options);
  const cookie = await signIn(second.url, owner);
  const path = `/console/api/webhooks/${id}/deliveries`;
  const delivered = await until("it is delivered", async () => {
    const { body } = await ask(second.url, "GET", path, { headers: cookie });
    return body.data[0]?.state === "delivered" && body.data;
  });
  assert.equal(delivered.length, 1);
  assert.deepEqual([delivered[0].attempts, delivered[0].status_code], [1, 200]);
  assert.equal(receiver.received.length, 2);
  for (const post of receiver.received) {
    assert.equal(post.headers["webhook-id"], sent.body.event_id);
    assert.equal(post.headers["webhook-signature"], signatureOf(secret, post));
  }
  assert.equal((await second.stop()).code, 0);
  await nothingLeft(home.path);
});
