// The runner of system calls, for the machine at hand and, where an emulator is installed, for the other one.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  encodeProgram,
  makeProgram,
  type Program,
  readFailure,
} from "../../server/sandboxes/linux/program/program.ts";
import { makeRunner } from "../../server/sandboxes/linux/program/runner.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { temporaryDirectory } from "./machine.ts";

const directory = temporaryDirectory();
const emulators = { x64: "qemu-x86_64", arm64: "qemu-aarch64" } as const;

for (const machine of ["x64", "arm64"] as const) {
  const emulator = process.arch === machine ? undefined : emulators[machine];
  const isMissing =
    emulator !== undefined && spawnSync(emulator, ["--version"]).error !== undefined;
  const skip = isMissing && `${emulator} is not installed`;

  const run = (input: Buffer) => {
    const runner = join(directory, machine);
    writeFileSync(runner, makeRunner(machine), { mode: 0o700 });
    const [program, args] = emulator === undefined ? [runner, []] : [emulator, [runner]];
    const ended = spawnSync(program, args, { input, timeout: testTimeoutMs });
    return { ...ended, stdout: ended.stdout.toString() };
  };
  const runProgram = (program: Program) => run(encodeProgram(program, machine));

  test(`[SBX17] the parent ends as its child does, on ${machine}`, { skip }, () => {
    for (const [script, code] of [
      ["exit 7", 7],
      ["kill -9 $$", 128 + 9],
    ] as const) {
      const program = makeProgram();
      program.fork();
      program.call("write", 1, "child ", 6);
      const words = { strings: ["sh", "-c", `echo $GIVEN; ${script}`] };
      program.call("execve", "/bin/sh", words, { strings: ["GIVEN=a b"] });
      const { status, stdout } = runProgram(program);
      assert.deepEqual([status, stdout], [code, "child a b\n"]);
    }
  });

  test(`[SBX17] the first call that fails is told, on ${machine}`, { skip }, () => {
    const program = makeProgram();
    program.attempt("chdir", "/nowhere");
    program.call("write", 1, "one", 3);
    program.call("chdir", "/neither");
    program.call("write", 1, "two", 3);
    const { status, stdout, stderr } = runProgram(program);
    assert.deepEqual([status, stdout], [125, "one"]);
    const why = "chdir /neither: no such file or directory (ENOENT)";
    assert.equal(readFailure(stderr, program), why);
  });

  test(`[SBX16] without its whole program it ends, on ${machine}`, { skip }, () => {
    const program = makeProgram();
    program.call("write", 1, "one", 3);
    const whole = encodeProgram(program, machine);
    for (const length of [0, 3, 8, whole.length - 1]) {
      const { status, stdout } = run(whole.subarray(0, length));
      assert.deepEqual([status, stdout], [124, ""], `${length} bytes`);
    }
  });
}
