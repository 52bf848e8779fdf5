// `plinth memory export` and `import`: a store as a file, whole or not at all, and back.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { exportStore } from "../../cli/memory/export.ts";
import { importStore } from "../../cli/memory/import.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { openFlakyProxy } from "./flaky-proxy.ts";
import { executable } from "./plinth.ts";
import { openScreen } from "./screen.ts";
import { expectSentence, openMemoryCommands, type MemoryCommands } from "./memory.ts";

let shelf: MemoryCommands;
before(async () => {
  shelf = await openMemoryCommands();
});
after(async () => {
  await shelf?.[Symbol.asyncDispose]();
});

/** Nothing that a connection could pack into less. */
const noise = (seed: string, bytes: number) => {
  let text = "";
  for (let at = 0; text.length < bytes; at++)
    text += createHash("sha512").update(`${seed} ${at}`).digest("base64");
  return text.slice(0, bytes);
};

async function largeStore(): Promise<string> {
  const paths = Array.from({ length: 12 }, (_, at) => `/large/${at}.txt`);
  return shelf.store(Object.fromEntries(paths.map((path) => [path, noise(path, 100_000)])));
}

const place = (name: string) => join(shelf.workshop.directory, name);

test("what is exported to a file or a pipe is imported with its history, as another store", async () => {
  const store = await shelf.store({ "/a.md": "first", "/b/c.md": "other" });
  await shelf.write(store, "/a.md", "second");
  const out = place("notes.tar");
  const saved = await shelf.memory("export", store, "--out", out);
  assert.deepEqual([saved.code, saved.stdout], [0, ""]);
  assert.match(saved.stderr, /^\d+(\.\d)? KB in \S+\/notes\.tar\.\n$/);
  const names = execFileSync("tar", ["-tf", out], { encoding: "utf8" }).trim().split("\n");
  assert.deepEqual(
    names.filter((name) => !name.endsWith("/")),
    [
      "store.json",
      ...[1, 2, 3].map((n) => `history/0000000${n}.json`),
      "memories/a.md",
      "memories/b/c.md",
    ],
  );
  const json = JSON.parse((await shelf.memory("export", store, "--out", out, "--json")).stdout);
  assert.deepEqual([json.file, json.bytes], [out, statSync(out).size]);

  const made = await shelf.memory("import", out, "--name", "again", "--description", "a copy");
  assert.match(made.stdout, /^memstore_\w+\n$/);
  const id = made.stdout.trim();
  assert.equal(
    made.stderr,
    `Imported 2 memories and 3 versions as again. See them: plinth memory ls -r ${id}\n`,
  );
  assert.equal((await shelf.memory("get", "again:/a.md")).stdout, "second");
  const log = await shelf.memory("log", "again:/a.md");
  assert.match(log.stdout, / modified, imported .*\n.* created, imported /);

  const pipe =
    'plinth="$0"; "$plinth" memory export "$1" | "$plinth" memory import - --name piped --quiet';
  const piped = await shelf.workshop.run(["-c", pipe, executable, store], {
    command: "sh",
    env: shelf.env,
  });
  assert.deepEqual([piped.code, piped.stderr], [0, ""]);
  assert.match(piped.stdout, /^memstore_\w+\n$/);
  assert.equal((await shelf.memory("get", "piped:/b/c.md")).stdout, "other");
});

test("any other tar of texts is a store too, and what was left out is told", async () => {
  const folder = dirname(shelf.file("plain/a.md", "A"));
  shelf.file("plain/sub/b.md", "B");
  shelf.file("plain/.DS_Store", "x");
  const tar = place("plain.tgz");
  execFileSync("tar", ["-C", folder, "-czf", tar, "."]);
  const made = await shelf.memory("import", tar, "--name", "plain");
  assert.match(
    made.stderr,
    /^Imported 2 memories and 2 versions as plain\. Left out: \S*\.DS_Store\. See them: /,
  );
  const json = JSON.parse((await shelf.memory("import", tar, "--json")).stdout);
  assert.equal(json.imported.memories, 2);
  assert.equal((await shelf.memory("get", "plain:/sub/b.md")).stdout, "B");
});

test("what is no tar of texts is refused with the server's sentence, and nothing was imported", async () => {
  const before = (await shelf.memory("ls", "--json")).stdout;
  const folder = dirname(shelf.file("binary/a.png", Buffer.of(0x89, 0xff)));
  const tar = place("binary.tar");
  execFileSync("tar", ["-C", folder, "-cf", tar, "."]);
  expectSentence(
    await shelf.memory("import", tar, "--quiet"),
    1,
    /a\.png: is not UTF-8.* Nothing was imported\. \(request req_\w+\)\n$/,
  );
  expectSentence(
    await shelf.piped("no tar at all", "import", "-"),
    1,
    /tar.* Nothing was imported\./,
  );
  expectSentence(await shelf.memory("import", folder), 2, /is a folder\.\n$/);
  expectSentence(await shelf.memory("import", place("none.tar")), 2, /no such file/);
  assert.equal((await shelf.memory("ls", "--json")).stdout, before);
});

