// `plinth memory ls`, `get`, `log` and `diff`: what is in stores, and what was.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ls } from "../../cli/memory/ls.ts";
import { get } from "../../cli/memory/get.ts";
import { diff } from "../../cli/memory/show-diff.ts";
import type { CliError } from "../../cli/terminal.ts";
import { expectSentence, openMemoryCommands, type MemoryCommands } from "./memory.ts";

let shelf: MemoryCommands;
before(async () => {
  shelf = await openMemoryCommands();
});
after(async () => {
  await shelf?.[Symbol.asyncDispose]();
});

test("a store is called by its id, or by its name where no other open one has it", async () => {
  const made = await shelf.memory("create", "twin", "--description", "two of them");
  assert.match(made.stdout, /^memstore_\w+\n$/);
  assert.match(made.stderr, /plinth memory put twin:\/first\.md FILE\n$/);
  const id = made.stdout.trim();
  const byName = await shelf.memory("ls", "twin", "--json");
  assert.equal(byName.stdout, '{"data":[]}\n');
  const [other] = (await shelf.memory("create", "twin", "--quiet")).stdout.split("\n");
  expectSentence(
    await shelf.memory("ls", "twin"),
    2,
    new RegExp(
      `2 memory stores have the name "twin": say which by its id, (${id} or ${other}|${other} or ${id})\\.`,
    ),
  );
  assert.equal((await shelf.memory("ls", id)).stderr, `There are no memories in ${id}.\n`);
  const { api_key: key } = shelf.house.organizations.platform;
  const headers = { "vendor-beta": "agent-memory-2026-07-22" };
  await shelf.house.ask("POST", `/v1/memory_stores/${id}/archive`, { key, headers });
  assert.equal((await shelf.memory("ls", "twin", "--json")).stdout, '{"data":[]}\n');
  const stores = await shelf.memory("ls");
  assert.match(stores.stdout, /^ID +MEMORIES +SIZE +MADE +NAME\n/);
  assert.doesNotMatch(stores.stdout, new RegExp(id));
  assert.match(
    (await shelf.memory("ls", "--all")).stdout,
    new RegExp(`${id} .* twin \\(archived\\)\n`),
  );
  expectSentence(
    await shelf.memory("ls", "nobody"),
    1,
    /no memory store "nobody"\. See .*: plinth memory ls\n$/,
  );
  expectSentence(await shelf.memory("ls", "memstore_x"), 1, /no memory store "memstore_x"/);
});

test("a list has folders and memories by path; recursive ones have them all, in whole paths", async () => {
  const store = await shelf.store({
    "/b.md": "b",
    "/a/x.md": "xx",
    "/a/deep/y.md": "yyy",
    "/c": "",
  });
  const top = await shelf.memory("ls", store);
  assert.match(
    top.stdout,
    /^SIZE +CHANGED +PATH\n- +- +\/a\/\n1 B +\d+ s ago +\/b\.md\n0 B .*\/c\n$/,
  );
  for (const folder of [`${store}:/a`, `${store}:/a/`])
    assert.match(
      (await shelf.memory("ls", folder)).stdout,
      /PATH\n- .* \/a\/deep\/\n2 B .* \/a\/x\.md\n$/,
    );
  assert.match((await shelf.memory("ls", `${store}:/b.md`)).stdout, /PATH\n1 B .* \/b\.md\n$/);
  const all = await shelf.memory("ls", "-rl", store);
  const { id, content_sha256: sha256 } = (await shelf.read(store, "/a/x.md")) ?? assert.fail();
  assert.match(all.stdout, new RegExp(`\n${id} +${sha256} +2 +20\\d\\d-\\S+Z +/a/x\\.md\n`));
  assert.deepEqual(
    all.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ").at(-1)),
    ["PATH", "/a/deep/y.md", "/a/x.md", "/b.md", "/c"],
  );
  const json = JSON.parse((await shelf.memory("ls", store, "--json")).stdout);
  assert.deepEqual(
    json.data.map(({ type, path }: { type: string; path: string }) => `${type} ${path}`),
    ["memory_prefix /a/", "memory /b.md", "memory /c"],
  );
  expectSentence(
    await shelf.memory("ls", `${store}:/nowhere/`),
    1,
    /There is nothing at .*:\/nowhere\//,
  );
  const tree = await shelf.onScreen((terminal) => ls(terminal, store, { recursive: true }));
  const column = tree.indexOf("PATH");
  const names = tree.split("\n").map((line) => line.slice(column));
  assert.equal(names.join("\n"), "PATH\na/\n  deep/\n    y.md\n  x.md\nb.md\nc\n", tree);
});

