// `plinth doctor --audit`: every chain of the audit log from its first event, and what was signed of it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import { systemClock } from "../../kernel/base/clock.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { plural } from "../../kernel/base/plural.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import { pendingMigrations } from "../../kernel/sql/migrate.ts";
import { hasCluster } from "../../kernel/sql/embedded/cluster-paths.ts";
import { openDatabase } from "../../kernel/sql/open-database.ts";
import * as audit from "../audit/module.ts";
import { storeIdOf } from "../operations/module.ts";
import { migrationsDirectory } from "../serve.ts";
import { loadServerSettings, type Flags } from "./settings.ts";

interface Finding {
  organization_id: string;
  events: number;
  /** Up to this number every event is as it was written. */
  sound_until: number;
  /** From before there were chains, and to be put in. */
  unsealed: number;
  problem: string | null;
}

type Keeping = Parameters<typeof audit.verifyOne>[0];

export async function doctorAudit(flags: Flags): Promise<void> {
  const { dataDir, databaseUrl, masterKey } = loadServerSettings(flags);
  const isJson = flags["json"] === true;
  if (databaseUrl === undefined && !hasCluster(dataDir))
    throw new ExitError(`There is no database in ${dataDir}: plinth start makes one.`);
  // A command that only asks makes no keys; without the right ones every signature would look false.
  if (masterKey === undefined && !existsSync(join(dataDir, "secrets")))
    throw new ExitError(
      `There are no master keys in ${dataDir}: name the data directory of the server with --data-dir.`,
    );
  await using closing = new AsyncDisposableStack();
  const database = await openDatabase({ databaseUrl, directory: dataDir, logger: silentLogger });
  closing.defer(() => database.close());
  const { db } = database;
  if ((await pendingMigrations(db, migrationsDirectory)).length > 0)
    throw new ExitError("The database is of an older version: run plinth migrate first.");
  const secrets = await openSecrets({
    directory: join(dataDir, "secrets"),
    mayMake: false,
    ...(masterKey !== undefined && { masterKey }),
  });
  const storeId = await storeIdOf(db);
  const blobs = await openLocalBlobs({
    directory: join(dataDir, "blobs"),
    ...(storeId !== undefined && { storeId }),
  });
  const findings = await lookAtAll({ db, secrets, blobs }, isJson ? () => {} : tell);
  const isOk = findings.every(({ problem }) => problem === null);
  if (isJson) process.stdout.write(`${JSON.stringify({ ok: isOk, chains: findings })}\n`);
  if (!isOk) throw new ExitError("The audit log was tampered with; see the lines marked with ✗.");
}

async function lookAtAll(
  world: Keeping,
  found: (finding: Finding, seconds: number) => void,
): Promise<Finding[]> {
  const ids = new Set([
    ...(await audit.listChains(world.db)),
    ...(await audit.listAnchored(world.blobs)),
  ]);
  const findings: Finding[] = [];
  for (const organizationId of ids) {
    const startedMs = systemClock.monotonicMs();
    const { events, intactUpTo, problem } = await audit.verifyOne(world, organizationId, {
      progress: (read) => progress(organizationId, read),
    });
    const { waiting: unsealed } = await audit.findUnsealed(world, organizationId);
    const finding = {
      organization_id: organizationId,
      events,
      sound_until: intactUpTo.seq,
      unsealed,
      problem,
    };
    findings.push(finding);
    found(finding, (systemClock.monotonicMs() - startedMs) / 1000);
  }
  return findings;
}

/** On a terminal alone, in one line that is written over. */
function progress(organizationId: string, events: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r  ${organizationId}  ${plural(events, "event")}\u001b[K`);
}

function tell(finding: Finding, seconds: number): void {
  const { organization_id: id, sound_until, unsealed, problem } = finding;
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const speed = `${seconds.toFixed(1)} s`;
  const lines =
    problem === null
      ? [
          `${styleText("green", "✓")} ${id}  ${plural(sound_until, "event")}, all as they were written, ${speed}`,
        ]
      : [
          `${styleText("red", "✗")} ${id}  ${problem}`,
          `    ${sound_until === 0 ? "No event before it holds." : `Up to event ${sound_until} all are as they were written.`}`,
        ];
  if (unsealed > 0)
    lines.push(
      `${styleText("yellow", "!")} ${id}  ${plural(unsealed, "event")} not in the chain yet; the server puts them there.`,
    );
  process.stdout.write(`${lines.join("\n")}\n`);
}
