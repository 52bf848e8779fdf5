// `plinth memory put` and `edit`: texts go into stores, and never over what was not seen.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { edit } from "../../cli/memory/edit.ts";
import { put } from "../../cli/memory/put.ts";
import { writeUnlessChanged } from "../../cli/memory/write.ts";
import { CliError } from "../../cli/terminal.ts";
import { createClient } from "../../contract/client.ts";
import type { Memory } from "../../contract/types.ts";
import { until } from "../rules/support.ts";
import { openScreen } from "./screen.ts";
import { expectSentence, openMemoryCommands, type MemoryCommands } from "./memory.ts";

let shelf: MemoryCommands;
before(async () => {
  shelf = await openMemoryCommands();
  // Texts that are kept for a person go with the shelf.
  process.env["TMPDIR"] = shelf.workshop.directory;
});
after(async () => {
  await shelf?.[Symbol.asyncDispose]();
});

const contentAt = async (store: string, path: string) => (await shelf.read(store, path))?.content;

test("put creates, updates or leaves a text as it is, from files and pipes, byte for byte", async () => {
  const store = await shelf.store();
  const text = "\ufeffä\r\nno end";
  const file = shelf.file("a.md", text);
  const made = await shelf.memory("put", `${store}:/notes/a.md`, file);
  assert.match(made.stdout, new RegExp(`^created ${store}:/notes/a\\.md memver_\\w+\n$`));
  assert.equal(await contentAt(store, "/notes/a.md"), text);
  assert.match(
    (await shelf.memory("put", `${store}:/notes/`, file)).stdout,
    /^unchanged .*\/notes\/a\.md /,
  );
  const piped = await shelf.piped("other", "put", `${store}:/notes/a.md`);
  assert.match(piped.stdout, /^updated /);
  assert.equal(await contentAt(store, "/notes/a.md"), "other");
  assert.equal((await shelf.versions(store)).length, 2);
  const json = JSON.parse((await shelf.piped("", "put", `${store}:/empty`, "-", "--json")).stdout);
  assert.deepEqual([json.created, json.updated, json.unchanged], [1, 0, 0]);
  assert.equal(json.data[0].memory.path, "/empty");
  const quiet = await shelf.piped("x", "put", `${store}:/empty`, "--quiet");
  assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "", ""]);
});

test("--create writes over nothing, and --expect only over the text that has the hash", async () => {
  const store = await shelf.store({ "/a.md": "one" });
  const at = `${store}:/a.md`;
  expectSentence(
    await shelf.piped("two", "put", at, "-", "--create"),
    1,
    /is there already, and --create/,
  );
  const hash = (await shelf.read(store, "/a.md"))?.content_sha256 ?? "";
  const stale = hash.replaceAll(/./g, (sign) => (sign === "0" ? "1" : "0"));
  expectSentence(
    await shelf.piped("two", "put", at, "-", "--expect", stale),
    1,
    /does not have the hash that --expect names: .* plinth memory log/,
  );
  assert.equal(await contentAt(store, "/a.md"), "one");
  assert.equal((await shelf.piped("two", "put", at, "-", "--expect", hash.toUpperCase())).code, 0);
  assert.equal(await contentAt(store, "/a.md"), "two");
  expectSentence(
    await shelf.piped("x", "put", `${store}:/b`, "-", "--expect", hash),
    1,
    /no memory at .*, and --expect wants one/,
  );
  expectSentence(await shelf.piped("x", "put", at, "-", "--expect", "abc"), 2, /must be a SHA-256/);
});

