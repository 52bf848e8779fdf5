// The rules of limits: several processes' worth of them on one real database.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ManualClock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { Failure, unavailable } from "../../kernel/base/failure.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import {
  headerPrefixOf,
  type Admission,
  type Limits,
  makeLimits,
  type RateType,
  setRate,
  setSpend,
} from "../../server/limits/module.ts";
import { makeLedger, makeNode } from "../../server/usage/module.ts";
import { hopOf } from "../flat-hop.ts";
import { localHints } from "../kernel/jobs-harness.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";

const organizationId = "org_1";
const ids = makeIds(systemClock, systemRandom);

interface Place {
  clock: ManualClock;
  limits: Limits;
  node: ReturnType<typeof makeNode>;
  ledger: ReturnType<typeof makeLedger>;
  stop(): void;
}

interface Scene extends AsyncDisposable {
  timed: TimedDatabase;
  place(db?: Database): Place;
  pass(ms: number): Promise<void>;
  rate(type: RateType, perMinute: number, workspaceId?: string): Promise<void>;
  spend(nano: number, workspaceId?: string): Promise<void>;
}

async function scene(): Promise<Scene> {
  const timed = await timedDatabase();
  await timed.observer.query(sql`insert into organizations (id, type, name, created_at)
    values (${organizationId}, 'platform', 'One', now())`);
  const hints = localHints();
  const rounds = watchRounds();
  const places: Place[] = [];
  const start = await timed.now();
  return {
    timed,
    place: (db = timed.db) => {
      // Waits for other processes are over when these have done what they were told.
      const still = makeManualClock(start);
      const sleep: ManualClock["sleep"] = (ms, signal) =>
        ms < 100 ? rounds.ended().then(() => true) : still.sleep(ms, signal);
      const clock = { ...still, sleep };
      const world = { clock, db: rounds.watched(db), hints, ids, logger: silentLogger };
      const node = makeNode(world);
      const limits = makeLimits(world, node);
      const made = {
        clock: still,
        node,
        limits,
        ledger: makeLedger(world, node),
        stop: limits.start(),
      };
      places.push(made);
      return made;
    },
    pass: async (ms) => {
      // A slice that is on its way while time passes is lost with it.
      await rounds.ended();
      await timed.advance(ms);
      for (const { clock } of places) clock.advance(ms);
    },
    rate: async (type, perMinute, workspaceId = "") => {
      const row = { workspaceId, group: "sim", type, perMinute };
      await timed.observer.tx((tx) => setRate(tx, organizationId, row));
      for (const { limits } of places) limits.changed(organizationId);
    },
    spend: async (nano, workspaceId = "") => {
      await timed.observer.tx((tx) => setSpend(tx, organizationId, workspaceId, BigInt(nano)));
      for (const { limits } of places) limits.changed(organizationId);
    },
    [Symbol.asyncDispose]: async () => {
      for (const { stop } of places) stop();
      await timed[Symbol.asyncDispose]();
    },
  };
}

/** What the processes have under way at the database: no caller awaits slices fetched ahead or given back. */
function watchRounds() {
  const underWay = new Set<Promise<unknown>>();
  const watch = <T>(round: Promise<T>): Promise<T> => {
    underWay.add(round);
    return round.finally(() => underWay.delete(round));
  };
  return {
    watched: (db: Database): Database => ({
      ...db,
      query: (statement) => watch(db.query(statement)),
      tx: (work) => watch(db.tx(work)),
    }),
    ended: async () => {
      do {
        await Promise.allSettled(underWay);
        // What follows from an answer begins before this.
        await nextLoopIteration();
      } while (underWay.size > 0);
    },
  };
}

interface Some {
  input?: number;
  output?: number;
  nano?: number;
  workspaceId?: string;
  headers?: Record<string, string>;
}

function admit({ limits }: Place, some: Some = {}): Admission | Promise<Admission> {
  const { input = 1, output = 1, nano = 1, workspaceId = "wrkspc_1", headers = {} } = some;
  return limits.admit(
    { who: { organizationId, workspaceId } },
    {
      model: { group: "sim" },
      inputTokens: input,
      outputTokensMax: output,
      reserveNano: nano,
      prefix: headerPrefixOf(headers),
    },
  );
}

const refusal = async (admission: Admission | Promise<Admission>): Promise<Failure> => {
  try {
    await admission;
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error;
  }
  return assert.fail("it was admitted");
};

