// Who sees which page, in a real browser: what is not for somebody is told calmly, and the server is asked nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { addSignedIn, passwordOfAll } from "../rules/members-house.ts";
import { openBrowser, type Browsers, type Look } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  picture,
  openSessionAs,
} from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const sourceOf = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../console", name), "utf8");

const tableOfContents = sourceOf("pages.tsx") + sourceOf("agent-pages.ts");

/** Every page that there is, also the inner ones. */
const paths = [
  ...(tableOfContents + sourceOf("inner-pages.ts")).matchAll(/path: "(\/[^"]*)"/g),
].map(([, path = ""]) => path.replaceAll(/\$\w+/g, "nothing_1"));

test("no letter opens two pages", () => {
  const letters = [...tableOfContents.matchAll(/letter: "(\w)"/g)].map(([, letter]) => letter);
  assert.ok(letters.length > 10);
  assert.deepEqual(letters, [...new Set(letters)]);
});

type Tenant = keyof House["organizations"];
const forRole = "This page is not for your role";
const forOrganization = "This page is not for your organization";

async function memberSeat(tenant: Tenant, role: "user" | "managed" | "admin", look?: Look) {
  const { email } = await addSignedIn(house, house.organizations[tenant], role);
  return openSessionAs(browser, house, { owner_email: email, owner_password: passwordOfAll }, look);
}

/** What pages ask of the server, beside who is here. */
function asksOf(page: Page): string[] {
  const asks: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(console\/api|v1)\//.test(pathname) && pathname !== "/console/api/me")
      asks.push(`${request.method()} ${pathname}`);
  });
  return asks;
}

/** The refused ones, by the heading that refuses. */
async function refusedTo(page: Page): Promise<Record<string, string[]>> {
  const refused: Record<string, string[]> = { [forRole]: [], [forOrganization]: [] };
  for (const path of paths) {
    await page.goto(`${house.url}/console${path}`);
    await page.locator("h1").waitFor();
    refused[await page.locator("h1").innerText()]?.push(path);
  }
  return refused;
}

test("to a managed member every page but the overview and the account is refused, and nothing is asked", async () => {
  await using session = await memberSeat("enterprise", "managed");
  const { page } = session;
  const own = ["/", "/account"];
  assert.ok(paths.length > 25, `only ${paths.length} pages are found`);
  for (const path of paths.filter((each) => !own.includes(each))) {
    const asks = asksOf(page);
    await page.goto(`${house.url}/console${path}`);
    const name = /^\/(service-accounts|federation)/.test(path) ? forOrganization : forRole;
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await settled(page);
    assert.deepEqual(asks, [], path);
    page.removeAllListeners("request");
  }
  await page.getByRole("link", { name: "Go to the overview" }).click();
  await page.getByRole("heading", { name: "Nothing is open to you yet" }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("a user is refused administration, and keeps what a user works with", async () => {
  await using session = await memberSeat("platform", "user");
  const refused = await refusedTo(session.page);
  assert.deepEqual(refused[forOrganization], ["/groups", "/roles", "/groups/nothing_1"]);
  assert.deepEqual(refused[forRole], [
    "/workspaces",
    "/members",
    "/service-accounts",
    "/keys",
    "/usage",
    "/requests",
    "/alerts",
    "/limits",
    "/seats",
    "/audit",
    "/sign-in-methods",
    "/scim",
    "/federation",
    "/requests/nothing_1",
    "/keys/nothing_1",
    "/members/nothing_1",
    "/workspaces/nothing_1",
    "/service-accounts/nothing_1",
    "/federation/nothing_1",
  ]);
  await session.expect(/404/);
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks)
  test(`a page for others at ${width} pixels, ${scheme}`, async () => {
    await using session = await memberSeat("platform", "user", { width, height: 844, scheme });
    const { page } = session;
    await open(page, house.url, "/console/audit");
    await page.getByText("your role does not include it. Ask an owner of").waitFor();
    await picture(page, `not-for-you-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await open(page, house.url, "/console/groups");
    await page.getByText("has none, because it is a platform organization").waitFor();
    await picture(page, `not-for-organization-${width}-${scheme}`);
    await expectFits(page);
    assert.deepEqual(session.problems, []);
  });

test("who does not run the server is not asked for its whole catalog, and leaves no denial behind", async () => {
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  const asks = asksOf(page);
  for (const path of ["/console/playground", "/console/models"]) {
    await open(page, house.url, path);
  }
  assert.ok(asks.includes("GET /v1/models"), asks.join());
  assert.deepEqual(
    asks.filter((ask) => ask.includes("/console/api/models") || ask.includes("upstreams")),
    [],
  );
  assert.deepEqual(session.problems, []);
  await using operator = await openOwnerSession(browser, house);
  await open(operator.page, house.url, "/console/models");
  await operator.page.getByRole("table", { name: "Upstreams" }).waitFor();
});

test("a person who makes no keys is told on the overview whom to ask for one", async () => {
  await using session = await memberSeat("platform", "user");
  const { page } = session;
  await open(page, house.url, "/console/");
  await page
    .getByText("You need an API key: ask an owner of platform of the house for one")
    .waitFor();
  assert.equal(await page.getByRole("link", { name: "an API key" }).count(), 0);
  assert.deepEqual(session.problems, []);
});

test("on a low screen the list of pages scrolls, and the account menu stays in sight", async () => {
  await using session = await openOwnerSession(browser, house, { width: 1280, height: 640 });
  const { page } = session;
  await open(page, house.url, "/console/");
  const menu = page.getByRole("button", { name: "Account menu" });
  const inSight = async () => {
    const box = await menu.boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 640, JSON.stringify(box));
  };
  await inSight();
  const list = 'document.querySelector("nav[aria-label=Pages]")';
  assert.equal(await inPage(page, `${list}.scrollHeight > ${list}.clientHeight`), true);
  await picture(page, "low-screen");
  await page.getByRole("link", { name: "API reference" }).scrollIntoViewIfNeeded();
  await inSight();
  await page.setViewportSize({ width: 390, height: 640 });
  await page.getByRole("button", { name: "Open the navigation" }).click();
  await page.getByRole("dialog").waitFor();
  await settled(page);
  const box = page.getByRole("dialog").getByRole("button", { name: "Account menu" });
  const place = await box.boundingBox();
  assert.ok(place !== null && place.y + place.height <= 640, JSON.stringify(place));
  await picture(page, "low-drawer");
  assert.deepEqual(session.problems, []);
});
