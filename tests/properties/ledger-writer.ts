// A process that writes to the ledger until it is killed, and says each close that was acknowledged.
import { writeSync } from "node:fs";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { type ConnectionSettings } from "../../kernel/sql/connection.ts";
import { openPool } from "../../kernel/sql/database.ts";
import { makeLedger, makeNode, type Payer } from "../../server/usage/module.ts";

const connection = JSON.parse(process.argv[2] ?? "{}") as ConnectionSettings;
const db = openPool({ connection, connectionsMax: 3, logger: silentLogger });
const ids = makeIds(systemClock, systemRandom);
const world = { clock: systemClock, db, ids, logger: silentLogger };
const node = makeNode(world);
const ledger = makeLedger(world, node);
node.start();

const payer: Payer = {
  organizationId: "org_1",
  workspaceId: "wrkspc_1",
  credentialId: "key_1",
  userId: null,
  model: "sim",
  upstream: "simulator",
  kind: "message",
};

async function client(): Promise<never> {
  for (;;) {
    const id = ids.next("hop_");
    const amountNano = Math.floor(systemRandom.fraction() * 1_000);
    const opening = ledger.open({
      id,
      requestId: "req",
      reserveNano: 1_000,
      at: systemClock.now(),
      payer,
    });
    if (systemRandom.fraction() < 0.5) await opening;
    await ledger.close(id, {
      outcome: "served",
      counts: { input: 1, output: 2, cacheWrite5m: 3, cacheWrite1h: 4, cacheRead: 5 },
      amountNano,
      listAmountNano: amountNano,
      estimated: false,
    });
    // At once, not through a stream: a kill must not take with it what was acknowledged.
    writeSync(1, `${id} ${amountNano}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, client));
