// Files on processes that are killed, cut off and put to sleep at any statement: uploaded, deleted and swept.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Logger, silentLogger } from "../../kernel/base/logger.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import type { World } from "../../kernel/context.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { startJobRunner } from "../../kernel/jobs/job-runner.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { kinds, schedules } from "../../server/files/module.ts";
import { blobKey, blobPrefix } from "../../server/files/bytes/blob-keys.ts";
import { deleteFile } from "../../server/files/service.ts";
import { storeFile } from "../../server/files/bytes/store.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { contextOf } from "./caller.ts";
import { makeScheduler, type Process, type Scheduler } from "./scheduler.ts";

export interface FilesResult {
  trace: string;
  kills: number;
  uploads: number;
  deletes: number;
  /** Blobs of no file when everything was at rest. */
  strays: number;
  refused: number;
}

interface Simulation {
  timed: TimedDatabase;
  scheduler: Scheduler;
  blobs: World["blobs"];
  /** Files whose upload was answered, with what they hold, until a client begins to delete one. */
  acknowledged: Map<string, string>;
  deletes: number;
  refused: number;
  kills: number;
}

const processNames = ["p1", "p2", "p3"];
const bytesMax = 150;
const contents = ["a", "bb", "ccc", "dddd", "eeeee"].map((text) => text.repeat(6));
const faultChance = (label: string) =>
  label === "commit" ? 0.1 : /^(insert|update|delete)/.test(label) ? 0.03 : 0.01;
const restStepsMax = 4_000;

export async function simulateFiles(seed: number, steps: number): Promise<FilesResult> {
  await using timed = await timedDatabase(40);
  const directory = mkdtempSync(join(tmpdir(), "plinth-files-"));
  using stack = new DisposableStack();
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  await prepare(timed);
  const simulation: Simulation = {
    timed,
    scheduler: makeScheduler(timed, seed, undefined, { readsFiles: true }),
    blobs: await openLocalBlobs({ directory }),
    acknowledged: new Map(),
    deletes: 0,
    refused: 0,
    kills: 0,
  };
  const { scheduler } = simulation;
  try {
    for (let step = 0; step < steps; step++) {
      await revive(simulation);
      await scheduler.step(faultChance);
      if (scheduler.random.fraction() < 0.01) sleepSome(scheduler);
    }
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
    const uploads = await expectWhole(simulation);
    const strays = await expectSwept(simulation);
    const { kills, deletes, refused } = simulation;
    return { trace: scheduler.traceHash(), kills, uploads, deletes, strays, refused };
  } finally {
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
}

async function prepare({ observer }: TimedDatabase): Promise<void> {
  await observer.query(sql`insert into organizations (id, type, name, created_at)
    values ('org_1', 'platform', 'One', now())`);
  await observer.query(sql`insert into workspaces
    (id, organization_id, name, is_default, created_at)
    values ('wrkspc_1', 'org_1', 'One', true, now())`);
}

function sleepSome({ processes, random, putToSleep }: Scheduler): void {
  const process = processes[Math.floor(random.fraction() * processes.length)];
  if (process !== undefined) putToSleep(process, 5_000 + random.fraction() * 60_000);
}

async function revive(simulation: Simulation): Promise<void> {
  const { scheduler } = simulation;
  for (const base of processNames) {
    if (scheduler.processes.some(({ name }) => name.startsWith(`${base}-`))) continue;
    const process = await scheduler.start(`${base}-${simulation.kills}`);
    simulation.kills += 1;
    void upload(simulation, process);
    void remove(simulation, process);
    void sweep(simulation, process);
  }
}

async function upload(simulation: Simulation, process: Process): Promise<void> {
  const { random, clock, name } = process;
  const world = worldOf(simulation, process);
  for (;;) {
    await clock.sleep(random.fraction() * 2_000);
    const content = contents[Math.floor(random.fraction() * contents.length)] ?? "";
    const actor = { type: "system", id: null, name, address: "", requestId: null } as const;
    const made = await storeFile(world, actor, {
      organizationId: "org_1",
      workspaceId: "wrkspc_1",
      content: pieces(process, content),
      label: () => ({
        filename: "a.txt",
        declaredType: "",
        expiresInSeconds: random.fraction() < 0.2 ? 3_600 : null,
        downloadable: true,
        scope: null,
      }),
    }).catch((error: Error) => {
      if (/allowed/.test(error.message)) simulation.refused += 1;
      return undefined;
    });
    // One that expires may be swept at any time: processes disagree about it.
    if (made?.expiresAt === null) simulation.acknowledged.set(made.id, content);
  }
}

/** With a pause in it, as a slow client has, in which clocks may jump. */
async function* pieces({ clock, random }: Process, content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content.slice(0, 3));
  if (random.fraction() < 0.5) await clock.sleep(random.fraction() * 20_000);
  yield Buffer.from(content.slice(3));
}

