// Rules EWK16 and EWK20 to EWK25: memory stores in the sandboxes of a worker.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { ofType } from "../rules/sessions-house.ts";
import { until } from "../rules/support.ts";
import { inStores, storesOf } from "./stores-house.ts";
import { openStepProxy } from "./step-proxy.ts";
import { bash, sleeping, temporaryDirectory, wake, workersOf } from "./worker-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, start, turnEnd, results, call, sessions, pass, sweep } = workersOf(() => house);
const stores = storesOf(() => house, sessions);

/** The blocks of each result of a session's calls: what the tool said, and what is told of mounts. */
const blocksOf = async (id: string): Promise<string[][]> =>
  ofType(await sessions.events(id), "user.tool_result").map(({ content }) =>
    (content as { text: string }[]).map(({ text }) => text),
  );

test("[EWK20][EWK21] stores lie where the resource says, and what the agent writes is versions of the session", async () => {
  const hosted = await open();
  const [notes, facts] = [await stores.make("My notes"), await stores.make("Facts")];
  const first = await stores.add(notes, "/deep/one.md", "1");
  await stores.add(notes, "/gone", "x");
  await stores.add(facts, "/fact", "true");
  const session = await stores.sessionWith(
    hosted,
    [{ store: notes }, { store: facts, access: "read_only" }],
    [
      inStores("pwd; cat my-notes/deep/one.md facts/fact"),
      inStores("echo x >facts/fact"),
      inStores("printf é >my-notes/deep/one.md; printf n >my-notes/new; rm my-notes/gone; : >lost"),
    ].join(" | "),
  );
  const worker = start(hosted);
  await turnEnd(session);
  const [read = "", refused = ""] = await results(session);
  assert.equal(read, `/mnt/memory/${session}\n1true`);
  assert.match(refused, /read-only file system/i);
  assert.deepEqual(await stores.texts(notes), { "/deep/one.md": "é", "/new": "n" });
  assert.deepEqual(await stores.texts(facts), { "/fact": "true" });
  const written = (await stores.versions(notes)).slice(0, 3);
  assert.deepEqual(written.map(({ operation }) => operation).toSorted(), [
    "created",
    "deleted",
    "modified",
  ]);
  for (const { created_by } of written)
    assert.deepEqual(created_by, { type: "session_actor", session_id: session });
  assert.equal((await stores.versions(facts)).length, 1);
  // What is changed meanwhile is there with the next call, and goes nowhere.
  await stores.change(notes, first, "theirs");
  await stores.add(facts, "/more", "also");
  await call(session, inStores("cat my-notes/deep/one.md facts/more"));
  await turnEnd(session);
  assert.equal((await results(session)).at(-1), "theirsalso");
  assert.equal((await stores.versions(notes)).length, 6);
  await worker.stop();
});

test("[EWK16] stores that are to lie elsewhere than below /mnt are named, and the call is not run", async () => {
  await using other = await openHouse({
    sections: { environments: { self_hosted_mount_root: "/srv/plinth" } },
  });
  const there = workersOf(() => other);
  const made = storesOf(() => other, there.sessions);
  const hosted = await there.open();
  const store = await made.make("Notes");
  const session = await made.sessionWith(hosted, [{ store }], bash("echo ran"));
  const worker = there.start(hosted);
  await there.turnEnd(session);
  const [only] = await there.results(session);
  assert.match(
    only ?? "",
    /^error: The memory store Notes is to be mounted at \/srv\/plinth\/.*not run/,
  );
  await worker.stop();
});

test("[EWK21] while a call runs, what it writes is in the store, and what comes there is with it", async () => {
  const hosted = await open();
  const [store, facts] = [await stores.make("Long"), await stores.make("Facts")];
  const session = await stores.sessionWith(
    hosted,
    [{ store }, { store: facts, access: "read_only" }],
    inStores(
      "printf mine >long/mine; until [ -e long/theirs ] && [ -e facts/fact ]; do sleep 0.1; done; cat long/theirs facts/fact",
    ),
  );
  const worker = start(hosted);
  await until(async () => (await stores.texts(store))["/mine"] === "mine", "what the call wrote");
  assert.deepEqual(await results(session), []);
  await stores.add(store, "/theirs", "written ");
  await stores.add(facts, "/fact", "meanwhile");
  await turnEnd(session);
  assert.deepEqual(await results(session), ["written meanwhile"]);
  await worker.stop();
});

