// `npm test`: every test that a newcomer needs to trust the house. Words after it choose files or names of tests.
import { globSync } from "node:fs";
import { relative } from "node:path";
import { run } from "node:test";
import { ensureConsole } from "./console.ts";
import { cores, expectNode, finish, progress, root, type Tally } from "./run.ts";

expectNode();

const help = `npm test [-- words]      only files whose path holds one of the words, or tests named so
npm test -- --long       longer simulation, more runs of each property
npm test -- --update-golden   writes the golden files and the checksums of new migrations
`;

/** A file that takes longer hangs: the slowest takes a quarter of this. */
const fileTimeoutMs = 240_000;

/** Long files first, so that the last minute has both cores at work. */
const order = ["tests/console", "tests/simulation", "tests/kernel", "tests/routes", "tests/rules"];

interface Seen {
  tests: number;
  failures: string[];
  seconds: number;
}

const flags = process.argv.slice(2).filter((word) => word.startsWith("-"));
const words = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const unknown = flags.find((flag) => !["--long", "--update-golden", "--help"].includes(flag));
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
  const wanted = flags.includes("--update-golden")
    ? all.filter((file) => /^tests\/(golden|tidy|routes\/access)/.test(file))
    : all;
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

async function runTests(files: string[], pattern: RegExp | undefined): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  const seen = new Map<string, Seen>();
  const noise = new Map<string, string>();
  const fileOf = (path: string | undefined) => relative(root, path ?? "");
  const of = (file: string) => {
    const entry = seen.get(file) ?? { tests: 0, failures: [], seconds: 0 };
    seen.set(file, entry);
    return entry;
  };
  const stream = run({
    files,
    cwd: root,
    concurrency: cores,
    timeout: fileTimeoutMs,
    ...(flags.includes("--update-golden") && { execArgv: ["--test-update-snapshots"] }),
    ...(pattern !== undefined && { testNamePatterns: pattern }),
  });
  for await (const event of stream) {
    if (event.type === "test:stdout" || event.type === "test:stderr") {
      const file = fileOf(event.data.file);
      noise.set(file, `${noise.get(file) ?? ""}${event.data.message}`);
    }
    if (event.type === "test:pass" || event.type === "test:fail") {
      const { data } = event;
      const file = fileOf(data.entryFile ?? data.file);
      if (data.details.type === "suite") continue;
      // A file that ended well without a test in it is reported as a test with the file's own name.
      const wholeFile = fileOf(data.name) === file || data.name === file;
      if (data.skip !== undefined && data.skip !== false) tally.skipped++;
      else if (event.type === "test:fail") {
        tally.failed++;
        of(file).failures.push(tell(data.name, data.details.error));
      } else if (wholeFile && pattern === undefined) {
        tally.failed++;
        of(file).failures.push("  holds no test");
      } else if (!wholeFile) {
        tally.passed++;
        of(file).tests++;
      }
    }
    if (event.type === "test:summary" && event.data.file !== undefined) {
      const file = fileOf(event.data.file);
      of(file).seconds = event.data.duration_ms / 1000;
      if (pattern === undefined || of(file).tests + of(file).failures.length > 0)
        report(file, of(file), noise.get(file));
    }
  }
  // A file that ended before it could say so has no summary.
  for (const [file, entry] of seen) if (!reported.has(file)) report(file, entry, noise.get(file));
  return tally;
}

const reported = new Set<string>();

/** What a file printed is shown when it failed: then it is evidence, else it is noise. */
function report(
  file: string,
  { tests, failures, seconds }: Seen,
  printed: string | undefined,
): void {
  reported.add(file);
  progress(failures.length === 0, `${file} (${tests})`, seconds);
  if (failures.length === 0) return;
  process.stdout.write(`${failures.join("\n")}\n`);
  if (printed !== undefined)
    process.stdout.write(`  it printed:\n${indent(printed.slice(-4000))}\n`);
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