/** How many pass, one after the other and turn by turn, before one is refused. */
async function countAdmitted(
  places: readonly Place[],
  some: Some = {},
  max = 500,
): Promise<number> {
  let count = 0;
  for (;;) {
    const place = places[count % places.length];
    if (place === undefined || count > max) return count;
    const passed = await Promise.resolve()
      .then(() => admit(place, some))
      .then(() => true)
      .catch((error: unknown) => {
        if (error instanceof Failure && error.status === 429) return false;
        throw error;
      });
    if (!passed) return count;
    count += 1;
  }
}

test("[LIM1] with slices in memory nobody waits, and nothing is asked", async () => {
  await using s = await scene();
  const place = s.place();
  const first = admit(place);
  assert.ok(first instanceof Promise);
  await first;
  for (let n = 0; n < 1_000; n++) assert.ok(!(admit(place) instanceof Promise));
});

test("[LIM2] [LIM3] three processes admit a minute's worth together, then what flows in", async () => {
  await using s = await scene();
  await s.rate("requests", 60);
  const places = [s.place(), s.place(), s.place()];
  const first = await countAdmitted(places);
  assert.ok(first <= 60 && first >= 50, `${first} of 60`);
  await s.pass(10_000);
  const then = await countAdmitted(places);
  assert.ok(then + first <= 70 && then + first >= 60, `${first} and ${then} of 70`);
  await s.pass(600_000);
  assert.ok(
    (await countAdmitted(places)) <= 60,
    "a bucket holds a minute's worth, however long it fills",
  );
});

test("[LIM4] 429 says when: then it passes, a second before it does not", async () => {
  await using s = await scene();
  await s.rate("output_tokens", 600);
  const place = s.place();
  await admit(place, { output: 600 });
  const failure = await refusal(admit(place, { output: 100 }));
  assert.deepEqual([failure.status, failure.type], [429, "rate_limit_error"]);
  assert.equal(failure.options.headers?.["retry-after"], "10");
  assert.equal(failure.options.headers?.["vendor-ratelimit-output-tokens-remaining"], "0");
  await s.pass(9_000);
  await refusal(admit(place, { output: 100 }));
  await s.pass(1_000);
  await admit(place, { output: 100 });
  await s.rate("input_tokens", 50);
  const never = await refusal(admit(place, { input: 51, output: 0 }));
  assert.equal(never.options.headers?.["x-should-retry"], "false");
  assert.match(never.message, /needs 51 input tokens.*50 a minute/);
  await s.pass(60_000);
  await admit(place, { output: 100_000, input: 1 });
});

test("[LIM5] [LIM6] money: the last sum that fits passes on any process, the next is refused", async () => {
  await using s = await scene();
  await s.spend(1_000);
  const places = [s.place(), s.place(), s.place()];
  assert.equal(await countAdmitted(places, { nano: 100 }), 10);
  const failure = await refusal(admit(places[0] as Place, { nano: 1 }));
  assert.deepEqual(
    [failure.status, failure.options.code, failure.options.headers],
    [429, "enforced_spend_limit_reached", { "x-should-retry": "false" }],
  );
});

test("[LIM7] what a dead process held is free again once its lease has run out", async () => {
  await using s = await scene();
  await s.spend(1_000);
  const [dead, heir] = [s.place(), s.place()];
  const admission = await admit(dead, { nano: 300 });
  assert.ok(admission);
  dead.stop();
  assert.ok((await countAdmitted([heir], { nano: 100 })) <= 7, "the living one's is not touched");
  await s.pass(20_000);
  const stop = heir.node.start();
  while ((await countAdmitted([heir], { nano: 100 }, 3)) === 0) await s.pass(1_000);
  await stop();
});

test("[LIM8] what others hold and do not use is asked back before anybody is refused", async () => {
  await using s = await scene();
  await s.spend(800);
  const [one, other] = [s.place(), s.place()];
  await admit(one, { nano: 1 });
  await admit(other, { nano: 700 });
  await refusal(admit(other, { nano: 100 }));
});

test("[LIM9] headers name the nearest limit, in the words of the client", async () => {
  await using s = await scene();
  await s.rate("requests", 60);
  await s.rate("requests", 6, "wrkspc_1");
  const { headers } = await admit(s.place(), { headers: { "anthropic-version": "2023-06-01" } });
  assert.equal(headers["anthropic-ratelimit-requests-limit"], "6");
  assert.equal(headers["anthropic-ratelimit-requests-remaining"], "5");
  assert.equal(headers["anthropic-ratelimit-requests-reset"], "2026-03-01T00:00:10.000Z");
  assert.equal(Object.keys(headers).length, 9);
});

