// Single sign-on in a real browser, through a real identity provider; and the page Sign-in methods, looked at.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { startIdentityProvider, type IdentityProvider } from "../identity-provider/start.ts";
import { addMember } from "../rules/members-house.ts";
import { localNetwork, makeBrowser, signOnOf } from "../rules/single-sign-on-house.ts";
import { openBrowser, type Browsers, type BrowserSession } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  select,
} from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let idp: IdentityProvider;
let browser: Browsers;
let platform: Tenant;
before(async () => {
  [house, idp, browser] = await Promise.all([
    openHouse({ sections: localNetwork }),
    startIdentityProvider(),
    openBrowser(),
  ]);
  ({ platform } = house.organizations);
  for (const name of ["Ada", "Grace", "Eve"])
    await idp.account({
      sub: name.toLowerCase(),
      email: `${name.toLowerCase()}@company.example`,
      email_verified: name !== "Eve",
      name: `${name} of the company`,
    });
  await signOnOf(house, idp).verifyDomain(platform, "company.example");
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

const page = "/console/sign-in-methods";

test("an owner sets single sign-on up, tests it, switches it on; somebody joins through it", async () => {
  await using owner = await openOwnerSession(browser, house);
  const at = owner.page;
  await open(at, house.url, page);
  await at.getByRole("button", { name: "Set up single sign-on" }).click();
  const form = at.getByRole("dialog", { name: "Set up single sign-on" });
  const redirect = (await form.locator("code").textContent()) ?? "";
  const client = await idp.client(redirect);
  await form.getByLabel("Name", { exact: true }).fill("Company Login");
  await form.getByLabel("Issuer").fill("nonsense");
  await form.getByLabel("Client ID").fill(client.client_id);
  await form.getByLabel("Client secret").fill(client.client_secret);
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText(/^Must be an address/).waitFor();
  await form.getByLabel("Issuer").fill(idp.issuer);
  await form.getByLabel("People become members at their first sign-in").check();
  await select(form.getByLabel("Role of whoever joins"), "developer");
  await form.getByRole("button", { name: "Save" }).click();
  await at.getByText("These settings have not been tested yet.").waitFor();
  assert.equal(await at.getByRole("button", { name: "Switch on" }).count(), 0);

  await at.getByRole("button", { name: "Test this connection" }).click();
  await at.getByLabel("Account").fill("grace");
  await at.getByRole("button", { name: "Sign in" }).click();
  await at.getByText("everything needed came with you").waitFor();
  await at.getByText(/seen: Grace of the company/).waitFor();
  await at.getByRole("button", { name: "Switch on" }).click();
  await at.getByRole("dialog").getByRole("button", { name: "Switch on" }).click();
  await at.getByText("Company Login is on").waitFor();
  await owner.expect(/400/);
  assert.deepEqual(owner.problems, []);

  await using session = await browser.openSession();
  await session.page.goto(`${house.url}/sign-in?next=${encodeURIComponent("/console/account")}`);
  await session.page.getByRole("button", { name: "Single sign-on" }).click();
  await session.page.getByText("Give your e-mail").waitFor();
  await session.page.getByLabel("E-mail").fill("Ada@Company.example");
  await session.page.getByRole("button", { name: "Single sign-on" }).click();
  await session.page.getByLabel("Account").fill("ada");
  await session.page.getByRole("button", { name: "Sign in" }).click();
  await session.page.waitForURL(`${house.url}/console/account`);
  await session.page.getByText("Ada of the company, developer of").waitFor();
  await session.page.getByRole("table", { name: "Sign-ins" }).getByText("Single sign-on").waitFor();
  assert.equal(await session.page.getByRole("heading", { name: "Password" }).count(), 0);
  assert.equal(await session.page.getByRole("link", { name: "Sign-in methods" }).count(), 0);
  assert.deepEqual(session.problems, []);
});

test("whoever is not let in reads why; an owner says who it is", async () => {
  await addMember(house, platform, { email: "eve@private.example", name: "Eve" });
  await using session = await browser.openSession();
  await session.page.goto(`${house.url}/sign-in?organization_id=${platform.organization_id}`);
  await session.page.getByRole("link", { name: "Continue with Company Login" }).click();
  await session.page.getByLabel("Account").fill("eve");
  await session.page.getByRole("button", { name: "Sign in" }).click();
  await session.page.getByRole("heading", { name: "Your e-mail is not verified" }).waitFor();
  await expectAccessible(session.page);
  await picture(session.page, "sign-in-refused");
  await session.expect(/403/);
  assert.deepEqual(session.problems, []);

  await using owner = await openOwnerSession(browser, house);
  await open(owner.page, house.url, page);
  await owner.page.getByRole("button", { name: "This is a member" }).click();
  const dialog = owner.page.getByRole("dialog");
  await dialog.getByLabel("The member's e-mail here").fill("eve@private.example");
  await dialog.getByRole("button", { name: "Link them" }).click();
  await owner.page.getByText("They are known from now on").waitFor();
  await owner.page.getByText("Not let in").waitFor({ state: "detached" });

  await session.page.getByRole("link", { name: "Back to sign-in" }).click();
  await session.page.getByRole("link", { name: "Continue with Company Login" }).click();
  await session.page.waitForURL(`${house.url}/console/`);
  await open(session.page, house.url, "/console/account");
  await session.page.getByText("Eve, user of").waitFor();
});

test("required: the sign-in page leads to the provider; owners find their own way behind a word", async () => {
  await using owner = await openOwnerSession(browser, house);
  const at = owner.page;
  await open(at, house.url, page);
  await at.getByRole("button", { name: "Require it" }).click();
  await at.getByText("Everybody else who did not come through").waitFor();
  await at.getByRole("dialog").getByRole("button", { name: "Require it" }).click();
  await at.getByText("Company Login is required").waitFor();
  await using session = await browser.openSession();
  await session.page.goto(`${house.url}/sign-in?organization_id=${platform.organization_id}`);
  await session.page.getByRole("heading", { name: "Sign in to platform of the house" }).waitFor();
  assert.equal(await session.page.getByLabel("Password").isVisible(), false);
  await picture(session.page, "sign-in-required");
  await session.page.getByText("Use a password or passkey instead").click();
  await session.page.getByLabel("E-mail").fill(platform.owner_email);
  await session.page.getByLabel("Password").fill(platform.owner_password);
  await session.page.getByRole("button", { name: "Sign in" }).click();
  await session.page.waitForURL(`${house.url}/console/`);
  await open(at, house.url, page);
  const line = at.getByRole("table", { name: "Owners" }).getByRole("row").nth(1);
  assert.doesNotMatch((await line.textContent()) ?? "", /Never/);
  await at.getByRole("button", { name: "Stop requiring it" }).click();
  await at.getByRole("dialog").getByRole("button", { name: "Stop requiring it" }).click();
  await at.getByText("is not required any more").waitFor();
});

/** With everything that the page can show. */
async function furnish(): Promise<void> {
  const sso = signOnOf(house, idp);
  await idp.sits("ada");
  await addMember(house, platform, { role: "owner", name: "A second owner of the company" });
  await idp.account({ sub: "mallory", email: "mallory-with-a-long-address@elsewhere.example" });
  await idp.sits("mallory");
  await sso.signIn(platform, makeBrowser());
  await idp.sits(null);
}

async function goLook({ page: at, problems }: BrowserSession, name: string): Promise<void> {
  await expectAccessible(at);
  await expectFits(at);
  await picture(at, name);
  assert.deepEqual(problems, []);
}

for (const look of looks)
  test(`sign-in methods look well, ${look.scheme}, ${look.width} wide`, async () => {
    await furnish();
    const name = `sign-in-methods-${look.scheme}-${look.width}`;
    await using session = await openOwnerSession(browser, house, look);
    const see = (what: string) => goLook(session, `${name}${what}`);
    await open(session.page, house.url, page);
    await session.page.getByText("Not let in").waitFor();
    await see("");
    await session.page.getByRole("button", { name: "Edit", exact: true }).click();
    await session.page.getByRole("dialog").getByText("Scopes and claims").click();
    await session.page.getByLabel("The provider's groups say the role").check();
    await see("-edit");
    await using empty = await openOwnerSession(browser, house, look, "enterprise");
    await open(empty.page, house.url, page);
    await empty.page.getByText("No identity provider yet").waitFor();
    await goLook(empty, `${name}-empty`);
    await using outside = await browser.openSession(look);
    await outside.page.goto(`${house.url}/sign-in?organization_id=${platform.organization_id}`);
    await outside.page.getByRole("link", { name: "Continue with" }).waitFor();
    await expectAccessible(outside.page);
    await expectFits(outside.page);
    await picture(outside.page, `${name}-sign-in`);
  });

test("an administrator who is no owner sees how it stands, and nothing to press", async () => {
  await using session = await openOwnerSession(browser, house, undefined, "other");
  const { organization_id } = house.organizations.other;
  await house.world.db.tx((tx) =>
    tx.query({
      text: "update users set role = 'admin' where organization_id = $1",
      values: [organization_id],
    }),
  );
  await open(session.page, house.url, page);
  await session.page.getByText("An owner can set it up.").waitFor();
  assert.equal(
    await session.page.getByRole("button", { name: "Set up single sign-on" }).count(),
    0,
  );
  await settled(session.page);
  assert.deepEqual(session.problems, []);
});
