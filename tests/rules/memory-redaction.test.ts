// Rules MEM20 and MEM21, over HTTP: what redaction takes, what it keeps, and that there are no copies.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { errorOf, hashOf, openTimedMemoryHouse, queryOf, type Version } from "./memory-house.ts";
import { eventsOf, hours, minutes, sentenceOf, until } from "./support.ts";

let m: Awaited<ReturnType<typeof openTimedMemoryHouse>>;
before(async () => {
  m = await openTimedMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

/** A memory with a version before its head. */
async function rewritten(text = "one", path = "/a") {
  const { id: store } = await m.store();
  const made = await m.create(store, path, text);
  const head = await m.update(store, made.id, { content: "two", path: "/b" });
  return { store, id: made.id, old: made.memory_version_id, head: head.memory_version_id };
}

const scrubbed = { path: null, content: null, content_sha256: null, content_size_bytes: null };
const facts = ({ path, content, content_sha256, content_size_bytes }: Version) => ({
  path,
  content,
  content_sha256,
  content_size_bytes,
});

test("[MEM20] text, path, hash and size go; who wrote it and when stays, and who redacted it, when and why", async () => {
  const { store, old } = await rewritten();
  const before = await m.version(store, old);
  m.wall.advance(minutes(5));
  const { cookie } = m.platform;
  const redacted = await m.redact(store, old, { cookie, body: { reason: "a password" } });
  assert.deepEqual(redacted, {
    ...before,
    ...scrubbed,
    redacted_at: m.wall.now().toISOString(),
    redacted_by: redacted.redacted_by,
    redaction_reason: "a password",
  });
  assert.match(
    JSON.stringify(redacted.redacted_by),
    /^{"type":"user_actor","user_id":"user_\w+"}$/,
  );
  assert.deepEqual(await m.version(store, old), redacted);
  assert.deepEqual(await m.good("GET", `/${store}/memory_versions/${old}?view=basic`), redacted);
  for (const view of ["basic", "full"])
    assert.deepEqual((await m.versions(store, { view })).at(-1), redacted);
});

test("[MEM20] without a reason there is none, and a key may redact as well", async () => {
  for (const body of [undefined, {}, { reason: null }]) {
    const { store, old } = await rewritten();
    const redacted = await m.redact(store, old, { ...(body && { body }) });
    assert.deepEqual(facts(redacted), scrubbed);
    assert.equal(redacted.redaction_reason, null);
    assert.match(JSON.stringify(redacted.redacted_by), /^{"type":"api_actor"/);
  }
  const { store, old } = await rewritten();
  const at = `/${store}/memory_versions/${old}/redact`;
  const tooLong = { reason: "é".repeat(501) };
  assert.match(sentenceOf(await m.call("POST", at, { body: tooLong }), 400), /^reason: .*500/);
  assert.deepEqual((await m.version(store, old)).redacted_at, null);
  const { redaction_reason } = await m.redact(store, old, { body: { reason: "é".repeat(500) } });
  assert.equal(redaction_reason, "é".repeat(500));
});

test("[MEM20] a second time changes nothing", async () => {
  const { store, old } = await rewritten();
  const first = await m.redact(store, old, { body: { reason: "first" } });
  const { size_bytes } = await m.storeOf(store);
  m.wall.advance(minutes(5));
  const { cookie } = m.platform;
  assert.deepEqual(await m.redact(store, old, { cookie, body: { reason: "second" } }), first);
  assert.equal((await m.storeOf(store)).size_bytes, size_bytes);
});

test("[MEM20] the head of a live memory is refused; written over or deleted, it is not", async () => {
  const { store, id, head } = await rewritten();
  const refused = await m.call("POST", `/${store}/memory_versions/${head}/redact`);
  const { message } = errorOf(refused, 400, "memory_version_is_head");
  assert.match(message, new RegExp(`${head} .*write a new version .*or delete`));
  assert.equal(refused.headers.get("x-should-retry"), "false");
  assert.equal((await m.version(store, head)).content, "two");
  const { memory_version_id: next } = await m.update(store, id, { content: "three" });
  assert.deepEqual(facts(await m.redact(store, head)), scrubbed);
  errorOf(
    await m.call("POST", `/${store}/memory_versions/${next}/redact`),
    400,
    "memory_version_is_head",
  );
  await m.remove(store, id);
  assert.deepEqual(facts(await m.redact(store, next)), scrubbed);
  const [gone] = await m.versions(store);
  assert.deepEqual([gone?.operation, gone?.path], ["deleted", "/b"]);
  assert.deepEqual(facts(await m.redact(store, gone?.id ?? "")), scrubbed);
});

test("[MEM20] a redacted version is found by all that it kept", async () => {
  const { store, id, old } = await rewritten();
  const redacted = await m.redact(store, old);
  const { api_key_id } = redacted.created_by as { api_key_id: string };
  for (const query of [
    { memory_id: id },
    { operation: "created" },
    { api_key_id },
    { "created_at[lte]": redacted.created_at },
  ])
    assert.deepEqual((await m.versions(store, query)).at(-1), redacted);
});

test("[MEM20] of a redaction and a write at the same moment neither breaks the other", async () => {
  const { store, id, head } = await rewritten();
  const at = `/${store}/memory_versions/${head}/redact`;
  const [redaction] = await Promise.all([
    m.call("POST", at),
    m.update(store, id, { content: "three" }),
  ]);
  if (redaction.status === 400) errorOf(redaction, 400, "memory_version_is_head");
  else assert.deepEqual(facts(redaction.body), scrubbed);
  assert.equal((await m.memory(store, id)).content, "three");
  assert.equal((await m.memory(store, id)).path, "/b");
});

/** The tables with a row that holds one of the words, in any column. */
async function tablesWith(words: readonly string[]): Promise<string[]> {
  const { db } = m.house.world;
  const tables = await db.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`);
  assert.ok(tables.length > 20, "the tables were not found");
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await db.query<{ rows: number }>({
      text: `select count(*)::int as rows from "${name}" as t
        where exists (select from unnest($1::text[]) as word
          where strpos(lower(t::text), word) > 0
            or strpos(t::text, encode(convert_to(word, 'UTF8'), 'hex')) > 0)`,
      values: [words],
    });
    if (row !== undefined && row.rows > 0) found.push(name);
  }
  return found;
}

const logHolds = (words: readonly string[]) => {
  const text = m.house.log
    .map((line) => JSON.stringify(line))
    .join("\n")
    .toLowerCase();
  assert.ok(text.includes("memory_stores.memories.create"), "the log has no line of a write");
  return words.filter((word) => text.includes(word));
};

test("[MEM21] a text, its path and its hash stand in the rows of memories alone, and after redaction nowhere", async () => {
  const secret = "zyzzyva quokka4711";
  const path = "/vault/plumbago8";
  const { store, id, old, head } = await rewritten(secret, path);
  const hash = hashOf(secret);
  const words = ["zyzzyva", "quokka4711", "plumbago8", hash];
  const at = `/${store}/memories`;
  const { cookie } = m.platform;
  const search = async () => {
    const found = await m.house.ask("GET", "/console/api/memory/search?q=quokka4711", { cookie });
    return found.body.data.length as number;
  };
  const back = await m.update(store, id, { content: secret, path });
  assert.equal(await search(), 1);
  assert.deepEqual(await tablesWith(["zyzzyva"]), ["memories", "memory_versions"]);
  // Whatever a caller may do wrong with it.
  const expected = { precondition: { type: "content_sha256", content_sha256: hashOf("else") } };
  const query = queryOf({ path_prefix: path, expected_content_sha256: hash });
  const asked = [
    await m.call("POST", at, { body: { path, content: secret } }),
    await m.call("POST", at, { body: { path: `${path}/..`, content: secret } }),
    await m.call("POST", at, { body: { path: `${path}/x`, content: secret.repeat(9_000) } }),
    await m.call("POST", at, { body: `{"path":"${path}","content":"${secret}` }),
    await m.call("POST", at, { body: { path, content: [secret] } }),
    await m.call("POST", `${at}/${id}`, { body: { content: `${secret}!`, ...expected } }),
    await m.call("POST", `${at}/${id}`, { body: { content_sha256: `${hash}${secret}` } }),
    await m.call("GET", `${at}${query}`),
    await m.call("DELETE", `${at}/${id}${queryOf({ expected_content_sha256: hashOf("else") })}`),
    await m.call("DELETE", `${at}/${id}${queryOf({ expected_content_sha256: path })}`),
  ];
  assert.ok(asked.every(({ status }) => status >= 400));
  await m.remove(store, id);
  const gone = (await m.versions(store))[0]?.id ?? "";
  assert.deepEqual(await tablesWith(words), ["memory_versions"]);
  for (const version of [old, head, back.memory_version_id, gone]) await m.redact(store, version);
  assert.deepEqual(await tablesWith(words), []);
  assert.deepEqual(logHolds(words), []);
  assert.equal(await search(), 0);
  const events = (await eventsOf(m.house, m.platform)).filter(({ target }) => target?.id === old);
  assert.deepEqual(
    events.map(({ action }) => action),
    ["memory_version.redacted"],
  );
});

test("[MEM21] the rows that a redacted text stood in are freed", async () => {
  const dead = () =>
    m.house.world.db.query<{ name: string; at: Date | null }>(sql`
      select relname as name, last_vacuum as at from pg_stat_user_tables
      where relname in ('memories', 'memory_versions') order by relname`);
  const { store, old } = await rewritten();
  await m.idle();
  const before = await dead();
  await m.redact(store, old);
  await until(async () => {
    const now = await dead();
    return now.every(({ at }, place) => Number(at) > Number(before[place]?.at ?? 0));
  }, "both tables to be vacuumed");
});

test("[MEM20] a clock that ran back does not redact before the version was written", async () => {
  const { store, old } = await rewritten();
  const { created_at } = await m.version(store, old);
  m.wall.advance(-hours(1));
  assert.equal((await m.redact(store, old)).redacted_at, created_at);
  m.wall.advance(hours(1));
});
