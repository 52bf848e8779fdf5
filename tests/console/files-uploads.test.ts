// Uploading in the console, in a real browser: dropped and chosen, side by side, stopped, begun again, refused.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Route } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { filesOf } from "../rules/files-house.ts";
import { dialogOn, row } from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { choose, drop, path, upload, uploads } from "./files.ts";
import { inPage, open, openOwnerSession, select, until } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

test("files fall anywhere on the page, several at once; each is in the list, for as long as was chosen", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.getByText("No files yet").waitFor();
  for (const tab of ["CLI", "curl", "TypeScript", "Python"]) {
    await page.getByRole("tab", { name: tab }).click();
    const code = page.getByRole("tabpanel", { name: tab, exact: true }).locator("code");
    assert.ok((await code.innerText()).includes(house.url));
  }
  await select(page.getByLabel("How long they stay"), "Stay for 7 days");
  await drop(page, "h1", {
    "a.txt": "A",
    "b.md": "# B",
    "c.csv": "c,d",
    "empty.txt": "",
    "e.txt": "E",
  });
  await page.getByText("5 done").waitFor();
  for (const name of ["a.txt", "b.md", "c.csv", "empty.txt", "e.txt"])
    await row(page, name).getByText("In 7 days").waitFor();
  const { body } = await filesOf(house).call("GET", "");
  assert.equal(body.data.length, 5);
  const found = body.data.find(({ filename }: { filename: string }) => filename === "a.txt");
  await upload(page, "a.txt").getByRole("button", { name: "Copy id" }).click();
  await upload(page, "a.txt").getByText("Copied").waitFor();
  assert.equal(await inPage(page, "navigator.clipboard.readText()"), found.id);
  assert.equal(Date.parse(found.expires_at) - Date.parse(found.created_at), 7 * 86_400_000);
  await page.getByRole("button", { name: "Clear" }).click();
  assert.equal(await uploads(page).count(), 0);
  assert.deepEqual(session.problems, []);
});

test("three go at once and show how far they are; one is stopped, and begun again", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const held: Route[] = [];
  let isHolding = true;
  await page.route("**/v1/files", (route) =>
    isHolding ? void held.push(route) : route.continue(),
  );
  await choose(page, { "1.txt": "1", "2.txt": "2", "3.txt": "3", "4.txt": "4" });
  await upload(page, "3.txt").getByRole("progressbar").waitFor();
  await upload(page, "4.txt").getByText("waiting for its turn").waitFor();
  while (held.length < 3) await inPage(page, "null");
  assert.equal(held.length, 3);
  await page.getByRole("button", { name: "Stop 1.txt" }).click();
  await upload(page, "1.txt").getByText("Stopped. Nothing was kept of it.").waitFor();
  await upload(page, "4.txt").getByRole("progressbar").waitFor();
  isHolding = false;
  await Promise.all(held.slice(1).map((route) => route.continue()));
  await page.getByRole("button", { name: "Upload 1.txt again" }).click();
  await page.getByText("4 done").waitFor();
  for (const name of ["1.txt", "2.txt", "3.txt", "4.txt"]) await row(page, name).waitFor();
  assert.deepEqual(session.problems, []);
});

test("what the server says to a file is said at it, and so is its silence; the next try goes through", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const message = "The organization stores 100 GiB already.";
  await page.route("**/v1/files", (route) =>
    route.fulfill({
      status: 400,
      headers: { "request-id": "req_told" },
      json: { type: "error", error: { type: "invalid_request_error", message } },
    }),
  );
  await choose(page, { "full.txt": "x" });
  await upload(page, "full.txt").getByText(`${message} (req_told)`).waitFor();
  await page.unroute("**/v1/files");
  await page.route("**/v1/files", (route) => route.abort());
  await choose(page, { "silent.txt": "x" });
  await upload(page, "silent.txt").getByText("The server did not answer").waitFor();
  await page.getByText("2 failed").waitFor();
  await page.unroute("**/v1/files");
  await page.getByRole("button", { name: "Upload silent.txt again" }).click();
  await upload(page, "silent.txt").getByText("uploaded").waitFor();
  await row(page, "silent.txt").waitFor();
  await session.expect(/status of 400|ERR_FAILED/, 2);
  assert.deepEqual(session.problems, []);
});

test("a file that is too large is told so before a byte is sent", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  let asked = 0;
  await page.route("**/v1/files", (route) => {
    asked++;
    return route.continue();
  });
  await inPage(
    page,
    `{
      const data = new DataTransfer();
      const block = new Blob([new Uint8Array(16 * 1024 * 1024)]);
      const blocks = Array.from({ length: 32 }, () => block);
      data.items.add(new File(blocks, "huge.bin"));
      document.querySelector("h1").dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    }`,
  );
  await upload(page, "huge.bin").getByText("at most 500 MB (524,288,000 bytes)").waitFor();
  assert.equal(asked, 0);
  assert.equal(await page.getByRole("button", { name: "Upload huge.bin again" }).count(), 0);
  assert.deepEqual(session.problems, []);
});

test("who leaves while files are sent is asked; looking at a file is no leaving", async () => {
  await filesOf(house).upload({ filename: "there.txt", content: "there" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.route("**/v1/files", () => undefined);
  // Of an empty file all is sent at once: nobody knows what became of it.
  await choose(page, { "nothing.txt": "" });
  await page.getByRole("button", { name: "Stop nothing.txt" }).click();
  await upload(page, "nothing.txt").getByText("it may be in the list all the same").waitFor();
  await choose(page, { "never.txt": "x" });
  await upload(page, "never.txt").getByRole("progressbar").waitFor();
  await page.getByRole("button", { name: "there.txt", exact: true }).click();
  await dialogOn(page).getByRole("region").getByText("there").waitFor();
  await page.keyboard.press("Escape");
  await dialogOn(page).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Batches" }).first().click();
  await dialogOn(page).getByText("nothing is kept of them").waitFor();
  await dialogOn(page).getByRole("button", { name: "Stay" }).click();
  await dialogOn(page).waitFor({ state: "detached" });
  await upload(page, "never.txt").getByRole("progressbar").waitFor();
  await page.getByRole("link", { name: "Batches" }).first().click();
  await dialogOn(page).getByRole("button", { name: "Stop and leave" }).click();
  await page.getByRole("heading", { name: "Batches", exact: true }).waitFor();
  await until(page, "document.querySelector('[role=progressbar]') === null");
  assert.deepEqual(session.problems, []);
});
