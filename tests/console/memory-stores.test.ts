// Whole stores in a real browser: found by their words, edited, exported, imported, archived, deleted, by workspace.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  dialogOn,
  field,
  writeSampleMemories,
  makeAgent,
  path,
  row,
  type Agent,
} from "./memory.ts";
import { chooseWorkspace, inPage, open, openOwnerSession, pick } from "./person.ts";

let house: House;
let browser: Browsers;
let agent: Agent;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  agent = makeAgent(house);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const line = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const act = async (page: Page, name: string) => {
  await pick(button(page, "More for this store"), name);
};

test("all memories of the workspace are searched: the words are marked, and lead to the memory", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { acme } = await writeSampleMemories(agent, "Searched");
  await open(page, house.url, path);
  await line(page, "Searched").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("identity provid");
  const found = page.getByRole("list", { name: "Memories that match" });
  // Found by the first word alone before the second one is typed.
  await found.locator("mark", { hasText: "provider" }).waitFor();
  await found.getByText("in Searched").waitFor();
  assert.deepEqual(await found.locator("mark").allInnerTexts(), ["identity", "provider"]);
  await found.getByRole("link", { name: "/customers/acme.md" }).click();
  await field(page).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("memory"), acme.id);
  await row(page, "acme.md").waitFor();
  await page.goBack();
  await found.waitFor();
  assert.equal(await page.getByLabel("Search all memories").inputValue(), "identity provid");
  await page.getByLabel("Search all memories").fill("nothing-of-this-kind");
  await page.getByText("Nothing says that").waitFor();
  assert.deepEqual(session.problems, []);
});

test("what a store says of itself is edited; archived it is read only; it is deleted by its name", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { store, acme } = await writeSampleMemories(agent, "Edited");
  await open(page, house.url, `${path}/${store.id}`);
  await act(page, "Edit details");
  const dialog = dialogOn(page);
  await dialog.getByLabel("Name").fill("Edited twice");
  await dialog.getByLabel("Description").fill("Says something else.");
  await dialog.getByRole("button", { name: "Remove team" }).click();
  await button(page, "Add a pair").click();
  await dialog.getByLabel("Key 1").fill("owner");
  await dialog.getByLabel("Value 1").fill("sales");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Edited twice", exact: true }).waitFor();
  const edited = await agent.ask("GET", `/${store.id}`);
  assert.deepEqual(edited.metadata, { owner: "sales" });
  assert.equal(edited.description, "Says something else.");

  await act(page, "Archive");
  await dialog.getByText("An archived store never opens again").waitFor();
  await button(page, "Archive the store").click();
  await page.getByText("Archived: read only").waitFor();
  await row(page, "customers").click();
  await row(page, "acme.md").click();
  assert.equal(await field(page).isEditable(), false);
  assert.equal(await button(page, "Save").count(), 0);
  await page.keyboard.press("n");
  assert.equal(await page.getByLabel("Path of the new memory").count(), 0);
  assert.equal(new URL(page.url()).searchParams.get("memory"), acme.id);

  await act(page, "Delete store");
  await dialog.getByText("every version of them").waitFor();
  const remove = button(page, "Delete the store");
  assert.equal(await remove.isDisabled(), true);
  await dialog.getByLabel("Type Edited twice to go on").fill("Edited twice");
  await remove.click();
  await page.getByRole("heading", { name: "Memory", exact: true }).waitFor();
  await page.getByLabel("Show archived").check();
  await line(page, "Edited twice").waitFor({ state: "detached" });
  await open(page, house.url, `${path}/${store.id}`);
  await page.getByRole("alert").getByText("memory store").waitFor();
  await session.expect(/status of 404/);
  assert.deepEqual(session.problems, []);
});

/** Lets a file fall onto the page, as a hand would. */
const drop = (page: Page, name: string, bytes: Buffer) =>
  inPage(
    page,
    `{
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(${JSON.stringify(bytes.toString("base64"))}), (c) => c.charCodeAt(0));
      data.items.add(new File([bytes], ${JSON.stringify(name)}));
      for (const type of ["dragenter", "dragover", "drop"])
        document.querySelector("h1").dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
    }`,
  );

test("a store goes out as a tar and comes in again with its history; what is no tar is told", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { store } = await writeSampleMemories(agent, "Taken home");
  await open(page, house.url, `${path}/${store.id}`);
  const [download] = await Promise.all([page.waitForEvent("download"), act(page, "Export as tar")]);
  assert.equal(download.suggestedFilename(), "Taken home.tar");
  const tar = readFileSync(await download.path());

  await open(page, house.url, path);
  const dialog = dialogOn(page);
  await drop(page, "broken.tar", Buffer.from("this is no tar at all, only some words"));
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByRole("alert").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await drop(page, "home.tar", tar);
  await dialog.getByText("home.tar").waitFor();
  await dialog.getByLabel("Name").fill("Back again");
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("with 4 memories in 7 versions").waitFor();
  await dialog.getByRole("link", { name: "Open the store" }).click();
  await page.getByRole("heading", { name: "Back again", exact: true }).waitFor();
  await row(page, "customers").click();
  await row(page, "acme.md").waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByText("7 versions").waitFor();
  await page.getByText("Came with an import").first().waitFor();
  await session.expect(/status of 400/, 1);
  assert.deepEqual(session.problems, []);
});

test("another workspace: its stores, its memories and its search, and no others", async () => {
  const { organization_id: organization } = house.organizations.cloud;
  await house.world.db.query(sql`
    insert into workspaces (id, organization_id, name, is_default, created_at)
    values ('wrkspc_elsewhere', ${organization}, 'Elsewhere', false, now())`);
  const here = makeAgent(house, "cloud");
  const mine = await here.store("Mine");
  await here.write(mine, "/mine.md", "A common word.\n");
  await using session = await openOwnerSession(browser, house, {}, "cloud");
  const { page } = session;
  await open(page, house.url, path);
  await line(page, "Mine").waitFor();
  await chooseWorkspace(page, "Elsewhere");
  await page.getByText("No memory stores yet").waitFor();
  await page.keyboard.press("n");
  await dialogOn(page).getByLabel("Name").fill("Theirs");
  await page.keyboard.press("Enter");
  await page.getByText("No memories yet").waitFor();
  assert.match(page.url(), /workspace=wrkspc_elsewhere/);
  await dialogOn(page).waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.getByLabel("Path of the new memory").fill("/theirs.md");
  await page.getByLabel("Text of the new memory").fill("A common word.\n");
  await page.keyboard.press("Control+s");
  await row(page, "theirs.md").waitFor();
  await page.getByRole("link", { name: "All memory stores" }).click();
  await page.getByLabel("Search all memories").fill("common");
  await page.getByRole("link", { name: "/theirs.md" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "/mine.md" }).count(), 0);
  assert.equal((await here.ask("GET", "")).data.length, 1);
  assert.deepEqual(session.problems, []);
});
