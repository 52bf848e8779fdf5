// The page of webhooks: an administrator's journey with a receiver, what others see, and its looks on desk and phone.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { localNetwork } from "../rules/federation-house.ts";
import { passwordOfAll } from "../rules/members-house.ts";
import { groupsOf } from "../rules/groups-house.ts";
import { openReceiver, signatureOf, webhooksOf, type Receiver } from "../rules/webhooks-house.ts";
import { dialogOn, row } from "./batches.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  openSessionAs,
  pick,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
let receiver: Receiver;
before(async () => {
  [house, browser, receiver] = await Promise.all([
    openHouse({ sections: localNetwork }),
    openBrowser(),
    openReceiver(),
  ]);
});
afterEach(() => {
  receiver.answers(200);
  receiver.received.splice(0);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const hooks = webhooksOf(() => house);
const path = "/console/webhooks";
const secretOn = async (page: Page, title: string) =>
  (await dialogOn(page).getByLabel(`Signing secret of ${title}`).textContent()) ?? "";
const outcome = (page: Page) => page.getByRole("status", { name: "Outcome of the test" });

test("an endpoint is made, tested, given a new secret, disabled, enabled and deleted", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, "/console/");
  await goKeys(page, "h");
  await page.getByRole("heading", { name: "Webhooks", exact: true }).waitFor();
  await page.getByText("No webhook endpoints yet").waitFor();
  await expectAccessible(page);
  await picture(page, "webhooks-empty");
  await page.keyboard.press("n");
  await dialog.getByLabel("Address").fill("https://10.0.0.1/hook");
  for (const words of [/enforcement action .* opened/, /enforcement action .* resolved/])
    await dialog.getByRole("checkbox", { name: words }).uncheck();
  await dialog.getByLabel("Name").fill("Pager");
  await dialog.getByRole("button", { name: "Create endpoint" }).click();
  await dialog.getByText(/^Leads to 10\.0\.0\.1/).waitFor();
  await dialog.getByLabel("Address").fill(receiver.url);
  await dialog.getByRole("button", { name: "Create endpoint" }).click();
  const first = await secretOn(page, "Pager");
  assert.match(first, /^whsec_/);
  const done = dialog.getByRole("button", { name: "Done" });
  assert.ok(await done.isDisabled());
  await page.keyboard.press("Escape");
  await dialog.getByLabel("I have handed it over").check();
  await picture(page, "webhook-secret");
  await expectAccessible(page);
  await done.click();
  await page.getByRole("heading", { name: "Pager", exact: true }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const kept = (await hooks.call(house.organizations.platform, "GET", `/${id}`)).body;
  assert.equal(kept.enabled_events.length, 5);

  await page.getByText("Nothing was delivered yet").waitFor();
  const choice = page.getByLabel("Event of the test");
  await select(choice, "user_profile.program_status_updated");
  await page.getByRole("button", { name: "Send a test event" }).click();
  await outcome(page).getByText("Answered with the status 200.").waitFor();
  const [post] = receiver.received;
  assert.ok(post);
  assert.equal(post.headers["webhook-signature"], signatureOf(first, post));
  assert.equal(JSON.parse(post.body).data.type, "user_profile.program_status_updated");
  await row(page, "The program status").getByText("Delivered").waitFor();

  await pick(page.getByRole("button", { name: "More for this webhook endpoint" }), "New secret");
  await dialog.getByText("for a day each event is signed").waitFor();
  await dialog.getByRole("button", { name: "Make a new secret" }).click();
  const second = await secretOn(page, "Pager");
  assert.notEqual(second, first);
  await dialog.getByLabel("I have handed it over").check();
  await done.click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send a test event" }).click();
  await row(page, "Delivered").nth(1).waitFor();
  const post2 = receiver.received.at(-1) ?? assert.fail("nothing came");
  const signatures = [second, first].map((key) => signatureOf(key, post2));
  assert.equal(post2.headers["webhook-signature"], signatures.join(" "));
  await page.getByRole("button", { name: "Replay" }).first().click();
  await row(page, "Delivered").nth(2).waitFor();
  const post3 = receiver.received.at(-1);
  assert.deepEqual(
    [post3?.headers["webhook-id"], post3?.body],
    [post2.headers["webhook-id"], post2.body],
  );

  await pick(page.getByRole("button", { name: "More for this webhook endpoint" }), "Disable");
  await dialog.getByRole("button", { name: "Disable" }).click();
  await page.getByText("Enable the endpoint first.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Send a test event" }).isDisabled());
  await page.getByRole("button", { name: "Enable", exact: true }).click();
  await dialog.getByRole("button", { name: "Enable" }).click();
  await page.getByText("Enabled", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Name").fill("Pager of the night");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Pager of the night" }).waitFor();
  await pick(page.getByRole("button", { name: "More for this webhook endpoint" }), "Delete");
  await dialog.getByRole("button", { name: "Delete endpoint" }).click();
  await page.getByText("No webhook endpoints yet").waitFor();
  await session.expect(/400/);
  assert.deepEqual(session.problems, []);
});

