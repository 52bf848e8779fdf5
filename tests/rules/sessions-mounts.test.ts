// Rules SES80 to SES84 and SES88: memory stores in the sandbox of a session.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { syncMounts } from "../../server/sessions/sandbox/mounts/mounts.ts";
import { openHouse, type House } from "../house.ts";
import { type Memory, memoryOf, type Page, type Store } from "./memory-house.ts";
import { given, listing, type MountedTest, mountsOf, storesOfTests } from "./mounts-house.ts";
import { type SessionCalls, sessionsOf } from "./sessions-house.ts";

let house: House;
let it: SessionCalls;
let memory: ReturnType<typeof memoryOf>;
before(async () => {
  house = await openHouse();
  it = sessionsOf(() => house);
  memory = memoryOf(() => house);
});
after(() => house[Symbol.asyncDispose]());

const { makeStore, add, change, remove, texts, versions, sessionWith } = storesOfTests(() => house);

const mounted = async (...stores: object[]): Promise<MountedTest> =>
  mountsOf(house.world, await sessionWith(...stores));

test("[SES80] stores are there before the first call, and follow the API", async () => {
  const [notes, facts] = [await makeStore("My notes"), await makeStore("Facts")];
  const one = await add(notes, "/deep/one.md", "1");
  await add(facts, "/fact", "true");
  await add(facts, "/empty", "");
  using at = await mounted(given(notes), given(facts, { access: "read_only" }));
  await at.prepare();
  assert.equal(
    await at.say(listing),
    "./facts/empty \n./facts/fact true\n./my-notes/deep/one.md 1\n",
  );
  await change(notes, one, "2");
  await add(notes, "/two", "two");
  await add(facts, "/more/facts", "also");
  await at.prepare();
  assert.equal(
    await at.say(listing),
    "./facts/empty \n./facts/fact true\n./facts/more/facts also\n./my-notes/deep/one.md 2\n./my-notes/two two\n",
  );
  await remove(notes, one);
  const { data } = await memory.good<Page<Memory>>("GET", `/${facts.id}/memories`);
  for (const fact of data) await remove(facts, fact);
  await at.prepare();
  assert.equal(await at.say(listing), "./my-notes/two two\n");
  assert.equal((await versions(notes)).length, 4, "and nothing went back");
});

test("[SES80] what is as it was costs one look", async () => {
  const store = await makeStore("still");
  await add(store, "/a", "a");
  using at = await mounted(given(store));
  await at.prepare();
  await at.say("touch -d '1 hour ago' /mnt/memory/still/a");
  await new Promise((resolve) => setTimeout(resolve, 1100)); // the kernel's clock: see settledMs
  await at.prepare();
  const before = at.sandbox.calls;
  await at.prepare();
  assert.equal(at.sandbox.calls - before, 1, "a list, and nothing to read");
});

test("[SES81] what the agent writes is versions of the session, each once", async () => {
  const store = await makeStore("written");
  await add(store, "/gone", "x");
  await add(store, "/kept", "x");
  await add(store, "/changed", "x");
  using at = await mounted(given(store));
  const notes = await at.call(
    "cd /mnt/memory/written; rm gone; printf y >changed; mkdir -p a/b; printf 'é\\n' >a/b/new; : >empty",
  );
  assert.deepEqual(notes, []);
  assert.deepEqual(await texts(store), {
    "/a/b/new": "é\n",
    "/changed": "y",
    "/empty": "",
    "/kept": "x",
  });
  const written = (await versions(store)).slice(0, 4);
  assert.deepEqual(written.map(({ operation }) => operation).toSorted(), [
    "created",
    "created",
    "deleted",
    "modified",
  ]);
  for (const { created_by } of written)
    assert.deepEqual(created_by, { type: "session_actor", session_id: at.session.id });
  await at.call("true");
  await at.call(
    "touch /mnt/memory/written/kept; mv /mnt/memory/written/a/b/new /mnt/memory/written/a/moved",
  );
  assert.equal((await versions(store)).length, 7 + 2, "only what changed leaves versions");
  assert.equal((await texts(store))["/a/moved"], "é\n");
});

test("[SES81] a change of the same size within the same second is seen", async () => {
  const store = await makeStore("quick");
  using at = await mounted(given(store));
  for (const text of ["a", "b", "c", "d"]) {
    await at.call(`printf ${text} >/mnt/memory/quick/file`);
    assert.deepEqual(await texts(store), { "/file": text });
  }
});

