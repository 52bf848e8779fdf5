// Every page in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out, the policy holds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers, type BrowserSession } from "./browser.ts";
import {
  axe,
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openMenu,
  openOwnerSession,
  picture,
} from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  await furnish();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** Keys of every status, so that the pictures show what the pages are for. */
async function furnish(): Promise<void> {
  const { cookie } = house.organizations.platform;
  const make = async (name: string, kind: string, status?: string) => {
    const { body } = await house.ask("POST", "/console/api/keys", { cookie, body: { name, kind } });
    if (status === undefined) return;
    await house.ask("POST", `/console/api/keys/${body.id}`, { cookie, body: { status } });
  };
  await make("Search backend", "api");
  await make("Old laptop", "api", "inactive");
  await make("A contractor whose key has a rather long name, as people give them", "api");
  await make("Terraform", "admin");
  await make("Retired", "admin", "archived");
}

const pages: [name: string, path: string, prepare?: (session: BrowserSession) => Promise<void>][] =
  [
    ["overview", "/console/"],
    ["keys", "/console/keys"],
    ["keys-nothing-fits", "/console/keys?q=zzz"],
    ["create-key", "/console/keys?new=api"],
    ["audit", "/console/audit"],
    [
      "audit-event",
      "/console/audit",
      async ({ page }) => {
        await page.keyboard.press("j");
        await page.getByRole("complementary", { name: "Event" }).waitFor();
      },
    ],
    ["account", "/console/account"],
    ["not-found", "/console/nowhere"],
    [
      "palette",
      "/console/",
      async ({ page }) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("option", { name: "Overview" }).waitFor();
      },
    ],
    [
      "shortcuts",
      "/console/keys",
      async ({ page }) => {
        await page.keyboard.press("?");
        await page.getByRole("dialog").waitFor();
      },
    ],
    [
      "account-menu",
      "/console/",
      async ({ page }) => {
        const menu = page.getByRole("button", { name: "Open the navigation" });
        if (await menu.isVisible()) await menu.click();
        await openMenu(page.getByRole("button", { name: "Account menu" }));
        await page.getByRole("menu").waitFor();
      },
    ],
    ["sign-in", "/sign-in"],
  ];

for (const { width, scheme } of looks) {
  test(`each page at ${width} pixels, ${scheme}`, async (t) => {
    await using session = await openOwnerSession(browser, house, {
      scheme,
      width,
      height: width === 390 ? 844 : 800,
    });
    for (const [name, path, prepare] of pages) {
      await t.test(name, async () => {
        await open(session.page, house.url, path);
        await prepare?.(session);
        await picture(session.page, `${name}-${width}-${scheme}`);
        await expectFits(session.page);
        await expectAccessible(session.page);
        assert.deepEqual(session.problems.splice(0), []);
      });
    }
  });
}

test("axe and the policy do object when there is something to object to", async () => {
  await using session = await openOwnerSession(browser, house, { scheme: "dark" });
  const { page } = session;
  await open(page, house.url, "/console/");
  await inPage(
    page,
    `{
      const bad = document.createElement("p");
      bad.innerHTML = '<img src="/console/mark.svg"><button></button><span>grey on grey</span>';
      bad.querySelector("span").style.color = "#333";
      document.querySelector("main").append(bad);
    }`,
  );
  const { violations } = await axe(page);
  for (const id of ["image-alt", "button-name", "color-contrast"]) {
    assert.ok(
      violations.some((line) => line.startsWith(`${id}:`)),
      `${id} is not found`,
    );
  }
  assert.deepEqual(session.problems, []);
  await inPage(
    page,
    `{
      const style = document.createElement("style");
      style.textContent = "body { color: red }";
      document.head.append(style);
    }`,
  );
  await session.expect(/Content Security Policy/, 1);
});