test("a failure is told in words with the next attempt, and why the server disabled an endpoint", async () => {
  const { platform } = house.organizations;
  const { id } = await hooks.make(platform, receiver.url, { name: "Down" });
  receiver.answers(500);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${id}`);
  await page.getByRole("button", { name: "Send a test event" }).click();
  await outcome(page).getByText("The address answered with the status 500.").waitFor();
  await row(page, "An external key stopped working").getByText("Next: within a minute").waitFor();
  await house.world.db.query(sql`
    update webhook_deliveries set attempts = 7 where endpoint_id = ${id}`);
  await house.world.db.query(sql`
    update jobs set run_at = statement_timestamp(), state = 'ready',
      payload = jsonb_set(payload::jsonb, '{attempts}', '7')::json
    where kind = 'webhooks.post' and state = 'waiting'`);
  await page.getByText("Disabled by the server").waitFor();
  await page.getByText(/^All 8 attempts to deliver the event evt_/).waitFor();
  await row(page, "8 attempts").getByText("Failed").waitFor();
  await picture(page, "webhook-disabled");
  await expectAccessible(page);
  await open(page, house.url, path);
  await row(page, "Down").getByText("Disabled by the server").waitFor();
  assert.deepEqual(session.problems, []);
  await hooks.remove(platform, id);
});

test("who may only look finds no button to press", async () => {
  const { enterprise } = house.organizations;
  const { id } = await hooks.make(enterprise, receiver.url, { name: "Seen" });
  const person = await groupsOf(house).managed(enterprise, ["permission_webhooks_read"]);
  const owner = { owner_email: person.email, owner_password: passwordOfAll };
  await using session = await openSessionAs(browser, house, owner);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByRole("link", { name: "Seen" }).click();
  await page.getByText("Nothing was delivered yet").waitFor();
  for (const name of [/New endpoint/, /Edit/, /Send a test/, /Replay/, /More for/, /^Change /])
    assert.equal(await page.getByRole("button", { name }).count(), 0, String(name));
  assert.deepEqual(session.problems, []);
  await hooks.remove(enterprise, id);
});

test("audit events are chosen by those who may read the log, and what takes them is theirs to change", async () => {
  const { enterprise } = house.organizations;
  const taking = { name: "Watch", enabled_events: ["audit_event.created"] };
  const { id } = await hooks.make(enterprise, receiver.url, taking);
  const plain = await hooks.make(enterprise, receiver.url, { name: "Plain" });
  for (const mayRead of [false, true]) {
    const actions = ["permission_webhooks_write", ...(mayRead ? ["permission_audit_read"] : [])];
    const person = await groupsOf(house).managed(enterprise, actions);
    const owner = { owner_email: person.email, owner_password: passwordOfAll };
    await using session = await openSessionAs(browser, house, owner);
    const { page } = session;
    await open(page, house.url, path);
    await row(page, "Plain").waitFor();
    const more = page.getByRole("button", { name: "Change Watch" });
    assert.equal(await more.count(), mayRead ? 1 : 0);
    await page.getByRole("button", { name: "New endpoint" }).first().click();
    const box = dialogOn(page).getByRole("checkbox", { name: /added to the audit log/ });
    await box.waitFor();
    assert.deepEqual([await box.isChecked(), await box.isDisabled()], [false, !mayRead]);
    await open(page, house.url, `${path}/${id}`);
    await page.getByRole("heading", { name: "Watch", exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Edit" }).count(), mayRead ? 1 : 0);
    assert.deepEqual(session.problems, []);
  }
  for (const each of [id, plain.id]) await hooks.remove(enterprise, each);
});

for (const { width, scheme } of looks) {
  test(`webhooks at ${width} pixels, ${scheme}`, async () => {
    const { platform } = house.organizations;
    const long = `${receiver.url}/${"a-rather-long-way-".repeat(10)}`;
    const { id } = await hooks.make(platform, long, {
      name: "Pager",
      description: "Wakes whoever is on duty.",
      enabled_events: ["external_key.failed", "user_profile.enforcement_action_opened"],
    });
    const unnamed = await hooks.make(platform, receiver.url);
    await hooks.call(platform, "POST", `/${unnamed.id}`, { state: "disabled" });
    await hooks.sendTest(platform, id);
    await hooks.settled(platform, id, 1);
    receiver.answers(503);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, path);
    await row(page, "Pager").waitFor();
    await look("webhooks");
    await page.getByRole("button", { name: "New endpoint" }).click();
    await dialogOn(page).getByLabel("Address").waitFor();
    await look("webhook-new");
    await open(page, house.url, `${path}/${id}`);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await outcome(page).getByText("status 503").waitFor();
    await page.getByText("Next: within a minute").waitFor();
    await look("webhook");
    assert.deepEqual(session.problems, []);
    for (const each of [id, unnamed.id]) await hooks.remove(platform, each);
  });
}
