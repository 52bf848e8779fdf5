// The pages of agents in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import {
  agentClient,
  button,
  dialogOn,
  jsonField,
  makeSampleAgent,
  path,
  type Agent,
  type AgentClient,
} from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  pick,
} from "./person.ts";

let house: House;
let browser: Browsers;
let client: AgentClient;
let agent: Agent;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  client = agentClient(house);
  ({ agent } = await makeSampleAgent(client));
  const old = await client.make({ name: "Last year's helper" });
  await client.ask("POST", `/agents/${old.id}/archive`);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

for (const { width, scheme } of looks) {
  test(`agents at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, `${path}?archived=shown`);
    await page.getByRole("link", { name: "Last year's helper" }).waitFor();
    await look("agents");

    await open(page, house.url, `${path}/${agent.id}`);
    await page.getByRole("list", { name: "Versions" }).getByText("Made").waitFor();
    await look("agent");
    await pick(button(page, "More for this agent"), "Archive");
    await dialogOn(page).getByText("never opens again").waitFor();
    await look("agent-archive");
    await open(page, house.url, `${path}/${agent.id}?version=1`);
    await page.getByText("Version 1 of 3").waitFor();
    await look("agent-old");
    await open(page, house.url, `${path}/${agent.id}/compare?from=1&to=3`);
    await page.getByRole("table", { name: "Prompt: what changed" }).waitFor();
    await look("agent-compare");

    await open(page, house.url, `${path}/new`);
    await page.getByLabel("Name", { exact: true }).waitFor();
    await look("agent-new");
    await open(page, house.url, `${path}/${agent.id}/edit`);
    await page.getByLabel("Name", { exact: true }).waitFor();
    await page.getByLabel("Name of the tool").fill("look up");
    await page.getByLabel("Address").fill("mcp.example.com");
    await look("agent-edit");
    await page.getByLabel("Name of the tool").fill("look_up");
    await page.getByLabel("Address").fill("https://mcp.example.com/");
    await page.getByRole("tab", { name: "JSON" }).click();
    await jsonField(page).fill('{ "name": "Support", "model": "sim-large", "colour": 3 }');
    await page.getByText("No part of an agent").waitFor();
    await look("agent-json");

    const raced = await client.make({ name: "Raced", system: agent.system });
    await open(page, house.url, `${path}/${raced.id}/edit`);
    await page.getByLabel("Description").fill("Answers what customers ask.");
    await page.getByLabel("Prompt").fill("Be brief.");
    await client.change(raced, { system: `${raced.system}Ask before you refund.\n` });
    await button(page, "Save version 2").click();
    await dialogOn(page).getByText("Both of you changed Prompt").waitFor();
    await dialogOn(page).locator("summary").click();
    await look("agent-stale");
    await client.ask("POST", `/agents/${raced.id}/archive`);
    await session.expect(/status of 409/, 1);
    assert.deepEqual(session.problems, []);
  });

  test(`no agent yet at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    const { page } = session;
    await open(page, house.url, path);
    await page.getByText("No agents yet").waitFor();
    await picture(page, `agents-none-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}
