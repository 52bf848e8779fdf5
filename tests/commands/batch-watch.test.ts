// `plinth batch watch`, `cancel` and `list` against batches that run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { cancel } from "../../cli/batch/cancel.ts";
import { watch } from "../../cli/batch/watch.ts";
import type { CancelFlags } from "../../cli/batch/options.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { until } from "../rules/support.ts";
import { openBatchCommands, request, slow, type BatchCommands } from "./batches.ts";
import { openFlakyProxy } from "./flaky-proxy.ts";
import { executable } from "./plinth.ts";
import { openScreen } from "./screen.ts";

let bench: BatchCommands;
before(async () => {
  bench = await openBatchCommands();
});
after(async () => {
  await bench?.[Symbol.asyncDispose]();
});

const bad = (custom_id: string) => ({ custom_id, params: {} });
const ended = (id: string) =>
  until(async () => (await bench.retrieve(id)).processing_status === "ended", "its end");

test("a batch of which all succeeded ends with 0, and its outcome is on standard output", async () => {
  const id = await bench.make([request("a"), request("b")]);
  const { code, stdout, stderr } = await bench.batch("watch", id);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `${id} ended: 2 succeeded\n`);
  assert.match(stderr, new RegExp(`Read them: plinth batch results ${id}\n$`));
});

/** A batch that is too late before anybody can begin to work on it. */
async function makeLate(): Promise<string> {
  const run = (text: string) => bench.house.world.db.query({ text, values: [] });
  await run(`create function make_late() returns trigger language plpgsql as
    'begin new.expires_at = now(); return new; end'`);
  await run(
    "create trigger late before insert on batches for each row execute function make_late()",
  );
  const id = await bench.make([slow("a", 60)]);
  await run("drop function make_late cascade");
  return id;
}

test("one in which some errored or expired ends with 4, and says how to read why", async () => {
  const id = await bench.make([request("a"), bad("b"), bad("c")]);
  const some = await bench.batch("watch", id);
  assert.equal(some.code, 4);
  assert.equal(some.stdout, `${id} ended: 1 succeeded, 2 errored\n`);
  assert.match(
    some.stderr,
    new RegExp(
      `plinth: 2 requests .* errored\\. Why: plinth batch results ${id} --type errored\n$`,
    ),
  );
  const json = await bench.batch("watch", id, "--json");
  assert.equal(json.code, 4);
  assert.equal(json.stdout.trimEnd().split("\n").length, 1);
  assert.equal(JSON.parse(json.stdout).request_counts.errored, 2);
  assert.equal(json.stderr.split("\n").length, 2, json.stderr);

  const late = await makeLate();
  const expired = await bench.batch("watch", late, "--quiet");
  assert.equal(expired.code, 4, expired.stderr);
  assert.equal(expired.stdout, `${late} ended: 1 expired\n`);
  assert.equal(expired.stderr, "plinth: 1 request of the batch expired.\n");
});

test("in a log there is a line for each change, with live counts", async () => {
  const id = await bench.make([bad("a"), request("b"), slow("c", 3), slow("d", 6)]);
  const quick = async () => (await bench.retrieve(id)).request_counts;
  await until(async () => (await quick()).processing === 2, "the first two have ended");
  const { code, stderr } = await bench.batch("watch", id);
  assert.equal(code, 4);
  const lines = stderr.split("\n").filter((line) => line.startsWith(`${id}: `));
  const words = lines.map((line) => line.slice(id.length + 2));
  assert.match(words.join("\n"), /^2 of 4, 1 errored$/m);
  assert.match(words.join("\n"), /^3 of 4, 1 errored, 0\.\d\/s, \d s left$/m);
  const counts = words.map((text) => text.replace(/, [\d.,]+\/s.*$/, ""));
  assert.equal(new Set(counts).size, counts.length, stderr);
  assert.ok(!stderr.includes("\u001b"));
});

async function onScreen(id: string, more: Partial<Terminal> = {}) {
  const screen = openScreen(bench.env, more);
  await watch(screen.terminal, id, {});
  return screen.text();
}

