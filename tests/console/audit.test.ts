// The audit log in a real browser: filters and their links, days, what an event changed, exports, and the chain.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import * as audit from "../../server/audit/module.ts";
import { openHouse, type House } from "../house.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { addMember } from "../rules/members-house.ts";
import { sessionsOf } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { makeAgent } from "./memory.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  picture,
  select,
} from "./person.ts";
import { sampleFolder, upload } from "./skills.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  await furnish();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** Two days, people and keys, a change with both sides, and attempts that were denied. */
async function furnish(): Promise<void> {
  const { organization_id: organizationId } = house.organizations.platform;
  const ann = { type: "user", id: "user_ann", name: "Ann Baker", address: "10.0.0.1" } as const;
  const act = (actor: Partial<audit.AuditActor>, action: string, details: object, at: string) =>
    house.world.db.tx((tx) =>
      audit.record(
        tx,
        { ...house.world, clock: { ...house.world.clock, now: () => new Date(at) } },
        { ...audit.operator, ...actor },
        {
          organizationId,
          action,
          target: { type: "member", id: "user_carl" },
          details: { ...details },
        },
      ),
    );
  await act(
    ann,
    "member.role_changed",
    { role: "developer", role_before: "user" },
    "2026-01-05T09:00:00Z",
  );
  await act(ann, "member.renamed", { name: "Carl", name_before: "Karl" }, "2026-01-05T10:30:00Z");
  const bob = { ...ann, id: "user_bob", name: "Bob", address: "10.0.0.2" };
  await act(bob, "member.removed", { name: "Carl" }, "2026-01-06T08:00:00Z");
  const denied = { status: 403, error: "permission_error", count: 12 };
  await act(
    { type: "api_key", id: "apikey_ci", name: "CI" },
    "request.denied",
    denied,
    "2026-01-06T09:00:00Z",
  );
  await audit.verifyAll(house.world, AbortSignal.timeout(60_000));
}

const path = "/console/audit";
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Without the heads of the tables. */
const actionsOn = async (page: Page) =>
  (await page.getByRole("rowheader").allInnerTexts()).map((text) =>
    text.replace(/\s*\d+ times$/, "").trim(),
  );
const until = async (holds: () => Promise<boolean>) => {
  const endMs = performance.now() + testTimeoutMs;
  while (!(await holds())) assert.ok(performance.now() < endMs, "it does not come to hold");
};
const expectActions = (page: Page, actions: string[]) =>
  until(async () => JSON.stringify(await actionsOn(page)) === JSON.stringify(actions));

test("events stand by day; a panel tells what was and what is, and narrows the list", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?from=2026-01-01&to=2026-01-31`);
  await page.getByRole("heading", { name: "Tuesday, January 6, 2026, UTC" }).waitFor();
  await expectActions(page, [
    "Request denied",
    "Member removed",
    "Member renamed",
    "Member role changed",
  ]);
  await page.getByText("12 times").waitFor();
  await button(page, "Member role changed").click();
  const panel = page.getByRole("complementary", { name: "Event" });
  await panel.getByText("Before: user").waitFor();
  await panel.getByText("After: developer").waitFor();
  await panel.getByRole("button", { name: "Only this actor" }).click();
  await page.waitForURL(/actor_id=user_ann/);
  await expectActions(page, ["Member renamed", "Member role changed"]);
  await button(page, "Actor user_ann Take this filter away").click();
  await page.waitForURL((url) => !url.href.includes("actor_id"));
  await page.getByLabel("To", { exact: true }).fill("2026-01-05");
  await expectActions(page, ["Member renamed", "Member role changed"]);
  assert.deepEqual(session.problems, []);
});

test("words and actions are looked for by the server, over the whole log", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  await page.keyboard.press("/");
  await page.keyboard.type("karl");
  await expectActions(page, ["Member renamed"]);
  await page.getByLabel("Search in all fields").fill("zebra");
  await page.getByText("No event fits all of these filters").waitFor();
  await page.getByLabel("Search in all fields").fill("");
  await select(page.getByLabel("Action", { exact: true }), "member.");
  await expectActions(page, ["Member removed", "Member renamed", "Member role changed"]);
  assert.deepEqual(session.problems, []);
});

test("the export has what the filters let through, and the chain says how far it was verified", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?action=member.`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "CSV" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^audit-[\d-]+\.csv$/);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  assert.equal(text.trimEnd().split("\r\n").length, 4);
  await page.getByText(/^Verified up to event \d+$/).click();
  await page.getByText("plinth doctor --audit").waitFor();
  assert.deepEqual(session.problems, []);
});

test("a broken chain is shouted", async () => {
  await using session = await openOwnerSession(browser, house, {}, "other");
  const { page } = session;
  const text = `insert into audit_checks (organization_id, problem) values ($1, $2)
    on conflict (organization_id) do update set problem = excluded.problem`;
  const { organization_id } = house.organizations.other;
  await house.world.db.query({ text, values: [organization_id, "Event 3 is missing."] });
  await open(page, house.url, path);
  await page.getByText("Broken").click();
  await page.getByRole("alert").getByText("Event 3 is missing.").waitFor();
  await picture(page, "audit-broken");
  await expectAccessible(page);
});

/** Of each word of the operation: in how many pieces it is drawn. */
const boxesOfWords = `(() => {
  const range = document.createRange();
  const walker = document.createTreeWalker(
    document.querySelector('span[title^="console."]'),
    NodeFilter.SHOW_TEXT,
  );
  const boxes = [];
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode())
    for (const { index, 0: word } of text.data.matchAll(/[a-z]+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      boxes.push(new Set([...range.getClientRects()].map(({ top }) => top)).size);
    }
  return boxes;
})()`;

