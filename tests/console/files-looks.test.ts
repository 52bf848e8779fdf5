// The page of files in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf } from "../rules/files-house.ts";
import { dialogOn, row } from "./batches.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { choose, uploadSampleFiles, path, upload } from "./files.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openMenu,
  openOwnerSession,
  picture,
} from "./person.ts";

let house: House;
let browser: Browsers;
let ids: Record<string, string>;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  const files = filesOf(house);
  ids = await uploadSampleFiles(house);
  await files.upload({ filename: "this week.md", content: "# Week", expires: 6 * 86_400 });
  await files.upload({ filename: `${"a very long name ".repeat(12)}.txt`, content: "x" });
  const old = await files.upload({ filename: "old.txt", content: "old", expires: 3_600 });
  await house.world.db.query(
    sql`update files set expires_at = now() - interval '2 days' where id = ${old.id}`,
  );
  await files.byTool("x,y\n1,2\n");
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

for (const { width, scheme } of looks) {
  test(`files at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, path);
    await row(page, "old.txt").getByText("Expired 2 days ago").waitFor();
    await look("files");
    await page.getByLabel("Choose map.png").check();
    await page.getByLabel("Choose plan.txt").check();
    await page.getByRole("button", { name: "Delete 2 files" }).click();
    await dialogOn(page).getByText("gone for everybody").waitFor();
    await look("files-delete");

    await open(page, house.url, `${path}?file=${ids["map.png"]}`);
    await dialogOn(page).getByText("320 × 200 pixels").waitFor();
    await look("file-picture");
    await open(page, house.url, `${path}?file=${ids["plan.txt"]}`);
    await dialogOn(page).getByText("Thursday").waitFor();
    await look("file-text");
    await dialogOn(page).getByRole("tab", { name: "Use in a message" }).click();
    await dialogOn(page).getByRole("tabpanel", { name: "curl" }).waitFor();
    await look("file-use");
    await open(page, house.url, `${path}?q=week`);
    await openMenu(page.getByRole("button", { name: "What to do with this week.md" }));
    await page.getByRole("menu").waitFor();
    await look("file-menu");

    await open(page, house.url, path);
    // Nobody answers: two are on their way, one is refused.
    let asked = 0;
    await page.route("**/v1/files", async (route) => {
      if (++asked <= 2) return;
      const error = { type: "invalid_request_error", message: "There is no room for it." };
      await route.fulfill({ status: 400, json: { type: "error", error } });
    });
    await choose(page, { "slow.txt": "slow", "slower.txt": "slower" });
    await upload(page, "slower.txt").getByRole("progressbar").waitFor();
    await choose(page, { "refused.txt": "x" });
    await upload(page, "refused.txt").getByText("There is no room for it.").waitFor();
    await page.getByRole("button", { name: "Stop slow.txt" }).click();
    await upload(page, "slow.txt").getByText("Stopped").waitFor();
    await page.getByText("1 file on the way, 1 stopped, 1 failed").waitFor();
    await look("files-uploads");
    await session.expect(/status of 400/, 1);
    assert.deepEqual(session.problems, []);
  });

  test(`no files yet at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    await open(session.page, house.url, path);
    await session.page.getByText("No files yet").waitFor();
    await picture(session.page, `files-none-${width}-${scheme}`);
    await expectFits(session.page);
    await expectAccessible(session.page);
    assert.deepEqual(session.problems, []);
  });
}