test("a person sees a bar with speed and time left, and then the outcome in its place", async () => {
  const text = await onScreen(await bench.make([request("a"), slow("b", 2), slow("c", 5)]));
  assert.match(text, /^↺█*░+ +\d+% {2}[01] of 3↺/);
  assert.match(text, /↺█{16}░{8} +66% {2}2 of 3, \d\.\d\/s, \d s left↺/);
  assert.match(text, /↺(msgbatch_\w+) ended: 3 succeeded\n<Read them: plinth batch results \1>\n$/);
  // Ending lines are no bar's: a screen of unknown width gets lines.
  const narrow = await onScreen(await bench.make([request("a")]), { columns: () => 30 });
  for (const drawn of narrow.split("↺").slice(1, -1)) assert.ok(drawn.length < 30, drawn);
  const unknown = await onScreen(await bench.make([slow("a", 1)]), { columns: () => 0 });
  assert.match(unknown, /^msgbatch_\w+: 0 of 1\n/);
});

test("Ctrl-C leaves the batch running, says so, and ends with 130", async () => {
  const id = await bench.make([slow("a", 5)]);
  const child = spawn(executable, ["batch", "watch", id], {
    env: { PATH: process.env["PATH"], ...bench.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  const closed = once(child, "close");
  child.stderr.on("data", (text) => (stderr += String(text)));
  await once(child.stderr, "data");
  child.kill("SIGINT");
  const [code] = await closed;
  assert.equal(code, 130, stderr);
  assert.match(
    stderr,
    new RegExp(`plinth: The batch runs on\\. See it again: plinth batch watch ${id}\n$`),
  );
  assert.equal((await bench.retrieve(id)).processing_status, "in_progress");
  await ended(id);
  assert.equal((await bench.retrieve(id)).request_counts.succeeded, 1);
});

test("a server that is away for a while is waited for; one that never was there is not", async () => {
  await using between = await openFlakyProxy(bench.house.url);
  const id = await bench.make([slow("a", 4)]);
  const screen = openScreen({ ...bench.env, PLINTH_BASE_URL: between.url }, { columns: () => 0 });
  const watching = watch(screen.terminal, id, {});
  await until(async () => screen.text().includes("0 of 1"), "the first line");
  between.beAway(true);
  const before = between.connections();
  await until(async () => between.connections() > before + 1, "it to ask twice in vain");
  between.beAway(false);
  await watching;
  assert.equal(screen.text().match(/<The server does not answer; waiting for it\.>/g)?.length, 1);
  assert.match(screen.text(), /ended: 1 succeeded/);
  between.beAway(true);
  await assert.rejects(
    watch(screen.terminal, id, {}),
    /The server does not answer\. Is it running\?/,
  );
});

test("an id of no batch is said to be none, and what is no id at all is usage", async () => {
  for (const [args, code, sentence] of [
    [
      ["watch", "msgbatch_none"],
      1,
      /There is no message batch msgbatch_none.* \(request req_\w+\)/,
    ],
    [["watch", ""], 2, /It must be the id of a batch/],
    [["results", "../list"], 2, /It must be the id of a batch/],
    [["wach", "msgbatch_none"], 2, /Did you mean watch\?/],
    [["list", "--limit", "0"], 2, /whole number from 1/],
  ] as const) {
    const result = await bench.batch(...args);
    assert.equal(result.code, code, `${args.join(" ")}: ${result.stderr}`);
    assert.match(result.stderr, sentence);
    assert.equal(result.stdout, "");
  }
});

test("cancel says what it means, and wants --yes where nobody can be asked", async () => {
  const id = await bench.make([request("a"), slow("b", 3), slow("c", 5)]);
  await until(
    async () => (await bench.retrieve(id)).request_counts.succeeded === 1,
    "one to succeed",
  );
  const asked = await bench.batch("cancel", id);
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /^2 of 3 requests of msgbatch_\w+ have no result yet\./);
  assert.match(asked.stderr, /What has succeeded \(1\) is charged and keeps its result\.\n/);
  assert.match(asked.stderr, /plinth: Nobody is there to be asked\. Say it with --yes\.\n$/);
  assert.equal((await bench.retrieve(id)).processing_status, "in_progress");

  const { code, stdout, stderr } = await bench.batch("cancel", id, "--yes");
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `${id} is being canceled.\n`);
  assert.match(stderr, /plinth batch watch msgbatch_\w+\n$/);
  const watched = await bench.batch("watch", id);
  assert.equal(watched.code, 0, "what was canceled on purpose is no failure");
  assert.doesNotMatch(watched.stderr, /canceling.*left/);
  const again = await bench.batch("cancel", id, "--yes");
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^plinth: The batch msgbatch_\w+ has ended: there is nothing left/);

  const other = await bench.make([slow("a", 3)]);
  const json = await bench.batch("cancel", other, "--yes", "--json");
  assert.equal(json.code, 0);
  assert.equal(json.stderr, "");
  assert.notEqual(JSON.parse(json.stdout).cancel_initiated_at, null);
  const twice = await bench.batch("cancel", other);
  if (twice.code === 0) assert.equal(twice.stdout, `${other} is being canceled already.\n`);
  else assert.match(twice.stderr, /has ended/);
  await ended(other);
});

