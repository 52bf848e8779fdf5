// Workspaces in a real browser: made, changed, joined, archived; what each person sees of them; and how it looks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House, type Tenant } from "../house.ts";
import { makeKey } from "../rules/support.ts";
import { makePerson, workspacesOf, type Person } from "../rules/workspaces-house.ts";
import { goKeys, openBrowser, type Browsers, type Look, type BrowserSession } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  inPage,
  looks,
  open,
  openOwnerSession,
  picture,
  pick,
  select,
  openSelect,
} from "./person.ts";

let house: House;
let browser: Browsers;
let platform: Tenant;
let w: ReturnType<typeof workspacesOf>;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  ({ platform } = house.organizations);
  w = workspacesOf(house);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/workspaces";
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function seatOf({ email }: Person, look?: Look): Promise<BrowserSession> {
  const session = await browser.openSession(look);
  await session.page.goto(`${house.url}/sign-in`);
  const body = JSON.stringify({ email, password: "a password of somebody" });
  const status = await inPage<number>(
    session.page,
    `fetch("/console/api/sign_in", {
       method: "POST",
       headers: { "content-type": "application/json" },
       body: ${JSON.stringify(body)},
     }).then(({ status }) => status)`,
  );
  assert.equal(status, 200);
  return session;
}

test("a workspace is made with colour and tags, changed, and archived by its name", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await goKeys(page, "w");
  await page.getByRole("heading", { name: "Workspaces", exact: true }).waitFor();
  await page.getByText("One workspace is enough for one team").waitFor();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Search");
  await dialog.getByRole("radio", { name: "Violet" }).check({ force: true });
  await dialog.getByRole("radio", { name: /United States/ }).check();
  await button(page, "Add a pair").click();
  await dialog.getByLabel("Key 1").fill("team");
  await dialog.getByLabel("Value 1").fill("relevance");
  await button(page, "Create workspace").click();
  await page.getByRole("heading", { name: "Search", exact: true }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const made = (await w.overApi(platform, "GET", `/${id}`)).body;
  assert.equal(made.display_color, "#8B5CF6");
  assert.deepEqual(made.tags, { team: "relevance" });
  assert.deepEqual(made.data_residency.allowed_inference_geos, ["us"]);
  await page.getByText("The default is United States.").waitFor();

  await button(page, "Edit").click();
  await dialog.getByLabel("Name").fill("Search and find");
  await dialog.getByRole("button", { name: "Remove team" }).click();
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Search and find", exact: true }).waitFor();
  const changed = (await w.overApi(platform, "GET", `/${id}`)).body;
  assert.deepEqual(changed, { ...made, name: "Search and find", tags: {} });

  await pick(button(page, "More for this workspace"), "Archive");
  await dialog.getByText("All of its API keys stop working").waitFor();
  assert.ok(await button(page, "Archive the workspace").isDisabled());
  await dialog.getByLabel("Type Search and find to go on").fill("Search and find");
  await button(page, "Archive the workspace").click();
  await page.getByText("its keys have ended").waitFor();
  assert.equal(await button(page, "Edit").count(), 0);
  await page.getByRole("link", { name: "All workspaces" }).click();
  await row(page, "Default").first().waitFor();
  await row(page, "Search and find").waitFor({ state: "detached" });
  await page.getByLabel("Show archived").check();
  await row(page, "Search and find").waitFor();
  assert.deepEqual(session.problems, []);
});

