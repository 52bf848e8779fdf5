// What memories cost: writes, reads and lists over HTTP, against plain statements on the same rows of one database.
// `node bench/memory.ts [rates] [flat] [--bytes N] [--seconds N] [--workers N]`; `--profile`: CPU profiles in build/.
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, ratio, show, whole } from "./figures.ts";
import { openHelper } from "./helper.ts";
import type { Question, Store } from "./memory/client.ts";
import type { Load, Ran } from "./memory/load.ts";
import type { Question as Compared } from "./memory/reference.ts";
import { openServer } from "./server.ts";

const parts = ["rates", "flat"];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bytes: { type: "string", default: "2000" },
    seconds: { type: "string", default: "3" },
    workers: { type: "string" },
    profile: { type: "boolean", default: false },
  },
});
const [bytes, seconds] = [Number(values.bytes), Number(values.seconds)];
const unknown = positionals.filter((name) => !parts.includes(name));
if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: there is ${parts.join(", ")}`);
const isAsked = (part: string) => positionals.length === 0 || positionals.includes(part);

console.log(
  `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, ${bytes} bytes each`,
);
await using server = await openServer({ workers: values.workers, isProfiled: values.profile });
await using client = openHelper("memory/client.ts", server.url, JSON.stringify(server.headers));
const database = join(server.directory, "data");
await using plain = openHelper("memory/reference.ts", database);

const ours = <T>(question: Question) => client.ask<T>(question);
const theirs = <T>(question: Compared) => plain.ask<T>(question);
const busy: Load = { atOnce: 32, seconds };
const alone: Load = { atOnce: 1, seconds: 1 };

if (isAsked("rates")) await rates();
if (isAsked("flat")) await flat();

/** By turns, since a machine is not the same from one minute to the next: the middle of three. */
async function byTurns(...subjects: (() => Promise<Ran>)[]): Promise<Ran[]> {
  const rounds: Ran[][] = [];
  for (let round = 0; round < 3; round++) {
    const ran: Ran[] = [];
    for (const subject of subjects) ran.push(await subject());
    rounds.push(ran);
  }
  const of = (index: number, key: keyof Ran) => median(rounds.map((ran) => ran[index]?.[key] ?? 0));
  return subjects.map((_, index) => ({
    perSecond: of(index, "perSecond"),
    p50: of(index, "p50"),
    p99: of(index, "p99"),
  }));
}

async function rates(): Promise<void> {
  console.log(`\nRates, ${busy.atOnce} at a time (reference: plain statements on the same rows)`);
  const store = await ours<Store>({ kind: "store", memories: 1_000, bytes });
  await theirs({ kind: "fill", memories: 1_000, bytes });
  for (const kind of ["write", "read"] as const)
    tell(
      `${kind}s`,
      await byTurns(
        () => ours<Ran>({ kind, store, load: busy, bytes }),
        () => theirs<Ran>({ kind, load: busy, bytes }),
      ),
    );
  tell(
    "lists of 20",
    await byTurns(
      () => ours<Ran>({ kind: "list", store, load: busy, limit: 20 }),
      () => theirs<Ran>({ kind: "list", load: busy, limit: 20 }),
    ),
  );
  await latencies(store);
}

function tell(name: string, [mine, reference]: Ran[]): void {
  if (mine === undefined || reference === undefined) return;
  const per = (ran: Ran) => `${whole(ran.perSecond)}/s (p50 ${ran.p50.toFixed(1)} ms)`;
  const share = ratio(mine.perSecond, reference.perSecond);
  show(name, `${per(mine)}, plain ${per(reference)}: ${share}, at least 0.5 x is wanted`);
}

/** Without other load: only the round trip is left. */
async function latencies(store: Store): Promise<void> {
  for (const limit of [20, 100]) {
    const [mine, reference] = await byTurns(
      () => ours<Ran>({ kind: "list", store, load: alone, limit }),
      () => theirs<Ran>({ kind: "list", load: alone, limit }),
    );
    if (mine === undefined || reference === undefined) continue;
    const text = `${mine.p50.toFixed(2)} ms, plain ${reference.p50.toFixed(2)} ms`;
    show(`list of ${limit}, alone`, `${text}: ${ratio(reference.p50, mine.p50)} as fast`);
  }
}

/** One at a time, on stores of different sizes, by turns: how much longer the larger one takes. */
async function flat(): Promise<void> {
  console.log("\nOne at a time, in milliseconds");
  const small = await ours<Store>({ kind: "store", memories: 10, bytes });
  const large = await ours<Store>({ kind: "store", memories: 2_000, bytes });
  await compare("10 and 2,000 memories", small, large);
  const few = await ours<Store>({ kind: "store", memories: 10, bytes: 200 });
  const many = await ours<Store>({ kind: "store", memories: 10, bytes: 200 });
  await ours({ kind: "versions", store: many, versions: 100_000, bytes: 200 });
  await compare("10 and 100,000 versions", few, many);
}

async function compare(name: string, small: Store, large: Store): Promise<void> {
  console.log(`  ${name}`);
  const questions: [string, (store: Store) => Question][] = [
    ["write", (store) => ({ kind: "write", store, load: alone, bytes: 200 })],
    ["read", (store) => ({ kind: "read", store, load: alone, bytes })],
    ["list of 10", (store) => ({ kind: "list", store, load: alone, limit: 10 })],
    ["10 versions", (store) => ({ kind: "list versions", store, load: alone, limit: 10 })],
  ];
  for (const [what, question] of questions) {
    const [less, more] = await byTurns(
      () => ours<Ran>(question(small)),
      () => ours<Ran>(question(large)),
    );
    if (less === undefined || more === undefined) continue;
    const text = `${less.p50.toFixed(2)} and ${more.p50.toFixed(2)}: ${ratio(more.p50, less.p50)}`;
    show(`  ${what}`, text);
  }
}
