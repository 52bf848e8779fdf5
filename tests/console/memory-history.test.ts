// The past of memories in a real browser: who did what, two versions side by side, brought back, redacted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  customers,
  customersLater,
  dialogOn,
  field,
  writeSampleMemories,
  makeAgent,
  path,
  versions,
  type Agent,
} from "./memory.ts";
import { expectFits, inPage, open, openOwnerSession, pick, select } from "./person.ts";

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
/** The line of a version in the timeline. */
const line = (page: Page, text: string) =>
  versions(page)
    .getByRole("listitem")
    .filter({ has: page.getByRole("checkbox") })
    .filter({ hasText: text });
const compared = (page: Page) => page.getByRole("table", { name: "What changed" });

test("the timeline says what, who and how much; one version shows what it changed, two are compared", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { store, acme } = await writeSampleMemories(agent);
  await open(page, house.url, `${path}/${store.id}?memory=${acme.id}`);
  await field(page).waitFor();
  await page.keyboard.press("h");
  await page.getByRole("heading", { name: "History of a memory" }).waitFor();
  await page.getByText("2 versions").waitFor();
  await line(page, "Changed").getByText("owner (you)").waitFor();
  await line(page, "Changed").getByText("+9 bytes").waitFor();
  await line(page, "Created").getByText("First API key").waitFor();

  await line(page, "Changed").getByRole("link").first().click();
  await compared(page).waitFor();
  assert.deepEqual(await compared(page).locator("del").allInnerTexts(), ["40", "March", "not"]);
  assert.deepEqual(await compared(page).locator("ins").allInnerTexts(), ["55", "April", "never"]);
  await page.getByText("3 lines added, 3 removed").waitFor();
  await page.keyboard.press("j");
  await compared(page).getByText("Nothing before").waitFor();
  assert.equal(await button(page, "Older version (J)").isDisabled(), true);
  await select(page.getByLabel("Compare with"), "Against the text of today");
  await compared(page).locator("ins").getByText("April").waitFor();
  assert.deepEqual(await compared(page).locator("ins").allInnerTexts(), ["55", "April", "never"]);
  await select(page.getByLabel("Compare with"), "Only this version");
  await page.getByRole("region", { name: "Text of the version" }).getByText("40 seats").waitFor();
  // A letter in a select looks for a choice.
  await page.getByLabel("Compare with").blur();
  await page.keyboard.press("k");
  await button(page, "This is the text of today").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("2 versions").waitFor();

  // Of the whole store: what was done to others, too; any two of it stand side by side.
  await open(page, house.url, `${path}/${store.id}/history`);
  await line(page, "Deleted").getByText("−16 bytes").waitFor();
  await line(page, "globex").getByRole("checkbox").check();
  await line(page, "initech").getByRole("checkbox").check();
  await line(page, "how-to-answer").getByRole("checkbox").check();
  assert.equal(await page.getByRole("checkbox", { checked: true }).count(), 2);
  await page.keyboard.press("c");
  await compared(page).waitFor();
  const titles = await compared(page).getByRole("columnheader").allInnerTexts();
  assert.match(titles[0]!, /initech\.md/);
  assert.match(titles[1]!, /how-to-answer\.md/);
  await open(page, house.url, `${path}/${store.id}/history`);
  await select(page.getByLabel("What was done"), "Deleted");
  await page.getByText("1 version", { exact: true }).waitFor();
  await page.getByLabel("Until").fill("2001-01-01");
  await page.getByText("None fits the filter.").waitFor();
  assert.deepEqual(session.problems, []);
});

test("an old text is brought back over what is there, and where its memory is deleted as a new one", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { store, acme, old } = await writeSampleMemories(agent, "Restored");
  await open(page, house.url, `${path}/${store.id}/history/${acme.first}`);
  await button(page, "Restore").click();
  await dialogOn(page).getByText("becomes the newest version").waitFor();
  // Somebody is faster: nothing is overwritten unseen.
  await agent.change(store, acme, { content: `${customersLater}More.\n` });
  await button(page, "Restore this text").click();
  await dialogOn(page).getByText("has changed").waitFor();
  assert.equal((await agent.read(store, acme)).content, `${customersLater}More.\n`);
  await button(page, "Restore this text").click();
  await page.getByRole("heading", { name: "/customers/acme.md", exact: true }).waitFor();
  assert.equal(await field(page).inputValue(), customers);
  assert.equal((await agent.read(store, acme)).content, customers);

  await open(page, house.url, `${path}/${store.id}/history?memory=${old.id}`);
  await line(page, "Deleted").getByRole("link").first().click();
  await button(page, "Restore").click();
  await dialogOn(page).getByText("a new memory with an id and a history of its own").waitFor();
  await dialogOn(page).getByLabel("Path").fill("/how-to-answer.md");
  await button(page, "Create it again").click();
  await dialogOn(page).getByText("Is taken by another memory").waitFor();
  await dialogOn(page).getByLabel("Path").fill("/drafts/plan.md");
  await button(page, "Create it again").click();
  await page.getByRole("heading", { name: "/drafts/plan.md", exact: true }).waitFor();
  assert.equal(await field(page).inputValue(), "Call everybody.\n");
  await session.expect(/status of 404/);
  await session.expect(/status of 409/);
  assert.deepEqual(session.problems, []);
});

