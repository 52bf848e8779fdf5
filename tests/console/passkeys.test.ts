// Passkeys in a real browser, with an authenticator that the browser itself plays.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers, type BrowserSession } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, picture, signIn, pick } from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let browser: Browsers;
/** Browsers keep passkeys for names: on this machine itself that is localhost. */
let url: string;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  url = `http://localhost:${new URL(house.url).port}`;
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const owner = () => house.organizations.other;

/** A device that asks for a finger and is given it at once. */
async function withAuthenticator({ context, page }: BrowserSession) {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () =>
      (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    isPresent: (enabled: boolean) =>
      session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: enabled }),
  };
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a passkey" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("table", { name: "Passkeys" }).getByText(name).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await pick(page.getByRole("button", { name: "Account menu" }), "Sign out");
  await page.waitForURL(/\/sign-in/);
}

test("a passkey is added, signs in alone and after the password, and is removed", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  const device = await withAuthenticator(session);
  await signIn(page, url, owner(), "/console/account");
  await settled(page);
  await addPasskey(page, "Work laptop");
  assert.equal((await device.credentials()).length, 1);
  await signOut(page);

  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL(`${url}/console/`);
  await open(page, url, "/console/account");
  await page.getByRole("table", { name: "Sign-ins" }).getByText("Passkey").first().waitFor();

  await page.getByLabel("Ask for a passkey after my password").click();
  await page.getByText("Your password alone lets nobody in now").waitFor();
  // Said once the page has read it again: until then the next press would mean the opposite.
  assert.ok(await page.getByLabel("Ask for a passkey after my password").isChecked());
  await signOut(page);
  await page.getByLabel("E-mail").fill(owner().owner_email);
  await page.getByLabel("Password").fill(owner().owner_password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${url}/console/`);
  await session.expect(/401/);

  await open(page, url, "/console/account");
  await page.getByRole("table", { name: "Sign-ins" }).getByText("Password and passkey").waitFor();
  await pick(page.getByRole("button", { name: "Acts on Work laptop" }), "Rename");
  const rename = page.getByRole("dialog", { name: "Rename Work laptop" });
  await rename.getByLabel("Name").fill("Old laptop");
  await rename.getByRole("button", { name: "Rename" }).click();
  await rename.waitFor({ state: "hidden" });
  // What the dialog leaves behind is in place first: the focus, and the list that is read anew.
  await settled(page);
  await pick(page.getByRole("button", { name: "Acts on Old laptop" }), "Remove");
  await page.getByText("It is your last passkey").waitFor();
  await page.getByRole("button", { name: "Remove the passkey" }).click();
  await page.getByText("No passkeys yet").waitFor();
  assert.deepEqual(session.problems, []);
});

test("an act that asks who sits there is done once that is confirmed, by password or passkey", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await withAuthenticator(session);
  await signIn(page, url, owner(), "/console/account");
  await settled(page);
  const forget = () =>
    house.world.db.tx((tx) =>
      tx.query({ text: "update sign_ins set proved_at = now() - interval '1 hour'", values: [] }),
    );
  await forget();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a passkey" });
  await dialog.getByLabel("Name").fill("Phone");
  await dialog.getByRole("button", { name: "Continue" }).click();
  const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
  await proof.getByLabel("Your password").fill("certainly wrong");
  await proof.getByRole("button", { name: "Confirm" }).click();
  await proof.getByText("Is not the present password.").waitFor();
  await picture(page, "confirm-identity");
  await proof.getByLabel("Your password").fill(owner().owner_password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("table", { name: "Passkeys" }).getByText("Phone").waitFor();
  await forget();
  await page.getByLabel("Ask for a passkey after my password").click();
  await proof.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText("Your password alone lets nobody in now").waitFor();
  await page.getByLabel("Ask for a passkey after my password").click();
  await page.getByText("Your password is enough again").waitFor();
  await session.expect(/40[013]/);
  assert.deepEqual(session.problems, []);
});

test("where the browser has no passkey, or is at another address, it says so and goes on", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  const device = await withAuthenticator(session);
  await page.goto(`${url}/sign-in`);
  await device.isPresent(false);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText("No passkey was used").waitFor();
  await signIn(page, house.url, owner(), "/console/account");
  await page.getByText("you are at another address").waitFor();
  const link = page.getByRole("link", { name: "Open the console there" });
  assert.equal(await link.getAttribute("href"), `${url}/console/account`);
  assert.equal(await page.getByRole("button", { name: "Add a passkey" }).count(), 0);
  await session.expect(/401/);
  assert.deepEqual(session.problems, []);
});

for (const look of looks)
  test(`passkeys look well, ${look.scheme}, ${look.width} wide`, async () => {
    await using session = await browser.openSession(look);
    const { page } = session;
    await withAuthenticator(session);
    const name = `passkeys-${look.scheme}-${look.width}`;
    await signIn(page, url, house.organizations.platform, "/console/account");
    await settled(page);
    await addPasskey(page, `A passkey in ${look.scheme}, ${look.width} pixels wide and well named`);
    await expectAccessible(page);
    await expectFits(page);
    await picture(page, name);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog", { name: "Add a passkey" }).waitFor();
    await expectAccessible(page);
    await picture(page, `${name}-add`);
    await session.expect(/401/);
    assert.deepEqual(session.problems, []);
  });
