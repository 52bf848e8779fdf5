// The work of a self-hosted environment in a real browser: what waits, who polls, and a check that a worker answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { workOf, good } from "../rules/environments-work-house.ts";
import { button } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openOwnerSession, pick } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});
const work = workOf(() => house);

test("what waits is shown with its state; a check is asked for, answered, and over", async () => {
  const hosted = await work.open();
  const { session } = await hosted.calling();
  await using opened = await openOwnerSession(browser, house);
  const { page } = opened;
  await open(page, house.url, `/console/environments/${hosted.id}`);
  const table = page.getByRole("table", { name: "Work of the environment" });
  const row = (text: string) => table.getByRole("row").filter({ hasText: text });
  await row(session).getByText("Waiting").waitFor();
  await page.getByText("None", { exact: true }).first().waitFor();

  const taken = await hosted.take();
  await hosted.beat(taken.work.id, taken.token);
  await button(page, "Check workers").click();
  await row("A check").getByText("Waiting").waitFor();
  await row(session).getByText("Worked on").waitFor();
  const check = await hosted.take();
  assert.equal(check.work.data.type, "healthcheck");
  good(await hosted.tryStop(check.work.id, check.token, { force: true }));
  await row("A check").getByText("Over").waitFor();

  await pick(button(page, `Change ${session}`), "Stop");
  await button(page, "Stop the work").click();
  await row(session).getByText("Stopping").waitFor();
  assert.equal((await hosted.read(taken.work.id)).state, "stopping");
  await row(session).getByRole("link").click();
  await page.waitForURL(new RegExp(`/console/sessions/${session}`));
  assert.deepEqual(opened.problems, []);
});
