// `npm run ci`: everything that must hold before a change is taken. A laptop and the build server run the same.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expectNode, finish, progress, root, runProgram, sum, tallyOf, type Tally } from "./run.ts";

expectNode();

interface Step {
  name: string;
  args: readonly string[];
  env?: Record<string, string | undefined>;
  /** Left out while this file is not there. */
  needs?: string;
  /** Why it cannot run here; counted as skipped. */
  impossible?: string | undefined;
}

/** Far more than the longest takes on two cores: on a busy machine it is slow, not broken. */
const stepSecondsMax = 3_600;

const linesOfFailureMax = 40;

const external = process.env["PLINTH_TEST_DATABASE_URL"];
const builtIn = { PLINTH_TEST_DATABASE_URL: undefined };

/** Most of the SQL. Where the oldest server that we support is at hand, these run there, and nowhere else. */
const rulesOfSql = [
  "tests/rules",
  "tests/routes",
  "tests/kernel/log",
  "tests/kernel/jobs",
  "tests/kernel/sql-database",
  "tests/kernel/sql-hints",
  "tests/kernel/sql-migrate",
];
/** Statements and their plans are the same on both. */
const onBoth = ["tests/golden"];

const steps: readonly Step[] = [
  {
    name: "tests, with the built-in database",
    // What it leaves out comes below, longer.
    args: [
      "tools/test.ts",
      "--all",
      "--short",
      ...(external ? [`--without=${rulesOfSql.join()}`] : []),
    ],
    env: builtIn,
  },
  { name: "checks", args: ["tools/check.ts"] },
  {
    name: "longer simulation and properties",
    args: ["tools/test.ts", "--long", "tests/simulation", "tests/properties"],
    env: builtIn,
  },
  {
    name: "durability: killed again and again",
    args: ["tests/durability.ts", "--rounds", "8"],
    env: builtIn,
    needs: "tests/durability.ts",
  },
  {
    name: "durability: sessions whose processes are killed",
    args: ["tests/durability.ts", "--writer", "sessions", "--workers", "3", "--rounds", "3"],
    env: builtIn,
    needs: "tests/durability-sessions.ts",
  },
  { name: "a start as the README tells it", args: ["tools/smoke.ts"], env: builtIn },
  {
    name: "tests of SQL, with the server that PLINTH_TEST_DATABASE_URL names",
    args: ["tools/test.ts", ...rulesOfSql, ...onBoth],
    impossible: external ? undefined : "PLINTH_TEST_DATABASE_URL names no PostgreSQL 15",
  },
];

const started = performance.now();
const tallies: Tally[] = [];
const summary: string[] = [];
/** Told again at the end: who looks for them there has thousands of lines above. */
const failures: string[] = [];
for (const step of steps)
  if (step.needs === undefined || existsSync(join(root, step.needs)))
    tallies.push(await take(step));
if (failures.length > 0) process.stdout.write(`\nOnce more what failed:\n${failures.join("\n")}\n`);
process.stdout.write(`\n${summary.join("\n")}\n`);
progress(sum(tallies).failed === 0, "all of it", (performance.now() - started) / 1000);
finish(sum(tallies));

async function take({ name, args, env = {}, impossible }: Step): Promise<Tally> {
  process.stdout.write(`\n== ${name}\n`);
  if (impossible !== undefined) {
    summary.push(`left out         ${name}: ${impossible}`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const options = { env, show: true, secondsMax: stepSecondsMax };
  const { ok, seconds, output } = await runProgram(process.execPath, args, options);
  const tally = tallyOf(output) ?? { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
  // A program with a bad exit code has failed, also where its last line says otherwise.
  if (!ok && tally.failed === 0) tally.failed = 1;
  failures.push(...failuresIn(output));
  summary.push(
    `${ok ? "ok    " : "FAILED"} ${seconds.toFixed(1).padStart(6)} s  ${name}: ${tally.passed} passed, ${tally.failed} failed`,
  );
  return tally;
}

/** Lines that begin with FAILED, with what is indented below them. */
function failuresIn(output: string): string[] {
  const blocks = output.matchAll(/^FAILED .*(?:\n[ \t].*|\n(?=\n[ \t]))*/gm);
  return Array.from(blocks, ([block]) => block.split("\n").slice(0, linesOfFailureMax).join("\n"));
}