test("[EWK22] what both sides changed stays as the store has it, and the agent is told with the result", async () => {
  const hosted = await open();
  const store = await stores.make("Both");
  const one = await stores.add(store, "/one", "1");
  const two = await stores.add(store, "/two", "2");
  const session = await stores.sessionWith(
    hosted,
    [{ store }],
    inStores("cd both; printf mine >one; rm two; sleep 500001"),
  );
  const worker = start(hosted);
  await until(async () => sleeping(500_001) === 1, "the call to have written");
  await stores.change(store, one, "theirs");
  await stores.change(store, two, "theirs");
  await wake(500_001);
  await turnEnd(session);
  const [blocks = []] = await blocksOf(session);
  const note = blocks.find((text) => text.startsWith("[")) ?? "";
  assert.match(note, /both\/one was changed in the memory store meanwhile.*memory-conflicts/);
  assert.deepEqual(await stores.texts(store), { "/one": "theirs", "/two": "theirs" });
  await call(session, inStores("cat both/one both/two /workspace/.memory-conflicts/both/*/one"));
  await turnEnd(session);
  assert.deepEqual((await blocksOf(session))[1], ["theirstheirsmine"]);
  const noted = await worker.tells("noted");
  assert.match(noted.text, /both\/one was changed/);
  await worker.stop();
});

test("[EWK21][EWK22] what changes in a store at the last moment is not overwritten, deleted or lost", async () => {
  const hosted = await open();
  const store = await stores.make("Raced");
  const one = await stores.add(store, "/changed", "1");
  const two = await stores.add(store, "/gone", "1");
  const session = await stores.sessionWith(
    hosted,
    [{ store }],
    inStores("cd raced; printf mine >changed; rm gone; printf mine >new; printf mine >deep"),
  );
  await using proxy = await openStepProxy(house.url);
  const raced = new Set<string>();
  const first = (what: string) => !raced.has(what) && raced.add(what);
  const memories = `memory_stores ${store.id} memories`;
  const addTheirs = async () => {
    await stores.add(store, "/new", "theirs");
    await stores.add(store, "/deep/er", "theirs");
  };
  let adding: Promise<void> | undefined;
  proxy.before = async (what) => {
    if (what === `POST ${memories} ${one.id}` && first(what))
      await stores.change(store, one, "theirs");
    if (what === `DELETE ${memories} ${two.id}` && first(what))
      await stores.change(store, two, "theirs");
    // Both new files are sent at once: neither gets there before these.
    if (what === `POST ${memories}`) await (adding ??= addTheirs());
    return undefined;
  };
  // An answer that is lost is no second write.
  proxy.after = (what) =>
    what === `POST ${memories} ${one.id}` && first(`after ${what}`) ? "cut" : undefined;
  const worker = start(hosted, { baseUrl: proxy.url });
  await turnEnd(session);
  await worker.stop();
  assert.equal(raced.size, 3);
  assert.deepEqual(await stores.texts(store), {
    "/changed": "theirs",
    "/deep/er": "theirs",
    "/gone": "theirs",
    "/new": "theirs",
  });
  const notes = ((await blocksOf(session))[0] ?? []).filter((text) => text.startsWith("["));
  for (const words of [
    /raced\/changed was changed/,
    /raced\/new was changed/,
    /raced\/deep cannot stand/,
  ])
    assert.match(notes.join("\n"), words);
  assert.equal(notes.length, 3, JSON.stringify(notes));
});

test("[EWK22] what a store does not take stays a file, and is told once", async () => {
  const hosted = await open();
  const store = await stores.make("Refusing");
  const long = "x".repeat(21).split("").join("/");
  const session = await stores.sessionWith(
    hosted,
    [{ store }],
    [
      inStores(
        `cd refusing; printf 'a\\0b' >nul; head -c 102401 /dev/zero | tr '\\0' x >large; head -c 102400 /dev/zero | tr '\\0' x >fits; ln -s /etc/passwd link; mkdir -p ${long}; printf x >${long}/deep; printf x >fine`,
      ),
      inStores("ls refusing"),
      inStores("cd refusing; rm fits; for n in {1..2005}; do echo $n >n$n; done"),
    ].join(" | "),
  );
  const worker = start(hosted);
  await turnEnd(session);
  const [first = [], second = [], third = []] = await blocksOf(session);
  const told = first.filter((text) => text.startsWith("[")).toSorted();
  assert.equal(told.length, 4, JSON.stringify(first));
  const about = (name: string) => told.find((text) => text.includes(`/${name} `)) ?? "";
  assert.match(about("large"), /more than 102400 bytes/);
  assert.match(about("link"), /no regular file/);
  assert.match(about("nul"), /no text in UTF-8/);
  assert.match(about("deep"), /is not kept in the memory store: path: must have at most 20 seg/);
  assert.deepEqual(second.length, 1, "nothing is told twice");
  // `fine` and 1,999 of them: the rest is told, ten and a number.
  const full = third.filter((text) => text.startsWith("["));
  assert.equal(full.length, 6, JSON.stringify(full));
  for (const text of full) assert.match(text, /holds 2000 memories/);
  assert.equal(await stores.count(store), 2_000);
  await worker.stop();
});

