// Vaults in a real browser: made, filled, tried, changed, named by a session, archived, deleted. No secret is shown.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { localNetwork } from "../rules/federation-house.ts";
import { openProvider, type Provider } from "../rules/vaults-house.ts";
import { agentClient, button, dialogOn, heading, type AgentClient } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  pick,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
let client: AgentClient;
let provider: Provider;
before(async () => {
  [house, browser, provider] = await Promise.all([
    openHouse({ sections: localNetwork }),
    openBrowser(),
    openProvider(),
  ]);
  client = agentClient(house);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

const path = "/console/vaults";

test("a vault is made and filled, a credential is tried and changed, and no secret is shown", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, path);
  await page.keyboard.press("n");
  await dialog.getByLabel("Name", { exact: true }).fill("Support");
  await button(page, "Create vault").click();
  await dialog.waitFor({ state: "detached" });
  await heading(page, "Support").waitFor();

  await button(page, "Add credential").click();
  await dialog.getByLabel("Display name").fill("Wiki");
  await dialog.getByRole("radio", { name: "OAuth" }).check();
  await dialog.getByLabel("Address of the MCP server").fill(`${provider.url}/mcp`);
  await dialog.getByLabel("Access token").fill("planted-stale");
  await dialog.getByLabel("Renew it with a refresh token").check();
  await dialog.getByLabel("Token endpoint").fill(`${provider.url}/token`);
  await dialog.getByLabel("Client id").fill("client");
  await dialog.getByLabel("Refresh token", { exact: true }).fill(provider.refreshToken);
  await select(dialog.getByLabel("How the client proves who it is"), "client_secret_post");
  await dialog.getByLabel("Client secret").fill("planted-client");
  await button(page, "Add credential").last().click();
  await dialog.waitFor({ state: "detached" });
  const list = page.getByRole("table", { name: "Credentials of the vault" });
  await list.getByText("Wiki").waitFor();
  await list.getByText("Renewed by itself").waitFor();

  const menu = button(page, "Change Wiki");
  await pick(menu, "Test");
  await dialog.getByText("Valid", { exact: true }).waitFor();
  await dialog.getByText("The token was renewed first.").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await pick(menu, "Edit");
  assert.equal(await dialog.getByLabel("New access token").inputValue(), "");
  await dialog.getByLabel("New access token").fill("planted-wrong");
  await dialog.getByLabel("Scope").fill("read");
  const [request] = await Promise.all([
    page.waitForRequest((asked) => asked.method() === "POST" && asked.url().includes("vcrd_")),
    button(page, "Save").click(),
  ]);
  assert.deepEqual(request.postDataJSON(), {
    auth: {
      type: "mcp_oauth",
      access_token: "planted-wrong",
      expires_at: null,
      refresh: { scope: "read" },
    },
  });
  await dialog.waitFor({ state: "detached" });
  assert.doesNotMatch(await page.content(), /planted/);
  assert.deepEqual(session.problems, []);
});

test("a session names a vault, and the vault says who uses it; it is archived and deleted", async () => {
  const vault = (await client.ask("POST", "/vaults", { display_name: "Of a team" })) as {
    id: string;
  };
  await client.make({ name: "Helper" });
  await client.ask("POST", "/environments", { name: "lab", config: { type: "self_hosted" } });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, "/console/sessions/new");
  await page.getByRole("checkbox", { name: "Of a team" }).check();
  await page.getByLabel("Title").fill("With a vault");
  await button(page, "Begin the session").click();
  await page.getByRole("list", { name: "Vaults" }).getByRole("link", { name: "Of a team" }).click();
  await heading(page, "Of a team").waitFor();
  const users = page.getByRole("table", { name: "Sessions with this vault" });
  await users.getByRole("link", { name: "With a vault" }).waitFor();

  await pick(button(page, "More for this vault"), "Archive");
  await button(page, "Archive the vault").click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("its secrets are destroyed").waitFor();
  await pick(button(page, "More for this vault"), "Delete");
  await dialog.getByRole("textbox").fill("Of a team");
  await button(page, "Delete the vault").click();
  await dialog.waitFor({ state: "detached" });
  await heading(page, "Vaults").waitFor();
  const gone = await house.ask("GET", `/v1/vaults/${vault.id}`, {
    key: house.organizations.platform.api_key,
    headers: { "vendor-beta": "managed-agents-2026-04-01" },
  });
  assert.equal(gone.status, 404);
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks)
  test(`the pages of vaults at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, path);
    await page.getByRole("link", { name: "Support" }).waitFor();
    await look("vaults");
    await page.getByRole("link", { name: "Support" }).click();
    await page.getByText("Wiki").first().waitFor();
    await look("vault");
    await button(page, "Add credential").click();
    await dialogOn(page).getByRole("radio", { name: "OAuth" }).check();
    await dialogOn(page).getByLabel("Renew it with a refresh token").check();
    await look("vault-credential");
  });
