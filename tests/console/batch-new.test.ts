// A new batch from a file, in a real browser: dropped, its faults told by line, mended, sent, stopped on the way.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { dialogOn, file, lines, mixed, path, waitForJobs, request } from "./batches.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import { inPage, open, openOwnerSession, until } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  if (house !== undefined) await waitForJobs(house);
  await house?.[Symbol.asyncDispose]();
});

/** Lets a file fall onto an element, as a hand would. */
const drop = (page: Page, selector: string, name: string, text: string) =>
  inPage(
    page,
    `{
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      const target = document.querySelector(${JSON.stringify(selector)});
      for (const type of ["dragenter", "dragover", "drop"])
        target.dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
    }`,
  );

const choose = (page: Page, name: string, text: string) =>
  page.getByLabel("File of requests").setInputFiles(file(name, text));
const submit = (page: Page) => page.getByRole("button", { name: /^Submit/ });
const isOnBatch = (page: Page) => page.waitForURL(/\/batches\/msgbatch_\w+$/);

test("from nothing to results: a faulty line is told, mended and sent; the batch is watched to its end", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await goKeys(page, "b");
  await page.getByText("No batches yet").waitFor();
  for (const tab of ["CLI", "curl", "TypeScript", "Python"]) {
    await page.getByRole("tab", { name: tab }).click();
    const code = page.getByRole("tabpanel", { name: tab, exact: true }).locator("code");
    assert.ok((await code.innerText()).includes(house.url));
  }
  await page.keyboard.press("n");
  await page.getByRole("heading", { name: "New batch" }).waitFor();

  const broken = lines(mixed).replace('{"custom_id":"page-002"', '{"custom_id":page-002');
  // Beside the place for it, too: the browser would open the file otherwise.
  await drop(page, "h1", "requests.jsonl", broken);
  await page.getByText("1 problem in the file").waitFor();
  await page.getByText("Line 2", { exact: true }).waitFor();
  await page.getByText(/^This is no JSON: /).waitFor();
  assert.equal(await submit(page).isDisabled(), true);

  await choose(page, "requests.jsonl", lines(mixed));
  await page.getByText("1 problem in the file").waitFor({ state: "detached" });
  await page.getByText("sim-large: 26").waitFor();
  await page.getByText("The first 5").waitFor();
  await page.getByText("page-003", { exact: true }).click();
  await page.getByLabel("Request page-003").getByText('"max_tokens": 500').waitFor();
  assert.equal(await page.getByText("page-006").count(), 0);
  await submit(page).click();
  await isOnBatch(page);
  await page.getByRole("status").getByText("Ended").waitFor();
  await page.getByText("26 of 26 done").waitFor();
  await page.getByRole("button", { name: "Errored 2" }).click();
  await page.getByText("Results 1 to 2 of 2").waitFor();
  assert.deepEqual(session.problems, []);
});

test("the body of the API is taken as it is; a list and an empty file are told how to become a batch", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search pages, actions and objects" }).fill("jsonl");
  await page.getByRole("option", { name: "New batch" }).click();
  await choose(page, "list.json", JSON.stringify(mixed));
  await page.getByText(/^The file is a list\./).waitFor();
  await choose(page, "empty.jsonl", "");
  await page.getByText("There is no request in this file.").waitFor();
  assert.equal(await submit(page).isDisabled(), true);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("What the file holds").waitFor();
  await choose(page, "body.json", JSON.stringify({ requests: mixed.slice(0, 4) }, null, 2));
  await page.getByText("Body of the API").waitFor();
  await submit(page).click();
  await isOnBatch(page);
  await page.getByText("4 of 4 done").waitFor();
  assert.deepEqual(session.problems, []);
});

test("sending shows how far it is, and can be stopped; whoever leaves meanwhile is asked", async () => {
  await using session = await openOwnerSession(browser, house, {}, "cloud");
  const { page } = session;
  const { cookie } = house.organizations.cloud;
  const sent = async () => (await house.ask("GET", "/v1/messages/batches", { cookie })).body.data;
  await open(page, house.url, `${path}/new`);
  // Nobody answers: it is on its way until somebody stops it.
  await page.route("**/v1/messages/batches", () => undefined);
  await choose(page, "requests.jsonl", lines(mixed.slice(0, 3)));
  await submit(page).click();
  const advance = page.getByRole("progressbar", { name: /sen[dt]/ });
  await advance.waitFor();
  await page.getByRole("link", { name: "All batches" }).click();
  await dialogOn(page).getByText("no batch is made of them").waitFor();
  await dialogOn(page).getByRole("button", { name: "Stay" }).click();
  await dialogOn(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Stop sending" }).click();
  await submit(page).waitFor();
  await submit(page).click();
  await advance.waitFor();
  await page.getByRole("link", { name: "All batches" }).click();
  await dialogOn(page).getByRole("button", { name: "Stop and leave" }).click();
  await page.getByRole("heading", { name: "Batches", exact: true }).waitFor();
  assert.deepEqual(await sent(), []);
  assert.deepEqual(session.problems, []);
});

test("what the server says to a batch is said here, and so is its silence", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/new`);
  const refusal = {
    type: "error",
    error: { type: "rate_limit_error", message: "Too many batches for now." },
  };
  await page.route("**/v1/messages/batches", (route) =>
    route.fulfill({ status: 429, headers: { "request-id": "req_told" }, json: refusal }),
  );
  await choose(page, "requests.jsonl", lines(mixed.slice(0, 3)));
  await submit(page).click();
  await page.getByRole("alert").getByText("Too many batches for now.").waitFor();
  await page.getByRole("alert").getByText("req_told").waitFor();
  await page.unroute("**/v1/messages/batches");
  await page.route("**/v1/messages/batches", (route) => route.abort());
  await submit(page).click();
  await page.getByRole("alert").getByText("The server did not answer").waitFor();
  await page.getByText("look in the list before you send it again").waitFor();
  await page.unroute("**/v1/messages/batches");
  await submit(page).click();
  await isOnBatch(page);
  await page.getByText("3 of 3 done").waitFor();
  await session.expect(/status of 429|ERR_FAILED/, 2);
  assert.deepEqual(session.problems, []);
});

test("many megabytes are read beside the page, made a body there, and sent", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/new`);
  let workers = 0;
  page.on("worker", () => workers++);
  const long = JSON.stringify(request("N", "Say it again. ".repeat(140)));
  await inPage(
    page,
    `{
      const lines = [];
      for (let line = 0; line < 20_000; line++)
        lines.push(${JSON.stringify(long)}.replace('"N"', '"line-' + line + '"'));
      const data = new DataTransfer();
      data.items.add(new File([lines.join("\\n")], "large.jsonl"));
      const target = document.querySelector("h1");
      target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }`,
  );
  await page.getByText("sim-large: 20,000").waitFor();
  assert.equal(workers, 1);
  await submit(page).click();
  await isOnBatch(page);
  assert.equal(workers, 2);
  await until(page, 'document.body.innerText.includes("of 20,000 done")');
  await page.getByRole("button", { name: "Cancel batch" }).click();
  await dialogOn(page).getByRole("button", { name: "Cancel the batch" }).click();
  await page.getByText("20,000 of 20,000 done").waitFor();
  assert.deepEqual(session.problems, []);
});
