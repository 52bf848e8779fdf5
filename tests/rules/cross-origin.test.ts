// Pages of other sites that use the API from a browser: what the server tells the browser about them.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";

const app = "https://app.example.com";
const elsewhere = "https://elsewhere.example.com";

let house: House;
before(async () => {
  house = await openHouse({ corsOrigins: [app, "capacitor://localhost"] });
});
after(() => house[Symbol.asyncDispose]());

/** By node:http: fetch sends neither Origin nor the headers of a browser's question. */
function send(method: string, path: string, headers: Record<string, string>, body?: object) {
  type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; text: string };
  return new Promise<Answer>((resolve, reject) => {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request(house.url + path, { method, headers: { ...json, ...headers } });
    sent.on("error", reject).on("response", (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const question = (origin: string, wanted = "content-type,x-api-key,x-stainless-os") => ({
  origin,
  "access-control-request-method": "POST",
  "access-control-request-headers": wanted,
});
const sharedOf = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));
const asked = {
  model: "sim-large",
  max_tokens: 20,
  messages: [{ role: "user", content: "Hello" }],
};

test("[HTP17] the browser's question beforehand is answered for the origins of the setting", async () => {
  for (const origin of [app, "capacitor://localhost"])
    for (const path of ["/v1/messages", "/v1/models?limit=1", "/v1/nothing"]) {
      const { status, headers, text } = await send("OPTIONS", path, question(origin));
      assert.equal(status, 204, path);
      assert.equal(text, "");
      assert.equal(headers["access-control-allow-origin"], origin);
      assert.equal(headers["vary"], "Origin");
      assert.match(String(headers["access-control-allow-methods"]), /GET, POST.*DELETE/);
      assert.equal(headers["access-control-max-age"], "600");
      assert.equal(headers["access-control-allow-credentials"], undefined);
      assert.equal(
        headers["access-control-allow-headers"],
        "content-type, x-api-key, x-stainless-os",
      );
    }
  const odd = await send("OPTIONS", "/v1/models", question(app, "X-Api-Key, a b,*,é"));
  assert.equal(odd.headers["access-control-allow-headers"], "x-api-key");
});

test("[HTP17] answers, refusals and streams may be read there", async () => {
  const key = { "x-api-key": house.organizations.platform.api_key };
  const cases = [
    await send("GET", "/v1/models", { origin: app, ...key }),
    await send("POST", "/v1/messages", { origin: app, ...key }, asked),
    await send("POST", "/v1/messages", { origin: app, ...key }, { ...asked, stream: true }),
    await send("POST", "/v1/messages", { origin: app }, asked),
    await send("GET", "/v1/nothing", { origin: app, ...key }),
  ];
  assert.deepEqual(
    cases.map(({ status }) => status),
    [200, 200, 200, 401, 404],
  );
  for (const { headers } of cases) {
    assert.equal(headers["access-control-allow-origin"], app);
    assert.equal(headers["access-control-expose-headers"], "*");
    assert.equal(headers["vary"], "Origin");
  }
});

test("[HTP17] other origins, other paths and programs are told nothing of it", async () => {
  const key = { "x-api-key": house.organizations.platform.api_key };
  for (const origin of [
    elsewhere,
    `${app}.example.com`,
    `${app}:8443`,
    "null",
    app.toUpperCase(),
  ]) {
    const refused = await send("OPTIONS", "/v1/messages", question(origin));
    assert.equal(refused.status, 403, origin);
    assert.match(refused.text, /"permission_error".*the setting cors_origins does not name it/);
    const answered = await send("GET", "/v1/models", { origin, ...key });
    assert.equal(answered.status, 200);
    assert.deepEqual([...sharedOf(refused), ...sharedOf(answered)], [], origin);
  }
  for (const path of ["/console/api/session", "/console/", "/healthz", "/v1", "/mcp"])
    assert.deepEqual(sharedOf(await send("GET", path, { origin: app, ...key })), [], path);
  assert.deepEqual(sharedOf(await send("GET", "/v1/models", key)), []);
});

test("[HTP17] OPTIONS tells what a path takes, without a credential", async () => {
  for (const [path, allow] of [
    ["/v1/messages", "POST, OPTIONS"],
    ["/v1/models", "GET, HEAD, OPTIONS"],
  ] as const) {
    const { status, headers } = await send("OPTIONS", path, {});
    assert.deepEqual([status, headers["allow"]], [204, allow]);
  }
  assert.equal((await send("OPTIONS", "/v1/nothing", {})).status, 404);
  const { status, headers } = await send("PUT", "/v1/messages", {});
  assert.deepEqual([status, headers["allow"]], [405, "POST"]);
});

test("[HTP17] without the setting there is no origin, and * is all of them", async () => {
  await using closed = await openHouse();
  await using open = await openHouse({ corsOrigins: ["*"] });
  const shared = async ({ url }: House, origin: string) => {
    const answer = await fetch(`${url}/v1/models`, { method: "OPTIONS", headers: { origin } });
    return [answer.status, answer.headers.get("access-control-allow-origin")];
  };
  assert.deepEqual(await shared(closed, app), [204, null]);
  assert.deepEqual(await shared(open, elsewhere), [204, elsewhere]);
});
