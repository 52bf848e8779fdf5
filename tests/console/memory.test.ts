// Memory stores in a real browser: made, filled, changed against others who change them too, found again, deleted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import { customers, dialogOn, field, makeAgent, path, row, save, tree } from "./memory.ts";
import { inPage, open, openOwnerSession, pick } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const toast = (page: Page, text: string) => page.locator(".toasts").getByText(text);
const typed = (page: Page) => field(page).inputValue();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("a text that turns the direction of reading says so", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const agent = makeAgent(house);
  const store = await agent.store("Turned");
  const plain = await agent.write(store, "/plain.md", "Pay Ada.");
  const turned = await agent.write(store, "/turned.md", "Pay \u202eadA.");
  for (const { id, words } of [
    { id: plain.id, words: 0 },
    { id: turned.id, words: 1 },
  ]) {
    await open(page, house.url, `/console/memory/${store.id}?memory=${id}`);
    await field(page).waitFor();
    assert.equal(await page.getByText("turn the direction").count(), words);
  }
});

test("from nothing to a memory, by the keyboard alone", async () => {
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  const agent = makeAgent(house, "other");
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await open(page, house.url, "/console/");
  await goKeys(page, "e");
  await page.getByText("No memory stores yet").waitFor();
  await press("n");
  await dialogOn(page).getByLabel("Name").waitFor();
  await page.keyboard.type("Notes");
  await press("Enter");
  await page.getByRole("heading", { name: "Notes" }).waitFor();
  await toast(page, "Notes is there").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Notes" }).count(), 1, "a toast is none");
  await page.getByText("No memories yet").waitFor();
  // As long as it fades, keys go to its field.
  await dialogOn(page).waitFor({ state: "detached" });
  await press("n");
  await page.getByLabel("Path of the new memory").waitFor();
  await page.keyboard.type("notes//today");
  await press("Tab");
  await page.keyboard.type("Rain.");
  await press("Control+s");
  await page.getByText("Must have no empty segment").waitFor();
  await page.getByLabel("Path of the new memory").fill("/notes/today.md");
  await press("Control+s");
  await page.getByRole("heading", { name: "/notes/today.md", exact: true }).waitFor();
  assert.equal(await typed(page), "Rain.");
  await row(page, "today.md").waitFor();

  await press("Escape", "e", "Control+End");
  await page.keyboard.type(" And sun.");
  await page.getByText("Not saved").waitFor();
  await press("Control+s");
  await toast(page, "Saved").waitFor();
  const [only] = await agent.list({ id: page.url().split("/").at(-1)!.split("?")[0]!, name: "" });
  assert.deepEqual([only?.path, only?.content], ["/notes/today.md", "Rain. And sun."]);

  // Escape leads to the tree: up to the folder, closed and opened again, down to the memory, renamed, deleted.
  await press("Escape", "Home", "ArrowLeft");
  await row(page, "today.md").waitFor({ state: "detached" });
  await press("ArrowRight", "ArrowDown", "F2");
  await dialogOn(page).getByLabel("Path").fill("/notes/monday.md");
  await press("Enter");
  await page.getByRole("heading", { name: "/notes/monday.md", exact: true }).waitFor();
  await row(page, "monday.md").waitFor();
  await dialogOn(page).waitFor({ state: "detached" });
  await press("t", "End", "Delete");
  await dialogOn(page).getByText("gone for every reader at once").waitFor();
  await dialogOn(page).getByRole("button", { name: "Delete the memory" }).click();
  await page.getByText("No memories yet").waitFor();
  await session.expect(/status of 400/, 1);
  assert.deepEqual(session.problems, []);
});

