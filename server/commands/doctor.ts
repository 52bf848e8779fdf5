// `plinth doctor`: what works on this machine, what does not, and how to mend it.
import { join } from "node:path";
import { styleText } from "node:util";
import { systemClock } from "../../kernel/base/clock.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { plural } from "../../kernel/base/plural.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import { fail, ok, warn, type DoctorCheck } from "../../kernel/observe/doctor/check.ts";
import { runChecks } from "../../kernel/observe/doctor/doctor.ts";
import {
  type DetachedCluster,
  listDetachedClusters,
  removeOrphanedClusters,
} from "../../kernel/sql/embedded/detached-clusters.ts";
import { detachedClustersRoot } from "../../kernel/sql/embedded/owning-directories.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { pendingMigrations } from "../../kernel/sql/migrate.ts";
import { hasCluster } from "../../kernel/sql/embedded/cluster-paths.ts";
import { openDatabase } from "../../kernel/sql/open-database.ts";
import { inOrderOfNeeds } from "../../kernel/work/parts.ts";
import { checkAuditExport } from "../audit/module.ts";
import { foundStoreId, listLostBlobs } from "./lost-blobs.ts";
import { failedRows } from "../usage/module.ts";
import { storeIdOf } from "../operations/module.ts";
import { checkSandboxes } from "../sandboxes/module.ts";
import { migrationsDirectory, findRunningServer } from "../serve.ts";
import { version } from "../../kernel/base/version.ts";
import { doctorAudit } from "./doctor-audit.ts";
import { askUpstream, loadServerSettings, type Flags, type ServerSettings } from "./settings.ts";

export async function doctor(flags: Flags): Promise<void> {
  if (flags["audit"] === true) return doctorAudit(flags);
  if (flags["parts"] === true) return listParts(flags["json"] === true);
  if (flags["sweep"] === true) return sweep(flags["json"] === true);
  const settings = loadServerSettings(flags);
  const { dataDir, host, port } = settings;
  const checks = [
    ...(await runChecks({
      dataDir,
      host,
      port,
      running: whereItRuns(dataDir),
      clock: systemClock,
    })),
    ...(await checkSandboxes(settings)),
    ...(await checkDatabase(settings)),
    ...(await checkUpstream(settings)),
    ...checkHomes(listDetachedClusters()),
  ];
  const isOk = checks.every(({ state }) => state !== "fail");
  if (flags["json"] === true)
    process.stdout.write(`${JSON.stringify({ ok: isOk, version, checks })}\n`);
  else process.stdout.write(`${tell(checks)}\n`);
  if (!isOk) throw new ExitError("Something here does not work; see the lines marked with ✗.");
}

function whereItRuns(dataDir: string): { host: string; port: number } | undefined {
  const running = findRunningServer(dataDir);
  if (running === undefined) return undefined;
  const { hostname, port, protocol } = new URL(running.listening);
  const usual = protocol === "https:" ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usual : Number(port) };
}

async function checkDatabase({
  dataDir,
  databaseUrl,
  sections,
}: ServerSettings): Promise<DoctorCheck[]> {
  // To ask must not make a database.
  if (databaseUrl === undefined && !hasCluster(dataDir))
    return [ok("database", "built in, not made yet: plinth start makes it")];
  try {
    const startedMs = systemClock.monotonicMs();
    await using closing = new AsyncDisposableStack();
    const database = await openDatabase({ databaseUrl, directory: dataDir, logger: silentLogger });
    closing.defer(() => database.close());
    const ms = Math.round(systemClock.monotonicMs() - startedMs);
    const kind = database.kind === "embedded" ? "built in" : "external";
    const found = `Postgres ${database.serverVersion}, ${kind}, ready after ${ms} ms`;
    const { db } = database;
    return [
      ok("database", found),
      await checkMigrations(db),
      ...(await checkSettlements(db)),
      ...(await checkBlobs(db, dataDir)),
      ...(await checkExport(db, sections)),
    ];
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return [fail("database", error.message, "Mend what the sentence names, then ask again.")];
  }
}

/** Asked as a start asks it, which then compares its models with those of the file. */
async function checkUpstream(settings: ServerSettings): Promise<DoctorCheck[]> {
  try {
    const upstream = await askUpstream(settings);
    if (upstream === undefined) return [];
    const warnings = upstream.found.usual?.warnings ?? [];
    return [
      ok("upstream", upstream.detail),
      ...warnings.map((warning) => warn("upstream", warning, "A start warns of it, too.")),
    ];
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return [fail("upstream", error.message, "A start refuses it, too: mend what it names.")];
  }
}

/** Nothing where no database ever lay outside of its data directory. */
function checkHomes(homes: readonly DetachedCluster[]): DoctorCheck[] {
  if (homes.length === 0) return [];
  const name = "other databases";
  const orphans = homes.filter(({ state }) => state === "orphan");
  const unknown = homes.filter(({ state }) => state === "unknown");
  const unsure =
    unknown.length === 0
      ? ""
      : `; of ${unknown.length} it is not known: ${unknown.map(({ path }) => path).join(", ")}`;
  if (orphans.length === 0)
    return [ok(name, `below ${detachedClustersRoot} none has lost its data directory${unsure}`)];
  const each = orphans.map(({ path, owners }) => `${path} (of ${owners.join(", ")})`);
  return [
    warn(
      name,
      `${orphans.length} without a data directory, ${mebibytes(orphans)}: ${each.join(", ")}${unsure}`,
      "plinth doctor --sweep removes those that are certain.",
    ),
  ];
}

