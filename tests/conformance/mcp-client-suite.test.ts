// The official conformance suite against the client of this server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { testTimeoutMs } from "../test-timeout.ts";
import { documented, runSuite } from "./mcp-suite.ts";

const program = join(import.meta.dirname, "mcp-client-program.ts");
const command = `${process.execPath} --disable-warning=ExperimentalWarning ${program}`;

for (const revision of ["2026-07-28", "2025-11-25"])
  test(`the client's side of ${revision}: nothing that is required fails`, async () => {
    // Each scenario is a process, and all of them begin at once.
    const time = ["--timeout", String(testTimeoutMs)];
    const asked = ["--command", command, "--requirements", revision, ...time];
    const ran = await runSuite("client", ...asked);
    assert.deepEqual([ran.code, ran.failed], [0, []], ran.out);
    assert.deepEqual(documented("client", revision), [ran.scenarios, ran.passed, 0]);
  });