test("who writes over somebody else's change sees both sides, and loses neither", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const agent = makeAgent(house);
  const store = await agent.store("Conflicts");
  const acme = await agent.write(store, "/acme.md", customers);
  await open(page, house.url, `${path}/${store.id}?memory=${acme.id}`);
  const mine = customers.replace("before noon", "after lunch");
  await field(page).fill(mine);
  const theirs = customers.replace("40 seats", "90 seats");
  await agent.change(store, acme, { content: theirs });

  const dialog = dialogOn(page);
  await save(page).click();
  await dialog.getByText("Mine, not saved").waitFor();
  await dialog.getByText("First API key").waitFor();
  const table = dialog.getByRole("table", { name: "Theirs and mine" });
  assert.deepEqual(await table.locator("del").allInnerTexts(), ["before noon", "90"]);
  assert.deepEqual(await table.locator("ins").allInnerTexts(), ["after lunch", "40"]);
  // Deciding later keeps what was typed.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await typed(page), mine);
  await button(page, "See both").click();

  await dialog.getByRole("button", { name: "Take theirs" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await typed(page), theirs);
  await button(page, "Bring it back").click();
  assert.equal(await typed(page), mine);
  // Over what is there now it is a change like any other; somebody is faster once more.
  const again = theirs.replace("Acme", "Acme Corporation");
  await agent.change(store, acme, { content: again });
  await save(page).click();
  await dialog.getByRole("button", { name: "Edit a merged text" }).click();
  await toast(page, "Both changes are in the text").waitFor();
  const merged = mine.replace("# Acme", "# Acme Corporation");
  assert.equal(await typed(page), merged);
  await save(page).click();
  await toast(page, "Saved").waitFor();
  assert.equal((await agent.read(store, acme)).content, merged);

  // Knowingly over theirs.
  await field(page).fill("All mine.\n");
  await agent.change(store, acme, { content: "All theirs.\n" });
  await page.keyboard.press("Control+s");
  await dialog.getByRole("button", { name: "Overwrite theirs with mine" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Not saved").waitFor({ state: "detached" });
  assert.equal((await agent.read(store, acme)).content, "All mine.\n");
  await session.expect(/status of 409/, 3);
  assert.deepEqual(session.problems, []);
});

test("what is deleted while somebody types is created again; whoever leaves a text unsaved is asked", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const agent = makeAgent(house);
  const store = await agent.store("Gone");
  const [one, two] = [
    await agent.write(store, "/one.md", "One.\n"),
    await agent.write(store, "/two.md", "Two.\n"),
  ];
  await open(page, house.url, `${path}/${store.id}?memory=${one.id}`);
  await field(page).fill("One and more.\n");
  await row(page, "two.md").click();
  await dialogOn(page).getByText("What you typed is not saved yet").waitFor();
  await button(page, "Stay").click();
  await dialogOn(page).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await goKeys(page, "b");
  await button(page, "Stay").click();
  assert.equal(await typed(page), "One and more.\n");

  await agent.remove(store, one);
  await save(page).click();
  await page.getByText("This memory was deleted. Its text is still here").waitFor();
  assert.equal(await typed(page), "One and more.\n");
  await button(page, "Create it again").click();
  await page.getByText("This memory was deleted").waitFor({ state: "detached" });
  const found = (await agent.list(store)).find((memory) => memory.path === "/one.md");
  assert.equal(found?.content, "One and more.\n");
  assert.notEqual(found?.id, one.id);

  await field(page).fill("Never saved.\n");
  await row(page, "two.md").click();
  await button(page, "Leave without saving").click();
  await page.getByRole("heading", { name: "/two.md" }).waitFor();
  assert.equal(await typed(page), "Two.\n");
  assert.equal((await agent.read(store, { id: found?.id ?? "" })).content, "One and more.\n");
  assert.equal(two.id, new URL(page.url()).searchParams.get("memory"));
  await session.expect(/status of 404/);
  assert.deepEqual(session.problems, []);
});

test("size and line ends: what is too long is told before it is sent, CR LF stays CR LF", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const agent = makeAgent(house);
  const store = await agent.store("Sizes");
  const windows = await agent.write(store, "/windows.txt", "one\r\ntwo\r\n");
  await open(page, house.url, `${path}/${store.id}?memory=${windows.id}`);
  await page.getByText("10 of 102,400 bytes").waitFor();
  await field(page).fill("one\ntwo\nthree\n");
  await page.getByText("17 of 102,400 bytes").waitFor();
  await save(page).click();
  await toast(page, "Saved").waitFor();
  assert.equal((await agent.read(store, windows)).content, "one\r\ntwo\r\nthree\r\n");
  await field(page).fill(`é${"x".repeat(102_399)}`);
  await page.getByText("102,401 of 102,400 bytes: split it").waitFor();
  assert.equal(await save(page).isDisabled(), true);
  await field(page).fill(`é${"x".repeat(102_398)}`);
  await save(page).click();
  await page.getByText("Not saved").waitFor({ state: "detached" });
  assert.equal((await agent.read(store, windows)).content.length, 102_399);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pick(button(page, "More for this memory"), "Download"),
  ]);
  assert.equal(download.suggestedFilename(), "windows.txt");
  assert.equal(readFileSync(await download.path()).length, 102_400);
  assert.deepEqual(session.problems, []);
});