test("[EWK23] a session goes on when its stores are archived or deleted", async () => {
  const hosted = await open();
  const [archived, deleted] = [await stores.make("Archived"), await stores.make("Deleted")];
  await stores.add(archived, "/one", "1");
  await stores.add(deleted, "/one", "1");
  const session = await stores.sessionWith(
    hosted,
    [{ store: archived }, { store: deleted }],
    bash("true"),
  );
  const worker = start(hosted);
  await turnEnd(session);
  await stores.archive(archived);
  await stores.destroy(deleted);
  await call(session, inStores("printf 2 >archived/one; printf 2 >deleted/one; cat */one"));
  await turnEnd(session);
  const [said, ...notes] = (await blocksOf(session))[1] ?? [];
  assert.equal(said, "22");
  assert.match(notes.find((note) => note.includes("/archived/one")) ?? "", /is archived/);
  assert.match(notes.find((note) => note.includes("/deleted")) ?? "", /Deleted was deleted/);
  assert.equal(notes.length, 2);
  assert.deepEqual(await stores.texts(archived), { "/one": "1" });
  await worker.stop();
});

test("[EWK24] a worker that begins again knows which side has changed, and begins an empty one with the store", async () => {
  const hosted = await open();
  const store = await stores.make("Kept");
  const one = await stores.add(store, "/theirs", "1");
  await stores.add(store, "/mine", "1");
  await stores.add(store, "/both", "1");
  await stores.add(store, "/gone", "1");
  const directory = temporaryDirectory();
  // It goes on writing when the call has ended: what it writes then this worker takes in no more.
  const session = await stores.sessionWith(hosted, [{ store }], inStores("cat kept/*"));
  const first = start(hosted, { directory });
  await turnEnd(session);
  await first.tells("sent");
  await call(
    session,
    inStores(
      "(sleep 500002; printf 2 >kept/mine; printf mine >kept/both; rm kept/gone; sleep 500003) >/dev/null 2>&1 &",
    ),
  );
  await until(async () => (await results(session)).length === 2, "the second call");
  await turnEnd(session);
  await wake(500_002);
  await until(async () => sleeping(500_003) === 1, "what it left running to have written");
  await first.stop();
  const texts = { "/both": "1", "/gone": "1", "/mine": "1", "/theirs": "1" };
  assert.deepEqual(await stores.texts(store), texts);
  await stores.change(store, one, "2");
  const both = (await stores.versions(store)).find(({ path }) => path === "/both");
  await stores.change(store, { id: both?.memory_id ?? "" } as never, "theirs");
  const second = start(hosted, { directory });
  await call(session, inStores("cat kept/both kept/mine kept/theirs"));
  await until(async () => (await results(session)).length === 3, "the third call");
  await turnEnd(session);
  const [said, ...notes] = (await blocksOf(session))[2] ?? [];
  assert.equal(said, "theirs22");
  assert.match(notes.join(), /kept\/both was changed in the memory store meanwhile/);
  // That it was deleted here is not known to a worker that has not seen it before: it comes back.
  const kept = { "/both": "theirs", "/gone": "1", "/mine": "2", "/theirs": "2" };
  assert.deepEqual(await stores.texts(store), kept);
  await second.stop();
  const anew = temporaryDirectory();
  cpSync(join(directory, "stores"), join(anew, "stores"), { recursive: true });
  const third = start(hosted, { directory: anew });
  await call(session, inStores("ls kept"));
  await until(async () => (await results(session)).length === 4, "the fourth call");
  await turnEnd(session);
  assert.equal((await results(session))[3], "both\ngone\nmine\ntheirs");
  assert.deepEqual(await stores.texts(store), kept, "an empty one deletes nothing");
  await third.stop();
});

test("[EWK25] a worker that is away past its lease writes nothing more, and another one has the session", async () => {
  const hosted = await open();
  const store = await stores.make("Fenced");
  const session = await stores.sessionWith(
    hosted,
    [{ store }],
    inStores("sleep 500004; printf late >fenced/late"),
  );
  await using proxy = await openStepProxy(house.url);
  const late = start(hosted, { baseUrl: proxy.url });
  const { work } = await late.tells("took");
  await until(async () => sleeping(500_004) === 1, "the call to run");
  // Nothing that it sends arrives, and its heartbeats are missed for longer than the lease.
  proxy.before = () => "cut";
  await pass(work, 71);
  await sweep();
  await turnEnd(session);
  assert.match((await results(session)).join(), /the outcome is unknown/);
  const next = start(hosted);
  await call(session, inStores("printf next >fenced/next; ls fenced"));
  await next.tells("sent");
  // On a slow machine it has seen by itself that its lease is over, and has ended the call.
  if (sleeping(500_004) > 0) await wake(500_004);
  const seen = proxy.seen.length;
  proxy.before = () => undefined;
  const lost = await late.tells("lost");
  assert.equal(lost.session, session);
  await turnEnd(session);
  assert.deepEqual(await stores.texts(store), { "/next": "next" });
  assert.equal((await results(session)).length, 2);
  assert.ok(proxy.seen.length > seen);
  for (const { created_by } of await stores.versions(store))
    assert.deepEqual(created_by, { type: "session_actor", session_id: session });
  assert.ok(!late.told.some(({ type }) => type === "sent"));
  await late.stop();
  await next.stop();
});
