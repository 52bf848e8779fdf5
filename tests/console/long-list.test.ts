// A list of ten thousand rows: read to its end, moved through by keys, searched.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { inPage, open, openOwnerSession } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const rows = 10_000;

test("of ten thousand workspaces only those near the window are drawn, and each is found", async () => {
  const { organization_id: organization } = house.organizations.platform;
  await house.world.db.query(sql`
    insert into workspaces (id, organization_id, name, is_default, created_at)
    select 'wrkspc_many' || n, ${organization}, 'Number ' || n, false, now() - n * interval '1 minute'
    from generate_series(1, ${rows - 1}) n`);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  // A search reads all pages.
  await open(page, house.url, "/console/workspaces?q=number%20777");
  await page.getByText("11 workspaces").waitFor();
  await page.getByLabel("Search name or tag").fill("");
  await page.getByText("10,000 workspaces").waitFor();
  const drawn = await inPage<number>(page, "document.querySelectorAll('tbody tr').length");
  assert.ok(drawn < 1_000, `${drawn} rows are drawn`);
  await page.keyboard.press("Escape");
  await inPage(page, "document.activeElement.blur()");
  await page.keyboard.press("k");
  const last = await inPage<string>(page, "document.activeElement.textContent");
  assert.match(last, /^Number \d+$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: last, exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});
