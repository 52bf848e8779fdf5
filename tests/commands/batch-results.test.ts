// `plinth batch results`: to a pipe, to a person, and into files that are gone on with.
import assert from "node:assert/strict";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { results } from "../../cli/batch/results.ts";
import type { ResultsFlags } from "../../cli/batch/options.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { until } from "../rules/support.ts";
import { openBatchCommands, request, slow, type BatchCommands } from "./batches.ts";
import { openFlakyProxy, type FlakyProxy } from "./flaky-proxy.ts";
import { openScreen } from "./screen.ts";

let bench: BatchCommands;
let between: FlakyProxy;
/** A batch with results of two types, some megabytes long, and all of them as the API gives them. */
let id: string;
let whole: Buffer;
before(async () => {
  bench = await openBatchCommands();
  between = await openFlakyProxy(bench.house.url);
  const long = Array.from({ length: 400 }, (_, at) =>
    request(`long-${at}`, "[[tokens 2500]]", { max_tokens: 5_000 }),
  );
  id = await bench.make([
    ...long,
    { custom_id: "bad-1", params: {} },
    { custom_id: "bad-2", params: {} },
  ]);
  await ended(id);
  whole = await resultsOf(id);
  assert.ok(whole.length > 3_000_000, `${whole.length} bytes`);
});
after(async () => {
  await between?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
});

const ended = (id: string) =>
  until(async () => (await bench.retrieve(id)).processing_status === "ended", "its end");

async function resultsOf(id: string): Promise<Buffer> {
  const headers = {
    "x-api-key": bench.env["PLINTH_API_KEY"] ?? "",
    "vendor-version": "2026-10-21",
  };
  const url = `${bench.house.url}/v1/messages/batches/${id}/results`;
  return Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
}

const path = (name: string) => join(bench.workshop.directory, name);
const batch = (...args: string[]) => bench.batch("results", id, ...args);

/** What the server was asked for since then: the status of so many answers with results, once all are logged. */
async function answers(from: number, count: number): Promise<unknown[]> {
  const logged = () =>
    bench.house.log
      .slice(from)
      .filter((line) => line["operation"] === "messages.batches.results")
      .map((line) => line["status"]);
  await until(async () => logged().length >= count, `${count} answers`);
  return logged();
}

test("the results are on standard output as they are, and nothing beside them", async () => {
  const { code, stdout, stderr } = await batch();
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  assert.ok(stdout === whole.toString(), "other bytes");
});

test("--type leaves only results of these types", async () => {
  const bad = await batch("--type", "errored,expired");
  const lines = bad.stdout.trimEnd().split("\n");
  const ids = lines.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
  assert.deepEqual(ids.sort(), ["bad-1", "bad-2"]);
  const good = await batch("--type", "succeeded", "--out", path("good.jsonl"));
  assert.equal(good.code, 0, good.stderr);
  assert.match(good.stderr, /400 results in \S+good\.jsonl, \d\.\d MB\.\n$/);
  const all = [...readFileSync(path("good.jsonl"), "utf8").split("\n"), ...lines].sort();
  assert.deepEqual(all.filter(Boolean), whole.toString().trimEnd().split("\n").sort());
  const again = await batch("--type", "succeeded", "--out", path("good.jsonl"));
  assert.equal(again.code, 2);
  assert.match(
    again.stderr,
    /good\.jsonl is there already\. With --type, name a file that is not\./,
  );
  const typo = await batch("--type", "erored");
  assert.equal(typo.code, 2);
  assert.match(typo.stderr, /Types of results are succeeded, errored, canceled, expired/);
});

test("a batch that has not ended has no results yet: standard output stays empty", async () => {
  const open = await bench.make([request("a"), slow("b", 2)]);
  const { code, stdout, stderr } = await bench.batch("results", open, "--out", path("early.jsonl"));
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    new RegExp(
      `^plinth: The batch ${open} has not ended: \\d of 2 requests .* Wait for it: plinth batch watch ${open}\n$`,
    ),
  );
  assert.ok(!existsSync(path("early.jsonl")));
  await ended(open);
});

test("results that were removed with their time are said to be gone", async () => {
  const old = await bench.make([request("a")]);
  await ended(old);
  await bench.house.world.db.query({
    text: "update batches set created_at = created_at - interval '30 days' where id = $1 returning id",
    values: [old],
  });
  const { code, stderr } = await bench.batch("results", old);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^plinth: The results of msgbatch_\w+ are gone since \d{4}-\S+: they are kept for 29 days/,
  );
});

