// `npm run bench`: every benchmark, one after the other, alone on the machine; words after it choose among them.
import { globSync } from "node:fs";
import { expectNode, finish, progress, root, runProgram } from "./run.ts";

expectNode();

const words = process.argv.slice(2);
const files = globSync("bench/*.ts", { cwd: root })
  .sort()
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));

let passed = 0;
for (const file of files) {
  process.stdout.write(`\n${file}\n`);
  const { ok, seconds } = await runProgram(process.execPath, [file], { show: true });
  progress(ok, file, seconds);
  if (ok) passed++;
}
finish({ passed, failed: files.length - passed, skipped: 0 });
