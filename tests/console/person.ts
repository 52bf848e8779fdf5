// What a person does in the console, again and again: signs in, opens a page, takes a picture, asks axe.
import axeCore from "axe-core";
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { House } from "../house.ts";
import type { Browsers, Look, BrowserSession } from "./browser.ts";
import { settled } from "./settled.ts";

export type Owner = Pick<House["organizations"]["platform"], "owner_email" | "owner_password">;

export async function signIn(page: Page, url: string, owner: Owner, path = "/console/") {
  await page.goto(url + path);
  await fillSignIn(page, owner);
  await page.waitForURL(url + path);
}

/** Wherever it leads from there. */
export async function fillSignIn(page: Page, owner: Owner): Promise<void> {
  await page.waitForURL(/\/sign-in/);
  await page.getByLabel("E-mail").fill(owner.owner_email);
  await page.getByLabel("Password").fill(owner.owner_password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** The value of an expression in the page, as text: these files are checked without the types of a browser. */
export const inPage = <T>(page: Page, expression: string): Promise<T> => page.evaluate(expression);

/** Waits until an expression holds in the page. Playwright's own way needs eval, which the policy forbids. */
export async function until(page: Page, expression: string, withinMs = 45_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await inPage<boolean>(page, expression))) {
    assert.ok(performance.now() < end, `not within ${withinMs} ms: ${expression}`);
  }
}

/** A dialog that is seen hears keys as soon as it has the focus, and not before. */
export const inDialog = (page: Page) =>
  until(page, 'document.activeElement?.closest("[role=dialog]") != null');

/** A seat where the owner is signed in already: for tests that are not about signing in. */
export async function openOwnerSession(
  browser: Browsers,
  house: House,
  look?: Look,
  tenant: keyof House["organizations"] = "platform",
): Promise<BrowserSession> {
  return openSessionAs(browser, house, house.organizations[tenant], look);
}

/** The same for any person with a password. */
export async function openSessionAs(
  browser: Browsers,
  house: House,
  owner: Owner,
  look?: Look,
): Promise<BrowserSession> {
  const session = await browser.openSession(look);
  await session.takeCookie(house.url, await house.signIn(owner));
  return session;
}

/**
 * Not by a pointer: on a busy machine the page moves between the press and the release of one that was aimed before,
 * and a menu that is pressed open and released elsewhere closes again.
 */
export async function openMenu(menu: Locator): Promise<void> {
  // A dialog that fades still has fields, which what comes next may be typed into.
  await menu.page().locator("[role=dialog][data-closed]").first().waitFor({ state: "detached" });
  await menu.press("Enter");
  await menu.page().getByRole("menu").waitFor();
}

/** Chooses from a menu that is open. By no pointer either: the menu moves to its place after it is there. */
export async function chooseAct(page: Page, name: string | RegExp): Promise<void> {
  const item = page.getByRole("menuitem", { name, exact: true });
  await item.waitFor();
  await item.dispatchEvent("click");
}

/** Opens a menu and chooses from it. */
export async function pick(menu: Locator, name: string | RegExp): Promise<void> {
  await openMenu(menu);
  await chooseAct(menu.page(), name);
}

/** Opens the list of a select, and gives what is offered in it. */
export async function openSelect(field: Locator): Promise<Locator> {
  await field.press("Enter");
  const list = field.page().getByRole("listbox");
  await list.waitFor();
  return list.getByRole("option");
}

/** Chooses by the value or by the whole name. By keys, as in a menu, and for the same reason. */
export async function select(field: Locator, wanted: string): Promise<void> {
  const page = field.page();
  const options = await openSelect(field);
  const option = options
    .and(page.locator(`[data-value=${JSON.stringify(wanted)}]`))
    .or(options.and(page.getByRole("option", { name: wanted, exact: true })));
  await option.press("Enter");
  await page.getByRole("listbox").waitFor({ state: "hidden" });
}

/** Another workspace, by the switcher of the shell. */
export async function chooseWorkspace(page: Page, name: string): Promise<void> {
  await openMenu(page.getByRole("button", { name: "the workspace: choose another" }));
  await page.getByRole("menuitemradio", { name }).dispatchEvent("click");
}

/** Opens a page of the console and waits until it has what it shows. */
export async function open(page: Page, url: string, path: string): Promise<void> {
  await page.goto(url + path);
  await settled(page);
}

/**
 * Violations as lines to read, and the number of checks that passed: an empty page passes none. The program is given
 * to each document once, and of what it finds only this comes back: it is 1.5 MB, and so may the results be.
 */
export async function axe(page: Page): Promise<{ violations: string[]; passes: number }> {
  if (!(await inPage<boolean>(page, '"axe" in window'))) await inPage(page, `${axeCore.source};0`);
  // An open menu or list stands at the end of the body, as the ARIA practices have it: outside of any landmark.
  const popups = page.getByRole("menu").or(page.getByRole("listbox"));
  const options: axeCore.RunOptions = {
    // Of the checks that pass, one place each is kept.
    resultTypes: ["violations"],
    rules: { region: { enabled: (await popups.count()) === 0 } },
  };
  return inPage(
    page,
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations, passes }) => ({
       violations: violations.flatMap(({ id, nodes }) =>
         nodes.map(({ html, failureSummary = "" }) => id + ": " + html.slice(0, 200) + " " + failureSummary)),
       passes: passes.length,
     }))`,
  );
}

/** What fades in is invisible at first: to the camera, and to axe. */
const painted = (page: Page) =>
  until(
    page,
    '!document.querySelector("[data-starting-style]") && document.getAnimations().length === 0',
  );

export async function expectAccessible(page: Page): Promise<void> {
  await painted(page);
  const { violations, passes } = await axe(page);
  assert.deepEqual(violations, []);
  assert.ok(passes > 5, `only ${passes} checks passed: is the page empty?`);
}

export async function expectFits(page: Page): Promise<void> {
  const beyond = await inPage<number>(
    page,
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  assert.equal(beyond, 0, `the page is ${beyond} pixels wider than the screen`);
}

/** `npm test -- --all`, or with a word of the path: all looks, and pictures of them. */
const isAll = process.env["PLINTH_TEST_ALL"] !== undefined;

/** A phone in the dark, where most goes wrong; for maintainers also a desk in the light, and with --long the rest. */
export const looks = [
  { width: 390, scheme: "dark" },
  ...(isAll ? ([{ width: 1280, scheme: "light" }] as const) : []),
  ...(process.env["PLINTH_TEST_LONG"] === undefined
    ? []
    : ([
        { width: 1280, scheme: "dark" },
        { width: 390, scheme: "light" },
      ] as const)),
] as const;

const pictures = join(import.meta.dirname, "../../build/screenshots");

/** For people to look at; nothing compares them, so one that the browser has no frame for just now is left out. */
export async function picture(page: Page, name: string): Promise<void> {
  await painted(page);
  if (!isAll) return;
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path }).catch((error: Error) => {
    if (!error.message.includes("Unable to capture screenshot")) throw error;
    console.error(`There is no picture ${name}.png: ${error.message.split("\n")[0]}`);
  });
}