test("a person is named, other things are told in words, and operations break between their words", async () => {
  const carl = await addMember(house, house.organizations.enterprise, { name: "Carl Dyer" });
  const { organization_id: organizationId } = house.organizations.enterprise;
  const note = (action: string, target: { type: string; id: string }) =>
    house.world.db.tx((tx) =>
      audit.record(tx, house.world, audit.operator, {
        organizationId,
        action,
        target,
        details: {},
      }),
    );
  await note("user.updated", { type: "user", id: carl.id });
  await note("rbac_role.renamed", { type: "rbac_role", id: "rbac_role_abcdef" });
  await note("request.denied", { type: "operation", id: "console.workspace_members.candidates" });
  await using session = await openOwnerSession(browser, house, { height: 844 }, "enterprise");
  const { page } = session;
  await open(page, house.url, path);
  const line = (action: string) => page.getByRole("row").filter({ hasText: action }).first();
  await line("User updated").getByText("Carl Dyer").waitFor();
  await line("Rbac role renamed").getByText("Role …abcdef").waitFor();
  const operation = line("Request denied").locator('span[title^="console."]');
  await operation.waitFor();
  const drawn = await inPage<number[]>(page, boxesOfWords);
  assert.deepEqual([...new Set(drawn)], [1], "a word goes on in the next line");
  await picture(page, "audit-targets");
  await button(page, "User updated").first().click();
  const panel = page.getByRole("complementary", { name: "Event" });
  await panel.getByText("Carl Dyer").waitFor();
  await panel.getByText(carl.id).waitFor();
  assert.deepEqual(session.problems, []);
});

test("what has a name is told by it, also where it is deleted, and a name takes two lines at most", async () => {
  const { organization_id: organizationId } = house.organizations.enterprise;
  const note = (action: string, target: { type: string; id: string }, details = {}) =>
    house.world.db.tx((tx) =>
      audit.record(tx, house.world, audit.operator, { organizationId, action, target, details }),
    );
  await makeAgent(house, "enterprise").store("Lessons of the team");
  await note("invite.withdrawn", { type: "invite", id: "invite_1" }, { email: "dan@example.com" });
  await note("rbac_group.deleted", { type: "rbac_group", id: "rbac_group_1" }, { name: "Night" });
  await note("organization.renamed", { type: "organization", id: organizationId });
  await note("upstream.removed", { type: "upstream", id: "upstream-in-the-cellar" });
  await note("batch.deleted", { type: "message_batch", id: "msgbatch_0000000000fjgw4t" });
  // The name in the details is that of a passkey here.
  await note("passkey.renamed", { type: "session", id: "session_123456" }, { name: "Phone" });
  const long = "é".repeat(500);
  await note(
    "webhook_endpoint.deleted",
    { type: "webhook_endpoint", id: "whep_1" },
    { name: long },
  );
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, path);
  const line = (action: string) => page.getByRole("row").filter({ hasText: action }).first();
  await line("Memory store created").getByText("Lessons of the team").waitFor();
  await line("Invite withdrawn").getByText("dan@example.com").waitFor();
  await line("Rbac group deleted").getByText("Night").waitFor();
  await line("Organization renamed").getByText("enterprise of the house").waitFor();
  await line("Upstream removed").getByText("upstream-in-the-cellar").waitFor();
  await line("Batch deleted").getByText("Batch …fjgw4t").waitFor();
  await line("Passkey renamed").getByText("Session …123456").waitFor();
  const { height = 99 } = (await line("Webhook endpoint deleted").boundingBox()) ?? {};
  assert.ok(height < 80, `the row of a long name is ${height} pixels high`);
  await picture(page, "audit-names");
  await button(page, "Invite withdrawn").click();
  const panel = page.getByRole("complementary", { name: "Event" });
  await panel.getByText("dan@example.com").first().waitFor();
  assert.deepEqual(session.problems, []);
});

test("environments and skills are named, a version by its skill", async () => {
  const calls = sessionsOf(() => house);
  await calls.environment();
  await upload(house, sampleFolder, await upload(house, sampleFolder));
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, path);
  const line = (action: string) => page.getByRole("row").filter({ hasText: action }).first();
  await line("Environment created").getByText("lab", { exact: true }).waitFor();
  await line("Skill created").getByText("pdf-forms", { exact: true }).waitFor();
  await line("Skill version created").getByText("pdf-forms", { exact: true }).waitFor();
  await button(page, "Environment created").click();
  const panel = page.getByRole("complementary", { name: "Event" });
  await panel
    .getByRole("definition")
    .filter({ hasText: /^labenv_/ })
    .waitFor();
  assert.deepEqual(session.problems, []);
});

test("recent activity has no button in its sentences", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  const recent = page.locator("section").filter({ hasText: "Recent activity" });
  await recent.getByRole("listitem").first().waitFor();
  assert.equal(await recent.getByRole("button").count(), 0);
});

test("what is no day leaves the address, and narrows nothing", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?from=zzz&to=2026-99-99`);
  await page.waitForURL((url) => url.search === "");
  await page.getByRole("rowheader").first().waitFor();
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks)
  test(`the audit log with filters at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { scheme, width, height: 844 });
    const { page } = session;
    await open(page, house.url, `${path}?from=2026-01-01&actor_id=user_ann&q=user`);
    await picture(page, `audit-filtered-${width}-${scheme}`);
    await expectFits(page);
    await button(page, "Member role changed").click();
    await page.getByRole("complementary", { name: "Event" }).waitFor();
    await picture(page, `audit-change-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    await open(page, house.url, path);
    await picture(page, `audit-list-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
