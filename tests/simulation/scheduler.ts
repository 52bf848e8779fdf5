// Simulated processes over one real database, one statement at a time, in an order that a seed decides.
// At each statement a process may be killed or lose its connection, before or after.
import { createHash } from "node:crypto";
import { type ManualClock, makeManualClock } from "../../kernel/base/clock.ts";
import { unavailable } from "../../kernel/base/failure.ts";
import { type Ids, makeIds } from "../../kernel/base/ids.ts";
import { type Random, seededRandom } from "../../kernel/base/random.ts";
import type { Database, Tx } from "../../kernel/sql/database.ts";
import type { Hints } from "../../kernel/sql/hints.ts";
import type { Statement } from "../../kernel/sql/statement.ts";
import { commitUnknown } from "../../kernel/sql/driver-errors.ts";
import type { TimedDatabase } from "../kernel/timed-database.ts";
import { type CommitHooks, oneByOne, withCommitHooks } from "./commit-hooks.ts";
import { makeSettle } from "./quiet.ts";
import { makeStarving, type Starving } from "./starving.ts";

export interface Process {
  name: string;
  clock: ManualClock;
  random: Random;
  ids: Ids;
  db: Database;
  hints: Hints;
  alive: boolean;
}

export type Fault = "none" | "killed before" | "killed after" | "cut before" | "cut after";

interface PendingStatement {
  process: Process;
  label: string;
  number: number;
  grant: (fault: Fault) => void;
}

export interface Scheduler extends Pick<Starving<Process>, "putToSleep" | "cutOff" | "isAsleep"> {
  start(name: string): Promise<Process>;
  kill(process: Process): void;
  /** Moves the simulation by one step: a statement, time, or a fault, whose chance may differ by statement. */
  step(faultChance: number | ((label: string) => number)): Promise<void>;
  settle(): Promise<void>;
  processes: Process[];
  random: Random;
  traceHash(): string;
}

export interface SchedulerOptions {
  /** Processes have files too: a step is over when no process reads or writes one. */
  readsFiles?: boolean;
  /** What may happen, each as often as it stands here. */
  faults?: readonly Fault[];
}
const allFaults: readonly Fault[] = ["killed before", "killed after", "cut before", "cut after"];
const never = new Promise<never>(() => {});
const [killed, cut] = [new Error("killed"), new Error("cut")];

