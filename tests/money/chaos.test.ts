// Three servers under load, killed at random moments: the ledger against the upstream's own count.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom, type Random } from "../../kernel/base/random.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { initialize } from "../../server/organization-setup.ts";
import { setSpend } from "../../server/limits/module.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { until } from "../rules/support.ts";
import { faultsOf, prices, type LedgerRow } from "./expected-ledger.ts";
import { killServer, startServer, stopServer, type SpawnedServer } from "./spawned-servers.ts";
import { runLoad, type Caller, type RequestReport } from "./load.ts";
import { serveShared, type ServerFacts } from "./server.ts";
import { countingUpstream } from "./upstream.ts";
import { checkBooks } from "../books.ts";
import { queryPosted } from "../posted.ts";

const seed = Number(process.env["PLINTH_MONEY_SEED"] ?? 1);
const servers = 3;
const kills = 4;
const loadMs = 7_000;
const settledMsMax = 2_000;
/** A dead node's lease is over after 10 s, and is looked for every 2 s. */
const recoveryMsMax = 20_000;
/** Reached in the middle of the load: a request costs about 700, and reserves about 4,000. */
const limitNano = 200_000;

/** An organization without a limit, and one that will reach its own. */
async function makeCallers(facts: ServerFacts, db: TestDatabase["db"]): Promise<Caller[]> {
  const server = await serveShared(facts, () => {});
  const { world } = server.opened;
  const type = "platform";
  const free = await initialize(world, { organization: "Free", type, email: "a@free.example" });
  const limited = await initialize(world, { organization: "Ltd", type, email: "a@ltd.example" });
  await db.tx((tx) => setSpend(tx, limited.organization_id, "", BigInt(limitNano)));
  await server.stop();
  return [
    { name: free.organization_id, key: free.api_key, parallel: 8 },
    { name: limited.organization_id, key: limited.api_key, parallel: 6 },
  ];
}

/** When which server was killed. */
type Killed = Map<string, number>;

async function killAtRandom(
  fleet: SpawnedServer[],
  facts: ServerFacts,
  random: Random,
  killed: Killed,
): Promise<void> {
  for (let count = 0; count < kills; count++) {
    await new Promise((resolve) =>
      setTimeout(resolve, (0.5 + random.fraction()) * (loadMs / (kills + 1))),
    );
    const index = Math.floor(random.fraction() * fleet.length);
    const victim = fleet[index];
    if (victim !== undefined) {
      killed.set(victim.url, performance.now());
      await killServer(victim);
    }
    fleet[index] = await startServer(facts);
  }
}

async function checkSums(db: TestDatabase["db"], limitedId: string): Promise<void> {
  const [sums] = await queryPosted<
    Record<"rows" | "nano" | "requests" | "days" | "months", string>
  >(
    db,
    sql`select count(*)::text as rows, sum(amount_nano)::text as nano,
      (select sum(requests)::text from usage_days) as requests,
      (select sum(amount_nano)::text from usage_days) as days,
      (select sum(spent_nano)::text from spend_months) as months
      from ledger`,
  );
  assert.deepEqual(
    [sums?.requests, sums?.days, sums?.months],
    [sums?.rows, sums?.nano, sums?.nano],
  );
  await checkBooks(db);
  const [limited] = await queryPosted<{ spent: number }>(
    db,
    sql`select sum(amount_nano)::bigint as spent from ledger where organization_id = ${limitedId}`,
  );
  const spent = Number(limited?.spent);
  assert.ok(spent <= limitNano, `${spent} were spent of ${limitNano}`);
  assert.ok(spent > limitNano / 2, `only ${spent} of ${limitNano} could be spent`);
  const lapsed = await db.query(sql`select id from ledger_nodes
    where lease_owner is not null and lease_until < clock_timestamp()`);
  assert.deepEqual(lapsed, [], "a dead process still has its place");
}

