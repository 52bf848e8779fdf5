// Rules AUD15 to AUD19 with a file: all events in order, through rotation, torn lines and a file that is gone.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import * as audit from "../../server/audit/module.ts";
import { startExport } from "../../server/audit/sink/exporter.ts";
import { openHouse } from "../house.ts";
import {
  expectWholeLogs,
  linesOfFile,
  readLines,
  repeatsIn,
  scratchDirectory,
  textOf,
  untilExported,
  writeEvents,
} from "./audit-export-house.ts";
import { until } from "./support.ts";

const toFile = (path: string, name = "default") => ({
  name,
  target: { kind: "file" as const, path },
});
const openExporting = (path: string) =>
  openHouse({ sections: { audit_export: toFile(path) }, rival: true });

test("[AUD15] [AUD16] every event of every organization is a line, from the first one on, in order", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/audit.jsonl`;
  await using house = await openExporting(path);
  const { platform, enterprise, other } = house.organizations;
  await writeEvents(house.world, platform, ["one", "two"]);
  for (let n = 0; n < 30; n++)
    await writeEvents(house.world, [platform, enterprise, other][n % 3]!, [`n${n}`]);
  // More than one batch holds.
  const names = Array.from({ length: 1_100 }, (_, index) => `m${index}`);
  await writeEvents(house.world, enterprise, names);
  await untilExported(house.world.db);
  const lines = linesOfFile(path);
  assert.equal(await expectWholeLogs(house.world.db, lines), lines.length);
  const first = lines.find(({ action }) => action === "thing.one")!;
  const { admin_api_key: key } = platform;
  const page = `/v1/organizations/audit_events?after_sequence=${first.sequence - 1}&limit=1`;
  const [event] = (await house.ask("GET", page, { key })).body.data;
  assert.deepEqual(first, { ...event, organization_id: platform.organization_id });
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.ok(!JSON.stringify(lines).includes(platform.admin_api_key));
});

test("[AUD16] nothing is written before it is committed, and nothing of what is taken back", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/audit.jsonl`;
  await using house = await openExporting(path);
  const { world } = house;
  const { platform, other } = house.organizations;
  const has = (action: string) => linesOfFile(path).some((line) => line.action === action);
  const taken = world.db.tx(async (tx) => {
    const organizationId = platform.organization_id;
    await audit.record(tx, world, audit.operator, { organizationId, action: "thing.taken" });
    // Behind the one that appends to the chain: it has its number now.
    tx.beforeCommit(async () => {
      await writeEvents(world, other, ["meanwhile"]);
      await until(() => Promise.resolve(has("thing.meanwhile")), "the other organization's event");
      assert.ok(!has("thing.taken"));
      throw new Error("taken back");
    });
  });
  await assert.rejects(taken, /taken back/);
  await writeEvents(world, platform, ["kept"]);
  await untilExported(world.db);
  await expectWholeLogs(world.db, linesOfFile(path));
  assert.deepEqual([has("thing.taken"), has("thing.kept")], [false, true]);
});

