// The page of files, in a real browser: looked into without being run, named in messages, fetched, searched, deleted.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf } from "../rules/files-house.ts";
import { dialogOn, row } from "./batches.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import { act, choose, drawing, evil, uploadSampleFiles, path, png, upload } from "./files.ts";
import { chooseWorkspace, inPage, open, openOwnerSession, until } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const clipboard = "navigator.clipboard.readText()";
const close = (page: Page) => dialogOn(page).getByRole("button", { name: "Close" }).click();
const isGone = (page: Page) => dialogOn(page).waitFor({ state: "detached" });

async function downloaded(page: Page, start: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent("download"), start()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

test("pictures are drawn and text is text; nothing of a file is run, whatever it is", async () => {
  await uploadSampleFiles(house);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await goKeys(page, "f");
  await page.getByRole("button", { name: "map.png", exact: true }).click();
  await dialogOn(page).getByText("320 × 200 pixels").waitFor();
  const pixel = `(() => {
    const canvas = document.querySelector("canvas");
    return [...canvas.getContext("2d").getImageData(319, 199, 1, 1).data].join();
  })()`;
  assert.equal(await inPage(page, pixel), "254,254,160,255");
  await close(page);
  await isGone(page);
  for (const [name, text] of [
    ["page.html", evil],
    ["drawing.svg", drawing],
    ["prices.csv", "item,price\ntea,3\n"],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    const shown = dialogOn(page).getByRole("region", { name: `Content of ${name}` });
    await shown.waitFor();
    assert.equal(await shown.innerText(), text);
    await page.keyboard.press("Escape");
    await isGone(page);
  }
  assert.equal(await page.locator("svg[onload], iframe, embed, object").count(), 0);
  assert.match(await page.title(), /^Files/);
  for (const [name, words] of [
    ["contract.pdf", "download the PDF"],
    ["data.bin", "no preview of this kind"],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    await dialogOn(page).getByText(words).waitFor();
    await close(page);
    await isGone(page);
  }
  assert.deepEqual(session.problems, []);
});

test("a long text shows its beginning, a damaged picture says that it is one, an expired file what became of it", async () => {
  const files = filesOf(house);
  await files.upload({ filename: "long.log", content: `x${"é".repeat(40_000)}` });
  await files.upload({ filename: "torn.png", content: png(40, 40).subarray(0, 60) });
  const old = await files.upload({ filename: "gone.txt", content: "secret", expires: 3_600 });
  await house.world.db.query(
    sql`update files set expires_at = now() - interval '3 hours' where id = ${old.id}`,
  );
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?q=long.log`);
  await page.getByRole("button", { name: "long.log", exact: true }).click();
  await dialogOn(page).getByText("The first 65.5 kB of 80 kB.").waitFor();
  const text = await dialogOn(page).getByRole("region").innerText();
  assert.equal(text, `x${"é".repeat(32_767)}`);
  await open(page, house.url, `${path}?q=torn`);
  await page.getByRole("button", { name: "torn.png", exact: true }).click();
  await dialogOn(page).getByText("It may be damaged").waitFor();
  await open(page, house.url, path);
  await row(page, "gone.txt").getByText("Expired 3 hours ago").waitFor();
  await page.getByRole("button", { name: "gone.txt", exact: true }).click();
  await dialogOn(page).getByText("Its content is gone since").first().waitFor();
  const download = dialogOn(page).getByRole("button", { name: "Download" });
  assert.equal(await download.isDisabled(), true);
  await dialogOn(page).getByRole("tab", { name: "Use in a message" }).click();
  await dialogOn(page).getByText("It has expired").waitFor();
  await open(page, house.url, `${path}?file=file_nowhere`);
  await dialogOn(page).getByRole("alert").waitFor();
  await session.expect(/status of 404/, 1);
  assert.deepEqual(session.problems, []);
});

test("from the menu: the id copied, the bytes fetched under their name, the code of a message with it", async () => {
  const made = await filesOf(house).upload({ filename: "Müller’s plan.txt", content: "plan" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await act(page, made.filename, "Copy id");
  await page.getByText("Id copied").waitFor();
  assert.equal(await inPage(page, clipboard), made.id);
  const { name, bytes } = await downloaded(page, () => act(page, made.filename, "Download"));
  assert.equal(name, made.filename);
  assert.equal(bytes.toString(), "plan");
  await act(page, made.filename, "Use in a message");
  for (const tab of ["TypeScript", "Python", "curl"]) {
    await dialogOn(page).getByRole("tab", { name: tab }).click();
    const code = dialogOn(page).getByRole("tabpanel", { name: tab, exact: true }).locator("code");
    assert.match(await code.innerText(), new RegExp(`"document"[^]*${made.id}`));
  }
  assert.match(page.url(), /view=use/);
  assert.deepEqual(session.problems, []);
});

test("several are deleted at once, after it is said what happens; one that is gone already is no trouble", async () => {
  const files = filesOf(house);
  const names = ["one.doomed", "two.doomed", "three.doomed", "kept.doomed"];
  const made = [];
  for (const filename of names) made.push(await files.upload({ filename, content: filename }));
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?q=.doomed`);
  await page.getByLabel("Choose all on this page").check();
  await page.getByLabel("Choose kept.doomed").uncheck();
  await page.getByText("3 chosen").waitFor();
  await page.getByRole("button", { name: "Delete 3 files" }).click();
  await dialogOn(page).getByText("requests of batches that have not run yet").waitFor();
  await dialogOn(page).getByRole("button", { name: "Keep them" }).click();
  await isGone(page);
  assert.equal((await files.call("GET", `/${made[0]?.id}`)).status, 200);
  await files.remove(made[1]?.id ?? "");
  await page.getByRole("button", { name: "Delete 3 files" }).click();
  await dialogOn(page).getByRole("button", { name: "Delete 3 files" }).click();
  await page.getByText("3 files deleted").waitFor();
  await row(page, "one.doomed").waitFor({ state: "detached" });
  await row(page, "kept.doomed").waitFor();
  for (const [place, status] of [404, 404, 404, 200].entries())
    assert.equal((await files.call("GET", `/${made[place]?.id}`)).status, status);
  await page.getByRole("button", { name: "kept.doomed", exact: true }).click();
  // A file that goes while it is being shown is one more 404.
  await dialogOn(page).getByRole("region", { name: "Content of kept.doomed" }).waitFor();
  await dialogOn(page).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the file" }).click();
  await page.getByText("No file is called that").waitFor();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await row(page, "plan.txt").first().waitFor();
  await session.expect(/status of 404/, 1);
  assert.deepEqual(session.problems, []);
});

test("names and ids are searched; of a long list, more is loaded", async () => {
  const tenant = house.organizations.other;
  const files = filesOf(house);
  for (let place = 1; place <= 53; place++)
    await files.upload({ filename: `f-${place}.txt`, content: "same", cookie: tenant.cookie });
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  await open(page, house.url, path);
  await page.getByText("50 files so far", { exact: true }).waitFor();
  assert.equal(await row(page, "f-1.txt").count(), 0);
  await page.getByRole("button", { name: "Load more" }).click();
  await row(page, "f-1.txt").waitFor();
  await row(page, "f-53.txt").waitFor();
  await page.getByText("53 files", { exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);
  await page.keyboard.press("/");
  await page.keyboard.type("F-53");
  await row(page, "f-53.txt").waitFor();
  await page.getByText("1 file", { exact: true }).waitFor();
  assert.match(page.url(), /q=F-53/);
  assert.deepEqual(session.problems, []);
});

test("another workspace: its files and no others, also what is uploaded and fetched there", async () => {
  const { organization_id: organization } = house.organizations.cloud;
  await house.world.db.query(sql`
    insert into workspaces (id, organization_id, name, is_default, created_at)
    values ('wrkspc_elsewhere', ${organization}, 'Elsewhere', false, now())`);
  const { cookie } = house.organizations.cloud;
  await filesOf(house).upload({ filename: "mine.txt", cookie });
  await using session = await openOwnerSession(browser, house, {}, "cloud");
  const { page } = session;
  await open(page, house.url, path);
  await row(page, "mine.txt").waitFor();
  await chooseWorkspace(page, "Elsewhere");
  await row(page, "mine.txt").waitFor({ state: "detached" });
  const content = png(20, 20);
  await choose(page, { "theirs.png": content });
  await upload(page, "theirs.png").getByText("uploaded").waitFor();
  await row(page, "theirs.png").getByRole("button", { name: "theirs.png", exact: true }).click();
  await dialogOn(page).getByText("20 × 20 pixels").waitFor();
  const { name, bytes } = await downloaded(page, () =>
    dialogOn(page).getByRole("button", { name: "Download" }).click(),
  );
  assert.equal(name, "theirs.png");
  const hash = (data: Buffer) => createHash("sha256").update(data).digest("hex");
  assert.equal(hash(bytes), hash(content));
  await close(page);
  await chooseWorkspace(page, "Default");
  await row(page, "mine.txt").waitFor();
  assert.equal(await row(page, "theirs.png").count(), 0);
  assert.deepEqual(session.problems, []);
});

test("the palette leads to the upload, and the cheat sheet names the page and its keys", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search pages, actions and objects" }).fill("pdf");
  await page.getByRole("option", { name: "Upload files" }).click();
  await page.waitForURL(`${house.url}${path}`);
  await until(page, 'document.activeElement?.textContent === "Choose files"');
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await sheet.getByText("Upload files").waitFor();
  await sheet
    .getByRole("listitem")
    .filter({ hasText: /^Files/ })
    .waitFor();
  assert.deepEqual(session.problems, []);
});

test("whoever may not use workspaces is offered no files", async () => {
  await house.world.db.query(sql`
    update users set role = 'membership_admin'
    where organization_id = ${house.organizations.enterprise.organization_id}`);
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, "/console/");
  assert.equal(await page.getByRole("link", { name: "Files" }).count(), 0);
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Overview" }).waitFor();
  assert.equal(await page.getByRole("option", { name: /file/i }).count(), 0);
  assert.deepEqual(session.problems, []);
});
