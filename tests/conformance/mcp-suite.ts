// The official conformance suite of MCP as a child process, and what docs/COMPATIBILITY.md says of its runs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../tools/run.ts";

const suite = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

interface Ran {
  code: number;
  /** What it says of what is wrong. */
  out: string;
  /** Scenarios that the revision requires. */
  scenarios: number;
  /** Checks of these. */
  passed: number;
  /** Those of them with a check that failed. */
  failed: string[];
}

export async function runSuite(...args: string[]): Promise<Ran> {
  const directory = mkdtempSync(join(tmpdir(), "mcp-suite-"));
  try {
    const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
      execFile(
        process.execPath,
        [suite, ...args, "-o", directory],
        { maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === "number" ? error.code : 0, out: stdout + stderr }),
      );
    });
    const [scored = ""] = out.split("Not scored for");
    const lines = [...scored.matchAll(/^[✓✗] ([\w/-]+): (\d+) passed, (\d+) failed$/gm)];
    const unscored = out.slice(scored.length);
    const counted = lines.filter(([, name]) => !unscored.includes(` ${name} (`));
    return {
      code,
      // What is wrong, and not the thousand lines of what was run.
      out: out
        .split("\n")
        .filter((line) => /✗|rror|FAIL|imed out/.test(line))
        .join("\n"),
      scenarios: counted.length,
      passed: counted.reduce((sum, [, , passed]) => sum + Number(passed), 0),
      failed: counted.flatMap(([, name = "", , failed]) => (failed === "0" ? [] : [name])),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Scenarios, checks that passed and checks that failed, as the document has them. */
export function documented(side: "server" | "client", revision: string): number[] {
  const text = readFileSync(join(root, "docs/COMPATIBILITY.md"), "utf8");
  const row = text.split("\n").find((line) => line.startsWith(`| \`${side}\`, ${revision} |`));
  assert.ok(row !== undefined, `docs/COMPATIBILITY.md has no row for ${side}, ${revision}`);
  return row.split("|").slice(2, 5).map(Number);
}