test("[AUD17] of two processes one writes, each event once, and the other goes on when it ends", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/audit.jsonl`;
  await using house = await openExporting(path);
  const { platform } = house.organizations;
  await using stack = new AsyncDisposableStack();
  const neighbour = stack.use(await house.openSecondServer());
  for (let n = 0; n < 20; n++)
    await writeEvents((n % 2 === 0 ? house : neighbour).world, platform, [`n${n}`]);
  await untilExported(house.world.db);
  assert.equal(repeatsIn(linesOfFile(path)), 0);
  await stack.disposeAsync();
  await writeEvents(house.world, platform, ["afterwards"]);
  await untilExported(house.world.db);
  await expectWholeLogs(house.world.db, linesOfFile(path));
  assert.equal(repeatsIn(linesOfFile(path)), 0);
});

test("[AUD17] another name begins with the first event", async () => {
  using directory = scratchDirectory();
  await using house = await openHouse();
  const { world } = house;
  for (const name of ["first", "second"]) {
    const path = `${directory.path}/${name}.jsonl`;
    const stop = startExport(world, toFile(path, name));
    await untilExported(world.db, name);
    await stop();
    await expectWholeLogs(world.db, linesOfFile(path));
    const stopAgain = startExport(world, toFile(path, name));
    await writeEvents(world, house.organizations.cloud, [`behind ${name}`]);
    await untilExported(world.db, name);
    await stopAgain();
    assert.equal(repeatsIn(linesOfFile(path)), 0, "the same name goes on where it was");
    await expectWholeLogs(world.db, linesOfFile(path));
  }
});

test("[AUD19] a file that was renamed is made anew, and one that ends in half a line goes on with whole ones", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/audit.jsonl`;
  await using house = await openExporting(path);
  const { platform } = house.organizations;
  await untilExported(house.world.db);
  renameSync(path, `${path}.1`);
  const before = textOf(`${path}.1`);
  await writeEvents(house.world, platform, ["in the new file"]);
  await untilExported(house.world.db);
  assert.equal(textOf(`${path}.1`), before);
  appendFileSync(path, '{"id":"audit_half","action":"thi');
  await writeEvents(house.world, platform, ["behind the half one"]);
  await untilExported(house.world.db);
  const { lines, torn } = readLines(textOf(path));
  assert.deepEqual(torn, ['{"id":"audit_half","action":"thi']);
  assert.deepEqual(
    lines.map(({ action }) => action),
    ["thing.in the new file", "thing.behind the half one"],
  );
  await expectWholeLogs(house.world.db, [...readLines(before).lines, ...lines]);
});

test("[AUD18] while the file cannot be written all else goes on, it is told, and nothing is lost", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/logs/audit.jsonl`;
  await using house = await openExporting(path);
  const { world } = house;
  const { platform } = house.organizations;
  const told = (words: RegExp) =>
    until(async () => {
      const [check] = await audit.checkAuditExport(world);
      return check !== undefined && words.test(check.found) && check;
    }, String(words));
  const missing = await told(/it lies in a directory that is not there\. \d+ events to come/);
  assert.equal(missing.state, "warn");
  const ready = async () => (await house.ask("GET", "/readyz")).body;
  const readyWith = (health: string) =>
    until(async () => (await ready()).audit_export === health, `/readyz to say ${health}`);
  await readyWith("failing");
  await writeEvents(world, platform, ["meanwhile"]);
  const metrics = String((await house.ask("GET", "/metrics")).body);
  assert.match(metrics, /^plinth_audit_export_waiting_events [1-9]/m);
  assert.match(metrics, /^plinth_audit_export_lag_seconds \d/m);
  const warned = house.log.filter(({ level }) => level === "warn").map((line) => line["message"]);
  assert.ok(
    warned.includes(
      "the audit log is not exported: the sink lies in a directory that is not there.",
    ),
    JSON.stringify(warned),
  );
  mkdirSync(`${directory.path}/logs`);
  await untilExported(world.db);
  await expectWholeLogs(world.db, linesOfFile(path));
  const [good] = await audit.checkAuditExport(world);
  assert.deepEqual(good, {
    name: "audit export",
    state: "ok",
    found: `${path}: all events are there`,
  });
  await readyWith("ok");
});

test("[AUD18] [AUD19] what is no regular file is refused: a directory, and what swallows all", async () => {
  using directory = scratchDirectory();
  const [folder, hole] = [`${directory.path}/folder`, `${directory.path}/hole`];
  mkdirSync(folder);
  symlinkSync("/dev/null", hole);
  await using house = await openHouse();
  const { world } = house;
  for (const [path, words] of [
    [folder, /it is a directory\./],
    [hole, /it is not a regular file\./],
  ] as const) {
    const settings = toFile(path, path === hole ? "hole" : "folder");
    const stop = startExport(world, settings);
    await until(async () => {
      const [check] = await audit.checkAuditExport({
        ...world,
        sections: { audit_export: settings },
      });
      return check !== undefined && words.test(check.found);
    }, String(words));
    rmSync(path, { recursive: true });
    await untilExported(world.db, settings.name);
    await stop();
    await expectWholeLogs(world.db, linesOfFile(path));
  }
});
