// `plinth migrate`: brings the database to this version without starting the server.
import { readMigrations } from "../../kernel/sql/migrate.ts";
import { migrationsDirectory, openMigratedDatabase } from "../serve.ts";
import { serveOptionsOf, loadServerSettings, type Flags } from "./settings.ts";

export async function migrateNow(flags: Flags): Promise<void> {
  const options = serveOptionsOf(loadServerSettings(flags));
  const database = await openMigratedDatabase({ ...options, workers: 1 });
  await database.close();
  const total = readMigrations(migrationsDirectory).length;
  process.stdout.write(`The database is at migration ${total} of ${total}.\n`);
}
