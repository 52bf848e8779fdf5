// Limits of members in a real browser: set, asked for, decided, and what each sees of their own spending.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House, type Tenant } from "../house.ts";
import { groupsOf } from "../rules/groups-house.ts";
import { addSignedIn, ownerOf, type Person } from "../rules/members-house.ts";
import { writeAttempts, type AttemptRow } from "../rules/reports-house.ts";
import { openBrowser, type Browsers, type Look, type BrowserSession } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  openSelect,
  picture,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
let enterprise: Tenant;
let asker: Person;
let month: number;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  ({ enterprise } = house.organizations);
  asker = await addSignedIn(house, enterprise, "user");
  month = await spend();
  await setLimit(await ownerOf(house, enterprise), "weekly", "100000");
  await setLimit(asker.id, "daily", "500");
  await setLimit(asker.id, "monthly", "420");
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** 4.20 by one member today, and something on each day before by nobody; gives the dollars of this month. */
async function spend(): Promise<number> {
  const [now, dayMs] = [Date.now(), 86_400_000];
  const first = new Date(now).toISOString().slice(0, 7);
  const row = (at: Date, userId: string | null, amountNano: number): AttemptRow => ({
    tenant: enterprise,
    at,
    hop: { userId },
    settlement: {
      counts: { input: 900, output: 300, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 },
      amountNano,
    },
  });
  const rows = [row(new Date(now), asker.id, 4_200_000_000)];
  for (let day = 1; day < 29; day++)
    rows.push(row(new Date(now - day * dayMs), null, ((day * 37) % 11) * 100_000_000));
  await writeAttempts(house, rows);
  return rows
    .filter(({ at }) => at.toISOString().startsWith(first))
    .reduce((all, { settlement }) => all + (settlement?.amountNano ?? 0) / 1e9, 0);
}

const inConsole = async (method: string, path: string, body?: object) => {
  const { cookie } = enterprise;
  const answer = await house.ask(method, `/console/api/${path}`, { cookie, ...(body && { body }) });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};
const setLimit = (user_id: string, period: string, amount: string) =>
  inConsole("POST", "user_spend_limits", { scope: { type: "user", user_id }, period, amount });

interface Summary {
  period: string;
  amount: string | null;
  spend_limit_id: string | null;
}
const amountsOf = async ({ id }: Person) => {
  const { data } = await inConsole("GET", `spend_limits/effective?user_ids[]=${id}`);
  return Object.fromEntries((data as Summary[]).map(({ period, amount }) => [period, amount]));
};

const seatOf = ({ email }: Person, look?: Look): Promise<BrowserSession> => {
  const own = { ...enterprise, owner_email: email, owner_password: "a password of the tests" };
  const organizations = { ...house.organizations, enterprise: own };
  return openOwnerSession(browser, { ...house, organizations }, look, "enterprise");
};
const ownerSeat = (look?: Look) => openOwnerSession(browser, house, look, "enterprise");
const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');
const line = (page: Page, table: string, name: string) =>
  page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: name });
const members = "Limits of members";

async function ask(period: string, reason: string, { page }: BrowserSession): Promise<void> {
  await open(page, house.url, "/console/account");
  await page.getByRole("button", { name: "Ask for more" }).click();
  await select(dialogOn(page).getByLabel("For which limit"), period);
  await dialogOn(page).getByLabel("Why, and how much").fill(reason);
  await dialogOn(page).getByRole("button", { name: "Ask", exact: true }).click();
  await dialogOn(page).waitFor({ state: "detached" });
}

