// What goes wrong at the screen: fast fingers, a server that is away, names as long as they may be.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { initialize } from "../../server/organization-setup.ts";
import { openHouse, type House } from "../house.ts";
import { makeEndedBatch, request, slow, submit } from "./batches.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import { uploadSampleFiles } from "./files.ts";
import {
  expectAccessible,
  expectFits,
  inDialog,
  inPage,
  open,
  openOwnerSession,
  picture,
  signIn,
  until,
  pick,
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

test("two presses in one moment create one key", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/keys?new=api");
  await page.getByLabel("Name", { exact: true }).fill("Pressed twice");
  await inPage(
    page,
    `{
      const button = document.querySelector("[role=dialog] button[type=submit]");
      button.click();
      button.click();
    }`,
  );
  await page.getByLabel("Secret of Pressed twice", { exact: true }).waitFor();
  const { cookie } = house.organizations.platform;
  const { body } = await house.ask("GET", "/console/api/keys", { cookie });
  const named = (body.data as { name: string }[]).filter(({ name }) => name === "Pressed twice");
  assert.equal(named.length, 1);
});

test("letters that come faster than the address changes are all kept", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/keys");
  await inPage(
    page,
    `{
      const field = document.querySelector("[data-search]");
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
      for (const letter of "fast fingers") {
        set.call(field, field.value + letter);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }`,
  );
  await page.waitForURL(/q=fast\+fingers/);
  assert.equal(await page.getByLabel("Search name or hint").inputValue(), "fast fingers");
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await until(page, 'document.querySelector("[data-search]").value === ""');
  assert.deepEqual(session.problems, []);
});

test("a page whose code does not come says so in its place, and comes when the server is back", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page, context } = session;
  await open(page, house.url, "/console/");
  await context.setOffline(true);
  await page.getByRole("link", { name: "Account", exact: true }).first().click();
  await page.getByRole("heading", { name: "This page comes later" }).waitFor();
  assert.equal(page.url(), `${house.url}/console/account`);
  await page.getByText("The server does not answer.", { exact: true }).waitFor();
  await context.setOffline(false);
  await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
});

for (const width of [390, 1280])
  test(`an organization's long name stays on the page at ${width} pixels`, async () => {
    const long = await initialize(house.world, {
      organization: `${width}${"W".repeat(190)}`,
      type: "platform",
      email: `long-${width}@console.example`,
    });
    await using session = await browser.openSession({ width });
    const { page } = session;
    await signIn(page, house.url, long, "/console/account");
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
    await expectFits(page);
  });

const listed = "keys files batches models limits members workspaces audit usage".split(" ");

for (const width of [768, 1024])
  test(`at ${width} pixels no page is wider than the screen, and no table than its box`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 1024 });
    const { page } = session;
    await uploadSampleFiles(house);
    await makeEndedBatch({ house }, [request("one", "Hello.")]);
    await submit({ house }, slow);
    // Moments as long as they are in words.
    await house.world.db.tx(async (tx) => {
      await tx.query(sql`
        update keys set created_at = now() - interval '50 minutes',
          last_used_at = now() - interval '50 minutes', expires_at = now() + interval '11 months'`);
      await tx.query(sql`
        update files set created_at = now() - interval '50 minutes',
          expires_at = case when filename = 'plan.txt' then now() + interval '50 minutes' end`);
      await tx.query(sql`update batches set created_at = now() - interval '50 minutes'`);
    });
    const wide: string[] = [];
    for (const path of listed) {
      await open(page, house.url, `/console/${path}`);
      await page.getByRole("table").first().waitFor();
      await expectFits(page);
      wide.push(...(await wideTables(page)));
      await picture(page, `${path}-${width}-light`);
    }
    assert.deepEqual(wide, []);
    assert.deepEqual(session.problems, []);
  });

/** Those that one would have to scroll sideways. */
const wideTables = (page: Page) =>
  inPage<string[]>(
    page,
    `[...document.querySelectorAll("table")].flatMap((table) => {
      const { scrollWidth, clientWidth } = table.parentElement;
      const wider = scrollWidth - clientWidth;
      return wider > 0 ? [table.ariaLabel + " by " + wider + " pixels"] : [];
    })`,
  );

test("all code of the console comes compressed, and is a third of what it was", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  let [sent, whole] = [0, 0];
  const plain: string[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith("/console/assets/") || !/\.(js|css)$/.test(pathname)) return;
    sent += Number(response.headers()["content-length"]);
    const size = statSync(
      join(import.meta.dirname, `../../${pathname.replace("console", "console/dist")}`),
    ).size;
    whole += size;
    if (size >= 1_000 && response.headers()["content-encoding"] !== "br") plain.push(pathname);
  });
  await open(page, house.url, "/console/");
  assert.deepEqual(plain, []);
  assert.ok(whole > 100_000 && sent < whole / 3, `${sent} of ${whole} bytes`);
});