test("redaction says what goes, takes a reason, spares the text of today, and is seen ever after", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { store, acme } = await writeSampleMemories(agent, "Redacted");
  const more = async (act: string) => {
    await pick(button(page, "More for this version"), act);
  };
  await open(page, house.url, `${path}/${store.id}/history/${acme.memory_version_id}`);
  await button(page, "This is the text of today").waitFor();
  await more("Redact");
  await dialogOn(page).getByText("This is the text of today").waitFor();
  assert.equal(await button(page, "Redact for ever").isDisabled(), true);
  await page.keyboard.press("Escape");

  await open(page, house.url, `${path}/${store.id}/history/${acme.first}`);
  await compared(page).getByText("40 seats").waitFor();
  await more("Redact");
  for (const words of [
    "Text, path, size and hash",
    "who wrote it and when",
    "exports that were made",
  ])
    await dialogOn(page).getByText(words).waitFor();
  await dialogOn(page).getByLabel("Reason").fill("A phone number stood in it");
  await button(page, "Redact for ever").click();
  await page.getByRole("heading", { name: "Redacted version" }).waitFor();
  await page.getByText("The text of this version is gone").waitFor();
  await dialogOn(page).waitFor({ state: "detached" });
  await page.getByText("A phone number stood in it").waitFor();
  assert.equal(await button(page, "More for this version").count(), 0);
  assert.ok(!(await inPage<string>(page, "document.body.innerText")).includes("40 seats"));
  await page.keyboard.press("Escape");
  await line(page, "Redacted").getByText("A phone number stood in it").waitFor();
  await line(page, "Redacted").getByText("First API key").waitFor();
  // The version after it is shown whole: nothing is left to hold it against.
  await page.getByRole("checkbox").nth(1).waitFor();
  await open(page, house.url, `${path}/${store.id}/history/${acme.memory_version_id}`);
  await compared(page).getByRole("columnheader", { name: "Redacted" }).waitFor();
  await compared(page).getByText("55 seats").waitFor();
  assert.deepEqual(session.problems, []);
});

test("ten thousand versions: older ones come as one goes down, and only some are drawn", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const store = await agent.store("Long past");
  const one = await agent.write(store, "/log.md", "Line.\n");
  await house.world.db.query(sql`
    insert into memory_versions (id, store_id, memory_id, seq, operation, path, content,
      content_sha256, bytes, actor_type, actor_id, created_at)
    select 'memver_past' || n, store_id, memory_id, -n, 'modified', path, 'Line ' || n || ${"\n"},
      content_sha256, 5 + length(n::text) + 1, actor_type, actor_id, created_at - n * interval '1 minute'
    from memory_versions, generate_series(1, 9999) as n where id = ${one.memory_version_id}`);
  await open(page, house.url, `${path}/${store.id}/history`);
  await page.getByText("100 versions so far").waitFor();
  const down = "window.scrollTo(0, document.body.scrollHeight)";
  for (const loaded of [200, 300, 400, 500, 600]) {
    await inPage(page, down);
    await page.getByText(`${loaded} versions so far`).waitFor();
  }
  const drawn = await versions(page).getByRole("checkbox").count();
  assert.ok(drawn < 350, `${drawn} lines are drawn`);
  await page
    .getByLabel("Until")
    .fill(new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10));
  const link = versions(page).getByRole("link").first();
  await link.waitFor();
  await link.click();
  await page.getByText("1 line added, 1 removed").waitFor();
  assert.deepEqual(session.problems, []);
});

test("100 kB against 100 kB: what changed is found, the rest is folded, and more comes as one goes down", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const store = await agent.store("Long texts");
  const lines = Array.from(
    { length: 2_300 },
    (_, at) => `Line ${at} of a long text, as agents write.`,
  );
  const before = lines.join("\n");
  assert.ok(before.length > 95_000);
  const one = await agent.write(store, "/long.md", before);
  const changed = lines.map((line, at) => (at === 1_200 ? line.replace("agents", "people") : line));
  const two = await agent.change(store, one, { content: changed.join("\n") });
  await open(page, house.url, `${path}/${store.id}/history/${two.memory_version_id}`);
  await compared(page).locator("ins").getByText("people").waitFor();
  assert.ok((await compared(page).getByRole("row").count()) < 15);
  await button(page, "Show 1,197 lines that are the same").click();
  await compared(page).getByText("Line 0 of").first().waitFor();
  await page.keyboard.press("n");
  const three = await agent.change(store, one, { content: lines.toReversed().join("\n") });
  await open(page, house.url, `${path}/${store.id}/history/${three.memory_version_id}`);
  await compared(page).getByText("Line 2299 of").first().waitFor();
  const rows = await compared(page).getByRole("row").count();
  assert.ok(rows < 500, `${rows} rows are drawn`);
  await inPage(page, "window.scrollTo(0, document.body.scrollHeight)");
  await compared(page)
    .getByRole("row")
    .nth(rows + 100)
    .waitFor({ state: "attached" });
  assert.deepEqual(session.problems, []);
});

test("a name and a path without a blank keep to the width of a phone", async () => {
  const store = await agent.store("n".repeat(255));
  const long = await agent.write(store, `/${"w".repeat(1000)}.md`, "Nothing.\n");
  await using session = await openOwnerSession(browser, house, { width: 390, height: 844 });
  const { page } = session;
  const shown = [path, `${path}/${store.id}`, `${path}/${store.id}/history`];
  for (const where of [...shown, `${path}/${store.id}/history/${long.memory_version_id}`]) {
    await open(page, house.url, where);
    await expectFits(page);
  }
});
