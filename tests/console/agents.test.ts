// Agents in a real browser: made, found, changed, archived; what the server would refuse is told while it is typed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import {
  agentClient,
  button,
  dialogOn,
  heading,
  jsonField,
  lookUp,
  makeSampleAgent,
  path,
  type AgentClient,
} from "./agents.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import {
  chooseAct,
  chooseWorkspace,
  open,
  openMenu,
  openOwnerSession,
  pick,
  select,
} from "./person.ts";
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
const alert = (page: Page, text: string) =>
  page.getByRole("alert").filter({ hasText: text }).first();
const made = async (name: string) => {
  const found = (await client.list()).find((each) => each.name === name);
  assert.ok(found !== undefined, `${name} is not there`);
  return found;
};

test("an agent is made in the form, with tools of each kind; what is wrong is told while it is typed", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await goKeys(page, "g");
  await heading(page, "Agents").waitFor();
  await page.keyboard.press("n");
  await heading(page, "New agent").waitFor();
  const create = button(page, "Create agent");
  assert.equal(await create.isDisabled(), true);
  await label(page, "Prompt").fill("Be brief.");
  await create.click();
  // Nothing is missing before somebody tries.
  await alert(page, "Give it a name.").waitFor();
  await alert(page, "Choose a model.").waitFor();
  await label(page, "Name").fill("Order desk");
  await select(label(page, "Model"), "sim-large");
  await select(label(page, "Effort"), "medium");
  await page.getByRole("checkbox", { name: "write Writes files" }).uncheck();
  await select(page.getByRole("combobox", { name: "How bash is used" }), "always_ask");

  await button(page, "Add a custom tool").click();
  const tool = page.getByRole("group", { name: "the new tool" });
  await tool.getByLabel("What it is given").fill("{ not json");
  await tool.getByRole("alert").filter({ hasText: "This is no JSON" }).waitFor();
  assert.equal(await page.getByRole("tab", { name: "JSON" }).isDisabled(), true);
  await tool.getByLabel("What it is given").fill('{ "type": "array" }');
  await tool.getByRole("alert").filter({ hasText: "Must describe an object" }).waitFor();
  await tool.getByLabel("What it is given").fill(JSON.stringify(lookUp.input_schema));
  await tool.getByLabel("What it does").fill(lookUp.description);
  await tool.getByLabel("Name of the tool").fill("bash");
  await alert(page, "Another tool is called bash.").waitFor();
  await label(page, "Name of the tool").fill("look up");
  await alert(page, "1 to 128 letters").waitFor();
  await label(page, "Name of the tool").fill(lookUp.name);

  await button(page, "Add a server").click();
  await label(page, "Name of the server").fill("tracker");
  await label(page, "Address").fill("https://ada:secret@mcp.example.com/");
  await alert(page, "Must hold no user name and no password").waitFor();
  await create.click();
  await alert(page, "Not everything is as the server takes it").waitFor();
  await label(page, "Address").fill("https://mcp.example.com/");
  await button(page, "Add a pair").click();
  await label(page, "Key 1").fill("team");
  await label(page, "Value 1").fill("support");
  await create.click();
  await heading(page, "Order desk").waitFor();

  const agent = await made("Order desk");
  assert.equal(agent.system, "Be brief.");
  assert.equal(agent.model.effort, "medium");
  assert.deepEqual(agent.metadata, { team: "support" });
  assert.deepEqual(agent.mcp_servers, [
    { type: "url", name: "tracker", url: "https://mcp.example.com/" },
  ]);
  assert.deepEqual(
    agent.tools.map(({ type }) => type),
    ["agent_toolset_20260401", "custom", "mcp_toolset"],
  );
  assert.deepEqual(agent.tools[0]?.["configs"], [
    { name: "bash", type: "bash", enabled: true, permission_policy: { type: "always_ask" } },
    { name: "write", type: "write", enabled: false, permission_policy: { type: "always_allow" } },
  ]);
  assert.deepEqual(agent.tools[1], lookUp);
  assert.deepEqual(session.problems, []);
});

