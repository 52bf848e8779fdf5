// The files of a session's sandbox in the console, and calls that run in one. Where none can be made, passed by.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { networkPart, sandboxesPart } from "../../server/sessions/module.ts";
import { openHouse, type House } from "../house.ts";
import { memoryOf } from "../rules/memory-house.ts";
import { computer, said } from "../rules/sessions-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, openOwnerSession, picture } from "./person.ts";
import { button, path, sessionCalls, statusOf, talk, transcript } from "./sessions.ts";

let house: House;
let browser: Browsers;
let fault: string | undefined;
const calls = sessionCalls(() => house);
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  fault = await sandboxesPart.of(house.world).fault();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const tool = (name: string, input: object) => `[[tool ${name} ${JSON.stringify(input)}]]`;
const bash = (command: string) => tool("bash", { command });
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function cloudSession(title: string): Promise<string> {
  const { id: agent } = await calls.agent({ name: "Builder", tools: [computer()] });
  const { id: environment_id } = await calls.environment("cloud");
  return (await calls.begin({ agent, environment_id, title })).id;
}
const makeFiles = bash(
  `mkdir -p src/deep many && cd src && echo 'hello <b>there</b>' > page.html && ln -s deep to_deep &&
echo '${dot}' | base64 -d > dot.png && printf 'a\\000b' > data.bin && ln -s nowhere broken &&
truncate -s 300000 long.log && mkfifo pipe && cd /workspace`,
);

const files = (page: Page, folder: string) =>
  page.getByRole("list", { name: `Files in ${folder}` });
const namesIn = (page: Page, folder: string) =>
  files(page, folder).getByRole("button").allInnerTexts();
const opened = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const addressOf = (page: Page) => new URL(page.url()).searchParams;

test("folders and files of a sandbox are opened, shown without being run, and downloaded", async (t) => {
  if (fault !== undefined) return t.skip(fault);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await cloudSession("Builds");
  await open(page, house.url, `${path}/${id}`);
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByText("There are no files yet.").waitFor();
  // What a turn has made is there when it ends.
  await talk(page, `Make them ${makeFiles}`);
  await files(page, "/workspace").waitFor();
  assert.deepEqual(await namesIn(page, "/workspace"), ["many", "src"]);

  await opened(page, "src, a folder").click();
  const src = files(page, "/workspace/src");
  await src.waitFor();
  assert.deepEqual(await namesIn(page, "/workspace/src"), [
    "deep",
    "to_deep",
    "data.bin",
    "dot.png",
    "long.log",
    "page.html",
  ]);
  await src.getByText("A link that leads nowhere").waitFor();
  await src.getByText("A pipe, socket or device").waitFor();
  assert.equal(addressOf(page).get("files"), "/workspace/src");
  await opened(page, "page.html").click();
  await page
    .getByRole("region", { name: "Content of page.html" })
    .getByText("<b>there</b>")
    .waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    button(page, "Download").click(),
  ]);
  assert.equal(download.suggestedFilename(), "page.html");
  assert.equal(await readFile(await download.path(), "utf8"), "hello <b>there</b>\n");

  // An address leads to a file, and back to where it lies.
  await open(page, house.url, `${path}/${id}?files=/workspace/src&file=dot.png`);
  await page.getByRole("img", { name: "dot.png" }).waitFor();
  await page.getByText("1 × 1 pixels").waitFor();
  await page
    .getByRole("navigation", { name: "Folders" })
    .getByRole("button", { name: "src" })
    .click();
  await opened(page, "data.bin").press("Enter");
  await page.getByText("This is neither text nor a picture").waitFor();
  await page.goBack();
  await opened(page, "long.log").click();
  await page.getByText("are shown here: download it").waitFor();
  await page.getByRole("tab", { name: "About" }).click();
  assert.equal(addressOf(page).get("files"), null);
  // Before the list: who looks at its beginning is not to take it for all.
  await calls.turn(id, said(bash("touch many/{1..1001}")));
  await open(page, house.url, `${path}/${id}?files=/workspace/many`);
  await files(page, "/workspace/many").waitFor();
  const cut = page.getByText("The first 1,000 entries by name are shown: there are more.");
  assert.equal((await namesIn(page, "/workspace/many")).length, 1_000);
  const top = async (of: Locator) => (await of.boundingBox())?.y ?? assert.fail();
  assert.ok((await top(cut)) < (await top(files(page, "/workspace/many"))));
  await open(page, house.url, `${path}/${id}?files=/workspace/none`);
  await page.getByRole("alert").getByText("/workspace/none").waitFor();
  await session.expect(/status of 404/, 1);
  assert.deepEqual(session.problems, []);
});

