// Encrypting, signing and the master keys behind them.
import assert from "node:assert/strict";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { makeManualClock } from "../base/clock.ts";
import { ExitError } from "../base/failure.ts";
import { DecryptionError, openSecrets, type Keyring } from "./keyring.ts";
import { keyFilePath, parseMasterKey } from "./master-keys.ts";

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/plinth-secrets-`);
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const keyOf = (fill: string) => Buffer.alloc(32, fill).toString("base64");
const fromEnvironment = (masterKey: string) => openSecrets({ directory: "/nowhere", masterKey });
const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ";

test("[SEC1] what was encrypted opens, in its context only", async () => {
  const secrets = await fromEnvironment(keyOf("a"));
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.string(),
      fc.string(),
      (bytes, here, there) => {
        const encrypted = secrets.encrypt(Buffer.from(bytes), here);
        assert.match(encrypted, /^v1\.[a-z0-9-]+\.[A-Za-z0-9_-]+$/);
        assert.deepEqual(secrets.decrypt(encrypted, here), Buffer.from(bytes));
        if (here !== there) assert.throws(() => secrets.decrypt(encrypted, there), DecryptionError);
        if (here !== there) assert.throws(() => secrets.rewrap(encrypted, there), DecryptionError);
      },
    ),
  );
  assert.equal(secrets.decrypt(secrets.encrypt("grün", "c"), "c").toString(), "grün");
  assert.notEqual(secrets.encrypt("same", "c"), secrets.encrypt("same", "c"));
});

test("[SEC1] no change of any character, no cut and no addition opens", async () => {
  const secrets = await fromEnvironment(keyOf("a"));
  const encrypted = secrets.encrypt("a secret of some length", "here");
  for (let at = 0; at < encrypted.length; at++) {
    for (const other of base64url)
      if (other !== encrypted[at])
        assert.throws(
          () => secrets.decrypt(encrypted.slice(0, at) + other + encrypted.slice(at + 1), "here"),
          DecryptionError,
          `${other} at ${at}`,
        );
    assert.throws(() => secrets.decrypt(encrypted.slice(0, at), "here"), DecryptionError);
  }
  for (const more of base64url)
    assert.throws(() => secrets.decrypt(encrypted + more, "here"), DecryptionError);
});

test("[SEC1] parts of two encrypted values do not fit together", async () => {
  const secrets = await fromEnvironment(keyOf("a"));
  const bytesOf = (encrypted: string) => Buffer.from(encrypted.split(".")[2] ?? "", "base64url");
  const [one, two] = [secrets.encrypt("one", "here"), secrets.encrypt("two", "here")];
  const mixed = Buffer.concat([bytesOf(one).subarray(0, 72), bytesOf(two).subarray(72)]);
  const prefix = one.slice(0, one.lastIndexOf(".") + 1);
  assert.throws(
    () => secrets.decrypt(prefix + mixed.toString("base64url"), "here"),
    DecryptionError,
  );
});

test("[SEC3] after a rotation the old values open, and rewrapping renews the key but not the body", async (t) => {
  const directory = await scratch(t);
  const clock = makeManualClock(new Date("2026-01-01"));
  const secrets = await openSecrets({ directory, clock });
  const neighbour = await openSecrets({ directory, clock });
  const [first, encrypted] = [secrets.activeKeyId(), secrets.encrypt("old", "here")];
  const signed = secrets.sign({ a: 1 }, "test");
  const second = await secrets.rotate();
  assert.notEqual(second, first);
  assert.deepEqual(secrets.keyIds(), [second, first]);
  assert.equal(secrets.decrypt(encrypted, "here").toString(), "old");
  assert.deepEqual(secrets.verify(signed, "test"), { a: 1 });
  const rewrapped = secrets.rewrap(encrypted, "here");
  assert.equal(secrets.keyIdOf(encrypted), first);
  assert.equal(secrets.keyIdOf(rewrapped), second);
  assert.equal(secrets.decrypt(rewrapped, "here").toString(), "old");
  // Another process learns of the new key when it meets it.
  assert.equal(neighbour.decrypt(rewrapped, "here").toString(), "old");
  assert.equal(neighbour.activeKeyId(), second);
  await secrets.rotate();
  const again = await openSecrets({ directory });
  assert.deepEqual(again.keyIds(), secrets.keyIds());
  assert.equal(again.decrypt(encrypted, "here").toString(), "old");
  assert.deepEqual((await readdir(directory)).sort(), ["master-keys.json"]);
});

test("[SEC12] a process that runs encrypts under the new key within a second", async (t) => {
  const directory = await scratch(t);
  const clock = makeManualClock(new Date("2026-01-01"));
  const one = await openSecrets({ directory, clock });
  const other = await openSecrets({ directory, clock });
  const first = other.activeKeyId();
  const second = await one.rotate();
  assert.equal(other.keyIdOf(other.encrypt("a", "here")), first);
  clock.advance(1_000);
  assert.equal(other.keyIdOf(other.encrypt("a", "here")), second);
  assert.deepEqual(other.keyIds(), [second, first]);
  // A file that is damaged meanwhile changes nothing in a process that runs.
  await writeFile(keyFilePath(directory), "{", { mode: 0o600 });
  clock.advance(1_000);
  assert.equal(other.activeKeyId(), second);
});

test("[SEC3] rotations at the same time lose no key", async (t) => {
  const directory = await scratch(t);
  const rings: Keyring[] = [];
  for (let i = 0; i < 6; i++) rings.push(await openSecrets({ directory }));
  const turns = await Promise.allSettled(rings.map((ring) => ring.rotate()));
  const made = turns.flatMap((turn) => (turn.status === "fulfilled" ? [turn.value] : []));
  assert.ok(made.length >= 1);
  for (const turn of turns)
    if (turn.status === "rejected") assert.ok(turn.reason instanceof ExitError);
  const ids = (await openSecrets({ directory })).keyIds();
  assert.equal(ids.length, made.length + 1);
  for (const id of made) assert.ok(ids.includes(id));
});

test("[SEC4] the key file is made once, for its owner alone, also by eight starters at once", async (t) => {
  const root = await scratch(t);
  for (let round = 0; round < 10; round++) {
    const directory = `${root}/${round}`;
    const rings = await Promise.all(
      Array.from({ length: 8 }, async (_, starter) => {
        for (let step = 0; step < starter * round; step++) await new Promise(setImmediate);
        return await openSecrets({ directory });
      }),
    );
    const ids = new Set(rings.map((ring) => ring.activeKeyId()));
    assert.equal(ids.size, 1);
    const encrypted = rings[0]?.encrypt("x", "c") ?? "";
    for (const ring of rings) assert.equal(ring.decrypt(encrypted, "c").toString(), "x");
    assert.deepEqual(await readdir(directory), ["master-keys.json"]);
    assert.equal((await stat(keyFilePath(directory))).mode & 0o777, 0o600);
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
  }
});

test("[SEC5] a key file that is open to others, empty or damaged refuses, stays, and is not quoted", async (t) => {
  const directory = await scratch(t);
  const path = keyFilePath(directory);
  await openSecrets({ directory });
  const good = await readFile(path, "utf8");
  const key = /"key": "([^"]+)"/.exec(good)?.[1] ?? "";
  for (const mode of [0o640, 0o604, 0o620]) {
    await chmod(path, mode);
    await assert.rejects(openSecrets({ directory }), /can be read by others: `chmod 600/);
  }
  await chmod(path, 0o600);
  const bad = ["", " \n", "{", good.slice(0, -20), "[]", "null", '{"version":1,"keys":[]}'];
  bad.push(good.replace(key, key.slice(2)), good.replace('"version": 1', '"version": 2'));
  bad.push(good.replace(/"id": "[^"]+"/, '"id": "a.b"'));
  for (const text of bad) {
    await writeFile(path, text);
    await assert.rejects(openSecrets({ directory }), (error) => {
      assert.ok(error instanceof ExitError, text);
      assert.match(error.message, /^\/.*master-keys\.json (is|holds) /);
      assert.ok(!key || !error.message.includes(key.slice(2)));
      return true;
    });
    assert.equal(await readFile(path, "utf8"), text);
  }
});