export function makeScheduler(
  timed: TimedDatabase,
  seed: number,
  show: (line: string) => void = () => {},
  { readsFiles = false, faults = allFaults }: SchedulerOptions = {},
): Scheduler {
  const random = seededRandom(seed);
  const trace = createHash("sha256");
  const note = (line: string) => {
    trace.update(`${line}\n`);
    show(line);
  };
  const processes: Process[] = [];
  const listeners = new Map<Process, Map<string, Set<(key: string) => void>>>();
  const ends = new WeakMap<Process, AbortController>();
  /** Kept: a file that they had open may not be found by the collector of garbage. */
  const dead: (Process | PendingStatement)[] = [];
  const starving = makeStarving(note);
  let turns: PendingStatement[] = [];
  let [inFlight, count] = [0, 0];

  const turn = (process: Process, label: string) => {
    if (!process.alive) return never;
    return new Promise<Fault>((grant) => {
      turns.push({ process, label, number: ++count, grant });
    });
  };

  const kill = (process: Process) => {
    if (!process.alive) return;
    note(`kill ${process.name}`);
    process.alive = false;
    processes.splice(processes.indexOf(process), 1);
    starving.forget(process);
    listeners.delete(process);
    dead.push(process, ...turns.filter((waiting) => waiting.process === process));
    turns = turns.filter((waiting) => waiting.process !== process);
    ends.get(process)?.abort();
  };

  /** One statement of a process: one that is dead afterwards never hears how it went. */
  async function act<T>(process: Process, label: string, run: () => Promise<T>): Promise<T> {
    const fault = await turn(process, label);
    if (fault === "killed before") return (kill(process), never);
    if (fault === "cut before") throw unavailable("cut");
    inFlight += 1;
    const outcome = await run().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    inFlight -= 1;
    if (fault === "killed after") kill(process);
    if (!process.alive) return never;
    if ("error" in outcome) throw outcome.error;
    if (fault === "cut after") throw unavailable("cut");
    return outcome.result;
  }

  async function transaction<T>(process: Process, work: (tx: Tx) => Promise<T>): Promise<T> {
    const opened = await turn(process, "begin");
    if (opened.startsWith("killed")) {
      kill(process);
      return never;
    }
    if (opened.startsWith("cut")) throw unavailable("cut");
    let acts: CommitHooks = { beforeCommit: [], afterCommit: [] };
    const end = ends.get(process)?.signal;
    inFlight += 1;
    let [open, counted] = [true, true];
    const rest = () => {
      isDue = false;
      if (counted) inFlight -= 1;
      counted = false;
    };
    // The rollback of a killed process waits for the statement that runs: counted twice, a statement that
    // waits for a lock would look like one that is about to answer, and the lock's holder had no turn.
    let [acting, isDue] = [0, false];
    const busy = () => {
      isDue = acting > 0;
      if (isDue) return;
      if (!counted) inFlight += 1;
      counted = true;
    };
    const within = async <R>(run: () => Promise<R>): Promise<R> => {
      acting += 1;
      try {
        return await run();
      } finally {
        acting -= 1;
        if (isDue) busy();
      }
    };
    let ending = "none" as Fault;
    try {
      const result = await timed.db.tx(async (tx) => {
        rest();
        acts = { beforeCommit: [], afterCommit: [] };
        const dead = new Promise<never>((_, reject) => {
          const gone = () => {
            if (open) busy();
            reject(killed);
          };
          if (end?.aborted) gone();
          else end?.addEventListener("abort", gone, { once: true });
        });
        const inOrder = oneByOne();
        const wrapped: Tx = {
          query: (statement) =>
            inOrder(() =>
              act(process, labelOf(statement), () => within(() => tx.query(statement))),
            ),
          beforeCommit: (before) => void acts.beforeCommit.push(before),
          afterCommit: (after) => void acts.afterCommit.push(after),
          atEnd: (act) => tx.atEnd(act),
        };
        const done = await Promise.race([withCommitHooks(work(wrapped), acts), dead]).catch(
          (error: unknown) => {
            busy(); // with the rollback
            throw error;
          },
        );
        ending = await Promise.race([turn(process, "commit"), dead]);
        busy();
        if (ending === "killed before") throw (kill(process), killed);
        if (ending === "cut before") throw commitUnknown(cut);
        open = false;
        return done;
      });
      rest();
      if (ending === "killed after") kill(process);
      if (!process.alive) return await never;
      if (ending === "cut after") throw commitUnknown(cut);
      for (const after of acts.afterCommit) after();
      return result;
    } catch (error) {
      open = false;
      rest();
      if (!process.alive) return await never;
      throw error;
    }
  }

  const settle = makeSettle(timed, { inFlight: () => inFlight, readsFiles });

  const pass = async (ms: number) => {
    note(`time ${ms}`);
    await timed.advance(ms);
    for (const process of processes.slice()) {
      const passedMs = starving.pass(process, ms);
      if (passedMs === 0) continue;
      process.clock.advance(passedMs);
      if (random.fraction() < 0.05) {
        const jumpMs = Math.floor((random.fraction() - 0.5) * 3_600_000);
        process.clock.jumpTo(new Date(process.clock.now().getTime() + jumpMs));
      }
    }
  };

  const scheduler: Scheduler = {
    processes,
    random,
    kill,
    settle,
    putToSleep: starving.putToSleep,
    cutOff: starving.cutOff,
    isAsleep: starving.isAsleep,
    traceHash: () => trace.copy().digest("hex").slice(0, 16),
    start: async (name) => {
      await settle(); // statements that still run draw before its seed is drawn
      const clock = makeManualClock(await timed.now());
      const own = seededRandom(Math.floor(random.fraction() * 2 ** 32));
      const process: Process = {
        name,
        clock,
        random: own,
        ids: makeIds(clock, own),
        alive: true,
        hints: {
          send: (channel, key) => spread(channel, key),
          listen: (channel, heard) => listen(process, channel, heard),
          close: async () => {},
        },
        db: {
          ...timed.db,
          query: (statement) =>
            act(process, labelOf(statement), () => timed.db.query(statement)) as never,
          tx: (work) => transaction(process, work),
          maintain: async () => true, // it changes nothing, and waits for all who wait
        },
      };
      ends.set(process, new AbortController());
      processes.push(process);
      note(`start ${name}`);
      return process;
    },
    step: async (faultChance) => {
      await settle();
      const able = turns.filter(({ process }) => starving.hasDatabase(process));
      if (able.length === 0 || random.fraction() < 0.06) {
        const far = random.fraction();
        await pass(far < (faultChance === 0 ? 0 : 0.08) ? 11_000 : 50 + Math.floor(far * 1_000));
        return;
      }
      able.sort(
        (a, b) =>
          order(a.process.name, b.process.name) || order(a.label, b.label) || a.number - b.number,
      );
      const next = able[Math.floor(random.fraction() * able.length)];
      if (next === undefined) return;
      turns = turns.filter((turn) => turn !== next);
      const chance = typeof faultChance === "number" ? faultChance : faultChance(next.label);
      const fault: Fault =
        random.fraction() < chance
          ? (faults[Math.floor(random.fraction() * faults.length)] ?? "none")
          : "none";
      note(`${next.process.name} ${next.label} ${fault}`);
      next.grant(fault);
    },
  };

  /** Not at all, once or twice: a hint promises nothing. */
  function spread(channel: string, key: string): void {
    for (const heard of Array.from(listeners.values())) {
      const times = Math.floor(random.fraction() * 3);
      for (let i = 0; i < times; i++) heard.get(channel)?.forEach((tell) => tell(key));
    }
  }
  function listen(process: Process, channel: string, heard: (key: string) => void): () => void {
    const channels = listeners.get(process) ?? new Map<string, Set<(key: string) => void>>();
    listeners.set(process, channels);
    const known = channels.get(channel) ?? new Set();
    channels.set(channel, known.add(heard));
    return () => known.delete(heard);
  }
  return scheduler;
}

function labelOf({ name, text }: Statement): string {
  return name ?? text.trim().replace(/\s+/g, " ").slice(0, 40);
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
