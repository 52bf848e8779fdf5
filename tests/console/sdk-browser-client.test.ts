// The official client SDK in a browser, on a page whose origin the setting cors_origins names.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { openForeignPages, type ForeignPages } from "./foreign-pages.ts";
import { inPage } from "./person.ts";

let house: House;
let browser: Browsers;
let pages: ForeignPages;
before(async () => {
  [browser, pages] = await Promise.all([openBrowser(), openForeignPages("@anthropic-ai/sdk")]);
  house = await openHouse({ corsOrigins: [pages.originOf("app")] });
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

/** In the page: what a client of this key says to the text of a program. */
const clientIn = (key: string, program: string) => `(async () => {
  const { Anthropic } = globalThis.client;
  const client = new Anthropic({
    baseURL: ${JSON.stringify(house.url)},
    apiKey: ${JSON.stringify(key)},
    dangerouslyAllowBrowser: true,
    maxRetries: 0,
  });
  const asked = { model: "sim-large", max_tokens: 64, messages: [{ role: "user", content: "[[tokens 3]]" }] };
  try {
    ${program}
  } catch (error) {
    return [error.name, error.status, error.requestID, error.error?.error?.type];
  }
})()`;

test("[HTP17] the official client answers, streams and tells errors in a page", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await pages.open(page, "app");
  const key = house.organizations.platform.api_key;
  const program = `
    const { data, request_id: id } = await client.messages.create(asked).withResponse();
    const stream = client.messages.stream(asked);
    const streamed = await stream.finalMessage();
    const models = [];
    for await (const { id } of client.models.list({ limit: 1 })) models.push(id);
    const store = await client.beta.memoryStores?.create({ name: "From a page" });
    return [data.content[0].text, id, streamed.content[0].text, models.includes("sim-large"), store?.name];`;
  const [text, id, streamed, ...others] = await inPage<unknown[]>(page, clientIn(key, program));
  assert.equal(text, streamed);
  assert.match(String(id), /^req_/);
  assert.deepEqual(others, [true, "From a page"]);

  const refused = clientIn("sk-ant-api03-wrong", "return await client.messages.create(asked);");
  const [name, status, requestId, type] = await inPage<unknown[]>(page, refused);
  assert.deepEqual([name, status, type], ["AuthenticationError", 401, "authentication_error"]);
  assert.match(String(requestId), /^req_/);
  await session.expect(/status of 401/);
});

test("[HTP17] a page of another origin gets nothing", async () => {
  await using session = await browser.openSession();
  const { page } = session;
  await pages.open(page, "elsewhere");
  const key = house.organizations.platform.api_key;
  const program = "return (await client.messages.create(asked)).id;";
  const [name, status] = await inPage<unknown[]>(page, clientIn(key, program));
  assert.deepEqual([name, status], ["APIConnectionError", undefined]);
  await session.expect(/CORS|Failed to load/, 2);
});
