// What changes of a session in a real browser: its title and its budget, and what the server says of them at the field.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { said } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openMenu, openOwnerSession, pick } from "./person.ts";
import { button, dialogOn, path, row, sessionCalls, transcript } from "./sessions.ts";

let house: House;
let browser: Browsers;
const calls = sessionCalls(() => house);
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const limit = (amount: string) => ({ type: "limit", max_list_cost: { amount, currency: "USD" } });

test("a session is renamed on its page and in the list, and is called by its first words again", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make({}, { title: "Draft", initial_events: [said("Good morning")] });
  await calls.idle(id);
  await open(page, house.url, `${path}/${id}`);
  await pick(button(page, "More for this session"), "Rename");
  await dialogOn(page).getByLabel("Title").fill("The morning shift");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "The morning shift" }).waitFor();
  await transcript(page).getByText("Changed: title.").waitFor();
  assert.equal((await calls.read(id)).title, "The morning shift");

  await page.getByRole("link", { name: "All sessions" }).click();
  await pick(row(page, "The morning shift").getByRole("button", { name: /^Change/ }), "Rename");
  await dialogOn(page).getByLabel("Title").fill(" ");
  await button(page, "Save").click();
  await row(page, "Good morning").waitFor();
  assert.equal((await calls.read(id)).title, null);
  assert.deepEqual(session.problems, []);
});

test("a budget is raised so that the session goes on, and taken away for good", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const costly = said("Write [[tokens 4000]] [[rate 100000]]");
  const { id } = await calls.make({ model: "sim-large" }, { budget: limit("1"), title: "Thrifty" });
  await calls.turn(id, costly);
  await calls.turn(id, said("And again"));
  await open(page, house.url, `${path}/${id}`);
  await transcript(page).getByText("Idle: the budget is spent.").waitFor();
  const spent = (await calls.read(id)).usage.list_cost.amount;

  await pick(button(page, "More for this session"), "Change the budget");
  const field = dialogOn(page).getByLabel("Budget in dollars");
  assert.equal(await field.inputValue(), "0.01");
  await field.fill("a lot");
  await button(page, "Save").click();
  await dialogOn(page).getByRole("alert").getByText("This is no amount").waitFor();
  // What was spent is said in whole cents, rounded up.
  await field.fill(((Number(spent) - 1) / 100).toFixed(2));
  await button(page, "Save").click();
  await dialogOn(page)
    .getByRole("alert")
    .getByText(`Must be more than the session has cost: ${spent} cents.`)
    .waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  await field.fill("25");
  await button(page, "Save").click();
  await page.getByText("of $25.00").waitFor();
  await transcript(page).getByText("Idle: the turn is done.").nth(1).waitFor();

  await pick(button(page, "More for this session"), "Remove the budget");
  await dialogOn(page).getByText("A session never gets a budget again.").waitFor();
  await button(page, "Remove the budget").click();
  await page.getByText(", no budget").waitFor();
  assert.equal((await calls.read(id)).budget, null);
  await openMenu(button(page, "More for this session"));
  await page.getByRole("menuitem", { name: "Rename" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: /budget/ }).count(), 0);
  await session.expect(/status of 400/);
  assert.deepEqual(session.problems, []);
});

test("of a session that has ended nothing is changed any more", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make({}, { budget: limit("100") });
  await calls.archive(id);
  await open(page, house.url, `${path}/${id}`);
  await openMenu(button(page, "More for this session"));
  await page.getByRole("menuitem", { name: "Delete" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: /Rename|budget|Archive/ }).count(), 0);
  assert.deepEqual(session.problems, []);
});