test("what was not kept as written and which connections were refused is told beside the session and its environment", async (t) => {
  if (fault !== undefined) return t.skip(fault);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const made = await memoryOf(() => house).good<{ id: string }>("POST", "", {
    body: { name: "Notes" },
  });
  const { id: agent } = await calls.agent({ name: "Builder", tools: [computer()] });
  const { id: environment_id } = await calls.environment("cloud");
  const resources = [{ type: "memory_store", memory_store_id: made.id }];
  const { id } = await calls.begin({ agent, environment_id, resources });
  await calls.turn(
    id,
    said(
      bash(
        `printf 'a\\000b' > /mnt/memory/notes/data.bin; exec 9<>/dev/tcp/127.0.0.1/3128;
printf 'CONNECT 169.254.169.254:80 HTTP/1.1\\r\\nhost: 169.254.169.254:80\\r\\n\\r\\n' >&9; head -1 <&9`,
      ),
    ),
  );
  await networkPart.of(house.world).refusals.write();
  await open(page, house.url, `${path}/${id}`);
  await page
    .getByRole("list", { name: "Files that were not kept as written" })
    .getByText("data.bin")
    .waitFor();
  const refused = page.getByRole("list", { name: "Refused connections" });
  await refused.getByText("169.254.169.254:80").waitFor();
  await open(page, house.url, `/console/environments/${environment_id}`);
  await refused.getByText("No address of the public internet, 1 time").waitFor();
  await expectAccessible(page);
  assert.deepEqual(session.problems, []);
});

test("a call in the sandbox tells for how long it runs, and is interrupted; files are shown again then", async (t) => {
  if (fault !== undefined) return t.skip(fault);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const id = await cloudSession("Waits");
  await calls.turn(id, said(bash("touch first")));
  await open(page, house.url, `${path}/${id}`);
  await talk(page, `Wait ${bash("touch second; sleep 1000")}`);
  const shown = transcript(page);
  await shown.getByText(/^Under way in the sandbox for/).waitFor();
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByText("A call runs in the sandbox").waitFor();
  await button(page, "Interrupt bash").click();
  await statusOf(page, "Idle").waitFor();
  await opened(page, "second").waitFor();
  assert.equal(await page.getByText("A call runs in the sandbox").count(), 0);
  assert.equal(await shown.getByText(/^Under way/).count(), 0);
  await session.expect(/status of 409/);
  assert.deepEqual(session.problems, []);
});

test("a self-hosted session has no files here", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const { id } = await calls.make();
  await open(page, house.url, `${path}/${id}?files=/workspace`);
  await page.getByRole("tab", { name: "Raw events" }).waitFor();
  assert.equal(await page.getByRole("tab", { name: "Files" }).count(), 0);
  assert.deepEqual(session.problems, []);
});

for (const { width, scheme } of looks)
  test(`files, pictures and failed calls at ${width} pixels, ${scheme}`, async (t) => {
    if (fault !== undefined) return t.skip(fault);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    const id = await cloudSession("Builds");
    await calls.turn(id, said(makeFiles));
    await calls.turn(id, said(tool("read", { file_path: "src/dot.png" })));
    await calls.turn(id, said(bash("echo no; false")));
    await open(page, house.url, `${path}/${id}?files=/workspace/src`);
    await files(page, "/workspace/src").waitFor();
    const shown = transcript(page);
    await shown.getByText("Failed", { exact: true }).click();
    await shown.getByText("Result, an error").waitFor();
    await shown.getByText("read", { exact: true }).click();
    await shown.getByRole("img", { name: "A picture" }).waitFor();
    await look("session-files");
    await opened(page, "page.html").click();
    await page.getByRole("region", { name: "Content of page.html" }).waitFor();
    await look("session-file");
    await page.getByRole("tab", { name: "About" }).click();
    await calls.send(id, said(bash("sleep 1000")));
    await shown.getByText(/^Under way in the sandbox for/).waitFor();
    await look("session-call-running");
    await button(page, "Interrupt bash").click();
    await statusOf(page, "Idle").waitFor();
    assert.deepEqual(session.problems, []);
  });
