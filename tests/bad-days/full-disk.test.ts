// A disk that fills up while the server runs: changes are refused with a sentence, and go on once there is room.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { socketDirectoryOf } from "../../kernel/sql/embedded/postmaster.ts";
import { emptyChangeRecord, findFaults, write } from "../durability-http.ts";
import { isRoot, scratch, until } from "../kernel/sql-harness.ts";
import { ask, initOwner, nothingLeft, signIn, startPlinth } from "./plinth.ts";

const diskMegabytes = 120;
const skip = !isRoot && "mounting a small disk needs root";

test(
  "a full disk: 503 and no half-written change; room again, and it works",
  { skip },
  async () => {
    using home = scratch();
    const disk = join(home.path, "disk");
    mkdirSync(disk, { mode: 0o711 });
    const options = `size=${diskMegabytes}m,mode=0711`;
    assert.equal(spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", disk]).status, 0);
    using _mounted = { [Symbol.dispose]: () => void spawnSync("umount", ["--lazy", disk]) };
    const data = join(disk, "data");
    const owner = await initOwner(data);
    const plinth = await startPlinth(data);
    const { child } = plinth;
    const end = async () => {
      if (child.exitCode === null && child.signalCode === null) await plinth.killed();
    };
    await using _plinth = { [Symbol.asyncDispose]: end };
    const headers = await signIn(plinth.url, owner);
    const filling = join(disk, "filling");
    const ledger = emptyChangeRecord();

    fill(disk, filling);
    const writing = write(plinth.url, headers, ledger, { prefix: "round 1", mayBeCut: false });
    await using _writing = { [Symbol.asyncDispose]: () => writing.stop() };
    const busy = async () => {
      const body = { name: "one more ".repeat(20), kind: "api" };
      const reply = await ask(plinth.url, "POST", "/console/api/keys", { headers, body });
      return reply.status === 503 && reply;
    };
    const refused = await until("a change is refused", busy);
    assert.match((refused.body as { error: { message: string } }).error.message, /[Dd]atabase/);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    assert.equal((await ask(plinth.url, "GET", "/healthz")).status, 200);
    const read = await ask(plinth.url, "GET", "/console/api/keys", { headers });
    console.log(`while full: ${JSON.stringify(refused.body)}; a read is ${read.status}`);
    assert.ok([200, 503].includes(read.status), JSON.stringify(read.body));

    // The log of the database wants its next file: that it cannot have ends the database itself.
    await exhaustLog(data);
    const gone = await until("the database has ended", busy);
    assert.ok(Number(gone.headers.get("retry-after")) > 0);
    assert.equal((await ask(plinth.url, "GET", "/healthz")).status, 200);

    rmSync(filling);
    const before = ledger.acknowledged;
    const freedAt = performance.now();
    await until("changes go on", () => ledger.acknowledged > before + 20).catch(
      (error: unknown) => {
        const told = [...ledger.troubles.slice(0, 5), plinth.said().slice(-3_000)].join("\n");
        throw new Error(`${String(error)}\n${told}`, { cause: error });
      },
    );
    console.log(
      `changes went on ${Math.round(performance.now() - freedAt)} ms after there was room`,
    );
    await writing.stop();
    assert.deepEqual(await findFaults(plinth.url, headers, ledger), []);
    assert.ok(ledger.busy > 0);
    assert.equal((await plinth.stop()).code, 0, plinth.said().slice(-2000));
    await nothingLeft(disk);
  },
);

async function exhaustLog(data: string): Promise<void> {
  const host = socketDirectoryOf(join(data, "postgres"));
  const client = new pg.Client({ host, user: "plinth", database: "plinth" });
  client.on("error", () => {});
  await client.connect();
  const lost = await until("the database is lost", async () => {
    try {
      await client.query("select pg_logical_emit_message(false, 'full', 'disk'), pg_switch_wal()");
      return false;
    } catch (error) {
      return error as Error;
    }
  });
  // A busy machine may see the end of the connection before its last words.
  assert.match(lost.message, /terminat|No space left|ECONNRESET|EPIPE/i);
  await client.end().catch(() => {});
}

/** What the server writes meanwhile takes of the same room: then the disk is full a bit earlier. */
function fill(disk: string, path: string): void {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(path, Buffer.alloc(bavail * bsize));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
  }
}
