// What the playground sends beside text: a temperature, pictures and documents, tools; and to two models at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page, Request } from "playwright-core";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers, type BrowserSession } from "./browser.ts";
import { expectAccessible, expectFits, inPage, open, openOwnerSession, select } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/playground";
const answerOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const done = (page: Page, name = "Answer") =>
  answerOf(page, name).getByRole("status").getByText("Done").waitFor();
const text = (page: Page) => page.getByLabel("Text of turn 1");
const runs = (page: Page) =>
  page.getByRole("button", { name: "Run", exact: true, disabled: false }).click();

interface Body {
  model: string;
  temperature?: number;
  messages: { content: string | { type: string; [field: string]: unknown }[] }[];
}

/** The bodies that the page sent to models. */
function sentBy({ page }: BrowserSession): Body[] {
  const bodies: Body[] = [];
  page.on("request", (request: Request) => {
    if (request.method() === "POST" && request.url().endsWith("/v1/messages"))
      bodies.push(request.postDataJSON() as Body);
  });
  return bodies;
}

/** One point, in red. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const notes = {
  name: "notes.txt",
  mimeType: "text/plain",
  buffer: Buffer.from("Bees like thyme."),
};

test("a temperature is sent where it is filled in and the model does not think, and only then", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const sent = sentBy(session);
  await open(page, house.url, `${path}?model=sim-large`);
  await text(page).fill("Hello");
  await runs(page);
  await done(page);
  assert.equal("temperature" in (sent[0] ?? {}), false);
  const temperature = page.getByLabel("Temperature");
  await temperature.fill("hot");
  await page.getByText("A number from 0 to 1").waitFor();
  assert.equal(await page.getByRole("button", { name: "Run", exact: true }).isDisabled(), true);
  await temperature.fill("0.4");
  await runs(page);
  await done(page);
  assert.equal(sent[1]?.temperature, 0.4);
  await page.getByRole("button", { name: "Copy as code" }).click();
  await page.getByRole("dialog").getByText('"temperature": 0.4').first().waitFor();
  await page.keyboard.press("Escape");
  await select(page.getByLabel("Thinking"), "adaptive");
  assert.equal(await temperature.isDisabled(), true);
  await runs(page);
  await done(page);
  assert.equal("temperature" in (sent[2] ?? {}), false);
  assert.deepEqual(session.problems, []);
});

test("pictures and texts are attached, removed, sent before the words, and come back after a reload", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const sent = sentBy(session);
  await open(page, house.url, `${path}?model=sim-large`);
  const files = page.getByLabel("Files for turn 1");
  await files.setInputFiles([
    { name: "red.png", mimeType: "image/png", buffer: picture },
    notes,
    { name: "clip.mp4", mimeType: "video/mp4", buffer: Buffer.from("film") },
  ]);
  await page.getByText("clip.mp4 is neither a picture, a PDF nor text").waitFor();
  const attached = page.getByRole("list", { name: "Attached to turn 1" });
  assert.equal(await attached.getByRole("listitem").count(), 2);
  await text(page).fill("What is this?");
  await expectAccessible(page);
  await expectFits(page);
  await page.reload();
  await attached.getByText("red.png").waitFor();
  await runs(page);
  await done(page);
  assert.deepEqual(sent[0]?.messages[0]?.content, [
    {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: picture.toString("base64") },
    },
    {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "Bees like thyme." },
      title: "notes.txt",
    },
    { type: "text", text: "What is this?" },
  ]);
  await page.getByRole("button", { name: "Remove red.png" }).click();
  await runs(page);
  await done(page);
  assert.equal(sent[1]?.messages[0]?.content.length, 2);
  assert.deepEqual(session.problems, []);
});

test("what is long goes into the workspace's files; what is too long to be kept is told after a reload", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const sent = sentBy(session);
  await open(page, house.url, `${path}?model=sim-large`);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  const long = Buffer.concat([picture, Buffer.alloc(1_200_000)]);
  const almost = Buffer.alloc(900_000, picture);
  await page.getByLabel("Files for turn 1").setInputFiles([
    { name: "long.png", mimeType: "image/png", buffer: long },
    { name: "wide.png", mimeType: "image/png", buffer: almost },
  ]);
  const attached = page.getByRole("list", { name: "Attached to turn 1" });
  await attached.getByText("in Files").waitFor();
  await attached.getByText("wide.png").waitFor();
  await text(page).fill("[[tokens 3]]");
  await page.reload();
  await attached.getByText("not kept").waitFor();
  await page.getByRole("button", { name: "Remove wide.png" }).click();
  await runs(page);
  await done(page);
  const content = sent[0]?.messages[0]?.content;
  assert.ok(Array.isArray(content));
  assert.match(JSON.stringify(content[0]), /"type":"image".*"file_id":"file_\w+"/);
  assert.deepEqual(session.problems, []);
});

test("two models answer side by side, each with its tokens, cost and time; the address names both", async () => {
  await using session = await openOwnerSession(browser, house, { width: 1440 });
  const { page } = session;
  const sent = sentBy(session);
  await open(page, house.url, `${path}?model=sim-large`);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await select(page.getByLabel("Side by side with"), "sim-small");
  await text(page).fill("[[tokens 2000]] [[rate 100]]");
  await runs(page);
  const [large, small] = ["Answer of Simulator Large", "Answer of Simulator Small"];
  // Both come at once: neither waits for the other.
  for (const name of [large, small])
    await answerOf(page, name)
      .getByRole("tabpanel")
      .locator("p")
      .filter({ hasText: /\w/ })
      .first()
      .waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  for (const name of [large, small])
    await answerOf(page, name).getByRole("status").getByText("Stopped").waitFor();
  await text(page).fill("Good morning");
  await runs(page);
  for (const name of [large, small]) {
    await done(page, name);
    const said = await answerOf(page, name).innerText();
    assert.match(said, /Input\s*\d+ tokens/);
    assert.match(said, /Output\s*\d+ tokens/);
    assert.match(said, /Price\s*\$0\.\d{6} USD/);
    assert.match(said, /Whole answer\s*[\d.]+ m?s/);
  }
  assert.deepEqual(
    sent
      .slice(-2)
      .map(({ model }) => model)
      .toSorted(),
    ["sim-large", "sim-small"],
  );
  assert.equal(new URL(page.url()).search, "?model=sim-large&beside=sim-small");
  await expectAccessible(page);
  await expectFits(page);
  await page.reload();
  await text(page).waitFor();
  assert.match(await page.getByLabel("Side by side with").innerText(), /Small/);
  assert.deepEqual(session.problems, []);
});

test("a call of a tool is answered by hand for the one of two models that made it", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `${path}?model=sim-large`);
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByRole("button", { name: "Insert an example" }).click();
  await page.getByRole("button", { name: "Add a tool" }).click();
  const tools = JSON.parse(await page.getByLabel("Tools", { exact: true }).inputValue());
  assert.deepEqual(
    tools.map(({ name }: { name: string }) => name),
    ["get_weather", "tool_2"],
  );
  await text(page).fill('How is it? [[tool get_weather {"place":"Oslo"}]]');
  await runs(page);
  await page.getByLabel("Result of get_weather").fill("Snow.");
  await page.getByLabel("It failed").check();
  await page.getByRole("button", { name: "Send the result" }).click();
  await answerOf(page, "Answer").getByText("end_turn").waitFor();
  const height = await inPage<number>(
    page,
    'document.querySelector("label + textarea").getBoundingClientRect().height',
  );
  assert.ok(height >= 140, `the system prompt is ${height} pixels tall`);
  assert.deepEqual(session.problems, []);
});
