// `plinth files upload`: from files and pipes, several at once, and what is said where it does not work.
import assert from "node:assert/strict";
import { closeSync, openSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { upload } from "../../cli/files/upload.ts";
import { CliError } from "../../cli/terminal.ts";
import { seededRandom } from "../../kernel/base/random.ts";
import { until } from "../rules/support.ts";
import { openFlakyProxy } from "./flaky-proxy.ts";
import { openFilesCommands, type FilesCommands } from "./files.ts";
import { expectRefusal } from "./plinth.ts";

let cabinet: FilesCommands;
before(async () => {
  cabinet = await openFilesCommands();
});
after(async () => {
  await cabinet?.[Symbol.asyncDispose]();
});

const idLine = /^(file_\w+)\n$/;
const idIn = (text: string): string => idLine.exec(text)?.[1] ?? assert.fail(text);

test("the id is on standard output alone, what was uploaded beside it; the bytes are the file's", async () => {
  const content = seededRandom(1).bytes(3_000_001);
  const { code, stdout, stderr } = await cabinet.files("upload", cabinet.file("a.bin", content));
  assert.equal(code, 0, stderr);
  const id = idIn(stdout);
  assert.match(stderr, /Uploaded a\.bin: application\/octet-stream, 3\.0 MB\.\n$/);
  assert.ok((await cabinet.content(id)).equals(content));
  const { filename, expires_at: expires } = await cabinet.retrieve(id);
  assert.deepEqual({ filename, expires }, { filename: "a.bin", expires: null });
});

test("several go one after the other; --quiet and --json print ids and objects and nothing else", async () => {
  const files = ["1.md", "2.md", "empty.txt"].map((name) =>
    cabinet.file(name, name === "empty.txt" ? "" : `# ${name}`),
  );
  const quiet = await cabinet.files("upload", ...files, "--quiet");
  assert.equal(quiet.stderr, "");
  const ids = quiet.stdout.trimEnd().split("\n");
  const names = await Promise.all(ids.map(async (id) => (await cabinet.retrieve(id)).filename));
  assert.deepEqual(names, ["1.md", "2.md", "empty.txt"]);
  const json = await cabinet.files("upload", ...files, "--json", "--expires", "7d");
  assert.equal(json.stderr, "");
  const { uploaded } = JSON.parse(json.stdout) as { uploaded: Record<string, string>[] };
  assert.equal(uploaded.length, 3);
  for (const { created_at: created = "", expires_at: expires = "" } of uploaded)
    assert.equal(Date.parse(expires) - Date.parse(created), 7 * 86_400_000);
  assert.equal(uploaded[0]?.["mime_type"], "text/markdown");
});

test("standard input wants a name; a type counts where the bytes tell none", async () => {
  const content = "a,b\n1,2\n".repeat(40_000);
  const { code, stdout, stderr } = await cabinet.piped(
    content,
    "upload",
    "-",
    "--name",
    'the "table".txt',
    "--type",
    "text/csv",
  );
  assert.equal(code, 0, stderr);
  const id = idIn(stdout);
  const { mime_type: type, size_bytes: bytes } = await cabinet.retrieve(id);
  assert.deepEqual([type, bytes], ["text/csv", content.length]);
  assert.equal((await cabinet.content(id)).toString(), content);
  const before = await cabinet.count();
  for (const [args, sentence] of [
    [["-"], /Say what standard input is called: --name now\.txt\./],
    [["-", "-", "--name", "a"], /Standard input is one file/],
    [["a", "b", "--name", "c"], /--name is for one file/],
    [["a", "--expires", "30m"], /hours or days from 1h to 90d/],
    [["a", "--expires", "91d"], /hours or days from 1h to 90d/],
    [["a", "--type", "markdown"], /must be a media type/],
  ] as const) {
    const refused = await cabinet.piped("x", "upload", ...args);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, sentence);
    assert.equal(refused.stdout, "");
  }
  assert.equal(await cabinet.count(), before);
});