test("what is no text, too long or no place is refused with a sentence, and nothing is written", async () => {
  const store = await shelf.store({ "/a": "here" });
  const put = (content: string | Buffer, path = "/new") =>
    shelf.piped(content, "put", store + ":" + path);
  expectSentence(await put(Buffer.of(0xff, 0xfe)), 1, /standard input is not text in UTF-8/);
  expectSentence(await put("a\0b"), 1, /holds a NUL byte/);
  expectSentence(await put("x".repeat(102_401)), 1, /too long: a memory holds 102,400 bytes/);
  const long = shelf.file("long", "x".repeat(102_401));
  expectSentence(
    await shelf.memory("put", `${store}:/new`, long),
    1,
    /long is too long: .* it has 102,401\./,
  );
  expectSentence(await put("x", "/a/below"), 1, /stands below another memory/);
  expectSentence(await put("x", "/folder/"), 2, /is a folder: say which path/);
  expectSentence(await put("x", "/../x"), 1, /segment/);
  expectSentence(await shelf.memory("put", `${store}:/new`, "/nowhere"), 2, /no such file/);
  expectSentence(await shelf.piped("x", "put", "nobody:/x"), 1, /no memory store "nobody"/);
  assert.equal((await shelf.versions(store)).length, 1);
});

test("a folder goes in whole, only what differs is sent, and links and hidden files stay out", async () => {
  const store = await shelf.store({ "/docs/b.md": "old", "/docs/theirs.md": "stays" });
  const folder = dirname(shelf.file("tree/a.md", "A"));
  shelf.file("tree/b.md", "new");
  shelf.file("tree/sub/e\u0301.md", "composed");
  shelf.file("tree/.git/config", "hidden");
  symlinkSync("/etc/passwd", join(folder, "link"));
  const first = await shelf.memory("put", `${store}:/docs`, folder);
  assert.match(
    first.stdout,
    new RegExp(
      `^created ${store}:/docs/a\\.md memver_\\w+\nupdated ${store}:/docs/b\\.md memver_\\w+\ncreated ${store}:/docs/sub/\u00e9\\.md memver_\\w+\n2 created, 1 updated, 0 unchanged\n$`,
    ),
  );
  assert.match(
    first.stderr,
    /^Left out: \S+\/\.git \(hidden\), \S+\/link \(a link\)\. --all takes hidden ones\.\n$/,
  );
  assert.equal((await shelf.versions(store)).length, 5);
  const again = await shelf.memory("put", `${store}:/docs/`, folder, "--json");
  assert.equal(again.stderr, "");
  const json = JSON.parse(again.stdout);
  assert.deepEqual([json.created, json.updated, json.unchanged, json.data.length], [0, 0, 3, 3]);
  assert.equal(
    (await shelf.memory("put", `${store}:/docs`, folder, "--all")).stdout.split("\n").at(-2),
    "1 created, 0 updated, 3 unchanged",
  );
  expectSentence(
    await shelf.memory("put", `${store}:/docs`, folder, "--create", "--quiet"),
    1,
    /:\/docs\/a\.md, and 2 more, is there already.*Nothing was written\.\n$/,
  );
  shelf.file("tree/z.png", Buffer.of(0x89, 0x50, 0xff));
  shelf.file("tree/a.md", "changed");
  expectSentence(
    await shelf.memory("put", `${store}:/docs`, folder, "--quiet"),
    1,
    /z\.png is not text in UTF-8, .* Nothing was written\.\n$/,
  );
  assert.equal(await contentAt(store, "/docs/a.md"), "A");
  assert.equal(await contentAt(store, "/docs/theirs.md"), "stays");
});

test("a folder that breaks off in the middle says how far it came, and the same command goes on", async () => {
  const store = await shelf.store({ "/x/b": "in the way" });
  const folder = dirname(shelf.file("broken/a.md", "A"));
  shelf.file("broken/b/c.md", "below a memory");
  const broken = await shelf.memory("put", `${store}:/x/`, folder);
  assert.equal(broken.code, 1);
  assert.match(
    broken.stderr,
    /stands below another memory.* 1 of 2 files had been written; the same command goes on with the rest\.\n$/,
  );
  assert.match(broken.stdout, /^created .*:\/x\/a\.md memver_\w+\n$/);
  await shelf.memory("rm", `${store}:/x/b`, "--yes");
  const rest = await shelf.memory("put", `${store}:/x/`, folder);
  assert.match(rest.stdout, /^created .*\/x\/b\/c\.md .*\n1 created, 0 updated, 1 unchanged\n$/);
});

