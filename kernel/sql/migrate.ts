// The migrator: numbered SQL files, forward only, each in one transaction, safe with many starters at once.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ExitError } from "../base/failure.ts";
import type { Logger } from "../base/logger.ts";
import type { Database, Queryable, Tx } from "./database.ts";
import { sql } from "./statement.ts";

export interface Migration {
  number: number;
  /** `0001_ground.sql` */
  name: string;
  sha256: string;
  text: string;
}

type Applied = Pick<Migration, "number" | "name" | "sha256">;

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** "plinth" in the lock space of the database: the sweep of files has another. */
const lockKey = 0x706c696e;
/** A large table may take longer than any request may, and so may the wait for another starter. */
const statementMsMax = 6 * 60 * 60 * 1000;

/**
 * Applies what is missing, in order. Several starters at once alternate, file by file. A database with data may be at
 * one of them for long, so each has a line of the log; all those of a new one are a single line.
 */
export async function migrate(
  db: Database,
  directory: string,
  { logger }: { logger: Logger },
): Promise<{ applied: string[]; total: number }> {
  const files = readMigrations(directory);
  const applied: string[] = [];
  let next = missing(files, await readApplied(db))[0];
  const isNew = next?.number === 1;
  while (next) {
    const name = await db.tx((tx) => applyNext(tx, files), { statementMsMax });
    if (name === undefined) break;
    applied.push(name);
    if (!isNew) logger.info({ migration: name }, "applied a migration");
    next = files[files.findIndex((file) => file.name === name) + 1];
  }
  const last = applied.at(-1);
  if (isNew && last !== undefined)
    logger.info({ migrations: applied.length, last }, "made the tables of a new database");
  return { applied, total: files.length };
}

/** The names of the files that the database has not seen; refuses what `migrate` would refuse. */
export async function pendingMigrations(db: Queryable, directory: string): Promise<string[]> {
  return missing(readMigrations(directory), await readApplied(db)).map((file) => file.name);
}

export function readMigrations(directory: string): Migration[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    const number = Number(fileName.exec(name)?.[1]);
    if (Number.isNaN(number))
      throw new ExitError(`${join(directory, name)} must be named like 0001_what_it_does.sql.`);
    if (number !== index + 1)
      throw new ExitError(
        `${join(directory, name)} should have number ${String(index + 1).padStart(4, "0")}: migrations are numbered without gaps or doubles.`,
      );
    const text = readFileSync(join(directory, name), "utf8");
    return { number, name, text, sha256: createHash("sha256").update(text).digest("hex") };
  });
}

async function applyNext(tx: Tx, files: Migration[]): Promise<string | undefined> {
  await tx.query(sql`select pg_advisory_xact_lock(${lockKey})`);
  await tx.query(sql`
    create table if not exists schema_migrations (
      number int primary key,
      name text collate "C" not null,
      sha256 text collate "C" not null,
      applied_at timestamptz not null default now()
    )`);
  const file = missing(files, await readApplied(tx))[0];
  if (!file) return undefined;
  await tx.query({ text: file.text, values: [] });
  await tx.query(sql`
    insert into schema_migrations (number, name, sha256)
    values (${file.number}, ${file.name}, ${file.sha256})`);
  return file.name;
}

async function readApplied(queries: Queryable): Promise<Applied[]> {
  const [table] = await queries.query<{ here: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as here`,
  );
  if (!table?.here) return [];
  return queries.query<Applied>(
    sql`select number, name, sha256 from schema_migrations order by number`,
  );
}

/** The files still to come, when everything applied is still there and unchanged. */
function missing(files: Migration[], applied: Applied[]): Migration[] {
  for (const [index, row] of applied.entries()) {
    const file = files[row.number - 1];
    if (row.number !== index + 1)
      throw new ExitError(
        `The database has migration ${row.number} but not ${index + 1}: its table schema_migrations was changed by hand; restore a backup.`,
      );
    if (!file)
      throw new ExitError(
        `The database has migration ${row.name}, which this version does not know: it was used by a newer version; start that one.`,
      );
    if (file.name !== row.name || file.sha256 !== row.sha256)
      throw new ExitError(
        `The migration ${file.name} is not the one that the database has as ${row.name}: applied migrations are never edited; put the file back and write a new one.`,
      );
  }
  return files.slice(applied.length);
}
