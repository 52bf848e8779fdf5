// Connecting an MCP server in a real browser: from a server that refuses to the credential in the vault.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { connectOf, openAuthorizationServer } from "../rules/mcp-connect-house.ts";
import { toLoopback } from "../rules/mcp-house.ts";
import { mcpRowsOf } from "../rules/mcp-rows-house.ts";
import { vaultsOf } from "../rules/vaults-house.ts";
import { button, dialogOn } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  fillSignIn,
  looks,
  open,
  openOwnerSession,
  picture,
  select,
} from "./person.ts";

type AuthorizationServer = Awaited<ReturnType<typeof openAuthorizationServer>>;

let house: House;
let browser: Browsers;
let server: AuthorizationServer;
before(async () => {
  [house, browser, server] = await Promise.all([
    openHouse({ sections: { network: toLoopback } }),
    openBrowser(),
    openAuthorizationServer(),
  ]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
const rows = mcpRowsOf(() => house);
const vaults = vaultsOf(() => house);

test("a server that refuses is connected: vault, sign-in in another tab, done", async () => {
  const vault = await vaults.make({ display_name: "Tokens" });
  const { id } = await rows.make({ name: "private", url: `${server.url}/mcp` });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, `/console/mcp-servers/${id}`);
  await button(page, "Connect by OAuth").click();
  await select(dialog.getByLabel("Vault"), "Tokens");
  await button(page, "Go on").click();
  await dialog.getByText("The sign-in is at").waitFor();
  const opening = page.waitForEvent("popup");
  await dialog.getByRole("link", { name: "Sign in there" }).click();
  const tab = await opening;
  await tab.getByText("Done here.").waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Tokens" }).waitFor();
  assert.equal((await rows.read(id)).vault_id, vault.id);
  assert.deepEqual(session.problems, []);
});

test("where a key began it, the page asks; a no connects nothing", async () => {
  const vault = await vaults.make({ display_name: "Of the key" });
  const { id } = await rows.make({ url: `${server.url}/mcp`, vault_id: vault.id });
  const { begin, finish } = connectOf(() => house);
  const begun = await begin(id);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await page.goto(begun.authorization_url ?? "");
  await page.getByText("Of the key").waitFor();
  await button(page, "No").click();
  await page.getByText("Nothing was connected.").waitFor();
  const { status, error } = await finish(begun);
  assert.equal(status, "failed");
  assert.match(error ?? "", /refused here/);
});

test("a person who has to sign in first comes back to the page", async () => {
  const vault = await vaults.make({ display_name: "After the sign-in" });
  const { id } = await rows.make({ url: `${server.url}/mcp`, vault_id: vault.id });
  const { authorization_url: url } = await connectOf(() => house).begin(id);
  await using session = await browser.openSession();
  const { page } = session;
  await page.goto(url ?? "");
  await page.waitForURL(/\/sign-in\?next=/);
  await fillSignIn(page, house.organizations.platform);
  await page.waitForURL(/\/mcp-connected\?/);
  await page.getByText("After the sign-in").waitFor();
});

for (const { width, scheme } of looks)
  test(`connecting at ${width} pixels, ${scheme}`, async () => {
    const { begin } = connectOf(() => house);
    const vault = await vaults.make({ display_name: "Looks" });
    const { id } = await rows.make({ url: `${server.url}/mcp`, vault_id: vault.id });
    const begun = await begin(id);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, `/console/mcp-servers/${id}`);
    await button(page, "Connect by OAuth").click();
    await dialogOn(page).getByLabel("Client secret").waitFor();
    await look("mcp-connect");
    await page.goto(begun.authorization_url ?? "");
    await page.getByText("Looks").waitFor();
    await look("mcp-connected");
  });