test("the JSON has what the form has no field for, and refuses what is no agent before it is sent", async () => {
  const member = await client.make({ name: "Researcher" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/new`);
  await label(page, "Name").fill("From JSON");
  await page.getByRole("tab", { name: "JSON" }).click();
  assert.match(await jsonField(page).inputValue(), /"name": "From JSON"/);
  const wrong = page.getByRole("list", { name: "What is wrong" });
  const say = async (text: string, expected: RegExp) => {
    await jsonField(page).fill(text);
    await wrong.getByText(expected).waitFor();
  };
  await say("{", /This is no JSON/);
  assert.equal(await page.getByRole("tab", { name: "Form" }).isDisabled(), true);
  await say('{ "name": "x", "model": "sim-large", "colour": 1 }', /No part of an agent/);
  await say(
    '{ "name": "x", "model": "sim-large", "tools": [{ "type": "x" }] }',
    /Its type must be/,
  );
  await say(
    JSON.stringify({
      name: "x",
      model: "sim-large",
      tools: [{ type: "agent_toolset_20260401", default_config: { permission_policy: "auto" } }],
    }),
    /A permission_policy must be such as/,
  );
  const orphan = [{ type: "url", name: "tracker", url: "https://mcp.example.com/" }];
  await say(
    JSON.stringify({ name: "x", model: "sim-large", mcp_servers: orphan }),
    /No mcp_toolset of tools names tracker/,
  );
  const multiagent = { type: "coordinator", agents: [member.id] };
  const body = { name: "From JSON", model: "sim-large", system: "Plan.", multiagent };
  await jsonField(page).fill(JSON.stringify(body));
  await wrong.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Form" }).click();
  assert.equal(await label(page, "Prompt").inputValue(), "Plan.");
  await label(page, "Description").fill("Plans.");
  await button(page, "Create agent").click();
  await heading(page, "From JSON").waitFor();
  const agent = await made("From JSON");
  assert.equal(agent.description, "Plans.");
  assert.deepEqual(agent.tools, []);
  assert.deepEqual(agent.multiagent, {
    type: "coordinator",
    agents: [{ type: "agent", id: member.id, version: 1 }],
  });
  await page.getByRole("link", { name: "Researcher" }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("what the server refuses is told at its field, in the form and in the JSON", async () => {
  const agent = await client.make({
    name: "Refused",
    tools: [{ type: "agent_toolset_20260401", configs: [{ name: "web_search" }] }],
  });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${agent.id}/edit`);
  await page.getByRole("tab", { name: "JSON" }).click();
  const text = await jsonField(page).inputValue();
  await jsonField(page).fill(
    text.replace(
      '"name": "web_search",',
      '"name": "web_search", "allowed_domains": ["not a host"],',
    ),
  );
  await button(page, "Save version 2").click();
  await alert(page, "allowed_domains").waitFor();
  await page.getByRole("tab", { name: "Form" }).click();
  await button(page, "Save version 2").click();
  const builtIn = page.getByRole("group", { name: "Built-in tools" });
  await builtIn.getByRole("alert").filter({ hasText: "allowed_domains" }).waitFor();
  assert.equal(await page.getByText("Request req_").count(), 0);
  assert.equal((await client.read(agent.id)).version, 1);
  await session.expect(/status of 400/, 2);
  assert.deepEqual(session.problems, []);
});

test("an update names what was changed and the version that it began from", async () => {
  const { agent } = await makeSampleAgent(client, "Changed");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${agent.id}`);
  await button(page, "Edit").click();
  await label(page, "Description").fill("Says something else.");
  await page.getByRole("button", { name: "Remove team" }).click();
  const [request] = await Promise.all([
    page.waitForRequest((asked) => asked.method() === "POST" && asked.url().endsWith(agent.id)),
    button(page, "Save version 4").click(),
  ]);
  assert.deepEqual(request.postDataJSON(), {
    description: "Says something else.",
    metadata: { team: null },
    version: 3,
  });
  await heading(page, "Changed").waitFor();
  const changed = await client.read(agent.id);
  assert.deepEqual(changed.tools, agent.tools);
  assert.deepEqual(changed.multiagent, agent.multiagent);
  assert.deepEqual(changed.metadata, {});
  assert.deepEqual(session.problems, []);
});

test("versions stand in a row with what each changed; an old one is shown as it was", async () => {
  const { agent } = await makeSampleAgent(client, "Told");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${agent.id}`);
  const lines = page.getByRole("list", { name: "Versions" }).getByRole("listitem");
  assert.deepEqual(
    (await lines.allInnerTexts()).map((text) => text.split("\n").filter(Boolean).slice(0, -1)),
    [
      ["Version 3", "Newest", "Tools, MCP servers, Other agents"],
      ["Version 2", "Prompt, Tools"],
      ["Version 1", "Made"],
    ],
  );
  await page.getByText("tracker", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Version 1" }).click();
  await page.getByText("Version 1 of 3").waitFor();
  await page.getByText("Answer in short sentences.").waitFor();
  assert.equal(await page.getByText("tracker", { exact: true }).count(), 0);
  await page.getByRole("link", { name: "Show the newest" }).click();
  await page.getByText("tracker", { exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("agents are found by their words; an archived one is read, and offers no acts that change it", async () => {
  const agent = await client.make({ name: "Night watch", description: "Looks after the lamps." });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByLabel("Search name, model or id").fill("the lamps");
  await page.getByText("1 agent", { exact: true }).waitFor();
  await pick(button(page, "Change Night watch"), "Archive");
  await dialogOn(page).getByText("never opens again").waitFor();
  await button(page, "Archive the agent").click();
  await page.getByText("No agent fits").waitFor();
  assert.notEqual((await client.read(agent.id)).archived_at, null);
  await page.getByLabel("Show archived").check();
  await page.getByRole("link", { name: "Night watch" }).click();
  await page.getByText("no session begins with it").waitFor();
  assert.equal(await button(page, "Edit").count(), 0);
  await openMenu(button(page, "More for this agent"));
  assert.equal(await page.getByRole("menuitem", { name: "Archive" }).count(), 0);
  await chooseAct(page, "Duplicate");
  await heading(page, "Copy of Night watch").waitFor();
  await settled(page);
  assert.equal(await label(page, "Description").inputValue(), "Looks after the lamps.");
  await button(page, "Create agent").click();
  await page.waitForURL((url) => /agents\/agent_/.test(url.href));
  assert.equal((await made("Copy of Night watch")).description, "Looks after the lamps.");
  assert.deepEqual(session.problems, []);
});

test("each workspace has its own agents; the address of one leads to where it is", async () => {
  const { organization_id: organization } = house.organizations.cloud;
  await house.world.db.query(sql`
    insert into workspaces (id, organization_id, name, is_default, created_at)
    values ('wrkspc_elsewhere', ${organization}, 'Elsewhere', false, now())`);
  const mine = await agentClient(house, "cloud").make({ name: "Mine" });
  await using session = await openOwnerSession(browser, house, {}, "cloud");
  const { page } = session;
  await open(page, house.url, path);
  await page.getByRole("link", { name: "Mine" }).waitFor();
  await chooseWorkspace(page, "Elsewhere");
  await page.getByText("No agents yet").waitFor();
  await page.keyboard.press("n");
  await label(page, "Name").fill("Theirs");
  await select(label(page, "Model"), "sim-large");
  await button(page, "Create agent").click();
  await heading(page, "Theirs").waitFor();
  assert.match(page.url(), /workspace=wrkspc_elsewhere/);
  assert.equal((await agentClient(house, "cloud").list()).length, 1);
  await open(page, house.url, `${path}/${mine.id}`);
  await heading(page, "Mine").waitFor();
  assert.doesNotMatch(page.url(), /wrkspc_elsewhere/);
  await session.expect(/status of 404/);
  assert.deepEqual(session.problems, []);
});