test("--out writes a file, goes on with a part of it, and leaves a whole one alone", async () => {
  const file = path("all.jsonl");
  const first = await batch("--out", file);
  assert.equal(first.code, 0, first.stderr);
  assert.equal(first.stdout, "");
  assert.match(first.stderr, /^Received .*\n402 results in \S+all\.jsonl, \d\.\d MB\.\n$/s);
  assert.ok(readFileSync(file).equals(whole));

  for (const bytes of [whole.length - 10, 2_000_000, 10, 0]) {
    truncateSync(file, bytes);
    const before = bench.house.log.length;
    const { code, stderr, stdout } = await batch("--out", file, "--json");
    assert.equal(code, 0, stderr);
    assert.equal(stderr, "");
    assert.deepEqual(JSON.parse(stdout), { id, file, results: 402, bytes: whole.length });
    assert.ok(readFileSync(file).equals(whole), `from ${bytes}`);
    assert.deepEqual(await answers(before, 1), [206]);
  }
  const again = await batch("--out", file);
  assert.equal(again.stderr, `${file} had all 402 results already.\n`);
  assert.ok(readFileSync(file).equals(whole));
  assert.equal((await batch("--out", file, "--quiet")).stderr, "");
});

test("a file that holds something else is not written to", async () => {
  const other = Buffer.from(whole.subarray(0, 50_000));
  other[49_000] = (other[49_000] ?? 0) ^ 1;
  const longer = [1, 10_000].map((bytes) => Buffer.concat([whole, Buffer.alloc(bytes, "\n")]));
  for (const content of [other, ...longer, Buffer.from("mine")]) {
    writeFileSync(path("mine"), content);
    const { code, stderr } = await batch("--out", path("mine"));
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^plinth: \S+mine holds something else than results of msgbatch_\w+\. Remove it, or/,
    );
    assert.ok(readFileSync(path("mine")).equals(content));
  }
  const nowhere = await batch("--out", path("no/where.jsonl"));
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /where\.jsonl: There is no such file or folder\.\n$/);
});

test("a connection that breaks is taken up again where it did, into a file and into a pipe", async () => {
  const url = ["--url", between.url];
  for (const bytes of [1_000_000, 600]) {
    between.breakAfter(bytes + 1_500);
    const before = bench.house.log.length;
    const { code, stdout, stderr } = await batch(...url);
    assert.equal(code, 0, stderr);
    assert.ok(stdout === whole.toString(), "other bytes");
    assert.equal((await answers(before, 2)).length, 2);
  }
  between.breakAfter(1_000_000);
  const file = path("broken.jsonl");
  const { code, stderr } = await batch("--out", file, ...url);
  assert.equal(code, 0, stderr);
  assert.ok(readFileSync(file).equals(whole));
});

async function onScreen(flags: ResultsFlags, more: Partial<Terminal> = {}, of = id) {
  const screen = openScreen(bench.env, more);
  await results(screen.terminal, of, flags);
  return screen.text();
}

test("a person sees a bar while a file is written", async () => {
  const text = await onScreen({ out: path("seen.jsonl") });
  assert.match(text, /^↺█*░+ +\d+% {2}Received \S+ [KM]B of \d\.\d MB↺/);
  assert.match(text, /100% {2}Received (\S+ MB) of \1↺<402 results in \S+seen\.jsonl, \1\.>\n$/);
});

test("Ctrl-C leaves a part, and the same command goes on with it", async () => {
  const file = path("stopped.jsonl");
  const screen = openScreen(bench.env);
  const note = (text: string) => text.includes("Received") && screen.interrupt();
  await assert.rejects(
    results({ ...screen.terminal, note: (text) => void note(text) }, id, { out: file }),
    (error) => {
      assert.ok(error instanceof CliError);
      assert.equal(error.exitCode, 130);
      return /Stopped in the middle of \S+\. The same command goes on from there\./.test(
        error.message,
      );
    },
  );
  assert.ok(readFileSync(file).length < whole.length);
  await onScreen({ out: file });
  assert.ok(readFileSync(file).equals(whole));
});

test("what a terminal would obey is shown to a person, and piped on as it came", async () => {
  const words = "red\u009b31m";
  const loud = await bench.make([request("a", `[[say ${JSON.stringify(words)}]]`)]);
  await ended(loud);
  assert.match(await onScreen({}, {}, loud), /"text":"red␡31m"/);
  const piped = await onScreen(
    {},
    { isPerson: { input: false, output: false, notes: false } },
    loud,
  );
  assert.ok(piped === (await resultsOf(loud)).toString());
});
