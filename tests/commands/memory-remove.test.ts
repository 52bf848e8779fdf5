// `plinth memory rm` and `redact`: what goes is said first, asked for, and what stays is said after.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { redact } from "../../cli/memory/redact.ts";
import { rm } from "../../cli/memory/rm.ts";
import type { RmFlags } from "../../cli/memory/options.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { openScreen } from "./screen.ts";
import { expectSentence, openMemoryCommands, type MemoryCommands } from "./memory.ts";

let shelf: MemoryCommands;
before(async () => {
  shelf = await openMemoryCommands();
});
after(async () => {
  await shelf?.[Symbol.asyncDispose]();
});

/** What a person sees who answers so, and the sentence it ended with. */
async function answering(answer: string, act: (terminal: Terminal) => Promise<void>) {
  const screen = openScreen(shelf.env, { readLine: async () => answer });
  let refusal = "";
  try {
    await act(screen.terminal);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    refusal = error.message;
  }
  return { text: screen.text(), refusal };
}

const remove = (answer: string, what: string, flags: RmFlags = {}) =>
  answering(answer, (terminal) => rm(terminal, what, flags));

test("a memory is deleted when a person agrees, or when --yes says so where nobody is", async () => {
  const store = await shelf.store({ "/a.md": "text", "/b.md": "b" });
  const at = `${store}:/a.md`;
  const refused = await shelf.memory("rm", at);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /plinth: Nobody is there to be asked\. Say it with --yes\.\n$/);
  for (const answer of ["", "n", "nope"]) {
    const { text, refusal } = await remove(answer, at);
    assert.equal(
      text,
      `${at} (4 B) will be deleted. Versions stay for 30 days: until then the text can be read and put back.\nDelete? [y/N] `,
    );
    assert.equal(refusal, "Nothing was deleted.");
  }
  assert.ok(await shelf.read(store, "/a.md"));
  const { text } = await remove("y", at);
  assert.match(
    text,
    /\[y\/N\] deleted store \d+:\/a\.md\n<Its versions: plinth memory log '.*:\/a\.md'>\n$/,
  );
  assert.equal(await shelf.read(store, "/a.md"), undefined);
  const json = await shelf.memory("rm", `${store}:/b.md`, "--yes", "--json");
  assert.deepEqual(
    JSON.parse(json.stdout).deleted.map(({ path }: { path: string }) => path),
    ["/b.md"],
  );
  assert.equal(json.stderr, "");
  expectSentence(await shelf.memory("rm", at, "--yes"), 1, /There is no memory at/);
});

test("what somebody writes while the question stands is not deleted", async () => {
  const store = await shelf.store({ "/a.md": "seen" });
  const screen = openScreen(shelf.env, {
    readLine: async () => {
      await shelf.write(store, "/a.md", "not seen");
      return "y";
    },
  });
  await assert.rejects(
    rm(screen.terminal, `${store}:/a.md`, {}),
    /has changed: .* Nothing was deleted\.$/,
  );
  assert.equal((await shelf.read(store, "/a.md"))?.content, "not seen");
});