async function answering(id: string, answer: string, flags: CancelFlags = {}) {
  const screen = openScreen(bench.env, { readLine: async () => answer });
  await cancel(screen.terminal, id, flags);
  return screen.text();
}

test("a person is asked, and only a yes cancels", async () => {
  const id = await bench.make([slow("a", 3)]);
  for (const answer of ["", "n", "nyes"])
    await assert.rejects(answering(id, answer), (error) => {
      assert.ok(error instanceof CliError);
      assert.equal(error.message, "Nothing was canceled.");
      return error.exitCode === 1;
    });
  assert.equal((await bench.retrieve(id)).processing_status, "in_progress");
  assert.match(
    await answering(id, " Yes "),
    /\nCancel it\? \[y\/N\] msgbatch_\w+ is being canceled\.\n/,
  );
  assert.notEqual((await bench.retrieve(id)).processing_status, "in_progress");
  await ended(id);
});

test("list is a table with the newest first, page by page; --json is the page as it is", async () => {
  const id = await bench.make([request("a"), bad("b")]);
  await ended(id);
  const open = await bench.make([request("a"), slow("b", 6)]);
  await until(
    async () => (await bench.retrieve(open)).request_counts.succeeded === 1,
    "one to succeed",
  );
  const { code, stdout, stderr } = await bench.batch("list", "--limit", "2");
  assert.equal(code, 0, stderr);
  const [titles = "", ...rows] = stdout.trimEnd().split("\n");
  assert.deepEqual(titles.split(/ {2,}/), [
    "ID",
    "STATE",
    "REQUESTS",
    "COUNTS",
    "AGE",
    "EXPIRES IN",
  ]);
  const cells = rows.map((row) => row.split(/ {2,}/));
  assert.deepEqual(cells[0]?.slice(0, 4), [open, "in_progress", "2", "1 processing, 1 succeeded"]);
  assert.match(cells[0]?.[4] ?? "", /^\d s$/);
  assert.equal(cells[0]?.[5], "24 h");
  assert.deepEqual(cells[1]?.slice(0, 4), [id, "ended", "2", "1 succeeded, 1 errored"]);
  assert.equal(cells[1]?.[5], "-");
  assert.equal(stderr, `There are more: plinth batch list --limit 2 --after ${id}\n`);
  const json = await bench.batch("list", "--json", "--limit", "1", "--after", open);
  const page = JSON.parse(json.stdout) as { data: { id: string }[]; has_more: boolean };
  assert.deepEqual([page.data.map((batch) => batch.id), page.has_more], [[id], true]);
  assert.equal(json.stderr, "");
  const key = bench.house.organizations.other.api_key;
  const env = { ...bench.env, PLINTH_API_KEY: key };
  const none = await bench.workshop.run(["batch", "list"], { env });
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, "", "There are no batches here.\n"]);
  await ended(open);
});
