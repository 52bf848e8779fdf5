// Kept bodies in a real browser: the switch of a workspace, a look at a request, and the ways on from it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import { openHouse, type House } from "../house.ts";
import { addSignedIn, passwordOfAll } from "../rules/members-house.ts";
import { bodiesOf } from "../rules/request-bodies-house.ts";
import { requestIdOf } from "../rules/requests-house.ts";
import { until } from "../rules/support.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  openSessionAs,
  picture,
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

const { defaultWorkspace, kept, message, set, settings } = bodiesOf(() => house);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const asked = "Tell me of the zebrafish";
const keptMessage = async (content: unknown, fields: object = {}): Promise<string> => {
  const id = requestIdOf(await message(content, { system: "Be brief.", ...fields }));
  await kept(id);
  await requestLogOf(house.world).flush();
  return id;
};
const looksAt = async (id: string): Promise<number> => {
  const [row] = await house.world.db.query<{ looks: number }>(sql`
    select count(*)::int as looks from audit_events
    where action = 'request_body.read' and target_id = ${id} and actor_type = 'user'`);
  return row?.looks ?? 0;
};

test("the switch of a workspace: off at first, set with its rules, and what was kept deleted", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `/console/workspaces/${await defaultWorkspace()}`);
  await page.getByText("Not kept", { exact: true }).waitFor();
  await button(page, "Change what is kept").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: /Keep what is said/ }).check();
  await dialog.getByRole("checkbox", { name: "E-mail addresses" }).check();
  await dialog.getByLabel("Days").fill("31");
  await dialog.getByLabel("Fields").fill("metadata.user_id\ntools[].name");
  await dialog.getByLabel("Words", { exact: true }).fill("Project Falcon");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("A whole number from 1 to 30.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("Days").fill("3");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Kept, encrypted", { exact: true }).waitFor();
  await page
    .getByText(
      "secrets, pictures and documents, e-mail addresses, the field metadata.user_id, the field tools[].name, “Project Falcon”",
    )
    .waitFor();
  const { body } = await settings("GET");
  assert.equal(body.enabled, true);
  assert.equal(body.kept_days, 3);
  assert.deepEqual(body.redact, [
    { type: "email" },
    { type: "field", field: "metadata.user_id" },
    { type: "field", field: "tools[].name" },
    { type: "word", word: "Project Falcon" },
  ]);
  await keptMessage(asked);
  await button(page, "Delete what was kept").click();
  await dialog.getByRole("button", { name: "Delete it" }).click();
  await page.getByText("What came before").waitFor();
  assert.notEqual((await settings("GET")).body.kept_since, null);
  assert.deepEqual(session.problems, []);
});

test("what was said is read when a person asks for it, and each look is noted once", async () => {
  await set({});
  const id = await keptMessage(asked);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `/console/requests/${id}`);
  await button(page, "Look at what was said").waitFor();
  assert.equal(await looksAt(id), 0);
  await button(page, "Look at what was said").click();
  const request = page.getByRole("region", { name: "Request", exact: true });
  await request.getByText(`"content": "${asked}"`).waitFor();
  await page.getByRole("region", { name: "Answer", exact: true }).waitFor();
  assert.equal(await looksAt(id), 1);
  await button(page, "Copy as curl, with what was said").click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await inPage<string>(page, "navigator.clipboard.readText()");
  assert.ok(copied.includes(`"content": "${asked}"`), copied);
  await button(page, "Open all of it in the playground").click();
  await page.waitForURL(/\/playground\?model=sim-large(&|$)/);
  await until(
    async () => (await page.locator("[data-turn]").first().inputValue()) === asked,
    "the request in the playground",
  );
  assert.equal(await page.getByLabel("System prompt").inputValue(), "Be brief.");
  assert.equal(await looksAt(id), 1);
  assert.deepEqual(session.problems, []);
});

test("what was cut is not asked again; of what was not kept the page says so", async () => {
  await set({ max_bytes: 1024 });
  const long = await keptMessage("zebrafish ".repeat(500));
  await set({ enabled: false });
  const none = requestIdOf(await message(asked));
  await requestLogOf(house.world).flush();
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `/console/requests/${long}`);
  await button(page, "Look at what was said").click();
  await page.getByText("It cannot be asked again from here").waitFor();
  await page.getByText(/^the beginning of 5\.\d kB$/).waitFor();
  await open(page, house.url, `/console/requests/${none}`);
  await button(page, "Look at what was said").click();
  await page.getByText("Nothing is kept of it").waitFor();
  await session.expect(/404/);
  assert.deepEqual(session.problems, []);
});

test("a developer sees the request and no way to what was said, and cannot switch it on", async () => {
  await set({});
  const id = await keptMessage(asked);
  const { email } = await addSignedIn(house, house.organizations.platform, "developer");
  const person = { owner_email: email, owner_password: passwordOfAll };
  await using session = await openSessionAs(browser, house, person);
  const { page } = session;
  await open(page, house.url, `/console/requests/${id}`);
  await page.getByText(id, { exact: true }).waitFor();
  assert.equal(await button(page, "Look at what was said").count(), 0);
  await open(page, house.url, `/console/workspaces/${await defaultWorkspace()}`);
  await page.getByText("Kept, encrypted", { exact: true }).waitFor();
  assert.equal(await button(page, "Change what is kept").count(), 0);
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks)
  test(`kept bodies at ${width} pixels, ${scheme}`, async () => {
    await set({ redact: [{ type: "email" }, { type: "word", word: "w".repeat(120) }] });
    const id = await keptMessage(`${asked} ${"z".repeat(300)}`);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    await open(page, house.url, `/console/requests/${id}`);
    await button(page, "Look at what was said").click();
    await page.getByRole("region", { name: "Answer", exact: true }).waitFor();
    await picture(page, `request-body-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await open(page, house.url, `/console/workspaces/${await defaultWorkspace()}`);
    await page.getByText("Kept, encrypted", { exact: true }).waitFor();
    await picture(page, `workspace-bodies-${width}-${scheme}`);
    await expectFits(page);
    await button(page, "Change what is kept").click();
    await page.getByRole("dialog").getByLabel("Words", { exact: true }).waitFor();
    await picture(page, `workspace-bodies-form-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