async function remove(simulation: Simulation, process: Process): Promise<void> {
  const { random, clock } = process;
  const context = contextOf(worldOf(simulation, process), "wrkspc_1");
  for (;;) {
    await clock.sleep(random.fraction() * 3_000);
    const ids = [...simulation.acknowledged.keys()];
    const id = ids[Math.floor(random.fraction() * ids.length)];
    if (id === undefined) continue;
    simulation.acknowledged.delete(id);
    await deleteFile(context, id).then(
      () => (simulation.deletes += 1),
      () => {},
    );
  }
}

async function sweep(simulation: Simulation, process: Process): Promise<void> {
  const world = worldOf(simulation, process);
  startJobRunner({ ...world, owner: process.name, kinds, context: world });
  for (;;) {
    await process.clock.sleep(process.random.fraction() * 20_000);
    const job = schedules[0]?.job(process.clock.now()) ?? assert.fail("no schedule");
    await process.db.tx((tx) => enqueue(tx, process, { ...job, key: "one" })).catch(() => {});
  }
}

/** What no file needs is not there: asking for it shall fail. */
function worldOf({ blobs }: Simulation, process: Process, logger: Logger = silentLogger): World {
  const { clock, random, ids, db, hints } = process;
  const sections = { files: { organization_bytes_max: bytesMax } };
  return { clock, random, ids, db, hints, blobs, logger, sections } as unknown as World;
}

interface Row {
  id: string;
  bytes: number;
  sha256: string | null;
  blobId: string | null;
}

/** All processes are dead: what was acknowledged has its bytes, and all counts are what there is. */
async function expectWhole({ timed, blobs, acknowledged }: Simulation): Promise<number> {
  const rows = await timed.observer.query<Row>(sql`
    select file.id, file.bytes, file.sha256, content.blob_id as "blobId"
    from files as file left join file_contents as content
      on content.organization_id = file.organization_id and content.sha256 = file.sha256
    order by file.id`);
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const [id, content] of acknowledged) {
    const blobId = known.get(id)?.blobId;
    assert.ok(typeof blobId === "string", `${id} was acknowledged and has no bytes`);
    assert.equal(await text(await blobs.read(blobKey("org_1", blobId))), content, id);
  }
  const filled = rows.filter(({ sha256 }) => sha256 !== null);
  for (const { id, blobId } of filled) assert.ok(blobId !== null, `${id} has no content`);
  const counted = await timed.observer.query<{ sha256: string; files: number }>(
    sql`select sha256, files from file_contents order by sha256`,
  );
  const bySha = Map.groupBy(filled, ({ sha256 }) => String(sha256));
  assert.deepEqual(
    new Map(counted.map(({ sha256, files }) => [sha256, files])),
    new Map([...bySha].map(([sha256, files]) => [sha256, files.length])),
  );
  const [stored] = await timed.observer.query(sql`select bytes, files from file_storage`);
  const bytes = filled.reduce((sum, row) => sum + row.bytes, 0);
  assert.deepEqual(stored, { bytes, files: filled.length });
  assert.ok(bytes <= bytesMax, `${bytes} bytes are stored, and ${bytesMax} are allowed`);
  const events = await timed.observer.query<{ count: number }>(
    sql`select count(*) from audit_events where action = 'file.uploaded'`,
  );
  return events[0]?.count ?? 0;
}

/** A process of another day sweeps alone: what lies there afterwards is what rows know. */
async function expectSwept(simulation: Simulation): Promise<number> {
  const { scheduler, timed, blobs } = simulation;
  const before = await keysOf(blobs);
  await timed.observer.query(sql`delete from jobs`);
  const last = await scheduler.start("last");
  last.clock.jumpTo(new Date("2027-01-01"));
  const world = worldOf(simulation, last);
  startJobRunner({ ...world, owner: last.name, kinds, context: world });
  const job = schedules[0]?.job(last.clock.now()) ?? assert.fail("no schedule");
  let isIn = false;
  void last.db.tx((tx) => enqueue(tx, last, job)).then(() => (isIn = true));
  for (let step = 0; ; step++) {
    assert.ok(step < restStepsMax, "the sweep did not end");
    await scheduler.step(0);
    if (!isIn || step % 20 !== 0) continue;
    await scheduler.settle();
    const [left] = await timed.observer.query<{ count: number }>(sql`select count(*) from jobs`);
    if (left?.count === 0) break;
  }
  const known = await timed.observer.query<{ id: string }>(
    sql`select blob_id as id from file_contents order by blob_id`,
  );
  const keys = known.map(({ id }) => blobKey("org_1", id)).toSorted();
  assert.deepEqual(await keysOf(blobs), keys);
  return before.length - keys.length;
}

async function keysOf(blobs: World["blobs"]): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(blobPrefix)) keys.push(key);
  return keys.toSorted();
}
