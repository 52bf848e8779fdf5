// The real program puts what is encrypted under a new master key, while a server writes and although it is killed.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openSecrets } from "../../kernel/secret/keyring.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { urlOf } from "../commands/plinth.ts";
import { kill, scratch, until } from "../kernel/sql-harness.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { ask, initOwner, runPlinth, spawnPlinth, startPlinth, type Owner } from "./plinth.ts";

const home = scratch();
const data = join(home.path, "data");
const keyFile = join(data, "secrets/master-keys.json");
/** Enough that a reseal can be killed in the midst of them. */
const many = 4_000;
let database: TestDatabase;
let env: { DATABASE_URL: string };
let owner: Owner;
before(async () => {
  database = await testDatabase();
  env = { DATABASE_URL: urlOf(database) };
  owner = await initOwner(data, [], { env });
});
after(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const keyIds = () =>
  (JSON.parse(readFileSync(keyFile, "utf8")) as { keys: { id: string }[] }).keys.map(
    ({ id }) => id,
  );
const command = (...args: string[]) =>
  runPlinth(["rotate-master-key", "--data-dir", data, ...args], { env });
const countUnder = async (id: string) => {
  const [row] = await database.db.query<{ count: number }>(sql`
    select count(*)::int as count from vault_credentials where starts_with(secret, ${`v1.${id}.`})`);
  return row?.count ?? 0;
};

test("[SEC13] a reseal that is killed loses nothing, the next one does the rest, and writers go on", async () => {
  const server = await startPlinth(data, { env });
  const headers = { "x-api-key": owner.api_key, "vendor-beta": "managed-agents-2026-04-01" };
  const post = async (path: string, body: unknown) => {
    const answer = await ask(server.url, "POST", path, { headers, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as { id: string };
  };
  const vault = await post("/v1/vaults", { display_name: "many" });
  const auth = { type: "static_bearer", token: "t-0", mcp_server_url: "https://a.example.com/" };
  const path = `/v1/vaults/${vault.id}/credentials`;
  const live = await post(path, { auth });
  const old = keyIds()[0] ?? assert.fail("no key");
  const secrets = await openSecrets({ directory: join(data, "secrets"), mayMake: false });
  const rows = Array.from({ length: many }, (_, n) => `vcrd_many${String(n).padStart(6, "0")}`);
  const sealed = rows.map((id) => secrets.encrypt(`secret of ${id}`, `vault credential ${id}`));
  await database.db.tx((tx) =>
    tx.query(sql`
      insert into vault_credentials (id, organization_id, workspace_id, vault_id, auth, metadata,
        slot, secret, created_at, updated_at)
      select given.id, organization_id, workspace_id, ${vault.id}, '{}', '{}', given.id, given.sealed,
        now(), now()
      from vaults, unnest(${rows}::text[], ${sealed}::text[]) as given (id, sealed)
      where vaults.id = ${vault.id}`),
  );
  assert.equal((await command()).code, 0);
  const [fresh = ""] = keyIds();
  assert.notEqual(fresh, old);
  const early = await command("--drop", old);
  assert.equal(early.code, 1);
  assert.match(early.err, /needed yet, for .*4,001 values of vault_credentials\.secret/);
  assert.match(early.err, /1 value of installation\.key_check/);

  // A person changes a secret all the while.
  const over = new AbortController();
  let changes = 0;
  const writing = (async () => {
    while (!over.signal.aborted) {
      const change = { type: "static_bearer", token: `t-${++changes}` };
      await post(`${path}/${live.id}`, { auth: change });
    }
  })();
  const first = spawnPlinth(["rotate-master-key", "--data-dir", data, "--reseal"], { env });
  await until("some are under the new key", async () => (await countUnder(fresh)) > 100);
  kill(first.child.pid ?? 0);
  assert.equal((await first.ended).signal, "SIGKILL");
  const left = await countUnder(old);
  assert.ok(left > 0 && left < many, `${left} are left`);
  const second = await command("--reseal");
  assert.equal(second.code, 0, second.err);
  assert.match(second.out, new RegExp(`All is under ${fresh}`));
  over.abort();
  await writing;
  assert.equal(await countUnder(old), 0);
  const kept = await database.db.query<{ id: string; secret: string }>(
    sql`select id, secret from vault_credentials where id = any(${rows}::text[])`,
  );
  assert.equal(kept.length, many);
  const again = await openSecrets({ directory: join(data, "secrets"), mayMake: false });
  for (const { id, secret } of kept)
    assert.equal(again.decrypt(secret, `vault credential ${id}`).toString(), `secret of ${id}`);
  const [last] = await database.db.query<{ secret: string }>(
    sql`select secret from vault_credentials where id = ${live.id}`,
  );
  const text = again.decrypt(last?.secret ?? "", `vault credential ${live.id}`).toString();
  assert.deepEqual(JSON.parse(text), { token: `t-${changes}` });
  // The server follows by itself.
  assert.equal(again.keyIdOf(last?.secret ?? ""), fresh);
  assert.equal((await server.stop()).code, 0);
});

/** What there is to do is said, since what stands under it does not go away by itself. */
const activeWords = (id: string) =>
  `${id} is the active master key: run plinth rotate-master-key first, which makes another one, then --reseal, and drop ${id} when all is under the new one\\.`;

test("[SEC14] a key goes when nothing needs it, and what was there opens without it", async () => {
  const [fresh = "", old = ""] = keyIds();
  const refusals: [args: string[], sentence: RegExp][] = [
    [["--drop", old], /was the active master key \d+ seconds ago.*after 2 minutes/],
    [["--drop", fresh], new RegExp(`^plinth: ${activeWords(fresh)}\\n$`)],
    [["--drop", "knothing"], /no master key knothing in/],
    [["--reseal", "--drop", old], /name one of them/],
  ];
  for (const [args, sentence] of refusals) {
    const ran = await command(...args);
    assert.notEqual(ran.code, 0);
    assert.match(ran.err, sentence);
  }
  const file = JSON.parse(readFileSync(keyFile, "utf8")) as { keys: { created_at: string }[] };
  for (const key of file.keys) key.created_at = "2026-01-01T00:00:00.000Z";
  writeFileSync(keyFile, JSON.stringify(file), { mode: 0o600 });
  const dropped = await command("--drop", old);
  assert.equal(dropped.code, 0, dropped.err);
  assert.deepEqual(keyIds(), [fresh]);
  const server = await startPlinth(data, { env });
  const audited = await runPlinth(["doctor", "--audit", "--data-dir", data], { env });
  assert.equal(audited.code, 0, audited.err + audited.out);
  assert.equal((await server.stop()).code, 0);
});
