// Rules USE13 and USE14: who pays for an attempt and what it was for, from the caller to the ledger.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import {
  insertSettledAttempts,
  makeLedger,
  makeNode,
  type Payer,
  type Settlement,
  priceOf,
} from "../../server/usage/module.ts";
import { testDatabase } from "../postgres.ts";
import { openBatchHouse, params, type BatchHouse } from "./batches-house.ts";
import { makeKey } from "./support.ts";
import { queryPosted } from "../posted.ts";

const ids = makeIds(systemClock, systemRandom);
const payer: Payer = {
  organizationId: "org_1",
  workspaceId: "wrkspc_1",
  credentialId: "apikey_1",
  userId: null,
  model: "sim-large",
  upstream: "simulator",
  kind: "agent",
  speed: "fast",
  keyMakerId: "user_maker",
  origin: "session",
  sessionId: "sesn_1",
  agentId: "agent_1",
  deploymentId: "depl_1",
  environmentId: "env_1",
};
const settlement: Settlement = {
  outcome: "served",
  counts: { input: 1, output: 2, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 },
  amountNano: 3,
  listAmountNano: 3,
  estimated: false,
};
/** A value of its own each time, as requests make them. */
const newHop = (some: Partial<Payer> = {}) => ({
  id: ids.next("hop_"),
  requestId: "req_1",
  reserveNano: 10,
  at: new Date("2026-03-01T12:00:00Z"),
  payer: { ...payer, ...some },
});
const wide = sql`credential_id, user_id, speed, key_maker, origin, session_id, agent_id, deployment_id,
  environment_id`;
const written = {
  credential_id: "apikey_1",
  user_id: null,
  speed: "fast",
  key_maker: "user_maker",
  origin: "session",
  session_id: "sesn_1",
  agent_id: "agent_1",
  deployment_id: "depl_1",
  environment_id: "env_1",
};

test("[USE14] an attempt is written with all of its payer, open, closed, lost, and by a batch", async () => {
  await using test = await testDatabase();
  const { db } = test;
  const node = makeNode({ clock: systemClock, ids, logger: silentLogger, db });
  const ledger = makeLedger({ clock: systemClock, ids, logger: silentLogger, db }, node);
  const [hop, other] = [newHop(), newHop()];
  await Promise.all([ledger.open(hop), ledger.open(other)]);
  assert.deepEqual(await queryPosted(db, sql`select ${wide} from ledger_opens`), [
    written,
    written,
  ]);
  await ledger.close(hop.id, settlement);
  const settled = [{ hop: newHop(), settlement }];
  await db.tx(async (tx) => (await insertSettledAttempts(tx, node, settled))());
  await db.query(
    sql`update ledger_nodes set lease_until = clock_timestamp() - interval '1 second'`,
  );
  const finder = makeNode({ clock: systemClock, ids, logger: silentLogger, db });
  const stop = finder.start();
  while ((await queryPosted(db, sql`select id from ledger_opens`)).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await stop();
  const rows = await queryPosted(db, sql`select ${wide} from ledger`);
  assert.deepEqual(rows, [written, written, written]);
});

test("[USE13] attempts whose payers are alike send them once, though each has a value of its own", async () => {
  await using test = await testDatabase();
  const sent: Statement[] = [];
  const db = {
    ...test.db,
    query: async (statement: Statement) => {
      if (/^ledger_(open|close|both)$/.test(statement.name ?? "")) sent.push(statement);
      return test.db.query(statement) as never;
    },
  };
  const world = { clock: systemClock, ids, logger: silentLogger, db };
  const ledger = makeLedger(world, makeNode(world));
  const hops = Array.from({ length: 20 }, (_, at) => newHop({ speed: at % 2 === 0 ? null : "x" }));
  await Promise.all(hops.map((hop) => ledger.open(hop)));
  await Promise.all(hops.map((hop) => ledger.close(hop.id, settlement)));
  for (const { values } of sent)
    assert.equal(JSON.stringify(values).split("user_maker").length - 1, 2, "each of two payers");
  assert.equal(sent.length, 2);
});

let b: BatchHouse;
before(async () => {
  b = await openBatchHouse();
});
after(() => b[Symbol.asyncDispose]());

test("[USE14] the maker of a key and the origin are those of the request, in a batch too", async () => {
  const { house, platform } = b;
  const key = await makeKey(house, platform, { kind: "api", name: "Mine" });
  const me = (await house.ask("GET", "/console/api/me", { cookie: platform.cookie })).body;
  const asked = [
    await house.ask("POST", "/v1/messages", { key: key.secret, body: params("Hello.") }),
    await house.ask("POST", "/v1/messages", { cookie: platform.cookie, body: params("Hello.") }),
  ];
  assert.deepEqual(
    asked.map(({ status }) => status),
    [200, 200],
  );
  await b.run([{ custom_id: "one", params: params("Hello.") }], { key: key.secret });
  const rows = await queryPosted(
    house.world.db,
    sql`
    select kind, key_maker, user_id, origin, session_id from ledger
    where organization_id = ${platform.organization_id} order by id`,
  );
  const own = { key_maker: me.user.id, user_id: null, session_id: null };
  assert.deepEqual(rows, [
    { ...own, kind: "message", origin: "api" },
    { ...own, kind: "message", key_maker: null, user_id: me.user.id, origin: "console" },
    { ...own, kind: "batch", origin: "batch" },
  ]);
});

test("[USE9] a price is whole, by class, and a batch pays half of it, rounded up", () => {
  const prices = {
    input: 3_000,
    output: 15_000,
    cacheWrite5m: 3_750,
    cacheWrite1h: 6_000,
    cacheRead: 301,
  };
  const counts = { input: 1, output: 2, cacheWrite5m: 3, cacheWrite1h: 4, cacheRead: 5 };
  assert.equal(priceOf(prices, counts, { batch: false }), 3_000 + 30_000 + 11_250 + 24_000 + 1_505);
  assert.equal(priceOf(prices, counts, { batch: true }), 34_878);
});