test("[SES82] what both sides changed stays as the store has it, and the agent's text is kept", async () => {
  const store = await makeStore("both");
  const one = await add(store, "/one", "1");
  const two = await add(store, "/two", "2");
  const three = await add(store, "/three", "3");
  using at = await mounted(given(store));
  await at.prepare();
  await change(store, one, "theirs");
  await remove(store, two);
  await change(store, three, "theirs");
  await at.say("cd /mnt/memory/both; printf mine >one; printf mine >two; rm three");
  const { notes } = await syncMounts(at.mounts);
  assert.deepEqual(await texts(store), { "/one": "theirs", "/three": "theirs" });
  assert.equal(await at.say(listing), "./both/one theirs\n./both/three theirs\n");
  assert.equal(notes.length, 2);
  for (const [index, path, cause] of [
    [0, "one", "changed"],
    [1, "two", "deleted"],
  ] as const) {
    const note = notes.toSorted()[index] ?? "";
    assert.match(note, new RegExp(`^/mnt/memory/both/${path} was ${cause} in the memory store`));
    const kept = / kept in (\S+)\. /.exec(note)?.[1];
    assert.equal(await at.say(`cat ${kept}`), "mine");
  }
  assert.deepEqual(await at.call("true"), [], "it is told once");
});

test("[SES82] texts that came to be the same are no conflict", async () => {
  const store = await makeStore("same");
  const one = await add(store, "/one", "1");
  using at = await mounted(given(store));
  await at.prepare();
  await change(store, one, "2");
  assert.deepEqual(await at.call("printf 2 >/mnt/memory/same/one"), []);
  assert.equal((await versions(store)).length, 2);
});

test("[SES82] a file where others have a folder is put aside", async () => {
  const store = await makeStore("in the way");
  using at = await mounted(given(store));
  await at.prepare();
  await add(store, "/a/b", "theirs");
  await at.say("printf mine >/mnt/memory/in-the-way/a");
  const { notes } = await syncMounts(at.mounts);
  assert.match(notes[0] ?? "", /in-the-way\/a cannot stand beside \/a\/b/);
  assert.equal(await at.say(listing), "./in-the-way/a/b theirs\n");
});

test("[SES83] what no store takes is told once, and stays a file", async () => {
  const store = await makeStore("refusing");
  using at = await mounted(given(store));
  const long = "x".repeat(21).split("").join("/");
  const notes = await at.call(
    `cd /mnt/memory/refusing; printf 'a\\0b' >nul; printf '\\377' >binary; head -c 102401 /dev/zero | tr '\\0' x >large; head -c 102400 /dev/zero | tr '\\0' x >fits; ln -s /etc/passwd link; mkfifo pipe; mkdir -p ${long}; printf x >${long}/deep; printf x >$'line\\nbreak'; printf x >.anthropic-memory-store; printf x >fine`,
  );
  const { "/fits": fits, ...rest } = await texts(store);
  assert.equal(fits?.length, 102_400);
  assert.deepEqual(rest, { "/fine": "x" });
  const told: string[] = notes.map((note) => /refusing\/(\S+)/.exec(note)?.[1] ?? "").toSorted();
  assert.deepEqual(told, ["binary", "large", "line", "link", "nul", "pipe", `${long}/deep`]);
  assert.deepEqual(await at.call("true"), []);
  assert.deepEqual(await at.call("printf text >/mnt/memory/refusing/binary"), []);
  assert.equal((await texts(store))["/binary"], "text");
  assert.equal(await at.say("cat /mnt/memory/refusing/large | wc -c"), "102401\n");
});

test("[SES83] a full store is told, and takes more when there is room", async () => {
  const store = await makeStore("full");
  using at = await mounted(given(store));
  const first = await at.call("cd /mnt/memory/full; for n in {1..2005}; do echo $n >$n; done");
  assert.equal(first.length, 5);
  for (const note of first) assert.match(note, /holds 2000 memories/);
  assert.deepEqual(await at.call("true"), []);
  await at.call("cd /mnt/memory/full; ls | sort -n | head -n 1900 | xargs rm");
  assert.equal(Object.keys(await texts(store)).length, 20, "a page, full of them");
  const { memory_count } = await memory.good<Store>("GET", `/${store.id}`);
  assert.equal(memory_count, 105);
});

test("[SES83] where not all can be seen, nothing counts as deleted", async () => {
  const store = await makeStore("unseen");
  await add(store, "/a/one", "1");
  using at = await mounted(given(store));
  await at.prepare();
  // A list of files that is cut off, as that of 100,000 is: the provider says so.
  const whole = at.sandbox.exec.bind(at.sandbox);
  at.sandbox.exec = async (request) => {
    const result = await whole(request);
    return result.output.includes("unseen/a/one") ? { ...result, isTruncated: true } : result;
  };
  await at.say("rm /mnt/memory/unseen/a/one; printf x >/mnt/memory/unseen/new");
  at.sandbox.exec = async (request) => ({ ...(await whole(request)), isTruncated: true });
  const { notes } = await syncMounts(at.mounts);
  assert.match(notes[0] ?? "", /cannot be read whole/);
  assert.deepEqual(await texts(store), { "/a/one": "1", "/new": "x" });
  at.sandbox.exec = whole;
  await at.call("true");
  assert.deepEqual(await texts(store), { "/new": "x" });
});

