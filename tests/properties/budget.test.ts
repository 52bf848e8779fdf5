// Rules ORG5 to ORG8 under any order of bursts on two processes: no window admits more, none admits fewer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { Failure } from "../../kernel/base/failure.ts";
import type { Principal } from "../../kernel/context.ts";
import { makeAdministrationBudget } from "../../server/organizations/module.ts";
import { timedDatabase, type TimedDatabase } from "../kernel/timed-database.ts";

const requestsMax = 100;
const windowMs = 60_000;
const route = { method: "GET", path: "/v1/organizations/me" } as const;
const whoIn = (organizationId: string) =>
  ({
    kind: "admin_key",
    organizationId,
    permissions: new Set(["organization:read"]),
  }) as unknown as Principal;

let timed: TimedDatabase;
let clock: ManualClock;
let processes: ReturnType<typeof makeAdministrationBudget>[];
let organizations = 0;
before(async () => {
  timed = await timedDatabase();
  clock = makeManualClock(new Date("2026-03-01T00:00:00Z"));
  processes = [
    makeAdministrationBudget({ db: timed.db, clock }),
    makeAdministrationBudget({ db: timed.db, clock }),
  ];
});
after(() => timed[Symbol.asyncDispose]());

const pass = async (ms: number) => {
  clock.advance(ms);
  await timed.advance(ms);
};

/** Seconds to wait, or 0 for one that was let in. */
async function ask(process: number, organizationId: string): Promise<number> {
  try {
    await processes[process]?.(route, whoIn(organizationId));
    return 0;
  } catch (error) {
    assert.ok(error instanceof Failure && error.status === 429, String(error));
    return Number(error.options.headers?.["retry-after"]);
  }
}

const burst = (process: number, organizationId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => ask(process, organizationId)));

const step = fc.record({
  afterMs: fc.oneof(
    fc.integer({ min: 0, max: 2_000 }),
    fc.integer({ min: 0, max: 70_000 }),
    fc.constantFrom(windowMs - 1, windowMs, windowMs + 1),
  ),
  counts: fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 90 })),
});

test("[ORG5] [ORG7] no 60 seconds admit more than 100, and a request is refused only where they did", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const organizationId = `org_${(organizations += 1)}`;
      const admittedMs: number[] = [];
      let nowMs = 0;
      for (const { afterMs, counts } of steps) {
        await pass(afterMs);
        nowMs += afterMs;
        const before = admittedMs.filter((at) => at > nowMs - windowMs);
        const answers = (
          await Promise.all(counts.map((count, process) => burst(process, organizationId, count)))
        ).flat();
        const admitted = answers.filter((seconds) => seconds === 0).length;
        assert.equal(admitted, Math.min(answers.length, requestsMax - before.length));
        for (let count = 0; count < admitted; count++) admittedMs.push(nowMs);
        const freeMs = (admittedMs.at(-requestsMax) ?? 0) + windowMs - nowMs;
        for (const seconds of answers.filter((each) => each > 0))
          assert.equal(seconds, Math.ceil(freeMs / 1000));
      }
      for (const [index, at] of admittedMs.entries()) {
        const next = admittedMs[index + requestsMax];
        assert.ok(next === undefined || next - at >= windowMs, `101 within ${(next ?? 0) - at} ms`);
      }
    }),
    { numRuns: process.env["PLINTH_TEST_LONG"] ? 200 : 12 },
  );
});

test("[ORG8] a database clock that was set back holds nobody up for longer than a window", async () => {
  await burst(0, "org_back", 90);
  await timed.advance(-3_600_000);
  const answers = await burst(1, "org_back", 20);
  assert.equal(answers.filter((seconds) => seconds === 0).length, 10);
  assert.deepEqual(new Set(answers), new Set([0, 60]));
  await pass(windowMs - 1);
  assert.equal(await ask(1, "org_back"), 1);
  await pass(1);
  assert.deepEqual(new Set(await burst(0, "org_back", 100)), new Set([0]));
});

test("[ORG7] a process that knows that nothing is left does not ask the database", async () => {
  await burst(0, "org_spent", 101);
  const rowOf = async () =>
    await timed.observer.query<{ xmin: string }>({
      text: "select xmin::text from administration_budgets where organization_id = 'org_spent'",
      values: [],
    });
  const before = await rowOf();
  assert.deepEqual(new Set(await burst(0, "org_spent", 50)), new Set([60]));
  assert.deepEqual(await rowOf(), before);
});

test("[ORG6] invites have an hour's budget of their own, and take nothing of the hundred", async () => {
  const creation = { method: "POST", path: "/v1/organizations/invites" } as const;
  const invite = async () => {
    try {
      await processes[0]?.(creation, whoIn("org_invites"));
      return 0;
    } catch (error) {
      return error instanceof Failure ? Number(error.options.headers?.["retry-after"]) : -1;
    }
  };
  const invites = (count: number) => Promise.all(Array.from({ length: count }, invite));
  assert.deepEqual(new Set(await invites(700)), new Set([0]));
  await pass(1_800_000);
  assert.deepEqual(new Set(await invites(500)), new Set([0]));
  assert.deepEqual(await invites(1), [1_800]);
  assert.deepEqual(new Set(await burst(0, "org_invites", 100)), new Set([0]));
  await pass(1_800_000);
  const answers = await invites(701);
  assert.deepEqual(answers.toSorted((a, b) => a - b).slice(699), [0, 1_800]);
});
