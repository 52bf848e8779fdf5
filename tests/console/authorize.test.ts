// The pages on which a person grants a program access: by a typed code, and in a browser that goes back.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { codeRequest, programOf, registeredIn } from "../rules/authorizations-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  fillSignIn,
  openOwnerSession,
  picture,
  until,
} from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  await second();
});
after(async () => {
  await browser[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

const program = programOf(() => house);

test("not signed in: there, back with the code filled in, granted", async () => {
  const codes = await program.device();
  await using session = await browser.openSession();
  const { page } = session;
  await page.goto(codes.verification_uri_complete);
  await fillSignIn(page, house.organizations.platform);
  await page.getByLabel("Code that the program shows").waitFor();
  await until(page, 'document.querySelector("#user_code").value !== ""');
  assert.equal(await page.getByLabel("Code that the program shows").inputValue(), codes.user_code);
  // Neither the address bar nor the history holds it.
  assert.ok(!page.url().includes(codes.user_code));
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("The plinth command line").waitFor();
  await page.getByText("platform of the house").waitFor();
  await page.getByRole("button", { name: "Grant" }).click();
  await page.getByText("Granted. Go back to the program").waitFor();
  assert.equal((await program.poll(codes.device_code)).status, 200);
  await session.expect(/status of 401/);
  assert.deepEqual(session.problems, []);
});

test("a wrong code is told, a right one may be refused", async () => {
  const codes = await program.device();
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await page.goto(`${house.url}/device`);
  const field = page.getByLabel("Code that the program shows");
  await field.fill("BBBB-BBBB");
  await page.keyboard.press("Enter");
  await page.getByText("is not one that waits for an answer").waitFor();
  await field.fill(codes.user_code.toLowerCase());
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Refuse" }).click();
  await page.getByText("Refused. This page can be closed.").waitFor();
  assert.equal((await program.poll(codes.device_code)).body.error, "access_denied");
  await session.expect(/status of 400/);
  assert.deepEqual(session.problems, []);
});

test("a browser goes back to the program with a code; what is wrong with the address is told", async () => {
  await using back = await openCallback();
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { ask, redemption } = codeRequest({ redirect_uri: back.redirectUri });
  await page.goto(`${house.url}/authorize?${new URLSearchParams(ask).toString()}`);
  await page.getByRole("button", { name: "Grant" }).click();
  const answer = await back.answer;
  await page.getByText("done").waitFor();
  assert.equal(answer.get("state"), "st");
  const code = answer.get("code") ?? "";
  const grant = { ...redemption(code), redirect_uri: back.redirectUri };
  assert.equal((await program.token(grant)).status, 200);

  const elsewhere = codeRequest({ redirect_uri: "https://somewhere.example/callback" }).ask;
  await page.goto(`${house.url}/authorize?${new URLSearchParams(elsewhere).toString()}`);
  await page.getByText("redirect_uri: must be http://127.0.0.1").waitFor();
  assert.equal(await page.getByRole("button", { name: "Grant" }).count(), 0);
  await session.expect(/status of 403/);
  assert.deepEqual(session.problems, []);
});

test("a program that registered itself: its name is its own word, and a person chooses where it works", async () => {
  await using back = await openCallback();
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { ask, redemption, client_id } = await registeredRequest(back.redirectUri);
  await page.goto(
    `${house.url}/authorize?${new URLSearchParams({ ...ask, prompt: "consent" }).toString()}`,
  );
  await page.getByText("no name of a program is checked").waitFor();
  await page.getByText("a program on this computer (127.0.0.1").waitFor();
  await page.getByLabel("Workspace").selectOption({ label: "Second" });
  await page.getByRole("button", { name: "Grant" }).click();
  const answer = await back.answer;
  await page.getByText("done").waitFor();
  assert.equal(answer.get("iss"), house.url);
  const grant = {
    ...redemption(answer.get("code") ?? ""),
    redirect_uri: back.redirectUri,
    client_id,
  };
  assert.equal((await program.token(grant)).body.scope, "mcp");
  const { body } = await house.ask("GET", "/console/api/program_sign_ins", {
    cookie: house.organizations.platform.cookie,
  });
  assert.deepEqual(
    [body.data[0].client, body.data[0].workspace_id],
    ["Notes for me", await second()],
  );
  assert.deepEqual(session.problems, []);
});

test("what a registered program asks wrongly goes back by a person's act alone", async () => {
  await using back = await openCallback();
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { ask } = await registeredRequest(back.redirectUri, { scope: "everything" });
  await page.goto(`${house.url}/authorize?${new URLSearchParams(ask).toString()}`);
  await page.getByText("is none of mcp").waitFor();
  assert.equal(await page.getByRole("button", { name: "Grant" }).count(), 0);
  await page.getByRole("button", { name: "Go back to a program on this computer" }).click();
  assert.equal((await back.answer).get("error"), "invalid_scope");
  await page.getByText("done").waitFor();
  assert.deepEqual(session.problems, []);
});

test("not signed in: what the program asked is still there afterwards, a long state too", async () => {
  await using back = await openCallback();
  await using session = await browser.openSession();
  const { page } = session;
  const { ask } = await registeredRequest(back.redirectUri, { state: "s".repeat(1000) });
  await page.goto(`${house.url}/authorize?${new URLSearchParams(ask).toString()}`);
  await fillSignIn(page, house.organizations.platform);
  await page.getByLabel("Workspace").waitFor();
  await page.getByRole("button", { name: "Refuse" }).click();
  const answer = await back.answer;
  await page.getByText("done").waitFor();
  assert.deepEqual([answer.get("error"), answer.get("state")], ["access_denied", ask.state]);
  await session.expect(/status of 401/);
  assert.deepEqual(session.problems, []);
});

async function registeredRequest(redirect_uri: string, more: object = {}) {
  const client_id = await registeredIn(house, { redirect_uris: [redirect_uri] });
  const resource = `${house.url}/mcp`;
  const request = codeRequest({ client_id, redirect_uri, resource, scope: "mcp", ...more });
  return { ...request, client_id };
}

let made: Promise<string> | undefined;
const second = () =>
  (made ??= house
    .ask("POST", "/v1/organizations/workspaces", {
      key: house.organizations.platform.admin_api_key,
      body: { name: "Second" },
    })
    .then(({ body }) => String(body["id"])));

for (const [name, look] of [
  ["light", {}],
  ["dark", { scheme: "dark" }],
  ["phone", { width: 390, height: 844 }],
] as const)
  test(`how it looks: ${name}`, async () => {
    const { user_code } = await program.device();
    await using session = await openOwnerSession(browser, house, look);
    const { page } = session;
    await page.goto(`${house.url}/device#user_code=${user_code}`);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("button", { name: "Grant" }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await picture(page, `authorize-${name}`);
    const { ask } = await registeredRequest("http://127.0.0.1:49152/callback");
    await page.goto(`${house.url}/authorize?${new URLSearchParams(ask).toString()}`);
    await page.getByLabel("Workspace").waitFor();
    await page.getByRole("button", { name: "Grant" }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await picture(page, `authorize-mcp-${name}`);
    assert.deepEqual(session.problems, []);
  });

async function openCallback() {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/callback") resolve(url.searchParams);
    response.end("done");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer: promise,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
