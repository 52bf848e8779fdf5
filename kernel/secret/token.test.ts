// Secrets that are handed out, and passwords.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Failure } from "../base/failure.ts";
import { seededRandom, systemRandom } from "../base/random.ts";
import { makePasswords } from "./passwords.ts";
import { hashSecret, newSecret, secretHint, secretKind, secretPrefixes } from "./token.ts";

test("[SEC7] a secret says its kind, and any typo says that it is one", () => {
  const alphabet = "0aZk";
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(...Object.keys(secretPrefixes)), (seed, name) => {
      const kind = name as keyof typeof secretPrefixes;
      const secret = newSecret(secretPrefixes[kind], seededRandom(seed));
      assert.match(secret, new RegExp(`^${secretPrefixes[kind]}[0-9A-Za-z]{49}$`));
      assert.equal(secretKind(secret), kind);
      for (let at = secretPrefixes[kind].length; at < secret.length; at++)
        for (const other of alphabet)
          if (other !== secret[at])
            assert.equal(secretKind(secret.slice(0, at) + other + secret.slice(at + 1)), undefined);
      assert.equal(secretKind(secret.slice(0, -1)), undefined);
      assert.equal(secretKind(`${secret}0`), undefined);
    }),
    { numRuns: 30 },
  );
  assert.equal(secretKind("sk-ant-api03-x"), undefined);
});

test("[SEC7] all 256 bits reach the secret", () => {
  const of = (fill: number) =>
    newSecret("sk-plinth-api-", { ...systemRandom, bytes: (count) => Buffer.alloc(count, fill) });
  assert.equal(of(0).slice(14, 57), "0".repeat(43));
  let value = 0n;
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (const digit of of(255).slice(14, 57)) value = value * 62n + BigInt(digits.indexOf(digit));
  assert.equal(value, 2n ** 256n - 1n);
});

test("[SEC8] the hash is SHA-256, the hint is short", () => {
  assert.equal(
    hashSecret("abc").toString("hex"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  const secret = newSecret("sk-plinth-api-", systemRandom);
  const hint = secretHint(secret);
  assert.equal(hint, `sk-plinth-api-${secret.slice(14, 18)}...${secret.slice(-4)}`);
  assert.equal(secretHint("sk-plinth-api-short"), "sk-plinth-api-...");
  assert.equal(secretHint("tiny"), "...");
});

const { hash, verify } = makePasswords();

test("[SEC9] a password is recognised in either Unicode form, another is not", async () => {
  const stored = await hash("Grüße 1", systemRandom);
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(await hash("Grüße 1", systemRandom), stored);
  assert.deepEqual(await verify(stored, "Grüße 1".normalize("NFD")), {
    ok: true,
    outdated: false,
  });
  assert.equal((await verify(stored, "Grüße 2")).ok, false);
  assert.equal((await verify(undefined, "Grüße 1")).ok, false);
  await assert.rejects(hash("x".repeat(1_025), systemRandom), Failure);
  await assert.rejects(verify("$2b$10$abc", "x"), /not an argon2id PHC string/);
});

test("[SEC9] a weaker hash of another program still opens, and asks to be renewed", async () => {
  // Test vectors of the reference implementation: password "password", salt "somesalt".
  const reference =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.deepEqual(await verify(reference, "password"), { ok: true, outdated: false });
  const weak =
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
  assert.deepEqual(await verify(weak, "password"), { ok: true, outdated: true });
});

test("[SEC10] without a stored hash the same work is done as with one", async () => {
  const salted = "c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
  // Argon2 refuses less than 8 KiB or one pass: so the refusal tells what work was asked for.
  for (const [memoryKiB, passes, named] of [
    [7, 2, "memory"],
    [256, 0, "passes"],
  ] as const) {
    const passwords = makePasswords({ memoryKiB, passes });
    for (const stored of [`$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${salted}`, undefined])
      await assert.rejects(passwords.verify(stored, "x"), {
        code: "ERR_OUT_OF_RANGE",
        message: new RegExp(named),
      });
  }
  const passwords = makePasswords({ memoryKiB: 8, passes: 1 });
  assert.deepEqual(await passwords.verify(undefined, "x"), { ok: false, outdated: false });
});

test("[SEC11] a rush of sign-ins queues, and past the queue is told to come back", async () => {
  const cheap =
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
  const rush = await Promise.allSettled(
    Array.from({ length: 140 }, () => verify(cheap, "password")),
  );
  const refused = rush.filter((each) => each.status === "rejected");
  assert.equal(refused.length, 10);
  for (const { reason } of refused) assert.equal((reason as Failure).status, 503);
  assert.ok((await verify(cheap, "password")).ok);
});
