// `npm test`: every test that a newcomer needs to trust the house. Words after it choose files or names of tests.
import { globSync } from "node:fs";
import { relative, resolve } from "node:path";
import { run } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { ensureConsole } from "./console.ts";
import { cores, expectNode, finish, progress, root, sum, type Tally } from "./run.ts";

expectNode();

const help = `npm test [-- words]      only files whose path holds one of the words, or tests named so
npm test -- --long       longer simulation, more runs of each property
npm test -- --short      without simulation and properties
npm test -- --without=tests/rules,tests/routes   all files but those whose path begins so
npm test -- --update-golden   writes the golden files and the checksums of new migrations
`;

/** A file that takes longer hangs: the slowest takes a quarter of this on an idle machine. */
const fileTimeoutMs = 480_000;

/** Long files first, so that the last minute has both cores at work. */
const order = [
  "tests/console",
  "tests/kernel/sql-embedded",
  "tests/simulation",
  "tests/kernel",
  "tests/routes",
  "tests/rules",
];

/** What one file gave. */
interface Seen {
  tests: number;
  skipped: number;
  failures: string[];
  printed: string;
  seconds: number;
}

const flags = process.argv.slice(2).filter((word) => word.startsWith("-"));
const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const without = flags.flatMap((flag) => flag.match(/^--without=(.+)$/)?.[1]?.split(",") ?? []);
const unknown = flags.find((flag) => !/^--(long|short|update-golden|help|without=.+)$/.test(flag));
if (unknown !== undefined || flags.includes("--help")) {
  process.stdout.write(unknown === undefined ? help : `${unknown} is not known.\n${help}`);
  process.exit(unknown === undefined ? 0 : 1);
}
if (flags.includes("--long")) process.env["PLINTH_TEST_LONG"] = "1";
if (flags.includes("--update-golden")) process.env["PLINTH_UPDATE_GOLDEN"] = "1";
// This process must not report to a test run that it was started from.
delete process.env["NODE_TEST_CONTEXT"];

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
  if (words.length === 0) return { files: wanted, pattern: undefined };
  const files = wanted.filter((file) => words.some((word) => file.includes(word)));
  if (files.length > 0) return { files, pattern: undefined };
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { files: wanted, pattern: new RegExp(escaped.join("|")) };
}

function nothing(): Tally {
  process.stdout.write("There are no tests.\n");
  return { passed: 0, failed: 0, skipped: 0 };
}

/** Each file is a process of its own; as many at once as there are cores. */
async function runTests(files: string[], pattern: RegExp | undefined): Promise<Tally> {
  const waiting = files.values();
  const again: string[] = [];
  const tallies: Tally[] = [];
  const runOne = async (file: string, isLast: boolean) => {
    const seen = await runFile(file, pattern);
    if (pattern === undefined || seen.tests > 0 || seen.failures.length > 0) report(file, seen);
    if (seen.failures.length > 0 && !isLast && mayTimeOut(file)) again.push(file);
    else tallies.push({ passed: seen.tests, failed: seen.failures.length, skipped: seen.skipped });
  };
  const lane = async () => {
    for (const file of waiting) await runOne(file, false);
  };
  await Promise.all(Array.from({ length: cores }, lane));
  if (again.length > 0) process.stdout.write(`Once more, each alone: ${again.join(", ")}\n`);
  for (const file of again) await runOne(file, true);
  return sum(tallies);
}

/**
 * Beside another file on a busy machine a deadline may be missed: what fails alone, too, has failed, and both runs
 * are shown. What a seed has found is found.
 */
const mayTimeOut = (file: string) => !/^tests\/(properties|simulation)\//.test(file);

/** Who stops this process stops the tests with it. */
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    stopped.abort();
    finish({ passed: 0, failed: 1, skipped: 0 });
  });

async function runFile(file: string, pattern: RegExp | undefined): Promise<Seen> {
  const started = performance.now();
  const seen: Seen = { tests: 0, skipped: 0, failures: [], printed: "", seconds: 0 };
  // node:test waits for ever for a process that has done its tests but holds something open.
  const deadline = AbortSignal.timeout(fileTimeoutMs);
  const stream = run({
    files: [file],
    cwd: root,
    signal: AbortSignal.any([deadline, stopped.signal]),
    ...(flags.includes("--update-golden") && { execArgv: ["--test-update-snapshots"] }),
    ...(pattern !== undefined && { testNamePatterns: pattern }),
  });
  for await (const event of stream) {
    if (event.type === "test:stdout" || event.type === "test:stderr")
      seen.printed += event.data.message;
    if (event.type === "test:pass" || event.type === "test:fail") note(seen, file, event, pattern);
  }
  if (deadline.aborted)
    seen.failures.push(`  ✖ did not end within ${fileTimeoutMs / 1000} s: something is left open`);
  seen.seconds = (performance.now() - started) / 1000;
  return seen;
}

type Ended = Extract<TestEvent, { type: "test:pass" | "test:fail" }>;

function note(seen: Seen, file: string, { type, data }: Ended, pattern: RegExp | undefined): void {
  if (data.details.type === "suite") return;
  // A file that ended well without a test in it is reported as a test with the file's own name.
  const isFile = relative(root, resolve(root, data.name)) === file;
  if (data.skip !== undefined && data.skip !== false) seen.skipped++;
  else if (type === "test:fail") seen.failures.push(tell(data.name, data.details.error));
  else if (!isFile) seen.tests++;
  else if (pattern === undefined) seen.failures.push("  ✖ holds no test");
}

/** What a file printed is shown when it failed: then it is evidence, else it is noise. */
function report(file: string, { tests, failures, seconds, printed }: Seen): void {
  progress(failures.length === 0, `${file} (${tests})`, seconds);
  if (failures.length === 0) return;
  process.stdout.write(`${failures.join("\n")}\n`);
  if (printed !== "") process.stdout.write(`  it printed:\n${indent(printed.slice(-4000))}\n`);
}

function tell(name: string, error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  const text = cause.stack ?? cause.message;
  const lines = text
    .split("\n")
    .filter((line) => !/^\s+at .*(node:internal|node:async_hooks)/.test(line));
  return `  ✖ ${name}\n${indent(lines.slice(0, 80).join("\n"))}`;
}

const indent = (text: string) => text.trimEnd().replace(/^/gm, "    ");

const { files, pattern } = choose(allTestFiles());
if (files.some((file) => /^tests\/(console|rules|routes)\//.test(file)) && !ensureConsole())
  finish({ passed: 0, failed: 1, skipped: 0 });
try {
  finish(files.length === 0 ? nothing() : await runTests(files, pattern));
} catch (error) {
  // node:test takes uncaught errors for itself and says nothing of them.
  process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
  finish({ passed: 0, failed: 1, skipped: 0 });
}