/** Lets files fall onto an element, as a hand would. */
const drop = (page: Page, selector: string, files: Record<string, string | number[]>) =>
  inPage(
    page,
    `{
      const data = new DataTransfer();
      for (const [name, content] of Object.entries(${JSON.stringify(files)}))
        data.items.add(new File([Array.isArray(content) ? new Uint8Array(content) : content], name));
      const target = document.querySelector(${JSON.stringify(selector)});
      for (const type of ["dragenter", "dragover", "drop"])
        target.dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
    }`,
  );

test("text files that fall on a folder become memories; others are told why not, and nothing is replaced unasked", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const agent = makeAgent(house);
  const store = await agent.store("Drops");
  await agent.write(store, "/notes/a.md", "Mine.\n");
  await agent.write(store, "/notes/b.md", "Stays.\n");
  await open(page, house.url, `${path}/${store.id}`);
  await row(page, "notes").waitFor();
  await drop(page, '[data-folder="/notes/"]', {
    "a.md": "Dropped.\n",
    "b.md": "Other.\n",
    "c.md": "\ufeffNew.\r\n",
    "picture.png": [0x89, 0x50, 0x4e, 0x47, 0, 0xff],
    "long.txt": "x".repeat(102_401),
  });
  const dialog = dialogOn(page);
  await dialog.getByText("not a text in UTF-8").waitFor();
  await dialog.getByText("a memory holds up to 102,400 bytes").waitFor();
  await dialog.getByRole("button", { name: "Add 3 memories" }).click();
  const line = (name: string) => dialog.getByRole("listitem").filter({ hasText: name });
  await line("/notes/c.md").getByText("Added").waitFor();
  await line("/notes/a.md").getByRole("button", { name: "Replace it" }).click();
  await line("/notes/a.md").getByText("Replaced").waitFor();
  await line("/notes/b.md").getByRole("button", { name: "Keep it" }).click();
  await line("/notes/b.md").getByText("Skipped").waitFor();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await row(page, "notes").click();
  await row(page, "c.md").waitFor();
  const texts = (await agent.list(store)).map(({ path, content }) => [path, content]);
  assert.deepEqual(texts, [
    ["/notes/a.md", "Dropped.\n"],
    ["/notes/b.md", "Stays.\n"],
    ["/notes/c.md", "\ufeffNew.\r\n"],
  ]);
  await session.expect(/status of 409/, 2);
  assert.deepEqual(session.problems, []);
});

test("a store of two thousand memories: in pages, by the filter, and by the address of one far down", async () => {
  await using session = await openOwnerSession(browser, house, {}, "cloud");
  const { page } = session;
  const agent = makeAgent(house, "cloud");
  const store = await agent.store("Many");
  const name = (at: number) => `m${String(at).padStart(4, "0")}.md`;
  const made: { id: string }[] = [];
  for (let from = 0; from < 2_000; from += 100)
    made.push(
      ...(await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          agent.write(store, `/long/${name(from + at)}`, `Memory ${from + at}.\n`),
        ),
      )),
    );
  await open(page, house.url, `${path}/${store.id}`);
  await page.getByText("This store is full: 2,000 memories.").waitFor();
  await row(page, "long").click();
  await row(page, name(0)).waitFor();
  await tree(page).focus();
  // The end is where the next page is asked for, until there is none.
  const last = row(page, name(1_999));
  while ((await last.count()) === 0) await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await row(page, name(0)).waitFor();
  const drawn = await tree(page).getByRole("treeitem").count();
  assert.ok(drawn < 80, `${drawn} rows are drawn`);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `/long/${name(1_999)}` }).waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("m07 5");
  await page.getByText("19 of 2,000 memories").waitFor();
  await row(page, `/long/${name(775)}`).click();
  await page.getByRole("heading", { name: `/long/${name(775)}` }).waitFor();
  assert.equal(await typed(page), "Memory 775.\n");

  await open(page, house.url, `${path}/${store.id}?memory=${made[1_234]!.id}`);
  await row(page, name(1_234)).and(page.locator("[aria-selected=true]")).waitFor();
  await page.getByText("Memory 1234.").waitFor();
  assert.deepEqual(session.problems, []);
});

test("whoever may not use workspaces is offered no memory", async () => {
  await house.world.db.query(sql`
    update users set role = 'membership_admin'
    where organization_id = ${house.organizations.enterprise.organization_id}`);
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, "/console/");
  assert.equal(await page.getByRole("link", { name: "Memory" }).count(), 0);
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Overview" }).waitFor();
  assert.equal(await page.getByRole("option", { name: /memory/i }).count(), 0);
  assert.deepEqual(session.problems, []);
});
