// Environments in a real browser: made, changed, archived, deleted; keys of workers that are shown once and revoked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { fakeProbe } from "../rules/fake-probe.ts";
import { agentClient, button, dialogOn, heading, type AgentClient } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openOwnerSession, pick } from "./person.ts";

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

const path = "/console/environments";
const make = (body: object): Promise<{ id: string }> => client.ask("POST", "/environments", body);
const read = (id: string) => client.ask("GET", `/environments/${id}`);
const idOf = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";

test("an environment of this server is made with its hosts and packages, and changed part by part", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, path);
  await page.keyboard.press("n");
  await dialog.getByLabel("Name", { exact: true }).fill("python");
  await dialog.getByRole("radio", { name: "Only what is named" }).check();
  await dialog.getByLabel("Hosts", { exact: true }).fill("https://api.example.com");
  await dialog.getByRole("alert").filter({ hasText: "a name alone" }).waitFor();
  await dialog.getByLabel("Hosts", { exact: true }).fill("api.example.com\n*.example.org");
  await dialog.locator("summary").first().click();
  await dialog.getByLabel("Python, pip").fill("numpy==2.0\npandas");
  await dialog.getByRole("alert").filter({ hasText: "cannot be installed" }).waitFor();
  await button(page, "Create environment").click();
  await dialog.getByText("Not everything is as the server takes it").waitFor();
  await dialog.getByLabel("Package managers", { exact: true }).check();
  await button(page, "Create environment").click();
  await heading(page, "python").waitFor();
  const id = idOf(page);
  const { config } = await read(id);
  assert.deepEqual(config.networking, {
    type: "limited",
    allowed_hosts: ["api.example.com", "*.example.org"],
    allow_mcp_servers: false,
    allow_package_managers: true,
  });
  assert.deepEqual(config.packages.pip, ["numpy==2.0", "pandas"]);

  await button(page, "Edit").click();
  await dialog.locator("summary").first().click();
  await dialog.getByLabel("JavaScript, npm").fill("left pad\u0007");
  await button(page, "Save").click();
  await dialog.getByRole("alert").filter({ hasText: "must be a package" }).waitFor();
  await dialog.getByLabel("JavaScript, npm").fill("left-pad");
  const [request] = await Promise.all([
    page.waitForRequest((asked) => asked.method() === "POST" && asked.url().endsWith(id)),
    button(page, "Save").click(),
  ]);
  assert.deepEqual(request.postDataJSON(), {
    config: { type: "cloud", packages: { npm: ["left-pad"] } },
  });
  await dialog.waitFor({ state: "detached" });
  await page.getByText("left-pad").waitFor();
  await session.expect(/status of 400/, 1);
  assert.deepEqual(session.problems, []);
});

test("an environment asks for guarantees and gives less; what the machine lacks is warned of", async () => {
  fakeProbe(house.world, { disk: "best_effort" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  const { id } = await make({ name: "careful" });
  await open(page, house.url, `${path}/${id}`);
  await page.getByText("Made of words.").waitFor();
  const held = page.getByRole("table", { name: "Guarantees of sandboxes" });
  const disk = held.getByRole("row").filter({ hasText: "Disk" });
  await disk.getByText("Best effort").waitFor();
  assert.equal(await held.getByText("Asked for").count(), 0);

  await button(page, "Edit").click();
  await dialog.locator("summary").nth(1).click();
  await dialog.getByText("Here: best effort").waitFor();
  await dialog.getByRole("checkbox", { name: "Disk" }).check();
  await dialog.getByRole("checkbox", { name: "Memory" }).check();
  const memory = dialog.getByLabel("Most memory, in MiB");
  await memory.fill("many");
  await dialog.getByRole("alert").filter({ hasText: "A whole number." }).waitFor();
  await memory.fill("1025");
  await dialog.getByRole("alert").filter({ hasText: "At most 1,024 MiB." }).waitFor();
  await memory.fill("256");
  await dialog.getByLabel("Most processors").fill("0.5");
  await button(page, "Save").click();
  await dialog.waitFor({ state: "detached" });
  const asked = { guarantees: ["memory", "disk"], memory_mib: 256, cpus: 0.5 };
  assert.deepEqual((await read(id)).config.sandbox, asked);
  await page.getByRole("alert").filter({ hasText: "it asks for disk" }).waitFor();
  await disk.getByText("Asked for").waitFor();
  await page
    .getByLabel("What a sandbox may use")
    .getByText("256 MiB", { exact: true })
    .first()
    .waitFor();

  await button(page, "Edit").click();
  await dialog.locator("summary").nth(1).click();
  for (const name of ["Disk", "Memory"]) await dialog.getByRole("checkbox", { name }).uncheck();
  for (const name of ["Most memory, in MiB", "Most processors"])
    await dialog.getByLabel(name).fill("");
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.method() === "POST" && sent.url().endsWith(id)),
    button(page, "Save").click(),
  ]);
  assert.deepEqual(request.postDataJSON(), { config: { type: "cloud", sandbox: {} } });
  await dialog.waitFor({ state: "detached" });
  assert.equal((await read(id)).config.sandbox, undefined);
  assert.deepEqual(session.problems, []);
});

test("a self-hosted one has keys: the secret is shown once, and a revoked key stays on the list", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, `${path}?new=environment`);
  await dialog.getByLabel("Name", { exact: true }).fill("ours");
  await dialog.getByRole("radio", { name: "Self-hosted" }).check();
  assert.equal(await dialog.getByText("What it reaches").count(), 0);
  await button(page, "Create environment").click();
  await page.getByText("no worker can take work").waitFor();
  const id = idOf(page);
  assert.deepEqual((await read(id)).config, { type: "self_hosted" });

  await button(page, "Create key").click();
  await dialog.getByLabel("Name", { exact: true }).fill("worker 1");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const secret = await dialog.getByLabel("Secret of worker 1").innerText();
  assert.match(secret, /^sk-plinth-env-/);
  assert.equal(await button(page, "Done").isDisabled(), true);
  await button(page, "Copy secret").click();
  await button(page, "Done").click();
  const keys = page.getByRole("table", { name: "Keys of the environment" });
  await keys.getByRole("row").filter({ hasText: "worker 1" }).getByText("Active").waitFor();
  await page.getByText(secret).waitFor({ state: "detached" });
  await pick(button(page, "Change worker 1"), "Revoke");
  await button(page, "Revoke the key").click();
  await keys.getByRole("row").filter({ hasText: "worker 1" }).getByText("Revoked").waitFor();
  assert.equal(await button(page, "Change worker 1").count(), 0);
  const { data } = await client.ask("GET", `/environments/${id}/keys`);
  assert.notEqual(data[0].revoked_at, null);
  assert.deepEqual(session.problems, []);
});

test("an archived environment is read only; a deleted one is gone from the list", async () => {
  const { id } = await make({ name: "Old one", description: "Of last year." });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${id}`);
  await pick(button(page, "More for this environment"), "Archive");
  await button(page, "Archive the environment").click();
  await page.getByText("no session begins in it").waitFor();
  assert.equal(await button(page, "Edit").count(), 0);
  await pick(button(page, "More for this environment"), "Delete");
  const remove = button(page, "Delete the environment");
  assert.equal(await remove.isDisabled(), true);
  await dialogOn(page).getByLabel("Type Old one to go on").fill("Old one");
  await remove.click();
  await heading(page, "Environments").waitFor();
  await page.getByLabel("Show archived").check();
  await page.getByLabel("Search name or id").fill("last year");
  await page.getByText("No environment fits").waitFor();
  assert.deepEqual(session.problems, []);
});
