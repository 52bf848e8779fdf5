// Members in a real browser: invited, accepted, changed, removed; seats; the ownership; who did something.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import {
  addMember,
  addSignedIn,
  invitesOf,
  ownerOf,
  seatsOf,
  usersOf,
} from "../rules/members-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  inPage,
  open,
  openOwnerSession,
  picture,
  pick,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const dialogOn = (page: Page) => page.getByRole("dialog");
const line = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const act = async (page: Page, name: string, label: string) => {
  await pick(page.getByRole("button", { name: `Change ${name}` }), label);
};

test("somebody is invited by keyboard, opens the link, and is a member", async () => {
  const { platform } = house.organizations;
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/members");
  await page.keyboard.press("n");
  await select(dialogOn(page).getByLabel("Role"), "developer");
  await dialogOn(page).getByLabel("E-mail").fill("newcomer@console.example");
  await page.keyboard.press("Enter");
  const link = await dialogOn(page).getByLabel("Link for newcomer@console.example").innerText();
  const done = dialogOn(page).getByRole("button", { name: "Done" });
  assert.ok(await done.isDisabled(), "the link may not be lost by a stray press");
  await dialogOn(page).getByLabel("I have handed it over").check();
  await done.click();
  await page.getByRole("tab", { name: "Invites" }).click();
  await line(page, "newcomer@console.example").getByText("Pending").waitFor();

  await using other = await browser.openSession();
  await other.page.goto(link);
  await other.page.getByText(/invites you to join platform of the house/).waitFor();
  assert.ok(!other.page.url().includes("token"), "the token stays in the address");
  await other.page.getByLabel("Your name").fill("New Comer");
  await other.page.getByLabel("Password").fill("a password of the console");
  await other.page.getByRole("button", { name: "Join and sign in" }).click();
  await other.page.waitForURL(`${house.url}/console/`);
  await other.page.goto(link);
  await other.page.getByRole("alert").getByText("accepted already").waitFor();
  await other.page.reload();
  await other.page.getByRole("alert").getByText("not whole").waitFor();

  await open(page, house.url, "/console/members?q=new%20com");
  await line(page, "New Comer").getByText("Developer").waitFor();
  const { body } = await usersOf(house).list(platform, "email=newcomer@console.example");
  assert.deepEqual([body.data[0].name, body.data[0].role], ["New Comer", "developer"]);
  await other.expect(/401/, 1);
  assert.deepEqual(session.problems, []);
});

test("a new link ends the one before; a withdrawn invite is told apart", async () => {
  const { platform } = house.organizations;
  const { token } = await invitesOf(house).withLink(platform, { email: "again@console.example" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/members?tab=invites&q=again%40console.example");
  await act(page, "the invite of again@console.example", "New link");
  await dialogOn(page).getByRole("button", { name: "Make a new link" }).click();
  const link = await dialogOn(page).getByLabel("Link for again@console.example").innerText();
  await dialogOn(page).getByLabel("I have handed it over").check();
  await dialogOn(page).getByRole("button", { name: "Done" }).click();
  assert.equal((await invitesOf(house).accept(token)).status, 401);
  await act(page, "the invite of again@console.example", "Withdraw");
  await dialogOn(page).getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("No invite fits these filters").waitFor();
  await page.goto(link);
  await page.getByRole("alert").getByText("was withdrawn").waitFor();
  await session.expect(/401/, 1);
});

test("a role is changed, a member is removed, and is still named where they did something", async () => {
  const { platform } = house.organizations;
  const gone = await addSignedIn(house, platform, "developer");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const store = await house.ask("POST", "/v1/memory_stores", {
    cookie: gone.cookie,
    headers: { "vendor-beta": "agent-memory-2026-07-22" },
    body: { name: "By who left" },
  });
  await house.ask("POST", `/v1/memory_stores/${store.body.id}/memories`, {
    cookie: gone.cookie,
    headers: { "vendor-beta": "agent-memory-2026-07-22" },
    body: { path: "/a.md", content: "one" },
  });
  await open(page, house.url, `/console/members?q=${gone.email}`);
  await act(page, gone.name, "Change role");
  await select(dialogOn(page).getByLabel("Role"), "admin");
  await dialogOn(page).getByRole("button", { name: "Change role" }).click();
  await line(page, gone.name).getByText("Admin").waitFor();
  await act(page, gone.name, "Remove");
  await dialogOn(page).getByText("Keys that they made go on working").waitFor();
  await dialogOn(page).getByRole("button", { name: "Remove" }).click();
  await page.getByText("Nobody fits these filters").waitFor();
  assert.equal((await house.ask("GET", "/console/api/me", { cookie: gone.cookie })).status, 401);
  await open(page, house.url, `/console/memory/${store.body.id}/history`);
  await page.getByText(`${gone.name} (left)`).first().waitFor();
  assert.deepEqual(session.problems, []);
});

test("who lost their ways in comes back by a link that an owner hands over", async () => {
  const { platform } = house.organizations;
  const lost = await addSignedIn(house, platform, "developer");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `/console/members?q=${lost.email}`);
  await act(page, lost.name, "Set-up link");
  await dialogOn(page).getByText("signed in as them").waitFor();
  await house.world.db.tx((tx) =>
    tx.query({ text: "update sign_ins set proved_at = now() - interval '1 hour'", values: [] }),
  );
  await dialogOn(page).getByRole("button", { name: "Make the link" }).click();
  const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
  await proof.getByLabel("Your password").fill(platform.owner_password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  const link = await dialogOn(page).getByLabel(`Set-up link for ${lost.email}`).innerText();
  await picture(page, "members-setup-link");
  await expectAccessible(page);
  await dialogOn(page).getByRole("button", { name: "Done" }).click();

  await using theirs = await browser.openSession();
  await theirs.page.goto(link);
  await theirs.page.getByLabel("Password", { exact: true }).fill("a password that is new");
  await theirs.page.getByRole("button", { name: "Set up and sign in" }).click();
  await theirs.page.waitForURL(`${house.url}/console/`);
  await theirs.page.getByText(lost.name).first().waitFor();
  await session.expect(/403/, 1);
  assert.deepEqual([...session.problems, ...theirs.problems], []);
});

test("members come fifty at a time, and a search asks the server", async () => {
  const tenant = house.organizations.other;
  for (let each = 0; each < 60; each++) await addMember(house, tenant);
  await addMember(house, tenant, { name: "Zoe the last" });
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, "/console/members");
  await page.getByText("50 members so far").waitFor();
  await page.getByRole("button", { name: "Load more" }).click();
  await page.getByText(/^6\d members$/).waitFor();
  assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);
  await page.getByLabel("E-mail or name begins with").fill("zoe");
  await page.getByText("1 member", { exact: true }).waitFor();
  await line(page, "Zoe the last").waitFor();
  assert.deepEqual(session.problems, []);
});