test("on a phone the Copy button stands beside the code, not on it", async () => {
  // Of an organization that has asked no model yet.
  const look = { width: 390, height: 844 };
  await using session = await openOwnerSession(browser, house, look, "other");
  const { page } = session;
  await open(page, house.url, "/console/");
  const code = await page
    .getByRole("region", { name: /First request/ })
    .first()
    .boundingBox();
  const copy = await page.getByRole("button", { name: "Copy" }).first().boundingBox();
  assert.ok(code !== null && copy !== null);
  const apart = copy.y >= code.y + code.height || copy.x >= code.x + code.width;
  assert.ok(apart && code.width > 250, JSON.stringify({ code, copy }));
});

test("a set-up page with a bad link promises nothing", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await page.goto(`${house.url}/setup#token=none`);
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByText("You become the owner").isVisible(), false);
  assert.equal(await page.getByLabel("Password").isVisible(), false);
});

test("a link that is opened in the tab of another one is read, and goes from the address bar", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  for (const [path, says] of [
    ["setup", "was used or has expired"],
    ["accept", "This invite link is not known"],
  ] as const) {
    await page.goto(`${house.url}/${path}`);
    await page.goto(`${house.url}/${path}#token=none`);
    await page.getByRole("alert").getByText(says).waitFor();
    assert.equal(page.url(), `${house.url}/${path}`);
  }
});

for (const scheme of ["light", "dark"] as const)
  test(`a set-up page without a token says how to get one, ${scheme}`, async () => {
    await using session = await browser.openSession({ scheme });
    const { page } = session;
    await page.goto(`${house.url}/setup`);
    await page.getByText("./plinth setup-link", { exact: true }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.equal(await page.getByLabel("Password").isVisible(), false);
    await expectFits(page);
    await expectAccessible(page);
    await picture(page, `setup-without-token-${scheme}`);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.waitForURL(`${house.url}/sign-in`);
    assert.deepEqual(session.problems, []);
  });

test("a set-up page asks for nothing before it is known whom the link is for", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await page.route("**/console/api/setup_link", (route) => route.abort());
  await page.goto(`${house.url}/setup#token=none`);
  await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
  assert.equal(await page.getByLabel("Password").isVisible(), false);
});

for (const scheme of ["light", "dark"] as const)
  test(`a message in the corner is read aloud, is no dialog, and leaves every key as it was, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { scheme });
    const { page } = session;
    // What goes by itself after seconds stays for minutes: whether a test is quick is no question then.
    await page.addInitScript(`{
      const later = setTimeout;
      window.setTimeout = (act, ms, ...rest) => later(act, ms >= 5_000 ? ms * 60 : ms, ...rest);
    }`);
    await open(page, house.url, "/console/account");
    await page.getByLabel("Your name").fill(`A person in the ${scheme}`);
    await page.getByRole("button", { name: "Change name" }).click();
    const corner = page.getByRole("region", { name: "Notifications" });
    assert.equal(await corner.getAttribute("aria-live"), "polite");
    const good = corner.getByText(`You are called A person in the ${scheme} now`);
    await good.waitFor();
    await page.route("**/console/api/sign_out", (route) => route.fulfill({ status: 503 }));
    await pick(page.getByRole("button", { name: "Account menu" }), "Sign out");
    await page.getByRole("alert").getByText("The server could not do this").waitFor();
    assert.equal(await page.locator("[role=dialog], [role=alertdialog]").count(), 0);
    await page.getByRole("menu").waitFor({ state: "detached" });
    await expectAccessible(page);

    await goKeys(page, "o");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await good.waitFor();
    await page.keyboard.press("F6");
    await page.keyboard.press("Tab");
    await until(page, 'document.activeElement?.closest(".toasts") !== null');
    await goKeys(page, "k");
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).waitFor();
    await session.expect(/status of 503/);
    assert.deepEqual(session.problems, []);
  });

test("keys count again as soon as a dialog begins to fade, and are not lost while it does", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await open(page, house.url, "/console/");
  // It would fade for a minute: whether a test is quick is no question then.
  await inPage(
    page,
    `{
      const slow = new CSSStyleSheet();
      slow.replaceSync(".fade[data-ending-style] { transition-duration: 60s !important }");
      document.adoptedStyleSheets.push(slow);
    }`,
  );
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await inDialog(page);
  // One that has not faded in has nothing to fade out.
  await until(
    page,
    `[...document.querySelectorAll(".fade")].every((each) =>
      !each.hasAttribute("data-starting-style") && getComputedStyle(each).opacity === "1")`,
  );
  await page.keyboard.press("Escape");
  await page.locator("[role=dialog][data-closed]").waitFor({ state: "attached" });
  await goKeys(page, "k");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  assert.deepEqual(session.problems, []);
});
