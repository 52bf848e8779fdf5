// Rule MDL15 over HTTP: how upstreams fare, for those who may know.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

test("[MDL15] how upstreams fare is for the installation's administrators, and counts what was asked", async () => {
  const { platform: own, other } = house.organizations;
  const path = "/console/api/upstreams/health";
  const refused = await house.ask("GET", path, { cookie: other.cookie });
  assert.equal(refused.status, 403);
  const call = async (method: string, noun: string, body?: object) => {
    const cookie = own.cookie;
    const { status } = await house.ask(method, `/console/api/${noun}`, { cookie, body });
    assert.ok(status < 300, `${method} ${noun}: ${status}`);
  };
  const healthOf = async (name: string) => {
    const { status, body } = await house.ask("GET", path, { cookie: own.cookie });
    assert.equal(status, 200);
    assert.deepEqual(body.processes, { asked: 1, answered: 1 });
    return body.data.find((each: { name: string }) => each.name === name);
  };
  // Port 9 of the loopback: no server listens there.
  await call("POST", "upstreams", {
    name: "away",
    kind: "messages",
    base_url: "http://127.0.0.1:9",
  });
  await call("POST", "models", { id: "gone", upstream: "away" });
  const fresh = await healthOf("away");
  assert.deepEqual(
    [fresh.state, fresh.failing_since, fresh.last_failure, fresh.answer_ms, fresh.open],
    ["not_asked", null, null, null, 0],
  );
  assert.deepEqual([fresh.lately.answered, fresh.lately.failed], [0, 0]);
  assert.equal(fresh.lately.by_minute.length, 30);
  const before = await healthOf("simulator");
  const ask = (model: string) =>
    house.ask("POST", "/v1/messages", {
      key: own.api_key,
      body: { model, max_tokens: 5, messages: [{ role: "user", content: "Hello" }] },
    });
  assert.equal((await ask("gone")).status, 503);
  assert.equal(house.expectErrors().length, 1);
  assert.equal((await ask("sim-small")).status, 200);
  const failing = await healthOf("away");
  assert.deepEqual(
    [failing.state, failing.last_failure.code, failing.failing_since],
    ["failing", "ECONNREFUSED", failing.last_failure.at],
  );
  assert.deepEqual([failing.lately.answered, failing.lately.failed], [0, 1]);
  const works = await healthOf("simulator");
  assert.equal(works.state, "works");
  assert.equal(works.lately.answered, before.lately.answered + 1);
  assert.equal(typeof works.answer_ms, "number");
  await call("DELETE", "models/gone");
  await call("DELETE", "upstreams/away");
  assert.equal(await healthOf("away"), undefined);
});