test("[SEC5] where keys must be there already, none are made", async (t) => {
  const root = await scratch(t);
  await assert.rejects(openSecrets({ directory: `${root}/keys`, mayMake: false }), (error) => {
    assert.ok(error instanceof ExitError);
    assert.match(error.message, /master-keys\.json: put the file back from a backup/);
    return true;
  });
  assert.deepEqual(await readdir(root), []);
});

test("[SEC6] with a master key from the environment no file is made", async (t) => {
  const root = await scratch(t);
  const secrets = await openSecrets({ directory: `${root}/keys`, masterKey: keyOf("a") });
  assert.equal(secrets.decrypt(secrets.encrypt("x", "c"), "c").toString(), "x");
  await assert.rejects(secrets.rotate(), ExitError);
  assert.deepEqual(await readdir(root), []);
});

test("[SEC6] a master key from the environment: base64, hex, several; nothing is written", async () => {
  const [a, b] = [keyOf("a"), Buffer.alloc(32, "b")];
  assert.deepEqual(parseMasterKey(b.toString("hex"))[0].bytes, b);
  assert.deepEqual(parseMasterKey(`${b.toString("base64url")}\n`)[0].bytes, b);
  assert.equal(parseMasterKey(b.toString("hex"))[0].id, parseMasterKey(keyOf("b"))[0].id);
  const before = await fromEnvironment(`one:${a}`);
  const after = await fromEnvironment(`two:${b.toString("base64")}, one:${a}`);
  const encrypted = before.encrypt("x", "c");
  assert.equal(after.decrypt(encrypted, "c").toString(), "x");
  assert.equal(after.activeKeyId(), "two");
  assert.throws(
    () => before.decrypt(after.rewrap(encrypted, "c"), "c"),
    /master key two is not among/,
  );
  await assert.rejects(after.rotate(), /PLINTH_MASTER_KEY/);
  const bad = ["", "short", keyOf("a").slice(4), `${a},`, `a b:${a}`, `one:${a},one:${a}`];
  for (const text of bad)
    assert.throws(
      () => parseMasterKey(text),
      (error) =>
        error instanceof ExitError &&
        /PLINTH_MASTER_KEY/.test(error.message) &&
        !error.message.includes(a),
    );
});

test("[SEC2] a signed text carries its value, for its purpose only, unchanged only", async () => {
  const secrets = await fromEnvironment(keyOf("a"));
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), fc.string(), (value, purpose, other) => {
      const signed = secrets.sign(value, purpose);
      assert.deepEqual(secrets.verify(signed, purpose), JSON.parse(JSON.stringify(value)));
      if (purpose !== other) assert.equal(secrets.verify(signed, other), undefined);
    }),
  );
  const signed = secrets.sign({ user: "u_1" }, "mail");
  for (let at = 0; at < signed.length; at++)
    for (const other of base64url)
      if (other !== signed[at])
        assert.equal(
          secrets.verify(signed.slice(0, at) + other + signed.slice(at + 1), "mail"),
          undefined,
        );
  for (const text of ["", ".", "..", "a.b.c", `${signed}.`, `${signed}A`, signed.slice(0, -1)])
    assert.equal(secrets.verify(text, "mail"), undefined, text);
  assert.equal((await fromEnvironment(keyOf("b"))).verify(signed, "mail"), undefined);
  assert.throws(() => secrets.sign(undefined, "mail"), TypeError);
});
