// `npm run check`: what can be known without running the server. All checks run, also when one fails.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bin, expectNode, finish, progress, root, runProgram } from "./run.ts";

expectNode();

interface Check {
  name: string;
  args: readonly string[];
  /** Left out while this file is not there. */
  needs?: string;
}

/** Two at a time: each but the last two is one busy core. */
const checkGroups: readonly (readonly Check[])[] = [
  [
    { name: "tsc", args: ["-p", "."] },
    { name: "tsc", args: ["-p", "console"], needs: "console/tsconfig.json" },
    { name: "knip", args: [] },
  ],
  [
    { name: "oxlint", args: ["--type-aware", "--deny-warnings"] },
    { name: "oxfmt", args: ["--check"] },
    { name: "node", args: ["tools/contract.ts", "--check"], needs: "tools/contract.ts" },
  ],
];

const results = await Promise.all(checkGroups.map((group) => runGroup(group)));
const all = results.flat();
finish({ passed: all.filter(Boolean).length, failed: all.filter((ok) => !ok).length, skipped: 0 });

async function runGroup(group: readonly Check[]): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const { name, args, needs } of group) {
    if (needs !== undefined && !existsSync(join(root, needs))) continue;
    const { ok, seconds, output } = await runProgram(join(bin, name), args);
    progress(ok, [name, ...args].join(" "), seconds);
    if (!ok) process.stdout.write(`${output.trimEnd()}\n`);
    outcomes.push(ok);
  }
  return outcomes;
}
