// What the playground keeps: what is filled in, what was run, and prompts that are saved for the workspace.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  open,
  openOwnerSession,
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

const path = "/console/playground";
const answer = (page: Page) => page.getByRole("region", { name: "Answer", exact: true });
const state = (page: Page, words: string) => answer(page).getByRole("status").getByText(words);
const dialog = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');
const text = (page: Page, turn = 1) => page.getByLabel(`Text of turn ${turn}`);
const system = (page: Page) => page.getByLabel("System prompt");
/** A dialog that fades still has a button of that name. */
const save = async (page: Page) => {
  await dialog(page).first().waitFor({ state: "detached" });
  await page.getByRole("main").getByRole("button", { name: "Save", exact: true }).click();
};
const run = async (page: Page, words: string) => {
  await text(page).fill(words);
  await page.getByRole("button", { name: "Run", exact: true, disabled: false }).click();
};

test("prompt, settings and models come back after a reload and on the way back; keys are never kept", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await system(page).fill("You keep bees.");
  await text(page).fill("My key is sk-plinth-api-abcdefghijklmnop, is it good?");
  await page.getByLabel("Temperature").fill("0.3");
  await page.getByLabel("Max tokens").fill("77");
  await select(page.getByLabel("Model"), "sim-small");
  await page.reload();
  await text(page).waitFor();
  assert.equal(await system(page).inputValue(), "You keep bees.");
  assert.equal(await text(page).inputValue(), "My key is sk-..., is it good?");
  assert.equal(await page.getByLabel("Temperature").inputValue(), "0.3");
  await open(page, house.url, "/console/account");
  await open(page, house.url, path);
  assert.equal(await page.getByLabel("Max tokens").inputValue(), "77");
  assert.match(await page.getByLabel("Model").innerText(), /Small/);
  const kept = await inPage<string>(page, "JSON.stringify({ ...localStorage })");
  assert.doesNotMatch(kept, /abcdefghijklmnop/);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  assert.equal(await system(page).inputValue(), "");
  await page.reload();
  await text(page).waitFor();
  assert.equal(await text(page).inputValue(), "");
  assert.deepEqual(session.problems, []);
});

test("what one person writes is not there for another one of another organization", async () => {
  const session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await text(page).fill("Of the platform");
  const other = house.organizations.enterprise;
  await session.takeCookie(house.url, await house.signIn(other));
  await open(page, house.url, path);
  assert.equal(await text(page).inputValue(), "");
  await text(page).fill("Of the enterprise");
  await session.takeCookie(house.url, await house.signIn(house.organizations.platform));
  await open(page, house.url, path);
  assert.equal(await text(page).inputValue(), "Of the platform");
  assert.deepEqual(session.problems, []);
  await session[Symbol.asyncDispose]();
});

test("the history has what was run, with tokens, cost and time; it opens again, and keeps fifty", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?model=sim-small`);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByRole("button", { name: "History" }).click();
  await dialog(page).getByText("Nothing was run yet").waitFor();
  await page.keyboard.press("Escape");
  await run(page, 'First of all [[say "An answer to keep."]]');
  await state(page, "Done").waitFor();
  await run(page, "Second [[refuse category=bio models=*]]");
  await state(page, "Refused").waitFor();
  await page.reload();
  await text(page).waitFor();
  await page.getByRole("button", { name: "History" }).click();
  const lines = dialog(page).getByRole("list", { name: "History" }).getByRole("listitem");
  assert.equal(await lines.count(), 2);
  assert.match(await lines.nth(0).innerText(), /Second[^]*Refused/);
  const first = await lines.nth(1).innerText();
  assert.match(first, /First of all[^]*An answer to keep\.[^]*\d+ in, \d+ out/);
  assert.match(first, /\$0\.\d{6} USD/);
  assert.match(first, /\d+ ms/);
  await expectAccessible(page);
  await expectFits(page);
  await dialog(page)
    .getByRole("button", { name: /^Open again: First/ })
    .click();
  await dialog(page).first().waitFor({ state: "detached" });
  assert.match(await text(page).inputValue(), /^First of all/);
  const name = await inPage<string>(
    page,
    'Object.keys(localStorage).find((name) => name.endsWith("playground history"))',
  );
  await inPage(
    page,
    `{ const [one] = JSON.parse(localStorage.getItem("${name}"));
       localStorage.setItem("${name}", JSON.stringify(Array(50).fill(one).map((each, id) => ({ ...each, id })))); }`,
  );
  await run(page, "One more");
  await state(page, "Done").waitFor();
  await page.getByRole("button", { name: "History" }).click();
  assert.equal(await lines.count(), 50);
  assert.match(await lines.nth(0).innerText(), /One more/);
  await dialog(page).getByRole("button", { name: "Clear the history" }).click();
  await dialog(page).getByText("Nothing was run yet").waitFor();
  assert.deepEqual(session.problems, []);
});

test("[PRM1] [PRM2] a prompt is saved, changed as a version, opened in both, renamed and deleted", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const saved = async () => {
    await dialog(page).first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Saved prompts" }).click();
  };
  await open(page, house.url, `${path}?model=sim-small`);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await saved();
  await dialog(page).getByText("No saved prompts yet").waitFor();
  await page.keyboard.press("Escape");
  await system(page).fill("You are a gardener.");
  await text(page).fill("How do I prune roses?");
  await page.getByLabel("Temperature").fill("0.2");
  await save(page);
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("Gardener");
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("From the saved prompt Gardener, version 1.").waitFor();
  await text(page).fill("How do I prune apples?");
  await save(page);
  await dialog(page).getByText("The next version of Gardener").waitFor();
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("From the saved prompt Gardener, version 2.").waitFor();

  // Another person's browser has nothing but what the workspace has.
  await inPage(page, "localStorage.clear()");
  await page.reload();
  await text(page).waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await saved();
  await dialog(page).getByText("Version 2").waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Open Gardener", exact: true }).click();
  await page.getByText("From the saved prompt Gardener, version 2.").waitFor();
  assert.equal(await text(page).inputValue(), "How do I prune apples?");
  assert.equal(await system(page).inputValue(), "You are a gardener.");
  assert.equal(await page.getByLabel("Temperature").inputValue(), "0.2");
  await saved();
  await pick(dialog(page).getByRole("button", { name: "Change Gardener" }), "Show versions");
  await dialog(page).getByRole("button", { name: "Open version 1 of Gardener" }).click();
  await page.getByText("From the saved prompt Gardener, version 1.").waitFor();
  assert.equal(await text(page).inputValue(), "How do I prune roses?");

  await save(page);
  await dialog(page).getByLabel("A new prompt").check();
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("gardener");
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await dialog(page).getByText("in this workspace already").waitFor();
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await saved();
  await pick(dialog(page).getByRole("button", { name: "Change Gardener" }), "Rename");
  await dialog(page).getByRole("textbox", { name: "Name" }).fill("Roses");
  await dialog(page).getByRole("button", { name: "Rename" }).click();
  await dialog(page).first().waitFor({ state: "detached" });
  await saved();
  await pick(dialog(page).getByRole("button", { name: "Change Roses" }), "Delete");
  await dialog(page).getByText("2 versions of it are gone").waitFor();
  await dialog(page).getByRole("button", { name: "Delete the prompt" }).click();
  await dialog(page).first().waitFor({ state: "detached" });
  await saved();
  await dialog(page).getByText("No saved prompts yet").waitFor();
  await session.expect(/status of 409/);
  assert.deepEqual(session.problems, []);
});