test("Ctrl-C in the middle of a folder says how far it came", async () => {
  const store = await shelf.store();
  for (let at = 0; at < 40; at++) shelf.file(`many/${at}.md`, `${at}`);
  const folder = join(shelf.workshop.directory, "many");
  const screen = openScreen(shelf.env);
  const { terminal } = screen;
  const note = (text: string) => {
    if (text.includes("Written 1 of 40")) screen.interrupt();
    terminal.note(text);
  };
  await assert.rejects(
    put({ ...terminal, note }, { store, path: "/" }, folder, {}),
    (error: CliError) => {
      const [, written] =
        /^Stopped\. (\d+) of 40 files had been written; the same command goes on/.exec(
          error.message,
        ) ?? [];
      return error.exitCode === 130 && Number(written) < 40;
    },
  );
  // What the server had begun to write may come in between, which ends the command once more.
  const rest = await until(async () => {
    const again = await shelf.memory("put", `${store}:/`, folder);
    return again.code === 0 ? again : undefined;
  }, "the rest of the folder");
  const [, created, unchanged] =
    /(?:^|\n)(\d+) created, 0 updated, (\d+) unchanged\n$/.exec(rest.stdout) ?? [];
  assert.equal(Number(created) + Number(unchanged), 40);
  assert.ok(Number(unchanged) > 0, rest.stdout);
});

test("what somebody else writes between the look and the write is not written over", async () => {
  const store = await shelf.store({ "/a.md": "seen" });
  const seen = await shelf.read(store, "/a.md");
  assert.ok(seen);
  const { PLINTH_API_KEY: key = "", PLINTH_BASE_URL: baseUrl = "" } = shelf.env;
  const client = createClient({ baseUrl, headers: { "x-api-key": key } });
  const write = (path: string, head: Memory | undefined) =>
    writeUnlessChanged(
      client,
      { storeId: seen.memory_store_id, path, current: head, text: "mine", sha256: "" },
      { store, path },
      {},
    );
  const refused =
    /^CliError: .*changed while it was written: it is left as it is now\. See what happened: plinth memory log /;
  await shelf.write(store, "/a.md", "theirs");
  await assert.rejects(write("/a.md", seen), refused);
  await assert.rejects(write("/a.md", undefined), refused);
  assert.equal(await contentAt(store, "/a.md"), "theirs");
  await shelf.memory("rm", `${store}:/a.md`, "--yes");
  await assert.rejects(write("/a.md", seen), refused);
});

/** An editor that is a line of shell with the file as $1. */
const editor = (script: string) => ({ EDITOR: `sh -c '${script}' editor` });

test("edit opens the text in the editor, in a file of one's own, and writes it back", async () => {
  const store = await shelf.store({ "/notes/todo.md": "one\n" });
  const at = `${store}:/notes/todo.md`;
  const seen = join(shelf.workshop.directory, "seen");
  const script = `stat -c "%a %n" "$1" > ${seen}; echo two >> "$1"`;
  const { stdout, code, stderr } = await shelf.withEnv(editor(script), "edit", at);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^updated .*:\/notes\/todo\.md memver_\w+\n$/);
  assert.equal(await contentAt(store, "/notes/todo.md"), "one\ntwo\n");
  const [, mode, file = ""] = /^(\d+) (\S+\/todo\.md)\n$/.exec(readFileSync(seen, "utf8")) ?? [];
  assert.equal(mode, "600");
  assert.ok(!existsSync(dirname(file)), "the file is still there");

  const same = await shelf.withEnv({ ...editor("exit 7"), VISUAL: "true" }, "edit", at);
  assert.deepEqual([same.code, same.stdout, same.stderr], [0, "", "Nothing was changed.\n"]);
  const fresh = await shelf.withEnv(editor('echo new > "$1"'), "edit", `${store}:/new.md`);
  assert.match(fresh.stdout, /^created /);
  const none = await shelf.withEnv({ EDITOR: "true" }, "edit", `${store}:/none.md`, "--json");
  assert.equal(JSON.parse(none.stdout).data.length, 0);
  assert.equal(await contentAt(store, "/none.md"), undefined);
  expectSentence(await shelf.memory("edit", at), 2, /set EDITOR to a command/);
  expectSentence(
    await shelf.withEnv({ EDITOR: "true" }, "edit", `${store}:/notes`),
    2,
    /is a folder/,
  );
});