test("[SES84] a session goes on when its store is archived or deleted", async () => {
  const [archived, deleted] = [await makeStore("archived"), await makeStore("deleted")];
  await add(archived, "/one", "1");
  await add(deleted, "/one", "1");
  using at = await mounted(given(archived), given(deleted));
  await at.prepare();
  await memory.good("POST", `/${archived.id}/archive`);
  await memory.good("DELETE", `/${deleted.id}`);
  const line = "for f in archived deleted; do printf 2 >/mnt/memory/$f/one; done";
  const notes = await at.call(line);
  assert.match(notes.find((note) => note.includes("memory/archived/one")) ?? "", /is archived/);
  assert.match(notes.find((note) => note.includes("/deleted")) ?? "", /deleted was deleted/);
  assert.equal(notes.length, 2);
  assert.deepEqual(await texts(archived), { "/one": "1" });
  assert.equal(await at.say(listing), "./archived/one 2\n./deleted/one 2\n");
  assert.deepEqual(await at.call("true"), []);
});

test("[SES84] another process takes a sandbox over, and another sandbox begins with the store", async () => {
  const store = await makeStore("over");
  const one = await add(store, "/old", "1");
  const two = await add(store, "/both", "1");
  await add(store, "/mine", "1");
  const gone = await add(store, "/gone", "1");
  const id = await sessionWith(given(store));
  using first = await mountsOf(house.world, id);
  await first.prepare();
  await first.say("cd /mnt/memory/over; printf mine >mine; printf mine >both; printf new >new");
  await change(store, one, "2");
  await change(store, two, "theirs");
  await remove(store, gone);
  // It knows nothing of what the first one gave to the sandbox.
  const second = await mountsOf(house.world, id, first.sandbox);
  await second.prepare();
  assert.deepEqual(await texts(store), {
    "/both": "theirs",
    "/mine": "1",
    "/new": "new",
    "/old": "2",
  });
  assert.equal(
    await second.say(`${listing}; cat /workspace/.memory-conflicts/over/*/*`),
    "./over/both theirs\n./over/mine 1\n./over/new new\n./over/old 2\nminemine",
  );
  await second.say("rm -rf /mnt/memory/over /mnt/session/uploads; mkdir -p /mnt/memory/over");
  await second.prepare();
  await second.prepare();
  assert.equal(Object.keys(await texts(store)).length, 4, "an empty sandbox deletes nothing");
  assert.match(await second.say(listing), /over\/new new/);
});

test("[SES84] what the session wrote last is no change of another, whatever its process", async () => {
  const store = await makeStore("own");
  await add(store, "/one", "1");
  await add(store, "/two", "1");
  const id = await sessionWith(given(store));
  using first = await mountsOf(house.world, id);
  await first.call("cd /mnt/memory/own; printf 2 >one; printf 2 >two");
  // Its process dies in the middle of the next call; one file is what it was at first.
  await first.say("cd /mnt/memory/own; printf 3 >one; printf 1 >two");
  const second = await mountsOf(house.world, id, first.sandbox);
  assert.deepEqual(await second.call("true"), []);
  assert.deepEqual(await texts(store), { "/one": "3", "/two": "1" });
});

test("[SES88] the console shows what agents were told, newest first", async () => {
  const store = await makeStore("told");
  using at = await mounted(given(store));
  const { cookie } = house.organizations.platform;
  const path = `/console/api/sessions/${at.session.id}/mount_notes`;
  const list = async () => {
    const { status, body } = await house.ask("GET", path, { cookie });
    assert.equal(status, 200);
    return (body as { data: { kind: string; memory_store_id: string; text: string }[] }).data;
  };
  assert.deepEqual(await list(), []);
  await at.call("printf '\\377' >/mnt/memory/told/one");
  await at.call("printf '\\377' >/mnt/memory/told/two");
  const told = await list();
  assert.deepEqual(
    told.map(({ kind, memory_store_id, text }) => [kind, memory_store_id, text.slice(0, 20)]),
    ["two", "one"].map((name) => ["refused", store.id, `/mnt/memory/told/${name}`]),
  );
  const many = await at.call("cd /mnt/memory/told; for n in {1..250}; do printf '\\377' >$n; done");
  assert.equal(many.length, 11);
  assert.equal(many.at(-1), "240 more files have problems of this kind.");
  assert.equal((await list()).length, 200);
  const events = await it.events(at.session.id);
  assert.ok(!JSON.stringify(events).includes("memory/told"), "and no event does");
});
