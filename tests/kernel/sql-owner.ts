// A process that owns the built-in database, to be killed by tests: reports on stdout, releases on stdin's end.
import { createInterface } from "node:readline";
import { silentLogger } from "../../kernel/base/logger.ts";
import { openEmbedded } from "../../kernel/sql/embedded/embedded.ts";

const [directory = "", graceMs = "60000"] = process.argv.slice(2);
const say = (event: object) => process.stdout.write(`${JSON.stringify(event)}\n`);

try {
  const embedded = await openEmbedded({
    directory,
    logger: silentLogger,
    graceMs: Number(graceMs),
    onLost: (event) => say({ lost: event }),
  });
  say({ ready: { postmaster: embedded.pid(), connection: embedded.connection } });
  for await (const line of createInterface({ input: process.stdin })) if (line === "release") break;
  await embedded.release();
  say({ released: true });
  process.stdin.destroy();
} catch (error) {
  say({ refused: (error as Error).message });
  process.exitCode = 1;
}
