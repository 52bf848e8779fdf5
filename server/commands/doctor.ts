// `plinth doctor`: what works on this machine, what does not, and how to mend it.
import { styleText } from "node:util";
import { systemClock } from "../../kernel/base/clock.ts";
import { Refusal } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { fail, ok, warn, type Check } from "../../kernel/observe/check.ts";
import { runChecks } from "../../kernel/observe/doctor.ts";
import { pendingMigrations } from "../../kernel/sql/migrate.ts";
import { hasCluster } from "../../kernel/sql/places.ts";
import { openDatabase } from "../../kernel/sql/resolver.ts";
import { migrationsDirectory } from "../serve.ts";
import { version } from "../version.ts";
import { doctorAudit } from "./doctor-audit.ts";
import { settingsOf, type Flags } from "./settings.ts";

export async function doctor(flags: Flags): Promise<void> {
  if (flags["audit"] === true) return doctorAudit(flags);
  const settings = settingsOf(flags);
  const { dataDir, host, port, databaseUrl } = settings;
  const checks = [
    ...(await runChecks({ dataDir, host, port, clock: systemClock })),
    ...(await checkDatabase(dataDir, databaseUrl)),
  ];
  const isOk = checks.every(({ state }) => state !== "fail");
  if (flags["json"] === true)
    process.stdout.write(`${JSON.stringify({ ok: isOk, version, checks })}\n`);
  else process.stdout.write(`${tell(checks)}\n`);
  if (!isOk) throw new Refusal("Something here does not work; see the lines marked with ✗.");
}

async function checkDatabase(dataDir: string, databaseUrl: string | undefined): Promise<Check[]> {
  // Whoever only asks must not find a database made.
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
    return [ok("database", found), await checkMigrations(database.db)];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [fail("database", error.message, "Mend what the sentence names, then ask again.")];
  }
}

async function checkMigrations(db: Parameters<typeof pendingMigrations>[0]): Promise<Check> {
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

function tell(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, found, mend }) => [
      `${marks[state]} ${name.padEnd(width)}  ${found}`,
      ...(mend === undefined ? [] : [`  ${" ".repeat(width)}  → ${mend}`]),
    ])
    .join("\n");
}