test("[LIM10] settling gives back and takes: the sums are those of what was used", async () => {
  await using s = await scene();
  await s.spend(1_000);
  await s.rate("output_tokens", 1_000);
  const place = s.place();
  const admission = await admit(place, { nano: 900, output: 900 });
  await refusal(admit(place, { nano: 200, output: 1 }));
  for (let n = 0; n < 2; n++) admission.settle({ inputTokens: 1, outputTokens: 100, nano: 100 });
  await s.pass(1_000);
  const next = await admit(place, { nano: 900, output: 800 });
  next.settle({ inputTokens: 1, outputTokens: 800, nano: 950 });
  await s.pass(1_000);
  await refusal(admit(place, { nano: 1 }));
});

test("[LIM11] what is set holds on every process; what nobody set is the file's", async () => {
  await using s = await scene();
  const [one, other] = [s.place(), s.place()];
  await Promise.all([admit(one), admit(other)]);
  await s.rate("requests", 0);
  assert.equal((await refusal(admit(other))).status, 429);
  const configured = s.place();
  configured.limits.configure({ workspace: { requests: 3 } });
  await s.rate("requests", 1_000);
  await s.pass(60_000);
  assert.equal(await countAdmitted([configured], { workspaceId: "wrkspc_9" }), 3);
});

test("[LIM11] a spend limit that is lowered or taken away holds for what is in memory too", async () => {
  await using s = await scene();
  await s.spend(100_000);
  const place = s.place();
  await admit(place, { nano: 100 });
  await s.spend(150);
  await refusal(admit(place, { nano: 100 }));
  await s.spend(250);
  await s.pass(1_000);
  assert.equal(await countAdmitted([place], { nano: 50 }), 3);
  await s.timed.observer.tx((tx) => setSpend(tx, organizationId, "", null));
  place.limits.changed(organizationId);
  await s.pass(1_000);
  assert.equal(await countAdmitted([place], { nano: 50 }, 20), 21);
});

test("[LIM12] without the database slices are used up; then it is 503", async () => {
  await using s = await scene();
  let away = false;
  const check = () => {
    if (away) throw unavailable("away");
  };
  const place = s.place({
    ...s.timed.db,
    query: async (statement) => (check(), s.timed.db.query(statement)),
    tx: async (work) => (check(), s.timed.db.tx(work)),
  });
  await admit(place);
  away = true;
  await s.pass(3_000);
  assert.ok(!(admit(place) instanceof Promise), "from memory");
  await s.pass(3_000);
  assert.equal((await refusal(admit(place))).status, 503);
});

test("[LIM13] a workspace's limit holds beside its organization's", async () => {
  await using s = await scene();
  await s.rate("requests", 10);
  await s.rate("requests", 1_000, "wrkspc_1");
  await s.rate("requests", 4, "wrkspc_2");
  const place = s.place();
  assert.equal(await countAdmitted([place], { workspaceId: "wrkspc_2" }), 4);
  assert.equal(await countAdmitted([place], { workspaceId: "wrkspc_1" }), 6);
});

test("[LIM5] [USE16] a limit counts what another process has just answered, posted or not", async () => {
  await using s = await scene();
  const [one, other] = [s.place(), s.place()];
  const hop = hopOf({
    id: ids.next("hop_"),
    requestId: "req_1",
    organizationId,
    workspaceId: "wrkspc_1",
    credentialId: "key_1",
    userId: null,
    model: "sim-large",
    upstream: "simulator",
    reserveNano: 900,
    at: systemClock.now(),
    kind: "message",
  });
  await one.ledger.open(hop);
  const counts = { input: 1, output: 1, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
  const amounts = { amountNano: 700, listAmountNano: 700, estimated: false };
  await one.ledger.close(hop.id, { outcome: "served", counts, ...amounts });
  await s.spend(1_000);
  assert.equal((await refusal(admit(other, { nano: 400 }))).status, 429);
  await admit(other, { nano: 300 });
});

test("[LIM6] a sum that is negative or no number is a bug, and changes no limit", async () => {
  await using s = await scene();
  const place = s.place();
  await s.spend(1_000);
  const admission = await admit(place, { nano: 100 });
  for (const nano of [-1, Number.NaN]) {
    const used = { inputTokens: 1, outputTokens: 1, nano };
    assert.throws(() => admission.settle(used), /what was used is not negative/);
    assert.throws(() => admit(place, { nano }), /reserves no negative sum/);
  }
  assert.equal(await countAdmitted([place], { nano: 100 }), 9);
});
