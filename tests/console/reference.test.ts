// The API reference in a browser: looks, deep links, filter, copy, keyboard, and what is left without its script.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, inPage, looks, picture, until } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** Hundreds of operations are made by one template, and axe takes a minute for them: it reads every eighth. */
const thinOut = (page: Page) =>
  inPage(
    page,
    `document.querySelectorAll("article.operation").forEach((each, at) => {
       if (at % 8 !== 0) each.remove();
     })`,
  );

for (const look of looks)
  test(`the reference is fit to read: ${look.scheme}, ${look.width} wide`, async () => {
    await using session = await browser.openSession(look);
    const { page, problems } = session;
    await page.goto(`${house.url}/docs`);
    await picture(page, `reference-${look.scheme}-${look.width}`);
    await page.goto(`${house.url}/docs#console.keys.create`);
    await until(
      page,
      "Math.abs(document.querySelector(':target').getBoundingClientRect().top) < 80",
    );
    await page.locator("[id='console.keys.create'] summary").click();
    await picture(page, `reference-operation-${look.scheme}-${look.width}`);
    await expectFits(page);
    await thinOut(page);
    await expectAccessible(page);
    if (look.width === 390) {
      await page.getByRole("link", { name: "Menu" }).click();
      await page.getByRole("navigation").getByText("retrieve").first().waitFor();
      await expectAccessible(page);
      await page.getByRole("navigation").getByText("retrieve").first().click();
      await page.getByRole("navigation").waitFor({ state: "hidden" });
    }
    assert.deepEqual(problems, []);
  });

test("the filter finds operations by any word, from the keyboard", async () => {
  await using session = await browser.openSession({ width: 1280 });
  const { page, problems } = session;
  await page.goto(`${house.url}/docs`);
  await page.keyboard.press("/");
  await page.keyboard.type("post console.keys");
  const shown = page.locator(".group li:visible");
  await until(page, "document.querySelectorAll('.group li:not([hidden])').length < 5");
  assert.deepEqual(
    (await shown.allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
    ["create POST", "update POST"],
  );
  await page.keyboard.press("Enter");
  await page.waitForURL(/#console\.keys\.create$/);
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  assert.ok((await shown.count()) > 10);
  await page.keyboard.type("zzz");
  await page.getByText("Nothing has that in its name.").waitFor();
  assert.deepEqual(problems, []);
});

test("an example is copied as it stands", async () => {
  await using session = await browser.openSession({ width: 1280 });
  const { page } = session;
  await page.goto(`${house.url}/docs#organizations.me`);
  await page.getByRole("button", { name: "Copy the request of organizations.me" }).click();
  await page.locator("[role=status]").getByText("Copied").waitFor();
  const copied = await inPage<string>(page, "navigator.clipboard.readText()");
  assert.match(
    copied,
    /^curl http\S*\/v1\/organizations\/me \\\n {2}-H "x-api-key: \$PLINTH_API_KEY"$/,
  );
});

test("without its script all is there but filter and copy", async () => {
  await using session = await browser.openSession({ width: 1280 });
  const { page } = session;
  await page.route("**/*.js", (route) => route.abort());
  await page.goto(`${house.url}/docs`);
  await page.getByRole("heading", { name: /^Creates a key/ }).waitFor();
  assert.equal(await page.getByRole("searchbox").count(), 0);
  assert.equal(await page.getByRole("button", { name: /^Copy/ }).count(), 0);
});