test("get gives the bytes of a memory, and nothing a terminal would obey to a person", async () => {
  const text = "\ufeffone\r\n\u001b[31mtwo\ttabs ✓";
  const store = await shelf.store({ "/a.md": text });
  const { stdout, stderr, code } = await shelf.memory("get", `${store}:/a.md`);
  assert.deepEqual([stdout, stderr, code], [text, "", 0]);
  const out = join(shelf.workshop.directory, "a.md");
  assert.match(
    (await shelf.memory("get", `${store}:/a.md`, "--out", out)).stderr,
    /^25 B in .*a\.md\.\n$/,
  );
  assert.deepEqual(readFileSync(out), Buffer.from(text));
  assert.equal(
    await shelf.onScreen((terminal) => get(terminal, { store, path: "/a.md" }, {})),
    "\ufeffone\n␛[31mtwo\ttabs ✓",
  );
  const json = JSON.parse((await shelf.memory("get", `${store}:/a.md`, "--json")).stdout);
  assert.deepEqual([json.type, json.content], ["memory", text]);
  expectSentence(
    await shelf.memory("get", `${store}:/b.md`),
    1,
    /no memory at .*:\/b\.md\. See .* ls -r 'store \d+'\n$/,
  );
  expectSentence(
    await shelf.memory("get", `${store}:/`),
    1,
    /is a folder, not a memory\. See .* ls '.*:\/'\n$/,
  );
  expectSentence(await shelf.memory("get", store), 2, /must be STORE:\/path/);
  expectSentence(
    await shelf.memory("get", `${store}:/a.md`, "--out", "/proc/nowhere/a"),
    2,
    /no such file or folder\.\n$/,
  );
});

test("an old version is there by its id, also when the memory is gone; one of another memory is not", async () => {
  const store = await shelf.store({ "/a.md": "first", "/other.md": "other" });
  await shelf.write(store, "/a.md", "second");
  const [second, first] = await shelf.versions(store, "/a.md");
  assert.ok(first && second);
  const old = () => shelf.memory("get", `${store}:/a.md`, "--version", first.id);
  assert.equal((await old()).stdout, "first");
  expectSentence(
    await shelf.memory("get", `${store}:/other.md`, "--version", first.id),
    2,
    /is a version of another memory: its path is \/a\.md\.\n$/,
  );
  assert.equal((await shelf.memory("rm", `${store}:/a.md`, "--yes")).code, 0);
  assert.equal((await old()).stdout, "first");
  const [deletion] = await shelf.versions(store, "/a.md");
  expectSentence(
    await shelf.memory("get", `${store}:/a.md`, "--version", deletion?.id ?? ""),
    1,
    /is the deletion of \/a\.md: it has no text\. The version before it has\.\n$/,
  );
  const gone = await shelf.memory("log", `${store}:/a.md`);
  assert.deepEqual(
    gone.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)[2]),
    ["WHAT", "deleted", "modified", "created"],
  );
  expectSentence(await shelf.memory("log", `${store}:/never.md`), 1, /and none was deleted there/);
});

