// The pages of batches in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import {
  cancel,
  dialogOn,
  file,
  lines,
  makeEndedBatch,
  mixed,
  panel,
  path,
  waitForJobs,
  row,
  slow,
  submit,
} from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  until,
} from "./person.ts";

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

for (const { width, scheme } of looks) {
  test(`batches at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    const done = await makeEndedBatch({ house }, mixed);
    const running = await submit({ house }, [...mixed, ...slow]);
    await open(page, house.url, path);
    await row(page, running).getByText("2 errored, 3 processing").waitFor();
    await look("batches");
    await open(page, house.url, "/console/");
    await page.getByRole("link", { name: /under way$/ }).waitFor();
    await look("overview-batches");

    await open(page, house.url, `${path}/${running}`);
    await page.getByText("working out").waitFor();
    await row(page, "page-001").waitFor();
    await look("batch-running");
    await page.getByRole("button", { name: "Cancel batch" }).click();
    await dialogOn(page).getByText("half the price").waitFor();
    await look("batch-cancel");

    await open(page, house.url, `${path}/${done}?result=long-1`);
    await panel(page).getByText("Answered by").waitFor();
    await look("batch-result");
    await panel(page).getByRole("tab", { name: "JSON" }).click();
    await panel(page).getByText('"stop_reason"').waitFor();
    await look("batch-result-json");
    await open(page, house.url, `${path}/${done}?type=errored&result=broken-2`);
    await panel(page).getByText("Request id").waitFor();
    await look("batch-errored");
    await open(page, house.url, `${path}/${done}?q=refused&result=refused-1`);
    await panel(page).getByRole("note", { name: "Refusal" }).waitFor();
    await look("batch-refused");
    await page.getByRole("button", { name: "Delete batch" }).click();
    await dialogOn(page).getByText("gone for everybody").waitFor();
    await look("batch-delete");

    await open(page, house.url, `${path}/new`);
    await look("batch-new");
    const faulty = `${lines(mixed)}\n{"custom_id": "page-001", "params": {}}\nnot json\n`;
    await page.getByLabel("File of requests").setInputFiles(file("requests.jsonl", faulty));
    await page.getByText("2 problems in the file").waitFor();
    await look("batch-file");
    await cancel({ house }, running);
    assert.deepEqual(session.problems, []);
  });

  test(`no batches yet at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    await open(session.page, house.url, path);
    await session.page.getByText("No batches yet").waitFor();
    await picture(session.page, `batches-none-${width}-${scheme}`);
    await expectFits(session.page);
    await expectAccessible(session.page);
    assert.deepEqual(session.problems, []);
  });
}

test("on a tablet a batch is told by the end of its id in one line, and its whole id is copied", async () => {
  await using session = await openOwnerSession(browser, house, { width: 768, height: 900 });
  const { page } = session;
  const id = await makeEndedBatch({ house }, mixed);
  await open(page, house.url, path);
  const shown = row(page, id).getByText(`msgbatch_…${id.slice(-6)}`);
  const { height = 99 } = (await shown.boundingBox()) ?? {};
  assert.ok(height < 30, `${height} pixels high`);
  await row(page, id)
    .getByRole("button", { name: `Copy ${id}` })
    .click();
  await until(page, `navigator.clipboard.readText().then((text) => text === "${id}")`);
  await picture(page, "batches-768");
  await expectFits(page);
  assert.deepEqual(session.problems, []);
});
