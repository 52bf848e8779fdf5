// `npm test`: the tests that a newcomer needs to trust Plinth. Words after it choose files or names of tests.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { ensureConsole } from "./console.ts";
import { cpuSeconds } from "./test-worker-report.ts";
import {
  openTestWorker,
  stopTestWorkers,
  type TestWorker,
  type FileResult,
} from "./test-workers.ts";
import { cores, expectNode, finish, progress, root, sum, type Tally } from "./run.ts";
import { exclusiveFiles, maintainerFiles } from "./special-files.ts";

expectNode();

const help = `npm test [-- words]      only files whose path holds one of the words, or tests named so
npm test -- --long       longer simulation, more runs of each property
npm test -- --all        also what stands in tools/special-files.ts as a maintainer's
npm test -- --short      without simulation and properties
npm test -- --without=tests/rules,tests/routes   all files but those whose path begins so
npm test -- --seed=7     other random cases than those of this commit
npm test -- --update-golden   writes the golden files and the checksums of new migrations
`;

/** Many a file waits for a while, for a page or for a process: its test worker leaves the core to another. */
const workersAtOnce = 2 * cores;

/** Long files first, so that the last minute has both cores at work. */
const order = [
  "tests/money",
  "tests/conformance/messages-robustness",
  "tests/simulation",
  "tests/console",
  "tests/properties",
  "tests/bad-days",
  "tests/kernel/sql",
  "tests/commands",
  "tests/routes",
  "tests/rules/batches",
  "tests/rules",
];

const flags = process.argv.slice(2).filter((word) => word.startsWith("-"));
const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const without = flags.flatMap((flag) => flag.match(/^--without=(.+)$/)?.[1]?.split(",") ?? []);
const unknown = flags.find(
  (flag) => !/^--(all|long|short|update-golden|help|without=.+|seed=[0-9]{1,9})$/.test(flag),
);
if (unknown !== undefined || flags.includes("--help")) {
  process.stdout.write(unknown === undefined ? help : `${unknown} is not known.\n${help}`);
  process.exit(unknown === undefined ? 0 : 1);
}
if (flags.includes("--long")) process.env["PLINTH_TEST_LONG"] = "1";
if (flags.includes("--all") || words.length > 0) process.env["PLINTH_TEST_ALL"] = "1";
if (flags.includes("--update-golden")) process.env["PLINTH_UPDATE_GOLDEN"] = "1";

const seed = flags.flatMap((flag) => flag.match(/^--seed=(.+)$/)?.[1] ?? [])[0] ?? seedOfFiles();
process.env["PLINTH_TEST_SEED"] = seed;

/** What was green for a commit is green for it again, and each change that is committed meets cases of its own. */
function seedOfFiles(): string {
  const git = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: root, encoding: "utf8" });
  return String(git.status === 0 ? Number.parseInt(git.stdout.slice(0, 7), 16) : 1);
}

function allTestFiles(): string[] {
  const found = globSync("{kernel,server,cli,contract,tests,tools}/**/*.test.ts", { cwd: root });
  const rank = (file: string) => {
    const index = order.findIndex((folder) => file.startsWith(folder));
    return index === -1 ? order.length : index;
  };
  return found.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** A word that no path holds is looked for in the names of tests. */
function choose(all: string[]): { files: string[]; pattern: RegExp | undefined } {
  const wanted = all.filter(
    (file) =>
      !without.some((beginning) => file.startsWith(beginning)) &&
      (flags.includes("--update-golden")
        ? /^tests\/(golden|tidy|routes\/access)/.test(file)
        : !(flags.includes("--short") && /^tests\/(simulation|properties)\//.test(file))),
  );
  if (words.length === 0 && flags.includes("--all")) return { files: wanted, pattern: undefined };
  if (words.length === 0) {
    const files = wanted.filter((file) => !maintainerFiles.has(file));
    const left = wanted.length - files.length;
    if (left > 0)
      process.stdout.write(
        `${left} files of tools/special-files.ts are left out; --all takes them, too\n`,
      );
    return { files, pattern: undefined };
  }
  const files = wanted.filter((file) => words.some((word) => file.includes(word)));
  if (files.length > 0) return { files, pattern: undefined };
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { files: wanted, pattern: new RegExp(escaped.join("|")) };
}

function nothing(): Tally {
  process.stdout.write("There are no tests.\n");
  return { passed: 0, failed: 0, skipped: 0 };
}

/** What fails has failed: nothing is tried twice. */
async function runTests(files: string[], pattern: RegExp | undefined): Promise<Tally> {
  const updatesGolden = flags.includes("--update-golden");
  const tallies: Tally[] = [];
  const take = async (worker: TestWorker, file: string) => {
    const seen = await worker.take(file);
    if (pattern === undefined && seen.tests + seen.skipped + seen.failures.length === 0)
      seen.failures.push("  ✖ holds no test");
    if (pattern === undefined || seen.tests > 0 || seen.failures.length > 0) report(file, seen);
    tallies.push({ passed: seen.tests, failed: seen.failures.length, skipped: seen.skipped });
  };
  const end = async (worker: TestWorker) => {
    const failures = await worker.end();
    if (failures.length > 0) process.stdout.write(`${failures.join("\n")}\n`);
    tallies.push({ passed: 0, failed: failures.length, skipped: 0 });
  };
  const waiting = files.filter((file) => !exclusiveFiles.has(file)).values();
  const runWorker = async () => {
    const worker = openTestWorker({ pattern, updatesGolden });
    for (const file of waiting) await take(worker, file);
    await end(worker);
  };
  await Promise.all(Array.from({ length: workersAtOnce }, runWorker));
  for (const file of files.filter((name) => exclusiveFiles.has(name))) {
    const worker = openTestWorker({ pattern, updatesGolden });
    await take(worker, file);
    await end(worker);
  }
  return sum(tallies);
}

/** A signal that stops this process stops the tests with it. */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    stopTestWorkers();
    finish({ passed: 0, failed: 1, skipped: 0 });
  });

/** What a file printed is shown when it failed: then it is evidence, else it is noise. */
function report(file: string, { tests, failures, seconds, cpuSeconds, printed }: FileResult): void {
  const cpu = `${cpuSeconds.toFixed(1).padStart(5)} s of CPU`;
  progress(failures.length === 0, `${cpu}  ${file} (${tests})`, seconds);
  if (failures.length === 0) return;
  process.stdout.write(`${failures.join("\n")}\n`);
  if (printed !== "")
    process.stdout.write(
      `  it printed:\n${printed.slice(-4000).trimEnd().replace(/^/gm, "    ")}\n`,
    );
}

const { files, pattern } = choose(allTestFiles());
if (files.some((file) => /^tests\/(console|rules|routes)\//.test(file)) && !ensureConsole())
  finish({ passed: 0, failed: 1, skipped: 0 });
const tally = files.length === 0 ? nothing() : await runTests(files, pattern);
process.stdout.write(
  `\nrandom cases: --seed=${seed}\n${cpuSeconds().toFixed(0)} s of CPU, without the database's\n`,
);
finish(tally);