test("a folder wants -r, a store wants --store and its name", async () => {
  const store = await shelf.store({ "/a/1": "1", "/a/b/2": "22", "/ab": "3", "/c": "4" });
  expectSentence(
    await shelf.memory("rm", `${store}:/a/`, "--yes"),
    2,
    /is a folder: say -r to delete all in it\.\n$/,
  );
  expectSentence(await shelf.memory("rm", `${store}:/a`, "--yes"), 1, /is a folder, not a memory/);
  expectSentence(
    await shelf.memory("rm", `${store}:/none`, "-r", "--yes"),
    1,
    /There is nothing at/,
  );
  const { text } = await remove("yes", `${store}:/a`, { recursive: true });
  assert.match(text, /^All 2 in store \d+:\/a \(3 B\) will be deleted\./);
  assert.match(text.replace(/.*↺/s, ""), /^deleted .*:\/a\/1\ndeleted .*:\/a\/b\/2\n$/);
  const one = await shelf.memory("rm", `${store}:/c`, "-r", "--yes");
  assert.match(one.stdout, /^deleted .*:\/c\n$/);
  const left = await shelf.memory("ls", "-r", store);
  assert.match(left.stdout, /PATH\n.* \/ab\n$/);

  expectSentence(
    await shelf.memory("rm", store, "--yes"),
    2,
    /To delete the whole store: plinth memory rm --store 'store/,
  );
  expectSentence(await shelf.memory("rm", "-r", store, "--yes"), 2, /To delete the whole store/);
  expectSentence(
    await shelf.memory("rm", `${store}:/`, "--store", "--yes"),
    2,
    /name it without a path/,
  );
  const wrong = await remove("y", store, { store: true });
  assert.match(
    wrong.text,
    /will be deleted with 1 memory and all versions, 5 B in all\. That cannot be undone\./,
  );
  assert.equal(wrong.refusal, "Nothing was deleted.");
  const right = await remove(store, store, { store: true });
  assert.match(right.text, /Write its name to go on: deleted memstore_\w+\n$/);
  expectSentence(await shelf.memory("ls", store), 1, /no memory store/);
});

test("redact says what is gone, and what it does not reach", async () => {
  const store = await shelf.store({ "/a.md": "secret" });
  for (const text of ["secret 2", "clean"]) await shelf.write(store, "/a.md", text);
  const [head, second, first] = await shelf.versions(store);
  assert.ok(head && second && first);
  const asked = await answering("n", (terminal) =>
    redact(terminal, store, [first.id, first.id], {}),
  );
  assert.match(
    asked.text,
    /^Text, path and hash of 1 version will be gone for good\. That cannot be undone\.\nRedact\? /,
  );
  assert.equal(asked.refusal, "Nothing was redacted.");
  expectSentence(
    await shelf.memory("get", `${store}:/a.md`, "--version", head.id, "--out", "/proc/nowhere/x"),
    2,
    /no such file/,
  );

  const done = await shelf.memory(
    "redact",
    store,
    first.id,
    "--yes",
    "--reason",
    "a key was in it",
  );
  assert.match(done.stdout, new RegExp(`^redacted ${first.id} 20\\S+Z\n$`));
  assert.match(
    done.stderr,
    /^Who wrote and when stays\. Not reached: .* backups of the database, and exports made before\.\n$/,
  );
  const gone = (await shelf.versions(store)).find(({ id }) => id === first.id);
  assert.deepEqual(
    [gone?.content, gone?.path, gone?.redaction_reason],
    [null, null, "a key was in it"],
  );
  expectSentence(
    await shelf.memory("get", `${store}:/a.md`, "--version", first.id),
    1,
    /is gone: it was redacted at 20\S+Z \(a key was in it\)\.\n$/,
  );
  assert.match((await shelf.memory("log", store)).stdout, /\(redacted: a key was in it\)\n$/);
  // What went before is passed by.
  const diff = await shelf.memory("diff", `${store}:/a.md`);
  assert.match(diff.stdout, new RegExp(`^--- .*\t${second.id}\n`));

  const some = await shelf.memory("redact", store, second.id, head.id, "--yes", "--json");
  assert.equal(some.code, 1);
  assert.match(some.stderr, /is the head of a live memory: .* 1 of 2 versions are redacted\.\n$/);
  assert.deepEqual(
    JSON.parse(some.stdout).data.map(({ id }: { id: string }) => id),
    [second.id],
  );
  assert.match((await shelf.memory("diff", `${store}:/a.md`)).stdout, /^--- \/dev\/null\n/);
  expectSentence(
    await shelf.memory("redact", store, "memver_none", "--yes"),
    1,
    /plinth memory log shows which/,
  );
  expectSentence(
    await shelf.memory("redact", `${store}:/a.md`, first.id, "--yes"),
    2,
    /without a path/,
  );
});