test("one that is missing or too large refuses all, before a byte is sent", async () => {
  const good = cabinet.file("good.txt", "good");
  const large = join(cabinet.workshop.directory, "large.bin");
  closeSync(openSync(large, "w"));
  truncateSync(large, 524_288_001);
  const before = await cabinet.count();
  const missing = await cabinet.files("upload", good, `${good}.not`);
  assert.equal(missing.code, 2);
  expectRefusal(missing, /good\.txt\.not: There is no such file or folder\./);
  expectRefusal(
    await cabinet.files("upload", good, large),
    /large\.bin has 524,288,001 bytes, and a file may have 524,288,000\. Nothing was uploaded\./,
  );
  expectRefusal(await cabinet.files("upload", cabinet.workshop.directory), /is a folder\./);
  assert.equal(await cabinet.count(), before);
});

test("what the server refuses is said with the file's name, and how far it had come", async () => {
  const { world } = cabinet.house;
  const before = world.sections;
  const { bytes, files } = await cabinet.api.stored();
  Object.assign(world, {
    sections: {
      ...before,
      files: { organization_bytes_max: bytes + 10, organization_files_max: files + 9 },
    },
  });
  try {
    const names = [cabinet.file("fits.txt", "fits"), cabinet.file("not.txt", "it is too long")];
    const last = cabinet.file("last.txt", "x");
    const { code, stdout, stderr } = await cabinet.files("upload", ...names, last, "--quiet");
    assert.equal(code, 1);
    assert.equal((await cabinet.retrieve(idIn(stdout))).filename, "fits.txt");
    assert.match(
      stderr,
      /not\.txt: .*\(request req_\w+\) 1 of 3 are uploaded\. 1 file after it was not sent\.\n$/,
    );
    const json = await cabinet.files("upload", ...names, "--json");
    assert.equal(json.code, 1);
    assert.equal(JSON.parse(json.stdout).uploaded[0].filename, "fits.txt");
  } finally {
    Object.assign(world, { sections: before });
  }
});

test("a person sees a bar; Ctrl-C stops, and nothing is kept", async () => {
  const screen = cabinet.screen();
  await upload(screen.terminal, [cabinet.file("bar.bin", seededRandom(2).bytes(2_000_000))], {});
  assert.match(screen.text(), /↺█+ 100% {2}Sent 2\.0 MB of 2\.0 MB↺file_\w+\n<Uploaded bar\.bin: /);
  const before = await cabinet.count();
  let isRead = false;
  const stopped = cabinet.screen({
    input: async function* () {
      yield Buffer.from("first");
      isRead = true;
      await new Promise(() => {});
    },
  });
  const ending = upload(stopped.terminal, ["-"], { name: "slow.bin" });
  const caught = ending.catch((error: unknown) => error);
  await until(async () => isRead, "the first bytes");
  stopped.interrupt();
  const error = await caught;
  assert.ok(error instanceof CliError && error.exitCode === 130, String(error));
  assert.equal(error.message, "Stopped. standard input was not uploaded.");
  assert.equal(await cabinet.count(), before);
});

test("without a key, with a wrong one and without a server it says so", async () => {
  const file = cabinet.file("a.txt", "a");
  const run = (env: Record<string, string>) =>
    cabinet.workshop.run(["files", "upload", file], { env: { ...cabinet.env, ...env } });
  const none = await run({ PLINTH_API_KEY: "" });
  assert.equal(none.code, 3);
  expectRefusal(none, /Set PLINTH_API_KEY/);
  assert.equal((await run({ PLINTH_API_KEY: "sk-wrong" })).code, 3);
  await using between = await openFlakyProxy(cabinet.house.url);
  between.beAway(true);
  const away = await run({ PLINTH_BASE_URL: between.url });
  assert.equal(away.code, 1);
  assert.match(away.stderr, /The connection broke|The server does not answer/);
});