const mebibytes = (homes: readonly DetachedCluster[]) =>
  `${(homes.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2).toFixed(1)} MiB`;

/** What was removed, each with its size: never one whose data directory is there, or that runs. */
function sweep(isJson: boolean): void {
  const removed = removeOrphanedClusters();
  if (isJson) {
    const shown = removed.map(({ path, owners, bytes }) => ({
      path,
      data_directories: owners,
      bytes,
    }));
    return void process.stdout.write(`${JSON.stringify({ removed: shown })}\n`);
  }
  process.stdout.write(`${sweptLines(removed).join("\n")}\n`);
}

export function sweptLines(removed: readonly DetachedCluster[]): string[] {
  if (removed.length === 0) return ["No database has lost its data directory."];
  const total = `${plural(removed.length, "database")} without a data directory ${removed.length === 1 ? "was" : "were"} removed, ${mebibytes(removed)}.`;
  return [
    ...removed.map(
      (home) => `Removed ${home.path}, ${mebibytes([home])}, of ${home.owners.join(", ")}.`,
    ),
    total,
  ];
}

/** What a process of the server has and starts. All nouns come in here alone: no other check waits for them. */
async function listParts(isJson: boolean): Promise<void> {
  const { parts } = await import("../app.ts");
  const listed = inOrderOfNeeds(parts).map(({ name, isStarted, needs }) => ({
    name,
    starts: isStarted,
    needs: needs.map((need) => need.name),
  }));
  const width = Math.max(...listed.map(({ name }) => name.length));
  const line = (name: string, starts: string, needs: string) =>
    `${name.padEnd(width)}  ${starts.padEnd(6)}  ${needs}`.trimEnd();
  const table = [
    line("PART", "STARTS", "NEEDS"),
    ...listed.map(({ name, starts, needs }) => line(name, starts ? "yes" : "", needs.join(", "))),
  ];
  const text = isJson ? JSON.stringify({ parts: listed }) : table.join("\n");
  process.stdout.write(`${text}\n`);
}

/** Whether the files of the database are the ones that are here, and which of them are not. */
async function checkBlobs(db: Database, dataDir: string): Promise<DoctorCheck[]> {
  const name = "files";
  const expected = (await isMigrated(db)) ? await storeIdOf(db) : undefined;
  if (expected === undefined) return [];
  const found = await foundStoreId(dataDir);
  const directory = join(dataDir, "blobs");
  if (found !== expected)
    return [
      fail(
        name,
        `${directory} ${found === undefined ? "holds none of" : `belongs to ${found}, not to`} this database (${expected})`,
        "Restore it from a backup; if it is lost for good, plinth start --adopt-blobs.",
      ),
    ];
  const blobs = await openLocalBlobs({ directory });
  const lost = await listLostBlobs({
    db,
    blobs,
    segmentOptions: { directory: join(directory, "tails") },
  });
  return [
    lost.length === 0
      ? ok(name, "all that the database names are here")
      : warn(name, `lost: ${lost.join("; ")}`, "Restore them from a backup, or delete them."),
  ];
}

async function checkExport(
  db: Database,
  sections: ServerSettings["sections"],
): Promise<DoctorCheck[]> {
  if (!(await isMigrated(db))) return [];
  return checkAuditExport({ db, sections, clock: systemClock });
}

const isMigrated = async (db: Database) =>
  (await pendingMigrations(db, migrationsDirectory)).length === 0;

/** What was acknowledged and is in no report. */
async function checkSettlements(db: Database): Promise<DoctorCheck[]> {
  if (!(await isMigrated(db))) return [];
  const { count, why } = await failedRows(db);
  if (count === 0) return [ok("ledger", "every settlement can be posted")];
  return [
    fail(
      "ledger",
      `${plural(count, "row")} of ledger_journal could not be posted, the first because of: ${why}`,
      "They are in no report and no limit. A start tries them again: upgrade, or report the error.",
    ),
  ];
}

async function checkMigrations(db: Parameters<typeof pendingMigrations>[0]): Promise<DoctorCheck> {
  const pending = await pendingMigrations(db, migrationsDirectory);
  return pending.length === 0
    ? ok("migrations", "the database is at this version")
    : warn(
        "migrations",
        `${pending.length} to come`,
        "plinth start or plinth migrate applies them.",
      );
}

const marks = {
  ok: styleText("green", "✓"),
  warn: styleText("yellow", "!"),
  fail: styleText("red", "✗"),
} as const;

function tell(checks: readonly DoctorCheck[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, found, mend }) => [
      `${marks[state]} ${name.padEnd(width)}  ${found}`,
      ...(mend === undefined ? [] : [`  ${" ".repeat(width)}  → ${mend}`]),
    ])
    .join("\n");
}