const keptIn = (stderr: string) =>
  /Your text is in (\S+)\.\n/.exec(stderr)?.[1] ?? assert.fail(stderr);

test("whatever goes wrong after that, the text is kept and it is said where", async () => {
  const store = await shelf.store({ "/a.md": "one" });
  const at = `${store}:/a.md`;
  const failed = await shelf.withEnv(editor('echo mine > "$1"; exit 3'), "edit", at);
  assert.match(failed.stderr, /^plinth: The editor ended with 3\. Nothing was written\. Your text/);
  assert.equal(readFileSync(keptIn(failed.stderr), "utf8"), "mine\n");
  const plain = await shelf.withEnv(editor("exit 3"), "edit", at);
  expectSentence(plain, 1, /^plinth: The editor ended with 3\. Nothing was written\.\n$/);
  const binary = await shelf.withEnv(editor(String.raw`printf "\377" > "$1"`), "edit", at);
  assert.match(binary.stderr, /What you wrote is not text in UTF-8/);
  assert.deepEqual(readFileSync(keptIn(binary.stderr)), Buffer.of(0xff));
  assert.equal(statSync(keptIn(binary.stderr)).mode & 0o777, 0o600);
  assert.equal(await contentAt(store, "/a.md"), "one");
});

/** Somebody else is at it while the editor is open. */
async function conflict(
  store: string,
  path: string,
  theirs: () => Promise<unknown>,
  mine = "mine\n",
) {
  const edited = async (_editor: string, file: string) => {
    writeFileSync(file, mine);
    await theirs();
    return 0;
  };
  let message = "";
  await assert.rejects(
    shelf.onScreen(
      (terminal) => edit({ ...terminal, env: { ...shelf.env, EDITOR: "ed" } }, { store, path }, {}),
      { edit: edited },
    ),
    (error: CliError) => {
      message = `${error.message}\n`;
      return error instanceof CliError && error.exitCode === 1;
    },
  );
  return message;
}

test("on a conflict theirs stays, mine is kept, and both commands that are named work", async () => {
  const store = await shelf.store({ "/a.md": "one\n" });
  const message = await conflict(store, "/a.md", () => shelf.write(store, "/a.md", "theirs\n"));
  assert.match(
    message,
    /:\/a\.md was changed meanwhile, and is left as it is now\. Your text is in /,
  );
  assert.equal(await contentAt(store, "/a.md"), "theirs\n");
  const run = async (name: string) => {
    const command =
      new RegExp(`^${name}: plinth (.+)$`, "m").exec(message)?.[1] ?? assert.fail(message);
    const executable = join(import.meta.dirname, "../../plinth");
    return shelf.workshop.run(["-c", `${executable} ${command}`], {
      command: "sh",
      env: shelf.env,
    });
  };
  assert.match((await run("See both")).stdout, /\n-theirs\n\+mine\n$/);
  assert.match((await run("Write yours over it")).stdout, /^updated /);
  assert.equal(await contentAt(store, "/a.md"), "mine\n");

  const deleted = await conflict(
    store,
    "/a.md",
    () => shelf.memory("rm", `${store}:/a.md`, "--yes"),
    "more\n",
  );
  assert.match(
    deleted,
    /was deleted meanwhile\. Your text is in \S+\.\nWrite it anew: plinth memory put /,
  );
  const made = await conflict(store, "/b.md", () => shelf.write(store, "/b.md", "theirs\n"));
  assert.match(made, /was changed meanwhile/);
  assert.equal(await contentAt(store, "/b.md"), "theirs\n");
});
