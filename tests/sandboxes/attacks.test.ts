// Attacks on sandboxes, each with its control, as root and as an ordinary user, with each launcher.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import type { AttackResult } from "./attacks/run.ts";
import {
  asUser,
  isRoot,
  launchersHere,
  ordinaryUser,
  temporaryDirectory,
  userFault,
} from "./machine.ts";

const inheritedDescriptor = 20;
const attacksMin = 80;

async function attack(launcher: string, isOrdinary: boolean): Promise<AttackResult[]> {
  const directory = temporaryDirectory(isOrdinary ? ordinaryUser : undefined);
  const secret = join(directory, "inherited");
  writeFileSync(secret, "SECRET\n", { mode: 0o644 });
  const opened = openSync(secret, "r");
  const run = join(import.meta.dirname, "attacks/run.ts");
  const words = [process.execPath, run, launcher, directory, `${inheritedDescriptor}`];
  const [program, args] = isOrdinary ? asUser(words) : [words[0] ?? "", words.slice(1)];
  const unused = Array.from({ length: inheritedDescriptor - 3 }, () => "ignore" as const);
  const child = spawn(program, args, {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe", ...unused, opened],
  });
  closeSync(opened);
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the attacks have no streams");
  const [said, complained] = await Promise.all([buffer(stdout), buffer(stderr)]);
  assert.notEqual(said.length, 0, complained.toString());
  return JSON.parse(said.toString()) as AttackResult[];
}

function expectHeld(results: readonly AttackResult[], isOrdinary: boolean): void {
  assert.ok(results.length >= attacksMin, `${results.length} attacks were tried`);
  const got = results.filter(({ isHeld, unpromised }) => !isHeld && unpromised === null);
  assert.deepEqual(got, [], "what the sandbox promises it holds");
  const harmless = results.filter(({ hasControlSucceeded }) => hasControlSucceeded === false);
  assert.deepEqual(harmless, [], "each attack works where nothing holds it");
  const unshown = results.filter(({ hasControlSucceeded }) => hasControlSucceeded === null);
  // Only root may do outside what these try: as root they are shown.
  assert.equal(unshown.length > 0, isOrdinary);
  const unpromised = results.filter((result) => result.unpromised !== null).map(({ name }) => name);
  if (!isOrdinary) assert.deepEqual(unpromised, [], "root has all guarantees that are attacked");
}

for (const launcher of launchersHere) {
  test(`[SBX12] [SBX13] [SBX14] [SBX15] [SBX17] [SBX23] [SBX40] attacks are held, by ${launcher}`, async (t) => {
    const results = await attack(launcher, false);
    expectHeld(results, !isRoot);
    t.diagnostic(`${results.length} attacks`);
  });

  if (isRoot)
    test(
      `[SBX12] [SBX13] [SBX14] [SBX15] [SBX17] [SBX23] [SBX40] attacks on an ordinary user's are held, by ${launcher}`,
      { skip: userFault },
      async (t) => {
        const results = await attack(launcher, true);
        expectHeld(results, true);
        for (const { name, unpromised } of results)
          if (unpromised !== null) t.diagnostic(`not promised: ${name}: ${unpromised}`);
      },
    );
}
