// What goes wrong at the screen: fast fingers, a server that is away, names as long as they may be.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { initialize } from "../../server/installation.ts";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectFits, inPage, open, ownersSeat, signIn, until } from "./person.ts";

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
  await using seat = await ownersSeat(browser, house);
  const { page } = seat;
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
  await using seat = await ownersSeat(browser, house);
  const { page } = seat;
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
  assert.deepEqual(seat.problems, []);
});

test("a page whose code does not come says so in its place, and comes when it is asked for again", async () => {
  await using seat = await ownersSeat(browser, house);
  const { page, context } = seat;
  await open(page, house.url, "/console/");
  await context.setOffline(true);
  await page.getByRole("link", { name: "Account", exact: true }).first().click();
  await page.getByRole("heading", { name: "This page broke" }).waitFor();
  assert.equal(page.url(), `${house.url}/console/account`);
  await page.getByText("The server did not answer").waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
});

for (const width of [390, 1280])
  test(`an organization's long name stays on the page at ${width} pixels`, async () => {
    const made = await initialize(house.world, {
      organization: `${width}${"W".repeat(190)}`,
      type: "platform",
      email: `long-${width}@console.example`,
    });
    await using seat = await browser.seat({ width });
    const { page } = seat;
    await signIn(page, house.url, made, "/console/account");
    await page.getByRole("heading", { name: "Account", exact: true }).waitFor();
    await expectFits(page);
  });

test("on a phone the Copy button stands beside the code, not on it", async () => {
  await using seat = await ownersSeat(browser, house, { width: 390, height: 844 });
  const { page } = seat;
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
  await using seat = await browser.seat();
  const { page } = seat;
  await page.goto(`${house.url}/setup#token=none`);
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByText("You become the owner").isVisible(), false);
  assert.equal(await page.getByLabel("Password").isVisible(), false);
});

test("a set-up page asks for nothing before it is known whom the link is for", async () => {
  await using seat = await browser.seat();
  const { page } = seat;
  await page.route("**/console/api/setup_link", (route) => route.abort());
  await page.goto(`${house.url}/setup#token=none`);
  await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
  assert.equal(await page.getByLabel("Password").isVisible(), false);
});