test("limits of members: bars, where they come from; set, changed, taken away", async () => {
  const other = await addSignedIn(house, enterprise, "user");
  await using session = await ownerSeat();
  const { page } = session;
  await open(page, house.url, "/console/limits");
  await page.getByRole("table", { name: "Spend limits" }).waitFor();
  await page.getByRole("tab", { name: "Members" }).click();
  const own = line(page, members, asker.email);
  await own.getByText("$4.20 of $5.00 (84%)").waitFor();
  await own.getByText("$4.20 of $4.20 (100%)").waitFor();
  assert.equal(await own.getByText("Reached").count(), 1);
  assert.equal(await own.getByText("set for them").count(), 2);
  const theirs = line(page, members, other.email);
  assert.equal(await theirs.getByText("no limit of their own").count(), 3);
  await inConsole("POST", "spend_limits", { scope: { type: "organization" }, amount: "9000000" });
  await theirs.getByText("the organization's limit holds").waitFor();

  await page.getByRole("button", { name: `Set limits for ${other.name}` }).click();
  const dialog = dialogOn(page);
  await dialog.getByLabel("Dollars a week").fill("12,50");
  await page.keyboard.press("Enter");
  await dialog.getByText("This is no amount").waitFor();
  await dialog.getByLabel("Dollars a week").fill("1,250.5");
  await dialog.getByLabel("Dollars a day").fill("0");
  await dialog.getByText("As much is spent already today:").waitFor();
  await page.keyboard.press("Enter");
  await theirs.getByText("$0.00 of $1,250.50").waitFor();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(await amountsOf(other), { daily: "0", weekly: "125050" });

  await page.getByRole("button", { name: `Change the limits of ${other.name}` }).click();
  assert.equal(await dialog.getByLabel("Dollars a week").inputValue(), "1250.50");
  await dialog.getByLabel("Dollars a day").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  // Behind a dialog the table has no role: what is not there is looked for once it is gone.
  await dialog.waitFor({ state: "detached" });
  await theirs.getByText("Reached").waitFor({ state: "detached" });
  assert.deepEqual(await amountsOf(other), { weekly: "125050" });

  await page.getByRole("button", { name: `Remove the limits of ${other.name}` }).click();
  await dialog.getByText("Now: $1,250.50 a week.").waitFor();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.waitFor({ state: "detached" });
  await theirs.getByText("$0.00 of $1,250.50").waitFor({ state: "detached" });
  assert.deepEqual(await amountsOf(other), { monthly: null });
  assert.deepEqual(session.problems, []);
});

test("members are found by the beginning of their name, from an address that can be shared", async () => {
  await using session = await ownerSeat();
  const { page } = session;
  await open(page, house.url, "/console/limits?tab=members");
  await line(page, members, enterprise.owner_email).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(asker.email);
  await line(page, members, enterprise.owner_email).waitFor({ state: "detached" });
  await line(page, members, asker.email).getByText("$4.20 of $5.00").waitFor();
  assert.ok(page.url().includes("q=person"), page.url());
  await page.getByLabel("E-mail or name begins with").fill("nobody at all");
  await page.getByText("Nobody has such a name").waitFor();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await line(page, members, enterprise.owner_email).waitFor();
  assert.deepEqual(session.problems, []);
});

test("somebody asks for more, an owner approves or denies, and both see it without a reload", async () => {
  await using owner = await ownerSeat();
  await using member = await seatOf(asker);
  const { page } = owner;
  await open(page, house.url, "/console/limits?tab=requests");
  await page.getByText("Nobody waits").waitFor();
  await ask("monthly", "The evaluation of\nNovember", member);
  await page.getByRole("tab", { name: "Requests 1 waiting" }).waitFor();
  const waiting = line(page, "Waiting requests", asker.email);
  await waiting.getByText("More a month").waitFor();
  await waiting.getByText("The evaluation of").waitFor();
  await waiting.getByText("$4.20 of $4.20").waitFor();
  const own = member.page.getByRole("listitem").filter({ hasText: "More a" });
  await own.filter({ hasText: "More a month" }).getByText("Waiting").waitFor();

  await page.getByRole("button", { name: `Approve the request of ${asker.name}` }).click();
  const dialog = dialogOn(page);
  assert.equal(await dialog.getByLabel("Dollars a month").inputValue(), "4.20");
  await dialog.getByText("This is no more than they have now.").waitFor();
  await dialog.getByLabel("Dollars a month").fill("many");
  await page.keyboard.press("Enter");
  await dialog.getByText("This is no amount").waitFor();
  await dialog.getByLabel("Dollars a month").fill("50");
  await page.keyboard.press("Enter");
  await line(page, "Decided requests", asker.email).getByText("Approved").waitFor();
  await page.getByText("Nobody waits").waitFor();
  await page.getByRole("tab", { name: "Requests", exact: true }).waitFor();
  assert.equal((await amountsOf(asker))["monthly"], "5000");
  await member.page.getByText("$4.20 of $50.00 (8%)").waitFor();
  await own.filter({ hasText: "More a month" }).getByText("Approved").waitFor();

  await ask("daily", "", member);
  await page.getByRole("button", { name: `Deny the request of ${asker.name}` }).click();
  await dialog.getByRole("button", { name: "Deny" }).click();
  await line(page, "Decided requests", asker.email).getByText("Denied").waitFor();
  await own.filter({ hasText: "More a day" }).getByText("Denied").waitFor();
  assert.deepEqual(await amountsOf(asker), { daily: "500", monthly: "5000" });
  assert.deepEqual([...owner.problems, ...member.problems], []);
});