test("people are found by e-mail, added with a role, given another, and removed", async () => {
  const id = await w.make(platform, { name: "Staffed" });
  const person = await makePerson(house, platform);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}/${id}`);
  await page.getByText("No members yet").waitFor();
  await button(page, "Add a member").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(person.email.slice(0, -3));
  await dialog.getByRole("radio", { name: person.email }).check();
  await dialog.getByRole("radio", { name: /Restricted developer/ }).check();
  await button(page, "Add to the workspace").click();
  await row(page, person.email).getByText("Restricted developer").waitFor();
  await pick(row(page, person.email).getByRole("button"), "Change the role");
  await dialog.getByRole("radio", { name: /Billing/ }).check();
  await button(page, "Change the role").click();
  await row(page, person.email).getByText("Billing").waitFor();
  await pick(row(page, person.email).getByRole("button"), "Remove");
  await dialog.getByText("Keys that they made here work on").waitFor();
  await button(page, "Remove from the workspace").click();
  await page.getByText("No members yet").waitFor();
  assert.deepEqual((await w.overApi(platform, "GET", `/${id}/members`)).body.data, []);
  assert.deepEqual(session.problems, []);
});

test("somebody with a role in a workspace sees it, its keys, and what the role gives", async () => {
  const id = await w.make(platform, { name: "Joined" });
  const beside = await w.make(platform, { name: "Beside" });
  await makeKey(house, platform, { kind: "api", workspace_id: id, name: "Theirs" });
  await makeKey(house, platform, { kind: "api", workspace_id: beside, name: "Elsewhere" });
  const admin = await makePerson(house, platform);
  await w.join(platform, id, admin, "workspace_admin");
  await using session = await seatOf(admin);
  const { page } = session;
  await open(page, house.url, path);
  await row(page, "Joined").getByText("Administrator").waitFor();
  assert.equal(await row(page, "Beside").count(), 0);
  assert.equal(await button(page, "New workspace").count(), 0);
  await page.getByRole("link", { name: "Joined" }).click();
  await row(page, admin.email).getByText("Administrator").waitFor();
  await page.getByText("spent, without a limit of its own").waitFor();
  assert.equal(await button(page, "Edit").count(), 0);
  await row(page, "Theirs").waitFor();
  await page.getByRole("link", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Ours");
  const workspaces = await openSelect(dialog.getByLabel("Workspace"));
  assert.deepEqual(await workspaces.allInnerTexts(), ["Joined"]);
  await page.keyboard.press("Escape");
  await workspaces.first().waitFor({ state: "hidden" });
  assert.equal(await dialog.getByRole("radio", { name: /Admin key/ }).count(), 0);
  await button(page, "Create key").last().click();
  await dialog.getByText("I have stored this secret").click();
  await button(page, "Done").click();
  await row(page, "Ours").waitFor();
  await select(page.getByLabel("Made by"), "me");
  await row(page, "Theirs").waitFor({ state: "detached" });
  await row(page, "Ours").waitFor();
  assert.deepEqual(session.problems, []);
});

test("in an enterprise organization workspaces are the console's alone, and work there", async () => {
  await using session = await openOwnerSession(browser, house, {}, "enterprise");
  const { page } = session;
  await open(page, house.url, `${path}?new=workspace`);
  await page.getByRole("dialog").getByLabel("Name").fill("Research");
  await button(page, "Create workspace").click();
  await page.getByRole("heading", { name: "Research", exact: true }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("pages of workspaces in light and dark, on a desk and on a phone", async (t) => {
  const tags = { team: "search", "cost-centre": "4711", stage: "production", region: "north" };
  const id = await w.make(platform, { name: "Customer support, second line", tags });
  await w.make(platform, { name: "A workspace-whose-name-has-no-blank-and-goes-on-for-very-long" });
  for (const role of ["workspace_admin", "workspace_user", "workspace_billing"])
    await w.join(platform, id, await makePerson(house, platform), role);
  await makeKey(house, platform, { kind: "api", workspace_id: id, name: "Help desk" });
  const pages: [name: string, path: string, prepare?: (page: Page) => Promise<void>][] = [
    ["workspaces", path],
    ["workspaces-nothing-fits", `${path}?q=zzz`],
    ["workspace-new", `${path}?new=workspace`],
    ["workspace", `${path}/${id}`],
    ["workspace-default", `${path}/${platform.workspace_id}`],
    ["workspace-add", `${path}/${id}`, (page) => button(page, "Add a member").click()],
    [
      "workspace-archive",
      `${path}/${id}`,
      async (page) => {
        await pick(button(page, "More for this workspace"), "Archive");
      },
    ],
    ["keys-of-workspaces", "/console/keys"],
  ];
  for (const { width, scheme } of looks) {
    await using session = await openOwnerSession(browser, house, { scheme, width, height: 844 });
    for (const [name, where, prepare] of pages)
      await t.test(`${name}, ${width} pixels, ${scheme}`, async () => {
        await open(session.page, house.url, where);
        await prepare?.(session.page);
        await picture(session.page, `${name}-${width}-${scheme}`);
        await expectFits(session.page);
        await expectAccessible(session.page);
        assert.deepEqual(session.problems.splice(0), []);
      });
  }
});
