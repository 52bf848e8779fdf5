// The palette finds objects by an id or words, in any workspace of the person, and says when it finds none or cannot.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { addMember } from "../rules/members-house.ts";
import {
  furnish,
  furnishOrganization,
  makerOf,
  searchOf,
  type FoundObject,
} from "../rules/search-house.ts";
import { makePerson, workspacesOf } from "../rules/workspaces-house.ts";
import { openBrowser, type Browsers, type BrowserSession } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  until,
} from "./person.ts";
import { settled } from "./settled.ts";

let house: House;
let browser: Browsers;
let lab: string;
let things: Record<string, string>;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  const { platform } = house.organizations;
  lab = await workspacesOf(house).make(platform, { name: "Research lab" });
  things = {
    ...(await furnish(house, platform, "Quarzit", lab)),
    ...(await furnishOrganization(house, platform, "quarzit")),
    user: (await addMember(house, platform, { name: "Quarzit Person" })).id,
  };
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const idOf = (type: string) => things[type] ?? assert.fail(`there is no ${type}`);
const options = (page: Page) => page.getByRole("option");
const box = (page: Page) =>
  page.getByRole("combobox", { name: "Search pages, actions and objects" });

/** Open means that what is typed next goes into it. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await until(page, 'document.activeElement?.getAttribute("role") === "combobox"');
}

async function search(page: Page, words: string): Promise<void> {
  await openPalette(page);
  await box(page).fill(words);
  await settled(page);
}

test("[SRC2] an id that is pasted, and Enter at once: its page opens, in its workspace", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/usage");
  await openPalette(page);
  await box(page).fill(idOf("session"));
  await page.keyboard.press("Enter");
  await page.waitForURL(`${house.url}/console/sessions/${idOf("session")}?workspace=${lab}`);
  await page.getByRole("heading", { name: "Quarzit session" }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("[SRC3] words find names in all workspaces of the person, under the page that lists them, with where they are", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await search(page, "quarz");
  const groups = [
    "Sessions",
    "Agents",
    "Deployments",
    "API keys",
    "Members",
    "Workspaces",
    "Files",
  ];
  for (const group of groups) await page.getByRole("group", { name: group }).waitFor();
  const file = options(page).filter({ hasText: "Quarzit-file.txt" });
  assert.match(await file.innerText(), /Research lab/);
  await box(page).fill("quarzit memory");
  await settled(page);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/memory\/memstore_\w+\?memory=mem_\w+&workspace=wrkspc_/);
  await page.getByRole("heading", { name: "Quarzit store" }).waitFor();
  assert.deepEqual(session.problems, []);
});

test("pages and actions come first, and arrows lead from them to what was found", async () => {
  const make = makerOf(house, house.organizations.platform);
  await make("/v1/environments", {
    name: "Account of everything",
    config: { type: "self_hosted" },
  });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/usage");
  await search(page, "account");
  assert.match(await options(page).first().innerText(), /^Account/);
  const found = options(page).filter({ hasText: "Account of everything" });
  await found.waitFor();
  const isHighlighted = async () => (await found.getAttribute("data-highlighted")) !== null;
  for (let presses = 0; presses < 40 && !(await isHighlighted()); presses += 1)
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/environments\/env_/);
  assert.deepEqual(session.problems, []);
});

test("[SRC1] each address that is found shows the object", async () => {
  const owner = { cookie: house.organizations.platform.cookie };
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  for (const [type, id] of Object.entries(things)) {
    const [found] = await searchOf(house).find(owner, id);
    assert.ok(found, type);
    await open(page, house.url, found.console_url.slice(house.url.length));
    const shown = shownOf(found);
    await page.locator("main, [role=dialog]").getByText(shown).first().waitFor();
  }
  assert.deepEqual(session.problems, []);
});

/** A memory is called by its place in the tree. */
const shownOf = ({ name, id }: FoundObject): string => name?.split("/").at(-1) ?? id;

test("[SRC4] who does not work in a workspace is told that nothing is called so", async () => {
  const { platform } = house.organizations;
  const person = await makePerson(house, platform);
  await using session = await browser.openSession();
  await session.takeCookie(house.url, person.cookie);
  const { page } = session;
  await open(page, house.url, "/console/");
  for (const words of [idOf("session"), "quarzit"]) {
    await search(page, words);
    await page.getByText("Nothing is called that.").waitFor();
    assert.equal(await options(page).count(), 0);
    await page.keyboard.press("Escape");
    await box(page).waitFor({ state: "detached" });
  }
  assert.deepEqual(session.problems, []);
});

test("while the server is looking the palette says so; a refusal is told with a way to try again", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  const held = Promise.withResolvers<void>();
  let refusals = 1;
  await page.route("**/console/api/objects?*", async (route) => {
    await held.promise;
    if (refusals-- > 0)
      return route.fulfill({
        status: 400,
        json: {
          type: "error",
          error: { type: "invalid_request_error", message: "The moon is full." },
          request_id: "req_1",
        },
      });
    return route.fallback();
  });
  await openPalette(page);
  await box(page).fill(idOf("agent"));
  await page.getByRole("dialog").getByRole("status").filter({ hasText: "Loading" }).waitFor();
  held.resolve();
  const trouble = page.getByRole("dialog").getByRole("alert");
  await trouble.getByText("The moon is full.").waitFor();
  assert.equal(await page.getByText("Nothing is called that.").count(), 0);
  await trouble.getByRole("button", { name: "Try again" }).click();
  await options(page).filter({ hasText: "Quarzit agent" }).waitFor();
  await session.expect(/status of 400/);
  assert.deepEqual(session.problems, []);
});

test("of more than are shown the palette says that there are more", async () => {
  const make = makerOf(house, house.organizations.platform);
  for (let count = 0; count < 21; count += 1)
    await make("/console/api/keys", { name: `many ${count}`, kind: "api" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, "/console/");
  await search(page, "many");
  await page.getByText("There are more.").waitFor();
  await box(page).fill("many 13");
  await settled(page);
  assert.equal(await options(page).filter({ hasText: "many" }).count(), 1);
  assert.deepEqual(session.problems, []);
});

type Prepare = (page: Page) => Promise<unknown>;
const states: [name: string, prepare: Prepare][] = [
  ["found", (page) => search(page, "quarz")],
  ["by-id", (page) => search(page, idOf("message_batch"))],
  ["nothing", (page) => search(page, "nothing like it")],
  [
    "looking",
    async (page) => {
      await page.route("**/console/api/objects?*", () => new Promise<void>(() => {}), { times: 1 });
      await openPalette(page);
      await box(page).fill("zzzz");
      await page.getByRole("dialog").getByRole("status").filter({ hasText: "Loading" }).waitFor();
    },
  ],
];

async function look({ page, problems }: BrowserSession, name: string): Promise<void> {
  await picture(page, name);
  await expectFits(page);
  await expectAccessible(page);
  assert.deepEqual(problems.splice(0), []);
}

for (const { width, scheme } of looks)
  test(`the palette's states at ${width} pixels, ${scheme}`, async (t) => {
    const height = width === 390 ? 844 : 800;
    await using session = await openOwnerSession(browser, house, { scheme, width, height });
    for (const [name, prepare] of states)
      await t.test(name, async () => {
        await open(session.page, house.url, "/console/");
        await prepare(session.page);
        await look(session, `palette-${name}-${width}-${scheme}`);
      });
  });
