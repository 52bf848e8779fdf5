// Rule EWK5: a worker that is killed at each step, and another one on the same machine that goes on.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { until } from "../rules/support.ts";
import { openStepProxy, type Fate } from "./step-proxy.ts";
import { bash, sleeping, temporaryDirectory, workersOf } from "./worker-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, start, turnEnd, results, call, pass, sweep } = workersOf(() => house);

interface Step {
  when: "before" | "after";
  /** The first request like this; without one, while the call runs. */
  request?: string;
  /** Of the call: how often it was run in the end, and whether its outcome is known. */
  runs: number;
  isKnown: boolean;
}

const steps: readonly Step[] = [
  { when: "after", request: "GET work poll", runs: 1, isKnown: true },
  { when: "before", request: "POST work ack", runs: 1, isKnown: true },
  { when: "after", request: "POST work ack", runs: 1, isKnown: true },
  { when: "before", request: "POST work heartbeat", runs: 1, isKnown: true },
  { when: "after", request: "POST work heartbeat", runs: 0, isKnown: false },
  { when: "after", request: "GET sessions events stream", runs: 0, isKnown: false },
  { when: "after", runs: 1, isKnown: false },
  { when: "before", request: "POST sessions events", runs: 1, isKnown: false },
  { when: "after", request: "POST sessions events", runs: 1, isKnown: true },
  { when: "before", request: "POST work stop", runs: 1, isKnown: true },
  { when: "after", request: "POST work stop", runs: 1, isKnown: true },
];

for (const [at, step] of steps.entries()) {
  const where = step.request === undefined ? "while a call runs" : `${step.when} ${step.request}`;
  test(`[EWK5] killed ${where}: the next worker goes on, and nothing is run twice`, async () => {
    const hosted = await open();
    const seconds = 200_000 + at;
    const waits = step.request === undefined ? `; sleep ${seconds}` : "";
    const { session } = await hosted.calling(bash(`echo ran >>count${waits}`));
    const directory = temporaryDirectory();
    await using proxy = await openStepProxy(house.url);
    const words = [join(import.meta.dirname, "killed-worker.ts"), proxy.url, hosted.id, hosted.key];
    const child = spawn(process.execPath, [...words, directory], { stdio: "inherit" });
    const ended = once(child, "close");
    const kill = (): Fate => (child.kill("SIGKILL"), "cut");
    proxy[step.when] = (what) => (what === step.request ? kill() : undefined);
    if (step.request === undefined) {
      await until(async () => sleeping(seconds) === 1, "the call to run");
      kill();
    }
    const [, signal] = (await ended) as [number | null, string | null];
    assert.equal(signal, "SIGKILL");
    await until(async () => sleeping(seconds) === 0, "its processes to be gone");
    const [work] = await hosted.list();
    await pass(work?.id ?? "", 71);
    await sweep();
    const worker = start(hosted, { directory });
    await turnEnd(session);
    const [result, ...others] = await results(session);
    assert.deepEqual(others, []);
    assert.match(result ?? "", step.isKnown ? /^$/ : /^error: .*the outcome is unknown/);
    await call(session, bash("cat count 2>/dev/null; :"));
    await until(async () => (await results(session)).length === 2, "the second call");
    await turnEnd(session);
    assert.equal((await results(session))[1], "ran\n".repeat(step.runs).trimEnd());
    await worker.stop();
  });
}