test("of what waits already nobody asks again; without a limit there is nothing to ask for", async () => {
  await using member = await seatOf(asker);
  await ask("daily", "Once", member);
  await member.page.getByRole("button", { name: "Ask for more" }).click();
  const choices = await openSelect(dialogOn(member.page).getByLabel("For which limit"));
  assert.deepEqual(await choices.allInnerTexts(), ["That of the month"]);
  const free = await addSignedIn(house, enterprise, "user");
  await using without = await seatOf(free);
  await open(without.page, house.url, "/console/account");
  await without.page.getByText("You have no limit of your own").waitFor();
  assert.equal(await without.page.getByRole("button", { name: "Ask for more" }).count(), 0);
  assert.deepEqual([...member.problems, ...without.problems], []);
});

test("whoever may only look is offered no change; a platform organization has no such parts", async () => {
  const viewer = await groupsOf(house).managed(enterprise, ["permission_limits_read"]);
  await using session = await seatOf(viewer);
  const { page } = session;
  await open(page, house.url, "/console/limits?tab=members");
  await line(page, members, asker.email).waitFor();
  assert.equal(await page.getByRole("button", { name: /^(Set|Change|Remove)/ }).count(), 0);
  assert.equal(await page.getByLabel("E-mail or name begins with").count(), 0);
  await page.getByRole("tab", { name: /Requests/ }).click();
  await line(page, "Waiting requests", asker.email).waitFor();
  assert.equal(await page.getByRole("button", { name: /Approve|Deny/ }).count(), 0);
  await using other = await openOwnerSession(browser, house);
  await open(other.page, house.url, "/console/limits");
  await other.page.getByRole("table", { name: "Rate limits" }).waitFor();
  assert.equal(await other.page.getByRole("tab").count(), 0);
  await open(other.page, house.url, "/console/account");
  assert.equal(await other.page.getByText("Your spending").count(), 0);
  assert.deepEqual([...session.problems, ...other.problems], []);
});

/** The figure of the overview; a limit with as much spent may say the same beside it. */
const costOf = (page: Page) => page.getByRole("definition").filter({ hasText: "Usage & cost" });

test("the overview tells what this month has cost, and leads to usage", async () => {
  await using session = await ownerSeat();
  const { page } = session;
  await open(page, house.url, "/console/");
  const cost = costOf(page);
  await cost.getByText(`$${month.toFixed(2)}`, { exact: true }).waitFor();
  await cost.locator("polyline").waitFor();
  await cost.getByRole("link").click();
  await page.getByRole("heading", { name: "Usage & cost" }).waitFor();
  await using plain = await seatOf(asker);
  await open(plain.page, house.url, "/console/");
  assert.equal(await plain.page.getByText("Cost, this month").count(), 0);
  assert.deepEqual([...session.problems, ...plain.problems], []);
});

for (const { width, scheme } of looks)
  test(`limits of members and requests at ${width} pixels, ${scheme}`, async () => {
    const look = { scheme, width, height: width === 390 ? 844 : 800 };
    const seen = async (page: Page, name: string) => {
      await picture(page, `limits-${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await using session = await ownerSeat(look);
    const { page } = session;
    await open(page, house.url, "/console/limits?tab=members");
    await line(page, members, asker.email).waitFor();
    await seen(page, "members");
    await page.getByRole("button", { name: `Change the limits of ${asker.name}` }).click();
    await dialogOn(page).waitFor();
    await seen(page, "member-form");
    await open(page, house.url, "/console/limits?tab=requests");
    await line(page, "Waiting requests", asker.email).waitFor();
    await seen(page, "requests");
    await page.getByRole("button", { name: `Approve the request of ${asker.name}` }).click();
    await dialogOn(page).waitFor();
    await seen(page, "approve");
    await open(page, house.url, "/console/");
    await costOf(page)
      .getByText(`$${month.toFixed(2)}`, { exact: true })
      .waitFor();
    await seen(page, "overview");
    await using member = await seatOf(asker, look);
    await open(member.page, house.url, "/console/account");
    await member.page.getByRole("button", { name: "Ask for more" }).waitFor();
    await seen(member.page, "account");
    await member.page.getByRole("button", { name: "Ask for more" }).click();
    await dialogOn(member.page).waitFor();
    await seen(member.page, "ask");
    assert.deepEqual([...session.problems, ...member.problems], []);
  });
