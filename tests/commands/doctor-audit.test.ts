// `plinth doctor --audit`: what it says of sound chains and of broken ones, and with which exit code.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import * as audit from "../../server/audit/module.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { madeBy, openCommandRunner, urlOf, type CommandRunner } from "./plinth.ts";

let database: TestDatabase;
let runner: CommandRunner;
let env: Record<string, string>;
let organization: string;
before(async () => {
  runner = openCommandRunner();
  database = await testDatabase();
  env = { DATABASE_URL: urlOf(database), PLINTH_DATA_DIR: join(runner.directory, "data") };
  const made = madeBy(await runner.run(["init", "--json"], { env }));
  organization = made.organization_id;
});
after(async () => {
  await runner[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const doctor = (...args: string[]) => runner.run(["doctor", "--audit", ...args], { env });
const run = (text: string) => database.db.query({ text, values: [] });

test("[AUD6] the doctor names each chain, and ends with 1 where one was tampered with", async () => {
  const well = await doctor();
  assert.equal(well.code, 0, well.stderr);
  assert.match(well.stdout, new RegExp(`✓ ${organization}  \\d+ events, all as they were written`));
  await run("alter table audit_events disable trigger user");
  await run("update audit_events set details = '{}' where seq = 2");
  const ill = await doctor();
  assert.equal(ill.code, 1);
  assert.match(
    ill.stdout,
    new RegExp(`✗ ${organization}  Event 2 \\(audit_\\w+\\) was changed\\.`),
  );
  assert.match(ill.stdout, /Up to event 1 all are as they were written/);
  assert.match(ill.stderr, /The audit log was tampered with/);
  const { ok, chains } = JSON.parse((await doctor("--json")).stdout) as {
    ok: boolean;
    chains: { organization_id: string; sound_until: number; problem: string }[];
  };
  assert.equal(ok, false);
  assert.deepEqual([chains[0]?.organization_id, chains[0]?.sound_until], [organization, 1]);
});

test("[AUD9] the doctor ends with 1 where a row without a place came after those from before", async () => {
  await using forged = await testDatabase();
  const dataDir = join(runner.directory, "forged");
  const own = { DATABASE_URL: urlOf(forged), PLINTH_DATA_DIR: dataDir };
  const { organization_id: id } = madeBy(await runner.run(["init", "--json"], { env: own }));
  const { db } = forged;
  const insert = async (event: string) => {
    await db.query({ text: "alter table audit_events disable trigger user", values: [] });
    await db.query({
      text: `insert into audit_events
        (id, organization_id, at, action, actor_type, address, details)
        values ($1, $2, '2020-01-01T00:00:00Z', 'key.created', 'system', '', '{}')`,
      values: [event, id],
    });
  };
  await insert("audit_before");
  const early = await runner.run(["doctor", "--audit"], { env: own });
  assert.equal(early.code, 0, early.stdout);
  assert.match(early.stdout, /1 event not in the chain yet; the server puts them there/);
  const secrets = await openSecrets({ directory: join(dataDir, "secrets") });
  const blobs = await openLocalBlobs({ directory: join(dataDir, "blobs") });
  const world = { db, secrets, blobs, clock: systemClock };
  await audit.sealAll(world, AbortSignal.timeout(60_000));
  await insert("audit_forged");
  await audit.sealAll(world, AbortSignal.timeout(60_000));
  const late = await runner.run(["doctor", "--audit"], { env: own });
  assert.equal(late.code, 1, late.stdout);
  assert.match(late.stdout, /✗ .*Event audit_forged has no place in the chain: it was put in/);
  assert.doesNotMatch(late.stdout, /the server puts them there/);
});

test("[AUD6] the doctor makes nothing where there is nothing to look at", async () => {
  const empty = join(runner.directory, "empty");
  const { code, stderr } = await runner.run(["doctor", "--audit", "--data-dir", empty]);
  assert.equal(code, 1);
  assert.match(stderr, /There is no database in .*plinth start makes one/);
  const { code: keyless, stderr: said } = await runner.run(
    ["doctor", "--audit", "--data-dir", empty],
    { env: { DATABASE_URL: urlOf(database) } },
  );
  assert.equal(keyless, 1);
  assert.match(said, /There are no master keys in .*--data-dir/);
});
