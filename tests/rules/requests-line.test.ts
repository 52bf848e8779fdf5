// Rule OBS11 over HTTP: the server's own log names the model and the tokens of an answer, and no word of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const word = "xylophone-and-zither";

async function lineOf(body: object): Promise<{ line: Record<string, unknown>; body: string }> {
  const response = await fetch(`${house.url}/v1/messages`, {
    method: "POST",
    headers: {
      "x-api-key": house.organizations.platform.api_key,
      "content-type": "application/json",
    },
    body: JSON.stringify({ max_tokens: 50, messages: [{ role: "user", content: word }], ...body }),
  });
  const text = await response.text();
  const id = response.headers.get("request-id");
  const line = await until(
    async () => house.log.find((each) => each["request_id"] === id && "status" in each),
    "the line of the request",
  );
  return { line, body: text };
}

test("[OBS11] the line of a message request has the model that served, and the tokens of its usage", async () => {
  const whole = await lineOf({ model: "sim-large" });
  const { usage } = JSON.parse(whole.body) as {
    usage: { input_tokens: number; output_tokens: number };
  };
  assert.equal(whole.line["model"], "sim-large");
  assert.equal(whole.line["input_tokens"], usage.input_tokens);
  assert.equal(whole.line["output_tokens"], usage.output_tokens);
  const streamed = await lineOf({ model: "sim-large", stream: true });
  assert.deepEqual(
    [streamed.line["model"], streamed.line["input_tokens"]],
    ["sim-large", usage.input_tokens],
  );
  assert.ok(Number(streamed.line["output_tokens"]) > 0);
});

test("[OBS11] a model that there is none of is not named, and no word of a conversation stands anywhere", async () => {
  const { line } = await lineOf({ model: "no-such-model" });
  assert.equal(line["status"], 404);
  assert.ok(!("model" in line));
  await lineOf({ model: "sim-large", system: word });
  assert.ok(!JSON.stringify(house.log).includes(word));
});

test("[OBS11] other requests have none of it", async () => {
  const key = house.organizations.platform.api_key;
  const { headers } = await house.ask("GET", "/v1/models", { key });
  const id = headers.get("request-id");
  const line = await until(
    async () => house.log.find((each) => each["request_id"] === id),
    "the line of the request",
  );
  assert.ok(!("model" in line) && !("input_tokens" in line));
});
