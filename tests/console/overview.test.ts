// The overview in a real browser: nothing yet, a busy day, and a person who may read little.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { trafficPart, upstreamTrafficPart } from "../../server/traffic/module.ts";
import { openHouse, type House } from "../house.ts";
import { addMember, passwordOfAll } from "../rules/members-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  openSessionAs,
  picture,
} from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const platform = () => house.organizations.platform;

/** A day on which much goes on, and much goes wrong. */
async function makeBusy(): Promise<void> {
  const { organization_id: id, workspace_id: workspace, api_key: key } = platform();
  const { db, clock } = house.world;
  for (const model of ["sim-large", "sim-small", "no-such-model"])
    await house.ask("POST", "/v1/messages", {
      key,
      body: { model, max_tokens: 60, messages: [{ role: "user", content: "Hello" }] },
    });
  const part = upstreamTrafficPart.of(house.world);
  const attempt = { upstream: "backup", askedMs: 0, firstMs: 12_000, outcome: "served", why: null };
  for (let count = 0; count < 40; count++) part.count(id, [attempt]);
  for (let count = 0; count < 4; count++)
    part.count(id, [{ ...attempt, upstream: "eu-west", firstMs: null, outcome: "failed" }]);
  await part.flush();
  await trafficPart.of(house.world).flush();
  await db.query(sql`
    insert into spend_limits (organization_id, workspace_id, limit_nano)
    values (${id}, '', 900000000000), (${id}, ${workspace}, 0)`);
  await db.query(sql`
    insert into webhook_endpoints (id, organization_id, name, description, url, enabled_events,
      state, disabled_reason, signing_secret, created_at, updated_at)
    values ('whe_1', ${id}, 'Pager of the night shift', '', 'https://x.example', '{}', 'disabled',
      'failed', 'x', now(), now())`);
  const ends = new Date(clock.now().getTime() + 3_600_000);
  await db.query(sql`
    insert into invites (id, organization_id, email, email_key, role, rbac_group_ids, status,
      invited_at, expires_at)
    values ('invite_1', ${id}, 'soon@example.com', 'soon@example.com', 'user', '{}', 'pending',
      now(), ${ends})`);
}

test("an organization in which nothing happened: how to begin, and that nothing waits", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await page.getByRole("heading", { name: "First request" }).waitFor();
  await page.getByText("Nothing waits for you.").waitFor();
  await page.getByText("No upstream was asked in the last two hours.").waitFor();
  await page.getByText("No limit is set").waitFor();
  await page.getByText("No batch is open, and no session runs.").waitFor();
  assert.equal(await page.getByText("Nothing was spent.").count(), 3);
  await picture(page, "overview-empty-1440-light");
  assert.deepEqual(session.problems, []);
});

test("a busy day: what is blocked, failing, slow and waiting in words, each a link", async () => {
  await makeBusy();
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  const list = (name: string) => page.getByRole("list", { name, exact: true });
  await list("Blocked now")
    .getByText(
      /Blocked: requests in the workspace Default are refused\. The limit of \$0\.00 a month/,
    )
    .waitFor();
  assert.equal(await page.getByRole("heading", { name: "First request" }).count(), 0);
  const upstreams = list("Upstreams");
  await upstreams.getByText("Failing").waitFor();
  await upstreams.getByText(/0 answered, 4 failed \(100%\)/).waitFor();
  await upstreams.getByText("Slow").waitFor();
  await upstreams.getByText(/First word within 12\.\d s \(median\)/).waitFor();
  await list("What waits").getByText("1 webhook was switched off after failures").waitFor();
  await list("What waits").getByRole("link", { name: "soon@example.com" }).waitFor();
  await page.getByRole("link", { name: "1 error", exact: true }).click();
  await page.waitForURL(/\/requests\?.*status=error/);
  await page.getByText("no-such-model").first().waitFor();
  await page.goBack();
  await page.getByRole("tab", { name: "This month" }).click();
  const models = page.getByRole("region", { name: "Models" });
  await models.getByRole("link", { name: "sim-large" }).waitFor();
  assert.match(page.url(), /spent=month/);
  await page.getByRole("region", { name: "People" }).getByRole("link").first().waitFor();
  await models.getByRole("link", { name: "sim-large" }).click();
  await page.waitForURL(/\/requests\?.*model=sim-large/);
  await page.goBack();
  await upstreams.getByRole("link", { name: "simulator" }).click();
  await page.waitForURL(/\/requests\?.*upstream=simulator/);
  await page.getByText("sim-small").first().waitFor();
  assert.deepEqual(session.problems, []);
});

test("a person with few permissions is shown no spend and asked for none", async () => {
  const person = await addMember(house, platform(), { role: "user" });
  const { db, passwords, random } = house.world;
  const hash = await passwords.hash(passwordOfAll, random);
  await db.query(sql`update users set password_hash = ${hash} where id = ${person.id}`);
  await using session = await openSessionAs(browser, house, {
    owner_email: person.email,
    owner_password: passwordOfAll,
  });
  const { page } = session;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await open(page, house.url, "/console/");
  await page.getByRole("heading", { name: "Under way" }).waitFor();
  for (const name of ["Upstreams", "Spend against limits", "Who spends most", "Storage"])
    assert.equal(await page.getByRole("heading", { name, exact: true }).count(), 0, name);
  assert.equal(await page.getByText("soon@example.com").count(), 0);
  assert.deepEqual(
    asked.filter((path) => /\/(v1|api)\/.*(usage|cost|limits|audit)/.test(path)),
    [],
  );
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks)
  test(`the overview of a busy day at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    await open(page, house.url, "/console/?spent=month");
    await page.getByRole("list", { name: "What waits" }).waitFor();
    await page.getByRole("region", { name: "Models" }).getByRole("link").first().waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await picture(page, `overview-busy-${width}-${scheme}`);
  });
