// The page of SCIM in a real browser: a token, the switches, requests, domains; and for who may only look.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { openProvider } from "../rules/scim-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, openOwnerSession, picture } from "./person.ts";

let house: House;
let browser: Browsers;
const texts = new Map<string, string[]>();
before(async () => {
  const lookUpTxt = async (name: string) => texts.get(name) ?? [];
  [house, browser] = await Promise.all([openHouse({ lookUpTxt }), openBrowser()]);
  await furnish();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/scim";
const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

/** A provider at work: people, a group, one request that was refused, and two domains. */
async function furnish(): Promise<void> {
  const provider = await openProvider(house, house.organizations.enterprise);
  const { id } = await provider.user("ada");
  await provider.user("off", { active: false });
  await provider.group("Engineering", [id]);
  await provider.scim("POST", "/Users", { userName: "not an address" });
  for (const domain of ["example.com", "a-rather-long-name-of-a-company.example"])
    await provider.console("POST", "email_domains", { domain });
  const { body } = await provider.console("GET", "email_domains");
  const { id: verified, record_name, record_value } = body.data[1];
  texts.set(record_name, [record_value]);
  await provider.console("POST", `email_domains/${verified}/verify`);
}

for (const { width, scheme } of looks) {
  test(`SCIM at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    const { page } = session;
    const see = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, path);
    await page.getByRole("table", { name: "Last requests of the provider" }).waitFor();
    await see("scim");
    await page.getByRole("tab", { name: "Okta" }).click();
    await page.getByRole("list", { name: "Steps in Okta" }).waitFor();
    await see("scim-okta");
    await page.getByRole("button", { name: "Revoke" }).click();
    await dialogOn(page).getByText("is refused at once").waitFor();
    await see("scim-revoke");
    assert.deepEqual(session.problems.splice(0), []);

    await using empty = await openOwnerSession(browser, house, look, "cloud");
    await open(empty.page, house.url, path);
    await empty.page.getByText("The provider has not called yet").waitFor();
    await picture(empty.page, `scim-empty-${width}-${scheme}`);
    await expectFits(empty.page);
    await expectAccessible(empty.page);
  });
}

test("an owner makes a token, tests it, switches SCIM on, and sees who was pushed", async () => {
  await using session = await openOwnerSession(browser, house, {}, "platform");
  const { page } = session;
  await open(page, house.url, path);
  await page.getByRole("button", { name: "Make a token" }).click();
  await dialogOn(page).getByLabel("Name").fill("Entra");
  await page.keyboard.press("Enter");
  const secret = (await dialogOn(page).getByLabel("Secret of Entra").textContent()) ?? "";
  assert.match(secret, /^sk-plinth-scim-/);
  const done = dialogOn(page).getByRole("button", { name: "Done" });
  assert.ok(await done.isDisabled(), "the secret may be lost");
  await dialogOn(page).getByLabel("I have stored it").check();
  await done.click();
  const address = await page.getByLabel("Base address").textContent();
  const push = (userName: string) =>
    fetch(`${address}/Users`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/scim+json",
      },
      body: JSON.stringify({ userName }),
    });
  assert.equal((await push("early@people.example")).status, 403);
  await page.getByText("SCIM is not switched on").waitFor();
  await page.getByLabel("Name of the provider").fill("Entra of ours");
  await page.getByLabel("People come and go by SCIM").check();
  await page.getByRole("button", { name: "Save" }).click();
  await dialogOn(page).getByText("The primary owner keeps access").waitFor();
  await dialogOn(page).getByRole("button", { name: "Switch on" }).click();
  await page.getByText("What the provider controls is saved").waitFor();
  assert.equal((await push("ada@people.example")).status, 201);
  await page.getByText("2 people · 0 switched off").waitFor();
  assert.deepEqual(session.problems, []);
});

test("a domain is claimed, looked for in vain, and verified", async () => {
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, path);
  await page.getByLabel("Another domain").fill("not a domain");
  await page.getByRole("button", { name: "Claim it" }).click();
  await page.getByText("is no domain").waitFor();
  await page.getByLabel("Another domain").fill("claimed.example");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Look for the record" }).click();
  await page.getByText("does not say").waitFor();
  const name = (await page.getByRole("region", { name: /^Name of/ }).textContent()) ?? "";
  const value = (await page.getByRole("region", { name: /^Text of/ }).textContent()) ?? "";
  texts.set(name, [value]);
  await page.getByRole("button", { name: "Look for the record" }).click();
  await page.getByText("Verified", { exact: true }).waitFor();
  await session.expect(/400/);
});

test("who may only look finds no button to press, and others no page", async () => {
  const { organization_id: id } = house.organizations.enterprise;
  const become = (role: string) =>
    house.world.db.tx((tx) =>
      tx.query(
        sql`update users set role = ${role} where organization_id = ${id} and role in ('primary_owner', 'admin', 'user') and email like 'owner@%'`,
      ),
    );
  await become("admin");
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, path);
  await page.getByText("Owners change this.").waitFor();
  for (const name of ["Make a token", "Revoke", "Save", "Give up", "Claim it"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  await become("user");
  await using other = await openOwnerSession(browser, house, {}, "enterprise");
  await open(other.page, house.url, "/console/");
  assert.equal(await other.page.getByRole("link", { name: "SCIM" }).count(), 0);
  await become("primary_owner");
});
