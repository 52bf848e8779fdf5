// Two people change one agent, and two versions are held against each other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import {
  agentClient,
  button,
  dialogOn,
  heading,
  makeSampleAgent,
  path,
  type AgentClient,
} from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { inPage, open, openOwnerSession, select } from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let browser: Browsers;
let client: AgentClient;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  client = agentClient(house);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const label = (page: Page, name: string) => page.getByLabel(name, { exact: true });

/** An edit of version 1 whose save meets version 2. */
async function edited(page: Page, name: string) {
  const agent = await client.make({ name, system: "One.", metadata: { team: "a", old: "yes" } });
  await open(page, house.url, `${path}/${agent.id}/edit`);
  await label(page, "Description").fill("Mine.");
  await label(page, "Prompt").fill("Mine, too.");
  await button(page, "Remove old").click();
  await client.change(agent, {
    name: `${name} of theirs`,
    system: "Theirs.",
    metadata: { team: "b" },
  });
  await button(page, "Save version 2").click();
  await dialogOn(page).getByText("You began from version 1").waitFor();
  return agent;
}

test("a stale edit tells what each changed, and goes on with mine on theirs", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const agent = await edited(page, "Raced");
  const dialog = dialogOn(page);
  await dialog.getByText("Name, Prompt, Metadata", { exact: true }).waitFor();
  await dialog.getByText("Description, Prompt, Metadata", { exact: true }).waitFor();
  await dialog.getByText("Both of you changed Prompt, Metadata").waitFor();
  await dialog.locator("summary").click();
  await dialog.getByRole("table", { name: "Prompt: what changed" }).getByText("Theirs.").waitFor();
  assert.equal((await client.read(agent.id)).system, "Theirs.");

  await button(page, "Put mine on theirs").click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await label(page, "Name").inputValue(), "Raced of theirs");
  assert.equal(await label(page, "Prompt").inputValue(), "Mine, too.");
  await button(page, "Save version 3").click();
  await heading(page, "Raced of theirs").waitFor();
  const { version, system, description, metadata } = await client.read(agent.id);
  assert.deepEqual([version, system, description], [3, "Mine, too.", "Mine."]);
  assert.deepEqual(metadata, { team: "b" });
  await session.expect(/status of 409/, 1);
  assert.deepEqual(session.problems, []);
});

test("a stale edit is kept while one looks, or given up for theirs", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const agent = await edited(page, "Dropped");
  await button(page, "Go on editing").click();
  await dialogOn(page).waitFor({ state: "detached" });
  await page.getByText("Not saved: version 2 was saved while you were editing").waitFor();
  assert.equal(await label(page, "Prompt").inputValue(), "Mine, too.");
  await button(page, "Save version 2").click();
  await button(page, "Drop mine, take theirs").click();
  await dialogOn(page).waitFor({ state: "detached" });
  await button(page, "Save version 3").waitFor();
  assert.equal(await label(page, "Prompt").inputValue(), "Theirs.");
  assert.equal(await label(page, "Description").inputValue(), "");
  assert.equal(await button(page, "Save version 3").isDisabled(), true);
  assert.equal((await client.read(agent.id)).version, 2);
  await session.expect(/status of 409/, 2);
  assert.deepEqual(session.problems, []);
});

test("an agent that is archived meanwhile: what is typed stays, and its save tells why it is none", async () => {
  const agent = await client.make({ name: "Closed" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${agent.id}/edit`);
  await label(page, "Prompt").fill("A long text.");
  await client.ask("POST", `/agents/${agent.id}/archive`);
  // As when a person comes back to the window: what is shown is read again.
  await inPage(page, 'window.dispatchEvent(new Event("visibilitychange"))');
  await settled(page);
  assert.equal(await label(page, "Prompt").inputValue(), "A long text.");
  await button(page, "Save version 2").click();
  await page.getByRole("alert").filter({ hasText: "archived" }).waitFor();
  assert.equal(await label(page, "Prompt").inputValue(), "A long text.");
  await page.reload();
  await page.getByText("nothing of it changes any more").waitFor();
  await session.expect(/status of 400/, 1);
  assert.deepEqual(session.problems, []);
});

test("any two versions are compared part by part: texts by their lines, the rest as JSON", async () => {
  const { agent } = await makeSampleAgent(client, "Compared");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${agent.id}`);
  await page.getByLabel("Compare version 1").check();
  await page.getByLabel("Compare version 3").check();
  await page.keyboard.press("c");
  await page.getByText("from version 1 to version 3").waitFor();
  await settled(page);
  const prompt = page.getByRole("table", { name: "Prompt: what changed" });
  assert.deepEqual(await prompt.locator("del").allInnerTexts(), ["short"]);
  assert.deepEqual(await prompt.locator("ins").allInnerTexts(), ["two", " at most"]);
  const tools = page.getByRole("table", { name: "Tools: what changed" });
  await tools.getByText('"docs.example.com"').waitFor();
  await page.getByText("The same in both: Name, Description, Model, Skills").waitFor();

  await select(page.getByRole("combobox", { name: "From version" }), "2");
  await page.getByText("from version 2 to version 3").waitFor();
  await prompt.waitFor({ state: "detached" });
  await page.getByRole("table", { name: "MCP servers: what changed" }).waitFor();
  await select(page.getByRole("combobox", { name: "To version" }), "2");
  await page.getByText("There is no difference.").waitFor();
  assert.deepEqual(session.problems, []);
});
