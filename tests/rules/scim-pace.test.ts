// Rule SCM19 where time passes, over HTTP and with a set clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { limits } from "../../server/scim/limits.ts";
import { openHouse } from "../house.ts";
import { providerOf, refused } from "./scim-house.ts";
import { seconds } from "./support.ts";

test("[SCM19] who asks too fast is told when to go on, and nobody else is", async () => {
  const clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  await using house = await openHouse({ clock });
  const { scim } = await providerOf(house);
  const other = await providerOf(house);
  const ask = async () => (await scim("GET", "/ServiceProviderConfig")).status;
  for (let at = 0; at < limits.requestsAtOnceMax; at += 1) assert.equal(await ask(), 200);
  const late = await scim("GET", "/ServiceProviderConfig");
  assert.match(refused(late, 429), /50 requests a second/);
  assert.equal(late.headers.get("retry-after"), "1");
  assert.equal((await other.scim("GET", "/ServiceProviderConfig")).status, 200);
  clock.advance(seconds(1));
  for (let at = 0; at < limits.requestsPerSecond; at += 1) assert.equal(await ask(), 200);
  assert.equal(await ask(), 429);
});
