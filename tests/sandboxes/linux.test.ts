// The provider `linux`: the contract of all providers, with each launcher, as root and as an ordinary user.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { suite, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { openLinux } from "../../server/sandboxes/module.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { asUser, isRoot, launchersHere, temporaryDirectory, userFault } from "./machine.ts";
import { testProvider } from "./provider-contract.ts";

const who = isRoot ? "as root" : "as an ordinary user";

for (const launcher of launchersHere)
  suite(`${launcher}, ${who}`, () => {
    const directory = temporaryDirectory();
    testProvider(`by ${launcher}, ${who}`, () =>
      openLinux({
        clock: systemClock,
        random: systemRandom,
        directory,
        launchers: [launcher],
      }),
    );
  });

if (isRoot)
  test("[SBX17] the same as an ordinary user", { skip: userFault }, () => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => name !== "NODE_TEST_CONTEXT"),
    );
    const [program, args] = asUser([process.execPath, "--test", import.meta.filename]);
    const { status, stdout } = spawnSync(program, args, {
      env,
      encoding: "utf8",
      cwd: "/",
      timeout: 4 * testTimeoutMs,
    });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /\[SBX6\] a call that takes too long.*as an ordinary user/);
  });