test("a terminal is no place for a tar, and a file that cannot be written is told", async () => {
  const store = await shelf.store();
  await assert.rejects(
    shelf.onScreen((terminal) => exportStore(terminal, store, {})),
    (error: CliError) => error.exitCode === 2 && /say --out with a file/.test(error.message),
  );
  expectSentence(await shelf.memory("export", store, "--json"), 2, /with --json, say --out/);
  expectSentence(
    await shelf.memory("export", store, "--out", "/proc/nowhere/x.tar"),
    2,
    /\/nowhere\/x\.tar: There is no such file or folder\.\n$/,
  );
  expectSentence(
    await shelf.memory("export", store, "--out", shelf.workshop.directory),
    2,
    /That is a folder\.\n$/,
  );
  expectSentence(
    await shelf.memory("export", "nobody", "--out", place("x")),
    1,
    /no memory store "nobody"/,
  );
});

test("an export that breaks in the middle leaves the file that was there, and nothing of its own", async () => {
  const store = await largeStore();
  await using between = await openFlakyProxy(shelf.house.url);
  const out = shelf.file("kept.tar", "an older one");
  const env = { PLINTH_BASE_URL: between.url };
  between.breakAfter(700_000);
  const broken = await shelf.withEnv(env, "export", store, "--out", out, "--quiet");
  expectSentence(
    broken,
    1,
    /The connection broke in the middle of the export\. Begin it again\.\n$/,
  );
  assert.equal(readFileSync(out, "utf8"), "an older one");
  assert.ok(!existsSync(`${out}.part`));
  const whole = await shelf.withEnv(env, "export", store, "--out", out);
  assert.equal(whole.code, 0, whole.stderr);
  assert.match(
    execFileSync("tar", ["-tf", out], { encoding: "utf8" }),
    /memories\/large\/11\.txt\n/,
  );
});

/** Presses Ctrl-C at a moment of the command. */
async function interrupted(
  more: (screen: { interrupt(): void }) => Partial<Terminal>,
  act: (terminal: Terminal) => Promise<void>,
): Promise<CliError> {
  const screen = openScreen(shelf.env);
  const terminal = { ...screen.terminal, ...more(screen) };
  const end = await act(terminal).then(
    () => assert.fail("it went on to its end"),
    (error: unknown) => error,
  );
  assert.ok(end instanceof CliError, String(end));
  assert.equal(end.exitCode, 130);
  return end;
}

test("Ctrl-C stops both, and says what is there", async () => {
  const store = await largeStore();
  const isPerson = { input: false, output: false, notes: false };
  const stopped = await interrupted(
    (screen) => ({ isPerson, writeBytes: async () => screen.interrupt() }),
    (terminal) => exportStore(terminal, store, {}),
  );
  assert.equal(stopped.message, "Stopped.");
  const out = place("large.tar");
  assert.equal((await shelf.memory("export", store, "--out", out, "--quiet")).stderr, "");
  const tar = readFileSync(out);
  const input = (screen: { interrupt(): void }) =>
    async function* () {
      yield tar.subarray(0, 500_000);
      screen.interrupt();
      yield tar.subarray(500_000, 600_000);
    };
  const upload = await interrupted(
    (screen) => ({ input: input(screen) }),
    (terminal) => importStore(terminal, "-", { name: "stopped" }),
  );
  assert.equal(upload.message, "Stopped. Nothing was imported.");
  assert.doesNotMatch((await shelf.memory("ls")).stdout, /stopped/);
});

test("a person sees how far an import is; a log gets a line now and then", async () => {
  const store = await largeStore();
  const out = place("watched.tar");
  await shelf.memory("export", store, "--out", out, "--quiet");
  const seen = await shelf.onScreen((terminal) => importStore(terminal, out, { name: "seen" }));
  assert.match(seen, /^↺█*░* +\d+% {2}Sent .* of 2\.\d MB↺/);
  assert.match(
    seen,
    /↺memstore_\w+\n<Imported 12 memories and 12 versions as seen\. See them: .*>\n$/,
  );
  const log = await shelf.memory("import", out, "--name", "logged");
  assert.match(log.stderr, /^Sent \d.* of 2\.\d MB\n/);
});
