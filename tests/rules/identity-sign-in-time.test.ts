// How long a refused sign-in takes tells nothing of whether there is such a user.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makePasswords } from "../../kernel/secret/passwords.ts";
import { openHouse } from "../house.ts";
import { watchSlowness } from "../slowness.ts";

test("[IDN4] a wrong password and an unknown e-mail take the same time, with the product's own hashes", async () => {
  await using slow = await openHouse({ passwords: makePasswords() });
  const { owner_email } = slow.organizations.platform;
  using slowness = watchSlowness();
  // CPU is that of this process with all its threads: a hash is little else, and a busy machine makes it no longer.
  const time = async (email: string) => {
    const began = { ms: performance.now(), cpu: process.cpuUsage() };
    const body = { email, password: "certainly wrong" };
    await slow.ask("POST", "/console/api/sign_in", { body });
    const { user, system } = process.cpuUsage(began.cpu);
    return { ms: performance.now() - began.ms, cpuMs: (user + system) / 1_000 };
  };
  const known: Awaited<ReturnType<typeof time>>[] = [];
  const unknown: typeof known = [];
  // In turn, so that what comes disturbs both.
  for (let round = 0; round < 7; round++) {
    known.push(await time(owner_email));
    unknown.push(await time("nobody.5@identity.example"));
  }
  // The quickest is the one that nothing else has disturbed.
  for (const [what, most] of [
    ["cpuMs", 3],
    ["ms", 3 * slowness.factor()],
  ] as const) {
    const [one, other] = [known, unknown].map((all) => Math.min(...all.map((each) => each[what])));
    assert.ok(one !== undefined && other !== undefined);
    assert.ok(other > one / most && other < one * most, `${what}: ${one} and ${other}`);
  }
});
