// A database of its own for each test file: cloned from a template that is migrated once per set of migrations.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { silentLogger } from "../kernel/base/logger.ts";
import { type ConnectionSettings, clientConfig } from "../kernel/sql/connection.ts";
import { type Database, openPool } from "../kernel/sql/database.ts";
import { openEmbedded } from "../kernel/sql/embedded/embedded.ts";
import { migrate } from "../kernel/sql/migrate.ts";

export interface TestDatabase extends AsyncDisposable {
  db: Database;
  connection: ConnectionSettings;
  name: string;
}

const checkout = join(import.meta.dirname, "..");
const migrations = join(checkout, "migrations");
const connectionsMax = 8;
/** A run takes less than a GiB: a log of at most 512 MB, and 14 MB for each open test file. */
const memoryBytesMin = 8 * 1024 ** 3;
/** Any number: it keeps two test processes from making the same template at once. */
const templateLock = 7_420_001;

/** With all migrations. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await testServer();
  const template = await (templateMade ??= makeTemplate(server));
  return clone(server, template);
}

/** Without any: for the migrator's own tests and for kernel parts that bring their own tables. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return clone(await testServer(), "template0");
}

let templateMade: Promise<string> | undefined;
let started: Promise<ConnectionSettings> | undefined;
let count = 0;

/**
 * The server that PLINTH_TEST_DATABASE_URL names, else a built-in one shared by all test processes of this
 * checkout. It is never released: it stops by itself, 60 s after the last of them has ended.
 */
function testServer(): Promise<ConnectionSettings> {
  started ??= startServer();
  return started;
}

async function startServer(): Promise<ConnectionSettings> {
  const url = process.env["PLINTH_TEST_DATABASE_URL"];
  if (url) return { url };
  const key = createHash("sha256").update(checkout).digest("hex").slice(0, 12);
  const directory = join(fastestFolder(), `plinth-test-${process.getuid?.() ?? 0}-${key}`);
  const { connection } = await openEmbedded({ directory, logger: silentLogger, durable: false });
  await dropAbandoned(connection);
  return connection;
}

/** A database is 900 files: in memory a test file's own is made in a fifth of the time that a disk takes for it. */
function fastestFolder(): string {
  const memory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= memoryBytesMin) return memory;
  } catch {
    // Not Linux.
  }
  return tmpdir();
}

/** The databases of test processes that were killed. */
async function dropAbandoned(server: ConnectionSettings): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      "select datname from pg_database where datname like 'test\\_%' and not datistemplate",
    );
    for (const { datname } of rows)
      if (!isAlive(Number(datname.split("_")[1])))
        await client.query(`drop database if exists "${datname}" with (force)`);
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function makeTemplate(server: ConnectionSettings): Promise<string> {
  const hash = createHash("sha256");
  for (const name of migrationNames())
    hash.update(name).update(readFileSync(join(migrations, name)));
  const name = `plinth_template_${hash.digest("hex").slice(0, 16)}`;
  await withClient(server, async (client) => {
    if (await exists(client, name)) return;
    await client.query("select pg_advisory_lock($1)", [templateLock]);
    if (await exists(client, name)) return;
    const unfinished = `${name}_new`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await client.query(`create database ${unfinished} template template0`);
    const db = openPool({
      connection: named(server, unfinished),
      connectionsMax: 1,
      logger: silentLogger,
    });
    await migrate(db, migrations, { logger: silentLogger }).finally(() => db.close());
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

function migrationNames(): string[] {
  return readdirSync(migrations)
    .filter((name) => name.endsWith(".sql"))
    .sort();
}

async function clone(server: ConnectionSettings, template: string): Promise<TestDatabase> {
  const name = `test_${process.pid}_${++count}_${template === "template0" ? "empty" : "full"}`;
  await withClient(server, (client) =>
    client.query(`create database ${name} template ${template}`),
  );
  const connection = named(server, name);
  const db = openPool({ connection, connectionsMax, logger: silentLogger });
  return {
    db,
    connection,
    name,
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await withClient(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

function named(server: ConnectionSettings, database: string): ConnectionSettings {
  if (server.url === undefined) return { ...server, database };
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

async function exists(client: pg.Client, name: string): Promise<boolean> {
  const found = await client.query("select from pg_database where datname = $1", [name]);
  return found.rowCount === 1;
}

async function withClient<T>(
  server: ConnectionSettings,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(clientConfig(server));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
