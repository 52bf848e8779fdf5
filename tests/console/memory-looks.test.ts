// The pages of memory in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  customersLater,
  dialogOn,
  field,
  writeSampleMemories,
  makeAgent,
  path,
  row,
  save,
  versions,
  type Agent,
} from "./memory.ts";
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
let agent: Agent;
let redacted: string;
let stuff: Awaited<ReturnType<typeof writeSampleMemories>>;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  agent = makeAgent(house);
  stuff = await writeSampleMemories(agent);
  redacted = (await agent.ask("GET", `/${stuff.store.id}/memory_versions?operation=deleted`))
    .data[0].id;
  await agent.ask("POST", `/${stuff.store.id}/memory_versions/${redacted}/redact`, {
    reason: "A phone number stood in the path",
  });
  const closed = await agent.store("Last year", { description: "Read only since January." });
  await agent.write(closed, "/summary.md", "All of it.\n");
  await agent.ask("POST", `/${closed.id}/archive`);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

for (const { width, scheme } of looks) {
  test(`memory at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    const { store, acme } = stuff;
    await open(page, house.url, `${path}?archived=shown`);
    await page.getByRole("link", { name: "Last year" }).waitFor();
    await look("memory-stores");
    await open(page, house.url, `${path}?new=store`);
    await dialogOn(page).getByRole("button", { name: "Add a pair" }).click();
    await look("memory-new-store");
    await open(page, house.url, `${path}?q=invoices`);
    await page.getByRole("link", { name: "/customers/acme.md" }).waitFor();
    await look("memory-search");

    await open(page, house.url, `${path}/${store.id}`);
    await row(page, "customers").click();
    await row(page, "north").waitFor();
    await look("memory-tree");
    await open(page, house.url, `${path}/${store.id}?memory=${acme.id}`);
    await field(page).waitFor();
    await look("memory-open");
    await open(page, house.url, `${path}/${store.id}?new=/customers/`);
    await page.getByLabel("Path of the new memory").waitFor();
    await look("memory-new");

    const mine = await agent.write(store, `/conflict-${width}-${scheme}.md`, customersLater);
    await open(page, house.url, `${path}/${store.id}?memory=${mine.id}`);
    await field(page).fill(customersLater.replace("before noon", "after lunch, never before"));
    await agent.change(store, mine, { content: customersLater.replace("Team", "Enterprise") });
    await save(page).click();
    await dialogOn(page).getByText("Mine, not saved").waitFor();
    await look("memory-conflict");
    await dialogOn(page).getByRole("button", { name: "Take theirs" }).click();
    await page.getByRole("button", { name: "Bring it back" }).waitFor();
    await look("memory-aside");

    await open(page, house.url, `${path}/${store.id}/history`);
    await versions(page).getByText("/drafts/plan.md").first().waitFor();
    await page.getByRole("checkbox").first().check();
    await look("memory-history");
    await open(page, house.url, `${path}/${store.id}/history/${acme.memory_version_id}`);
    await page.getByRole("table", { name: "What changed" }).waitFor();
    await look("memory-version");
    const more = page.getByRole("button", { name: "More for this version" });
    await open(page, house.url, `${path}/${store.id}/history/${acme.first}`);
    await page.getByRole("button", { name: "Restore" }).click();
    await dialogOn(page).getByText("becomes the newest version").waitFor();
    await look("memory-restore");
    await page.keyboard.press("Escape");
    await pick(more, "Redact");
    await dialogOn(page).getByLabel("Reason").waitFor();
    await look("memory-redact");
    await page.keyboard.press("Escape");
    await open(page, house.url, `${path}/${store.id}/history/${redacted}`);
    await page.getByText("The text of this version is gone").waitFor();
    await look("memory-redacted");

    await open(page, house.url, `${path}/${store.id}`);
    await page.getByLabel("Text files to add").setInputFiles([
      { name: "acme.md", mimeType: "text/markdown", buffer: Buffer.from("Acme.\n") },
      { name: "logo.png", mimeType: "image/png", buffer: Buffer.from([0x89, 0x50, 0, 0xff]) },
    ]);
    await dialogOn(page).getByText("not a text in UTF-8").waitFor();
    await look("memory-files");
    await open(page, house.url, `${path}/${store.id}`);
    await pick(page.getByRole("button", { name: "More for this store" }), "Delete store");
    await dialogOn(page).getByLabel(/^Type/).waitFor();
    await look("memory-delete-store");
    await open(page, house.url, path);
    const tar = { name: "notes.tar.gz", mimeType: "application/gzip", buffer: Buffer.from("x") };
    await page.getByLabel("Tar of a memory store").setInputFiles(tar);
    await dialogOn(page).getByText("notes.tar.gz").waitFor();
    await look("memory-import");
    await agent.remove(store, mine);
    await session.expect(/status of 409/, 1);
    // Whether the memory of a version still lives is asked for: the redacted one does not.
    await session.expect(/status of 404/);
    assert.deepEqual(session.problems, []);
  });

  test(`no memory yet at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    const { page } = session;
    await open(page, house.url, path);
    await page.getByText("No memory stores yet").waitFor();
    await picture(page, `memory-none-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}
