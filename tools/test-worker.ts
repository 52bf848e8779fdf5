// A process that takes one test file after the other, so that what all of them need (the server's code, a browser)
// is loaded and started once. `npm test` starts it and gets its results through test-worker-report.ts.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { takeCasesOf } from "../tests/cases.ts";
import { closeShared, shareBetweenFiles } from "../tests/shared.ts";
import { endOfFile, sendMessage, type WorkerCommand } from "./test-worker-report.ts";
import { root } from "./run.ts";

const before = { ...process.env };

shareBetweenFiles();
takeCasesOf(Number(process.env["PLINTH_TEST_SEED"] ?? 1));
process.on("message", (order: WorkerCommand) => void obey(order));
async function obey(order: WorkerCommand): Promise<void> {
  if (order.type === "end") {
    await closeShared();
    // Nothing else may keep the process alive now.
    process.disconnect?.();
    return;
  }
  restoreEnvironment();
  const { file } = order;
  // What a file opens at its top is closed by the end of its suite.
  void suite(file, async () => {
    try {
      await import(pathToFileURL(file).href);
    } catch (error) {
      // Not thrown: where tests are chosen by name, a suite without one is not reported.
      sendMessage({ type: "failed", text: `does not load\n${stackOf(error)}` });
    }
  });
  // Begins when the suite has ended, passed or failed.
  void test(endOfFile, () => assert.equal(relative(root, process.cwd()), ""));
}

const stackOf = (error: unknown) => (error instanceof Error ? (error.stack ?? "") : String(error));

/** A file finds the environment that the run was started in. */
function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}
