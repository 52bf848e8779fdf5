// Deployments in a real browser: made with a schedule in words, run, paused, changed, archived; their history.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { agentClient, button, dialogOn, heading, type AgentClient } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  pick,
  picture,
  select,
} from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let browser: Browsers;
let client: AgentClient;
let helper: string;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  client = agentClient(house);
  helper = (await client.ask("POST", "/agents", { name: "Helper", model: "sim-large" })).id;
  await client.ask("POST", "/agents", { name: "Other", model: "sim-large" });
  await client.ask("POST", "/environments", { name: "python" });
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/deployments";

test("a deployment is made with its schedule in words, run, paused, changed and archived", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/new`);
  await page.getByLabel("Name", { exact: true }).fill("Nightly");
  await select(page.getByLabel("Agent", { exact: true }), helper);
  await page.getByLabel("First message").fill("Write the report.");
  const expression = page.getByLabel("Cron expression");
  const words = page.getByRole("status").filter({ hasText: /^(At|Every) / });
  await expression.fill("0 9 * * mon-fri");
  await page.getByRole("alert").filter({ hasText: '"mon-fri" is not a day of week' }).waitFor();
  await expression.fill("0 0 30 2 *");
  await page.getByRole("alert").filter({ hasText: "never fires" }).waitFor();
  await expression.fill("30 7 * * 1-5");
  await words.filter({ hasText: "At 07:30, Monday to Friday" }).waitFor();
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByRole("list", { name: "Next runs" }).getByText("07:30").first().waitFor();
  await button(page, "Create deployment").click();
  await heading(page, "Nightly").waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const read = () => client.ask("GET", `/deployments/${id}`);
  assert.deepEqual((await read()).schedule.timezone, "Europe/Berlin");
  await page.getByText("It has not run yet.").waitFor();
  await settled(page);
  await button(page, "Run now").click();
  await page.getByText("Begun", { exact: true }).waitFor();
  await page.getByRole("link", { name: /^sesn_/ }).waitFor();
  await settled(page);
  await button(page, "Pause").click();
  await page.getByText("Paused by hand").waitFor();
  await settled(page);
  await button(page, "Unpause").click();
  await button(page, "Pause").waitFor();
  await settled(page);
  await button(page, "Edit").click();
  await page.getByLabel("Cron expression").fill("0 6 * * *");
  await button(page, "Save").click();
  await heading(page, "Nightly").waitFor();
  await page.getByText("At 06:00, every day").waitFor();
  const changed = await read();
  assert.deepEqual([changed.schedule.expression, changed.name], ["0 6 * * *", "Nightly"]);
  await settled(page);
  await pick(button(page, "More for this deployment"), "Archive");
  await button(page, "Archive the deployment").click();
  await dialogOn(page).waitFor({ state: "detached" });
  await page.getByText("Archived", { exact: true }).waitFor();
  assert.notEqual((await read()).archived_at, null);
});

test("the history tells of errors and of what was missed, and looks well in both lights", async () => {
  const events = [{ type: "user.message", content: [{ type: "text", text: "Report." }] }];
  const { data } = await client.ask("GET", "/agents");
  const gone: { id: string } = await client.ask("POST", "/environments", { name: "gone" });
  const made: { id: string } = await client.ask("POST", "/deployments", {
    name: "Failing",
    agent: data[0].id,
    environment_id: gone.id,
    initial_events: events,
    schedule: { type: "cron", expression: "*/15 9-17 * * 1-5", timezone: "America/New_York" },
  });
  await client.ask("POST", `/environments/${gone.id}/archive`);
  await client.ask("POST", `/deployments/${made.id}/run`);
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into deployment_occurrences (deployment_id, nominal_at, missed, missed_until)
      values (${made.id}, '2026-11-20T09:00:00Z', 7, '2026-11-20T10:45:00Z')`),
  );
  for (const look of looks) {
    const name = `${look.width}-${look.scheme}`;
    await using session = await openOwnerSession(browser, house, look);
    const { page } = session;
    await open(page, house.url, `${path}/${made.id}`);
    await page.getByText("7 scheduled runs missed").waitFor();
    await page.getByText("The environment is archived").waitFor();
    await page.getByText("Every 15 minutes in the hours 09 to 17, Monday to Friday").waitFor();
    await settled(page);
    await looksWell(page, `deployment-${name}`);
    await open(page, house.url, `${path}/runs`);
    await page.getByRole("link", { name: "Failing" }).first().waitFor();
    await looksWell(page, `runs-${name}`);
    await open(page, house.url, path);
    await page.getByRole("link", { name: "Failing" }).first().waitFor();
    await settled(page);
    await looksWell(page, `deployments-${name}`);
    await open(page, house.url, `${path}/new`);
    await page.getByRole("list", { name: "Next runs" }).waitFor();
    await looksWell(page, `deployments-new-${name}`);
  }
});

async function looksWell(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  await expectFits(page);
  await picture(page, name);
}
