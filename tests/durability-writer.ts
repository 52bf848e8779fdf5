// The process that durability.ts kills: inserts rows as fast as it can and prints each one that was committed.
import { silentLogger } from "../kernel/base/logger.ts";
import { openDatabase } from "../kernel/sql/open-database.ts";
import { sql } from "../kernel/sql/statement.ts";

const [directory = "", prefix = ""] = process.argv.slice(2);
const writers = 8;

const { db } = await openDatabase({ directory, logger: silentLogger });
await db.query(sql`create table if not exists acknowledged (id text collate "C" primary key)`);
process.stdout.write("ready\n");
await Promise.all(Array.from({ length: writers }, (_, writer) => writeOn(`${prefix}-${writer}`)));

async function writeOn(name: string): Promise<void> {
  for (let number = 0; ; number++) {
    const id = `${name}-${number}`;
    try {
      await db.tx((tx) => tx.query(sql`insert into acknowledged (id) values (${id})`));
      process.stdout.write(`${id}\n`);
    } catch {
      // Not acknowledged, so nothing was promised. The database is away: it comes back or we are killed.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