test("an administrator is offered what they may do, and no more", async () => {
  const tenant = house.organizations.enterprise;
  await addMember(house, tenant, { name: "An owner", role: "owner" });
  await addMember(house, tenant, { name: "A person", role: "user" });
  const { cookie } = await addSignedIn(house, tenant, "membership_admin");
  const { body } = await house.ask("GET", "/console/api/organization_members", { cookie });
  type Row = { name: string; may: { roles: string[]; remove: boolean } };
  const mayOf = (name: string) => (body.data as Row[]).find((row) => row.name === name)?.may;
  assert.deepEqual(mayOf("An owner")?.remove, false);
  assert.deepEqual(mayOf("A person")?.roles, ["user", "managed"]);
});

test("a pool is set and lowered to what is held, no further", async () => {
  const tenant = house.organizations.cloud;
  await using session = await openOwnerSession(browser, house, {}, "cloud");
  const { page } = session;
  await open(page, house.url, "/console/seats");
  await page.getByRole("button", { name: "Set a pool" }).click();
  await page.getByLabel("Seats of tier 1").fill("3");
  await dialogOn(page).getByRole("button", { name: "Set the pool" }).click();
  await line(page, "Standard").waitFor();
  assert.deepEqual(await seatsOf(house).held(tenant), ["Standard 1/3"]);
  await page.getByRole("button", { name: "Change the pool" }).click();
  await dialogOn(page).getByRole("button", { name: "Take Standard out" }).click();
  await dialogOn(page).getByRole("button", { name: "Stop counting" }).click();
  await page.getByRole("heading", { name: "Seats are not counted" }).waitFor();
  assert.deepEqual(await seatsOf(house).held(tenant), []);
  assert.deepEqual(session.problems, []);
});

test("the ownership is handed on by typing the other's e-mail", async () => {
  const tenant = house.organizations.other;
  const heir = await addMember(house, tenant, { name: "The heir" });
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, "/console/members");
  await act(page, "The heir", "Hand on the ownership");
  const go = dialogOn(page).getByRole("button", { name: "Hand on the ownership" });
  assert.ok(await go.isDisabled());
  await dialogOn(page).getByLabel(`Type ${heir.email} to go on`).fill(heir.email);
  await go.click();
  await line(page, "The heir").getByText("Primary owner").waitFor();
  const first = await ownerOf(house, tenant);
  assert.equal((await usersOf(house).get(tenant, first)).body.role, "owner");
  assert.deepEqual(session.problems, []);
});

test("a person changes their own name on the account page", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/account");
  await page.getByLabel("Your name").fill("The very owner");
  await page.getByRole("button", { name: "Change name" }).click();
  await page.getByText("The very owner, primary owner of").waitFor();
  assert.ok(await inPage<boolean>(page, 'document.title.includes("Account")'));
  assert.deepEqual(session.problems, []);
});
