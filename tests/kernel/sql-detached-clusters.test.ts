// Databases outside of their data directory: which have lost theirs, and that the sweep removes no other.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import {
  listDetachedClusters,
  removeOrphanedClusters,
  type DetachedCluster,
} from "../../kernel/sql/embedded/detached-clusters.ts";
import { tryLock } from "../../kernel/sql/embedded/lock.ts";
import { openEmbedded } from "../../kernel/sql/embedded/embedded.ts";
import {
  recordOwningDirectory,
  owningDirectoriesOf,
} from "../../kernel/sql/embedded/owning-directories.ts";
import { sweptLines } from "../../server/commands/doctor.ts";
import { isRoot, scratch } from "./sql-harness.ts";

/** A place with databases, each of a data directory of its own; none of them runs. */
function place(parent: string) {
  const root = join(parent, "homes");
  mkdirSync(root);
  let count = 0;
  return {
    root,
    make: () => {
      const home = join(root, (++count).toString(16).padStart(16, "0"));
      const directory = join(parent, `data-${count}`);
      mkdirSync(join(home, "postgres"), { recursive: true });
      writeFileSync(join(home, "postgres/PG_VERSION"), "18\n");
      mkdirSync(directory);
      recordOwningDirectory(home, directory);
      return { home, directory };
    },
    states: () => listDetachedClusters(root).map(({ state }) => state),
  };
}

test("[OPS7] a database whose data directory is gone is named with its size and removed, no other", () => {
  using home = scratch();
  const { root, make, states } = place(home.path);
  const [used, lost] = [make(), make()];
  mkdirSync(join(root, "postgres-18.4-x64"));
  mkdirSync(join(root, "f".repeat(16)));
  rmSync(lost.directory, { recursive: true });
  assert.deepEqual(states(), ["used", "orphan", "unknown"]);
  const removed = removeOrphanedClusters(root);
  assert.deepEqual(
    removed.map(({ path, owners }) => [path, owners]),
    [[lost.home, [lost.directory]]],
  );
  assert.ok((removed[0]?.bytes ?? 0) > 0, "it says no size");
  assert.equal(existsSync(lost.home), false);
  for (const path of [used.home, join(root, "postgres-18.4-x64"), join(root, "f".repeat(16))])
    assert.ok(existsSync(path), `${path} was removed`);
  assert.deepEqual(removeOrphanedClusters(root), []);
});

test("[OPS7] what was swept is counted in words, one as one", () => {
  const swept: DetachedCluster = { path: "/a", bytes: 1024 ** 2, owners: ["/b"], state: "orphan" };
  const each = "Removed /a, 1.0 MiB, of /b.";
  assert.deepEqual(sweptLines([]), ["No database has lost its data directory."]);
  assert.deepEqual(sweptLines([swept]), [
    each,
    "1 database without a data directory was removed, 1.0 MiB.",
  ]);
  assert.deepEqual(sweptLines([swept, swept]), [
    each,
    each,
    "2 databases without a data directory were removed, 2.0 MiB.",
  ]);
});

test("[OPS7] a data directory that was moved and started again keeps its database", () => {
  using home = scratch();
  const { root, make, states } = place(home.path);
  const moved = make();
  renameSync(moved.directory, `${moved.directory}-moved`);
  recordOwningDirectory(moved.home, `${moved.directory}-moved`);
  assert.equal(owningDirectoriesOf(moved.home).length, 2);
  assert.deepEqual(states(), ["used"]);
  assert.deepEqual(removeOrphanedClusters(root), []);
});

test("[OPS7] where another file system is mounted than before, nothing is certain", () => {
  using home = scratch();
  const { root, make, states } = place(home.path);
  const away = make();
  const owners = owningDirectoriesOf(away.home).map((owner) => ({
    ...owner,
    device: owner.device + 1,
  }));
  writeFileSync(join(away.home, "data-directories.json"), JSON.stringify(owners));
  rmSync(away.directory, { recursive: true });
  assert.deepEqual(states(), ["unknown"]);
  assert.deepEqual(removeOrphanedClusters(root), []);
});

test("[OPS7] a database that is being started is left", () => {
  using home = scratch();
  const { root, make } = place(home.path);
  const starting = make();
  rmSync(starting.directory, { recursive: true });
  const release = tryLock(join(starting.home, "postgres.lock"));
  assert.deepEqual(removeOrphanedClusters(root), []);
  release?.();
  assert.equal(removeOrphanedClusters(root).length, 1);
});

test("[OPS7] a database that runs is left", { skip: !isRoot }, async () => {
  using home = scratch();
  const root = join(home.path, "homes");
  const running = join(root, "a".repeat(16));
  mkdirSync(running, { recursive: true });
  const embedded = await openEmbedded({
    directory: running,
    logger: silentLogger,
    durable: false,
  });
  try {
    recordOwningDirectory(running, home.path);
    writeFileSync(
      join(running, "data-directories.json"),
      JSON.stringify(
        owningDirectoriesOf(running).map((owner) => ({ ...owner, path: join(home.path, "gone") })),
      ),
    );
    assert.deepEqual(
      listDetachedClusters(root).map(({ state }) => state),
      ["running"],
    );
    assert.deepEqual(removeOrphanedClusters(root), []);
  } finally {
    await embedded.release();
  }
  assert.equal(removeOrphanedClusters(root).length, 1);
});
