// The page of webhooks for those of a workspace: beside the organization's, and for a developer who has no others.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { localNetwork } from "../rules/federation-house.ts";
import { openReceiver, webhooksOf, type Receiver } from "../rules/webhooks-house.ts";
import { dialogOn, row } from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  pick,
  picture,
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
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const hooks = webhooksOf(() => house, "workspace");
const path = "/console/webhooks";

test("an endpoint of the workspace is made beside those of the organization, tested and deleted", async () => {
  const { platform } = house.organizations;
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, path);
  await page.getByText("what happens in the organization").waitFor();
  await select(page.getByLabel("Whose webhooks"), "Of this workspace");
  await page.getByText("what happens in this workspace").waitFor();
  await page.getByRole("button", { name: "New endpoint" }).first().click();
  await dialog.getByLabel("Address").fill(receiver.url);
  await dialog.getByLabel("Name").fill("Bell");
  await dialog.getByText("Memory stores").click();
  await dialog.getByRole("checkbox", { name: "A memory store was made" }).check();
  await dialog.getByRole("button", { name: "Create endpoint" }).click();
  await dialog.getByLabel("I have handed it over").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Bell", exact: true }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const { body: made } = await hooks.call(platform, "GET", `/${id}`);
  assert.deepEqual(made.enabled_events, [
    "session.idled",
    "session.requires_action",
    "memory_store.created",
  ]);
  await page.getByRole("button", { name: "Send a test event" }).click();
  await row(page, "A session has nothing more to do").getByText("Delivered").waitFor();
  await expectAccessible(page);
  await pick(page.getByRole("button", { name: "More for this webhook endpoint" }), "Delete");
  await dialog.getByRole("button", { name: "Delete endpoint" }).click();
  await page.getByText("No webhook endpoints yet").waitFor();
  await page.getByText("what happens in this workspace").waitFor();
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks) {
  test(`webhooks of a workspace at ${width} pixels, ${scheme}`, async () => {
    const { platform } = house.organizations;
    const { id } = await hooks.make(platform, receiver.url, { name: "Bell" });
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, `${path}?of=workspace`);
    await row(page, "Bell").waitFor();
    await look("webhooks-of-workspace");
    await page.getByRole("button", { name: "New endpoint" }).click();
    await dialogOn(page).getByLabel("Address").waitFor();
    await look("webhook-of-workspace-new");
    await open(page, house.url, `${path}/${id}?of=workspace`);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await row(page, "A session was made").getByText("Delivered").waitFor();
    await look("webhook-of-workspace");
    assert.deepEqual(session.problems, []);
    await hooks.remove(platform, id);
  });
}