test("the log is newest first, with who and when, of a store or of one memory", async () => {
  const store = await shelf.store({ "/a.md": "1", "/b.md": "2" });
  await shelf.write(store, "/a.md", "3");
  const { stdout, stderr } = await shelf.memory("log", store);
  assert.match(stdout, /^VERSION +AGE +WHAT +SIZE +WHO +PATH\n/);
  const rows = stdout
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    rows.map(([, , what, bytes, , path]) => `${what} ${bytes} ${path}`),
    ["modified 1 B /a.md", "created 1 B /b.md", "created 1 B /a.md"],
  );
  assert.ok(rows.every(([, , , , who]) => who?.startsWith("apikey_")));
  assert.equal(stderr, "");
  const some = await shelf.memory("log", store, "--limit", "2");
  assert.equal(some.stdout.trimEnd().split("\n").length, 3);
  assert.match(some.stderr, /^There are more: plinth memory log 'store \d+' --limit 20\n$/);
  const json = JSON.parse((await shelf.memory("log", `${store}:/a.md`, "--json")).stdout);
  assert.deepEqual(
    json.data.map(({ operation }: { operation: string }) => operation),
    ["modified", "created"],
  );
  assert.equal(json.has_more, false);
});

test("diff says what the last write changed, what changed since a version, and between two", async () => {
  const store = await shelf.store({ "/a.md": "one\n" });
  for (const text of ["one\ntwo\n", "two\n"]) await shelf.write(store, "/a.md", text);
  const [third, second, first] = await shelf.versions(store, "/a.md");
  assert.ok(first && second && third);
  const at = `${store}:/a.md`;
  const run = async (...args: string[]) => (await shelf.memory("diff", at, ...args)).stdout;
  const head = (from: string, to: string) => `--- ${at}\t${from}\n+++ ${at}\t${to}\n`;
  assert.equal(await run(), `${head(second.id, third.id)}@@ -1,2 +1 @@\n-one\n two\n`);
  assert.equal(await run(first.id), `${head(first.id, third.id)}@@ -1 +1 @@\n-one\n+two\n`);
  assert.equal(
    await run(first.id, second.id, "-U", "0"),
    `${head(first.id, second.id)}@@ -1,0 +2 @@\n+two\n`,
  );
  const file = shelf.file("mine.md", "two\nthree");
  assert.match(
    await run("--file", file),
    /\+\+\+ \S+mine\.md\n@@ .* @@\n two\n\+three\n\\ No newline/,
  );

  const same = await shelf.memory("diff", at, first.id, first.id);
  assert.deepEqual([same.code, same.stdout], [0, ""]);
  assert.match(same.stderr, /have the same text\.\n$/);
  const differ = await shelf.memory("diff", at, "--exit-code");
  assert.deepEqual([differ.code, differ.stderr], [4, "plinth: They differ.\n"]);
  assert.equal((await shelf.memory("diff", at, first.id, first.id, "--exit-code")).code, 0);
  const json = JSON.parse(await run(first.id, "--json"));
  assert.equal(json.is_different, true);
  assert.match(json.diff, /\n-one\n\+two\n$/);

  const place = { store, path: "/a.md" };
  const screen = await shelf.onScreen((terminal) => diff(terminal, place, [], { context: 3 }));
  assert.match(
    screen,
    /^<bold --- .*>\n<bold \+\+\+ .*>\n<cyan @@ -1,2 \+1 @@>\n<red -one>\n two\n$/,
  );
  expectSentence(await shelf.memory("diff", at, "a", "b", "c"), 2, /between two versions/);
  const lone = await shelf.store({ "/x": "new\n" });
  assert.match(
    (await shelf.memory("diff", `${lone}:/x`)).stdout,
    /^--- \/dev\/null\n.*\n@@ -0,0 \+1 @@\n\+new\n$/,
  );
});

test("a server that does not answer, and a key that is none, are told as by every command", async () => {
  const away = { PLINTH_BASE_URL: "http://127.0.0.1:1" };
  expectSentence(await shelf.withEnv(away, "ls"), 1, /The server does not answer/);
  expectSentence(
    await shelf.withEnv({ PLINTH_API_KEY: "sk-none" }, "ls"),
    3,
    /\(request req_\w+\)\n$/,
  );
  expectSentence(await shelf.withEnv({ PLINTH_API_KEY: "" }, "ls"), 3, /Set PLINTH_API_KEY/);
  await assert.rejects(
    shelf.onScreen((terminal) => ls({ ...terminal, env: {} }, undefined, {})),
    (error: CliError) => error.exitCode === 3,
  );
});
