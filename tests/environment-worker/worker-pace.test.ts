// Rules EWK26 and EWK27: a machine on which work fails, and what becomes of that work.
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { makePace } from "../../server/environment_worker/pace.ts";
import type { Report } from "../../server/environment_worker/report.ts";
import { openHouse, type House } from "../house.ts";
import { openStepProxy } from "./step-proxy.ts";
import { bash, temporaryDirectory, workersOf } from "./worker-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, start, turnEnd, results, pass, sweep } = workersOf(() => house);

const pausesOf = (told: readonly Report[]): string[] =>
  told.flatMap((report) => (report.type === "waiting" ? report.reason : []));

test("[EWK26][EWK27] a worker that fails all work gives it back, asks for more less often, and is well with one", async () => {
  const hosted = await open();
  const directory = temporaryDirectory();
  const worker = start(hosted, { directory });
  await worker.tells("connected");
  // Its directory is gone, so that it can note nothing of any session.
  const used = join(directory, "used");
  rmSync(used, { recursive: true });
  const { session } = await hosted.calling(bash("echo ran"));
  await worker.tells("waiting", ({ reason }) => reason.startsWith("3 pieces"));
  mkdirSync(used);
  await turnEnd(session);
  assert.deepEqual(await results(session), ["ran"]);
  const works = await hosted.list();
  assert.equal(works.length, 4, "each was given back at once");
  assert.deepEqual(pausesOf(worker.told), [
    "Work has failed: more is asked for in 1 s.",
    "2 pieces of work in a row failed: more is asked for in 2 s.",
    "3 pieces of work in a row failed: more is asked for in 4 s.",
  ]);
  const taken = works.map(({ acknowledged_at: at }) => Date.parse(at ?? "")).toReversed();
  for (const [at, leastMs] of [1_000, 2_000, 4_000].entries())
    assert.ok((taken[at + 1] ?? 0) - (taken[at] ?? 0) >= leastMs - 5, JSON.stringify(taken));
  await worker.stop();
});

test("[EWK26] pauses double up to 30 s, and end with work that is done", async () => {
  const clock = makeManualClock(new Date(0));
  const told: Report[] = [];
  const pace = makePace({ clock, tell: (report) => void told.push(report) });
  for (let failed = 0; failed < 8; failed++) pace.take("failed");
  assert.deepEqual(
    pausesOf(told).map((text) => Number(/in (\d+) s/.exec(text)?.[1])),
    [1, 2, 4, 8, 16, 30, 30, 30],
  );
  let isOver = false;
  const waiting = pace.wait(new AbortController().signal).then((may) => (isOver = may));
  clock.advance(29_999);
  await setImmediate();
  assert.equal(isOver, false);
  clock.advance(1);
  await waiting;
  pace.take("failed");
  pace.take("done");
  await pace.wait(new AbortController().signal);
  pace.take("failed");
  assert.equal(pausesOf(told).at(-1), "Work has failed: more is asked for in 1 s.");
});

test("[EWK27] work that fails while the outcome of a call is unknown is not given back", async () => {
  const hosted = await open();
  await using proxy = await openStepProxy(house.url);
  const { session } = await hosted.calling(bash("echo ran >>count; cat count"));
  proxy.status = (what) => (what === "POST sessions events" ? 400 : undefined);
  const worker = start(hosted, { baseUrl: proxy.url });
  await worker.tells("failed");
  assert.ok(!proxy.seen.includes("POST work stop"));
  proxy.status = () => undefined;
  const [work] = await hosted.list();
  await pass(work?.id ?? "", 71);
  await sweep();
  await turnEnd(session);
  assert.match((await results(session)).join(), /^error: .*the outcome is unknown/);
  await worker.stop();
});
