// What an operator asks every day: answered within two presses in the console, and by one command at a terminal.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { sql } from "../../kernel/sql/statement.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import { upstreamTrafficPart } from "../../server/traffic/module.ts";
import { runInProcess } from "../commands/in-process.ts";
import { openHouse, type House } from "../house.ts";
import { writeAttempts } from "../rules/reports-house.ts";
import { requestIdOf } from "../rules/requests-house.ts";
import { makeKey } from "../rules/support.ts";
import { makePerson } from "../rules/workspaces-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openOwnerSession } from "./person.ts";

const dayMs = 86_400_000;
const pressesMax = 2;

let house: House;
let browser: Browsers;
const spender = { id: "", name: "" };
let failedId = "";
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  await makeDay();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

async function makeDay(): Promise<void> {
  const { platform } = house.organizations;
  const { db, clock } = house.world;
  const { id: spenderId } = await makePerson(house, platform);
  const path = `/v1/organizations/users/${spenderId}`;
  Object.assign(spender, (await house.ask("GET", path, { key: platform.admin_api_key })).body);
  const at = new Date(clock.now().getTime() - dayMs);
  const spent = (userId: string, amountNano: number) => ({
    at,
    tenant: platform,
    hop: { userId },
    settlement: { amountNano },
  });
  const other = await makePerson(house, platform);
  await writeAttempts(house, [spent(spender.id, 2_000_000_000), spent(other.id, 1_000_000)]);

  const answer = await house.ask("POST", "/v1/messages", {
    key: platform.api_key,
    body: { model: "not-a-model", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] },
  });
  failedId = requestIdOf(answer);
  await requestLogOf(house.world).flush();

  const { id } = await makeKey(house, platform, { kind: "api", name: "Left over" });
  await db.query(sql`
    update keys set created_at = ${new Date(clock.now().getTime() - 90 * dayMs)} where id = ${id}`);

  const slow = { upstream: "far-away", askedMs: 0, firstMs: 20_000, outcome: "served", why: null };
  const upstreams = upstreamTrafficPart.of(house.world);
  for (let count = 0; count < 10; count++) upstreams.count(platform.organization_id, [slow]);
  await upstreams.flush();

  await db.query(sql`
    insert into webhook_endpoints (id, organization_id, name, description, url, enabled_events,
      state, disabled_reason, signing_secret, created_at, updated_at)
    values ('whe_1', ${platform.organization_id}, 'Pager', '', 'https://x.example', '{}',
      'disabled', 'failed', 'x', now(), now())`);
}

interface Person {
  page: Page;
  press(what: Locator): Promise<void>;
}

/** From the overview on, which is where a person is after signing in. */
async function asOwner(act: (person: Person) => Promise<void>): Promise<void> {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  let presses = 0;
  const press = async (what: Locator) => {
    presses += 1;
    await what.click();
  };
  await act({ page, press });
  assert.ok(presses <= pressesMax, `${presses} presses`);
  assert.deepEqual(session.problems, []);
}

async function said(...words: string[]): Promise<string> {
  const { admin_api_key: key } = house.organizations.platform;
  const env = { PLINTH_ADMIN_KEY: key, PLINTH_BASE_URL: house.url };
  const { code, stdout, stderr } = await runInProcess(words, env);
  assert.equal(code, 0, stderr);
  return stdout;
}

test("who spent most yesterday", async () => {
  await asOwner(async ({ page }) => {
    const first = page.getByRole("region", { name: "People" }).getByRole("listitem").first();
    await first.getByText(spender.name).waitFor();
    assert.match(await first.innerText(), /\$2\.00\s+USD/);
  });
  const lines = (await said("usage", "--on", "yesterday", "--by", "member", "--cost")).split("\n");
  assert.match(lines[1] ?? "", new RegExp(`^${spender.name} +\\$2\\.00 `));
});

test("why a request failed, by its id", async () => {
  await asOwner(async ({ page, press }) => {
    await press(page.getByRole("button", { name: /^Search/ }).first());
    await page.getByRole("combobox").fill(failedId);
    await press(page.getByRole("option").first());
    await page
      .getByText(/not-a-model/)
      .first()
      .waitFor();
    await page.getByText("not_found_error").first().waitFor();
  });
  assert.match(await said("logs", failedId), /not_found_error[^]*not-a-model/);
});

test("which key is unused", async () => {
  await asOwner(async ({ page, press }) => {
    await press(page.getByRole("link", { name: "API keys", exact: true }).first());
    await press(page.getByRole("button", { name: "Unused for 30 days" }));
    await page.waitForURL(/unused=30/);
    await page.getByText("Left over").first().waitFor();
  });
  const unused = await said("keys", "list", "--unused");
  assert.match(unused, / Left over .* never /);
  assert.equal(unused.trim().split("\n").length, 2, unused);
});

test("whether the upstream is slow", async () => {
  await asOwner(async ({ page }) => {
    const upstream = page
      .getByRole("list", { name: "Upstreams" })
      .getByRole("listitem")
      .filter({ hasText: "far-away" });
    await upstream.getByText("Slow", { exact: true }).waitFor();
    assert.match(await upstream.innerText(), /First word within 1\d\.\d s/);
  });
  assert.match(await said("overview"), /^far-away +slow +10 +0 /m);
});

test("what waits for a person", async () => {
  await asOwner(async ({ page, press }) => {
    const waits = page.getByRole("list", { name: "What waits" });
    await waits.getByText("1 webhook was switched off after failures").waitFor();
    await press(waits.getByRole("link", { name: "Pager" }));
    await page.waitForURL(/\/webhooks/);
  });
  assert.match(await said("overview"), /^webhook was switched off +Pager /m);
});
