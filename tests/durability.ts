// Kills the server, its workers and its database at random moments, and counts promises that were not kept.
// node tests/durability.ts [--rounds 50] [--seed 1] [--workers 2] [--writer sql|sessions]
import { parseArgs } from "node:util";
import { type Random, seededRandom } from "../kernel/base/random.ts";
import {
  initOwner,
  isFree,
  killGroup,
  nothingLeft,
  type Plinth,
  signIn,
  startPlinth,
} from "./bad-days/plinth.ts";
import { emptyChangeRecord, findFaults, replyMsMax, write } from "./durability-http.ts";
import {
  killDatabase,
  moment,
  oneOf,
  workersOf,
  type KillRounds,
  type RoundOutcome,
} from "./durability-kill.ts";
import { sessionRounds } from "./durability-sessions.ts";
import { writerRounds } from "./durability-sql.ts";
import { kill, scratch, until } from "./kernel/sql-harness.ts";

const victimsAlone = ["server", "database", "server and database"] as const;
const victimsOfSeveral = [
  "worker",
  "first process",
  "first process and worker",
  "database",
] as const;
/** Enough to see that the writers are back, and the process with them. */
const changesAfterwards = 50;

async function serverRounds(
  directory: string,
  workers: number,
  random: Random,
): Promise<KillRounds> {
  const owner = await initOwner(directory);
  const ledger = emptyChangeRecord();
  const start = () => startPlinth(directory, { args: ["--workers", String(workers)] });
  let plinth = await start();
  const signedIn = await signIn(plinth.url, owner);
  const headers = () => ({ ...signedIn, origin: plinth.url });

  async function round(number: number): Promise<RoundOutcome> {
    const victim = workers === 1 ? oneOf(victimsAlone, random) : oneOf(victimsOfSeveral, random);
    const survives = victim === "worker" || victim === "database";
    const before = ledger.acknowledged;
    ledger.slowestMs = 0;
    const options = { prefix: `round ${number}`, mayBeCut: victim !== "database" };
    const writing = write(plinth.url, headers(), ledger, options);
    await until("a change is acknowledged", () => ledger.acknowledged > before);
    await moment(random);
    const killedAt = performance.now();
    strike(victim, plinth, directory, random);
    if (survives) {
      const enough = ledger.acknowledged + changesAfterwards;
      await until("changes go on", () => ledger.acknowledged > enough);
      if (victim === "worker")
        await until("the worker is replaced", () => workersOf(plinth.pid).length === workers);
    }
    const [, dead] = await Promise.all([writing.stop(), survives ? undefined : plinth.ended]);
    if (dead !== undefined) plinth = await start();
    const backMs = Math.round(performance.now() - killedAt);
    const faults = await findFaults(plinth.url, headers(), ledger);
    ledger.troubles.length = 0;
    const acknowledged = ledger.acknowledged - before;
    const slowest = `slowest reply ${Math.round(ledger.slowestMs)} ms`;
    const summary = `killed ${victim}, ${acknowledged} acknowledged, back after ${backMs} ms, ${slowest}`;
    return { acknowledged, faults, summary };
  }

  return {
    round,
    finish: async () => {
      const { code, signal } = await plinth.stop();
      killGroup(plinth.child);
      const faults = code === 0 ? [] : [`SIGTERM ended it with ${code ?? signal}`];
      await nothingLeft(directory).catch((error: Error) => faults.push(error.message));
      const port = Number(new URL(plinth.url).port);
      if (!(await isFree(port))) faults.push(`port ${port} is still taken`);
      const unsure = ledger.stories.filter((story) =>
        [story.created, story.renamed, story.deactivated].includes("unknown"),
      );
      console.log(
        `${ledger.stories.length} keys, ${ledger.busy} answers of 503, ${unsure.length} outcomes unknown; ` +
          `no reply may take longer than ${replyMsMax} ms`,
      );
      return faults;
    },
  };
}

function strike(victim: string, plinth: Plinth, directory: string, random: Random): void {
  if (victim.includes("worker")) {
    const [worker] = workersOf(plinth.pid);
    if (worker === undefined) throw new Error("there is no worker to kill");
    kill(worker);
  }
  if (victim.includes("database")) killDatabase(directory, random);
  if (/server|first process/.test(victim)) kill(plinth.pid);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "50" },
      seed: { type: "string", default: "1" },
      workers: { type: "string", default: "1" },
      writer: { type: "string", default: "http" },
    },
  });
  const random = seededRandom(Number(values.seed));
  using home = scratch();
  const workers = Number(values.workers);
  const rounds =
    values.writer === "sql"
      ? writerRounds(home.path, random)
      : await (values.writer === "sessions" ? sessionRounds : serverRounds)(
          home.path,
          workers,
          random,
        );
  let acknowledged = 0;
  const tally = { passed: 0, failed: 0 };
  const note = (what: string, faults: readonly string[]) => {
    tally[faults.length === 0 ? "passed" : "failed"]++;
    console.log(`${what}: ${faults.length === 0 ? "passed" : "FAILED"}`);
    for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`);
  };
  for (let number = 1; number <= Number(values.rounds); number++) {
    try {
      const outcome = await rounds.round(number);
      acknowledged += outcome.acknowledged;
      note(`round ${number}: ${outcome.summary}`, outcome.faults);
    } catch (error) {
      note(`round ${number}`, [(error as Error).message]);
    }
  }
  note("a clean end", await rounds.finish());
  console.log(`${acknowledged} acknowledged changes`);
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  process.exitCode = tally.failed === 0 ? 0 : 1;
}

await main();