test(`seed ${seed}: killed under load, the ledger is the upstream's own count`, async (t) => {
  const random = seededRandom(seed);
  await using database = await testDatabase();
  const { db, connection } = database;
  await using upstream = await countingUpstream();
  const dataDirectory = mkdtempSync(join(tmpdir(), "plinth-money-"));
  using stack = new DisposableStack();
  stack.defer(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const own = { upstream: "counting", prices, pass: ["inference_geo"] };
  const sections = {
    models: {
      upstreams: { counting: { kind: "messages", base_url: upstream.url } },
      models: [
        { id: "first", ...own, allowed_fallback_models: ["second"] },
        { id: "second", ...own },
      ],
    },
  };
  const facts = { connection, dataDirectory, sections };
  const callers = await makeCallers(facts, db);
  const fleet: SpawnedServer[] = [];
  stack.defer(() => fleet.forEach(({ child }) => child.kill("SIGKILL")));
  for (const server of await Promise.all(Array.from({ length: servers }, () => startServer(facts))))
    fleet.push(server);

  const urlOf = () => fleet[Math.floor(random.fraction() * fleet.length)]?.url ?? "";
  const load = runLoad(callers, urlOf, random);
  const killed: Killed = new Map();
  await killAtRandom(fleet, facts, random, killed);
  await load.stop();

  const countOf = async (table: "ledger_opens" | "ledger") => {
    const [row] = await db.query<{ count: number }>({
      text: `select count(*) as count from ${table}`,
      values: [],
    });
    return row?.count ?? 0;
  };
  await until(
    async () => (await countOf("ledger_opens")) === 0,
    "what the dead had open is settled",
    recoveryMsMax,
  ).catch(async (error: unknown) => {
    const open = await queryPosted(
      db,
      sql`select ledger_opens.id, request_id, model, at, lease_until
      from ledger_opens join ledger_nodes on ledger_nodes.id = node`,
    );
    throw new Error(`still open: ${JSON.stringify(open)}`, { cause: error });
  });
  const rows = await queryPosted<LedgerRow>(
    db,
    sql`select request_id, inference_geo as tag, model, outcome, estimated, output_tokens as output,
      amount_nano as nano, reserve_nano as reserve from ledger`,
  );
  const seen = Object.fromEntries(
    [...Map.groupBy(load.reports, ({ seen }) => seen)].map(([how, all]) => [how, all.length]),
  );
  const lost = rows.filter(({ outcome }) => outcome === "lost").length;
  t.diagnostic(`${JSON.stringify(seen)}, ${rows.length} hops, ${lost} lost`);
  // It may have been killed while it settled what its client had left.
  const isKilled = ({ url, endedMs }: RequestReport) =>
    (killed.get(url) ?? Infinity) < endedMs + settledMsMax;
  const faults = faultsOf(load.reports, rows, upstream.attempts, isKilled);
  assert.deepEqual(faults.slice(0, 5), [], `${faults.length} faults`);
  for (const how of ["answered", "failed", "left", "abandoned", "refused", "dead"])
    assert.ok((seen[how] ?? 0) > 0, `no request was ${how}`);
  assert.ok(lost > 0, "no kill met a request under way");
  const tags = new Set(
    load.reports.map(({ seen, tag }) => (seen === "abandoned" ? tag : undefined)),
  );
  const paid = rows.filter(
    ({ tag, outcome, nano }) => tag !== null && tags.has(tag) && outcome === "cut" && nano > 0,
  );
  assert.ok(paid.length > 0, "nobody paid for what was abandoned");
  const limited = load.reports.filter(
    ({ seen: how, status }) => how === "refused" && status === 429,
  );
  // On a slow machine the run is long, and who is refused asks again 20 times a second: then a minute's limit is, too.
  for (const { reason } of limited)
    assert.match(reason ?? "", /^(enforced_spend_limit_reached$|The limit of \d+ .+ a minute)/);
  assert.ok(
    limited.some(({ reason }) => reason === "enforced_spend_limit_reached"),
    "no request met the spend limit",
  );
  await checkSums(db, callers[1]?.name ?? "");
  for (const server of fleet) await stopServer(server);
});
