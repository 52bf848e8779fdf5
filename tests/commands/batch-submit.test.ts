// `plinth batch submit`: files of both forms become batches, and what is wrong with one is told by its line.
import assert from "node:assert/strict";
import { appendFileSync, openSync, closeSync, truncateSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { after, before, test } from "node:test";
import { submit } from "../../cli/batch/submit.ts";
import type { SubmitFlags } from "../../cli/batch/options.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { until } from "../rules/support.ts";
import { lines, openBatchCommands, params, request, type BatchCommands } from "./batches.ts";
import { runInProcess } from "./in-process.ts";
import { openScreen } from "./screen.ts";

let bench: BatchCommands;
before(async () => {
  bench = await openBatchCommands();
});
after(async () => {
  await bench?.[Symbol.asyncDispose]();
});

const idLine = /^(msgbatch_\w+)\n$/;

/** The ids of the requests of a batch, when it has ended. */
async function customIds(id: string): Promise<string[]> {
  await until(
    async () => (await bench.retrieve(id)).processing_status === "ended",
    "the batch to end",
  );
  const { house, env } = bench;
  const url = `${house.url}/v1/messages/batches/${id}/results`;
  const response = await fetch(url, { headers: { "x-api-key": env["PLINTH_API_KEY"] ?? "" } });
  const all = (await response.text()).trimEnd().split("\n");
  return all.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id).sort();
}

test("the id is on standard output alone, what to do next beside it", async () => {
  const file = bench.file("two.jsonl", lines(request("a"), request("b")));
  const { code, stdout, stderr } = await bench.batch("submit", file);
  assert.equal(code, 0, stderr);
  const [, id = ""] = idLine.exec(stdout) ?? [];
  assert.equal(stderr, `Submitted 2 requests. Watch them: plinth batch watch ${id}\n`);
  assert.deepEqual(await customIds(id), ["a", "b"]);
});

test("lines and the API's body are told apart by what they hold, from files and from pipes", async () => {
  const requests = [request("a"), request("b"), request("c")];
  const text = lines(...requests);
  const untidy = `\ufeff\n  \n${text.replaceAll("\n", "\r\n\n")}\t${JSON.stringify(request("d"))}`;
  const body = JSON.stringify({ requests }, null, 2);
  const cases: [content: string, ids: string][] = [
    [text, "abc"],
    [untidy, "abcd"],
    [` \n${body}`, "abc"],
    [`\ufeff${body}`, "abc"],
  ];
  for (const [content, ids] of cases) {
    const results = [
      await bench.batch("submit", bench.file("requests", content)),
      await bench.piped(content, "submit", "-"),
    ];
    for (const { code, stdout, stderr } of results) {
      assert.equal(code, 0, stderr);
      assert.equal((await customIds(idLine.exec(stdout)?.[1] ?? "")).join(""), ids);
    }
  }
});

test("--json is the batch as one object and nothing else; --quiet is the id and nothing else", async () => {
  const file = bench.file("one.jsonl", lines(request("a")));
  const json = await bench.batch("submit", file, "--json");
  assert.equal(json.stderr, "");
  assert.equal(json.stdout.trimEnd().split("\n").length, 1);
  const batch = JSON.parse(json.stdout) as { type: string; request_counts: { processing: number } };
  assert.equal(batch.type, "message_batch");
  assert.equal(batch.request_counts.processing, 1);
  const quiet = await bench.batch("submit", file, "--quiet");
  assert.match(quiet.stdout, idLine);
  assert.equal(quiet.stderr, "");
});

test("--watch goes on until the batch has ended, and ends as watch does", async () => {
  const good = bench.file("good.jsonl", lines(request("a")));
  const bad = bench.file("bad.jsonl", lines(request("a"), { custom_id: "b", params: {} }));
  const { code, stdout } = await bench.batch("submit", good, "--watch");
  assert.equal(code, 0);
  assert.match(stdout, /^(msgbatch_\w+)\n\1 ended: 1 succeeded\n$/);
  const some = await bench.batch("submit", bad, "--watch", "--json");
  assert.equal(some.code, 4);
  const ended = JSON.parse(some.stdout) as { processing_status: string; request_counts: object };
  assert.equal(ended.processing_status, "ended");
  assert.match(
    some.stderr,
    /^plinth: 1 request of the batch errored\. Why: plinth batch results \S+ --type errored\n$/,
  );
});

test("a file with a broken line is refused with its number, and nothing is sent", async () => {
  const good = lines(request("a"), request("b"));
  const cases: [content: string | Buffer, sentence: RegExp][] = [
    [
      `${good}{"custom_id":"c","params":{}\n`,
      /line 3 is not JSON: Expected ',' or '}' .* at column 29\./,
    ],
    [`${good}{"custom_id":"c","params":\u001b[2J}`, /line 3 is not JSON: Unexpected token '␛'/],
    [`${good}\n["c"]\n`, /line 4 is not an object: a line is \{"custom_id"/],
    [
      `${good}${JSON.stringify(params())}`,
      /line 3 is a bare message request: .*--number .*line-3\./,
    ],
    [`${good}{"params":{}}`, /line 3 has no custom_id: /],
    [lines(request("a"), request("b"), request("a")), /line 3 has the custom_id a, as line 1 has/],
    [lines(request("a b")), /line 1 has a custom_id that is not 1 to 64 letters/],
    [lines({ custom_id: 7, params: {} }), /line 1 has a custom_id that is not/],
    [lines({ ...request("a"), url: "/v1/messages" }), /line 1 has the field url: a line is/],
    [lines({ custom_id: "a", params: [] }), /line 1 has no params that are an object/],
    [Buffer.concat([Buffer.from(good), Buffer.of(0xff)]), /line 3 is not UTF-8/],
    [" \n\n", /is empty: it has no requests/],
    [`\n[${JSON.stringify(request("a"))}]`, /is one array: put each request on its own line/],
    [gzipSync(good), /is compressed: gunzip -c/],
    [JSON.stringify(request("a"), null, 2), /line 1 is not JSON/],
    [
      Array.from({ length: 100_001 }, (_, at) => `{"custom_id":"${at}","params":{}}`).join("\n"),
      /line 100001 is one too many: a batch has at most 100,000 requests/,
    ],
  ];
  const before = await bench.batches();
  for (const [content, sentence] of cases) {
    const { code, stdout, stderr } = await bench.batch(
      "submit",
      bench.file("broken.jsonl", content),
    );
    assert.equal(code, 1, stderr);
    assert.match(stderr, sentence);
    assert.match(stderr, /^plinth: \S+\/broken\.jsonl\S* .+\n$/, "more than one sentence");
    assert.equal(stdout, "");
  }
  const piped = await bench.piped(`${good}{`, "submit", "-");
  assert.equal(piped.code, 1);
  assert.match(piped.stderr, /^plinth: standard input, line 3 is not JSON: .+\n$/);
  assert.equal(await bench.batches(), before);
});

test("--number gives bare lines the number of their line as id", async () => {
  const text = lines(request("a"), params("Good day."), { params: params() }, request("b"));
  const file = bench.file("bare.jsonl", `\n${text}`);
  const { code, stdout, stderr } = await bench.batch("submit", file, "--number");
  assert.equal(code, 0, stderr);
  const ids = await customIds(idLine.exec(stdout)?.[1] ?? "");
  assert.deepEqual(ids, ["a", "b", "line-3", "line-4"]);
  const taken = bench.file("taken.jsonl", lines(request("line-2"), params()));
  const twice = await bench.batch("submit", taken, "--number");
  assert.match(twice.stderr, /line 2 has the custom_id line-2, as line 1 has/);
});

test("a line that is too long to be held goes out as it is; what the server says of it has its line", async () => {
  const long = "word ".repeat(1_000_000);
  const text = `\n${lines(request("a"), request("b", long))}`;
  const good = await bench.batch("submit", bench.file("long.jsonl", text), "--quiet");
  assert.equal(good.code, 0, good.stderr);
  assert.deepEqual(await customIds(good.stdout.trim()), ["a", "b"]);
  const numbered = lines(params(long), request("b"));
  const bare = await bench.batch(
    "submit",
    bench.file("long.jsonl", numbered),
    "--number",
    "--quiet",
  );
  assert.deepEqual(await customIds(bare.stdout.trim()), ["b", "line-1"]);
  const unnamed = await bench.batch("submit", bench.file("long.jsonl", numbered));
  assert.match(unnamed.stderr, /line 1 is a bare message request/);

  const cases: [text: string, sentence: RegExp][] = [
    [
      `\n${lines(request("a"), request("a", long))}`,
      /requests\.1\.custom_id: must be unique .* That is line 3 of \S+ \(request req_\w+\)/,
    ],
    [
      `${lines(request("b"))}{"custom_id":"c","params":{"x":"${long}"}},}`,
      /not JSON: .* That is line 2 of \S+long\.jsonl\./,
    ],
  ];
  for (const [content, sentence] of cases) {
    const { code, stderr } = await bench.batch("submit", bench.file("long.jsonl", content));
    assert.equal(code, 1, stderr);
    assert.match(stderr, sentence);
  }
});

test("what the server refuses is its own sentence", async () => {
  const body = JSON.stringify({ requests: [request("a"), request("a")] });
  const twice = await bench.batch("submit", bench.file("twice.json", body));
  assert.equal(twice.code, 1);
  assert.match(
    twice.stderr,
    /^plinth: requests\.1\.custom_id: must be unique .* \(request req_\w+\)\n$/,
  );
  // Its length alone is refused: not a byte of it has to be sent.
  const path = join(bench.workshop.directory, "large.json");
  const file = openSync(path, "w");
  writeSync(file, '{"requests":[');
  closeSync(file);
  truncateSync(path, 268_435_457);
  const large = await bench.batch("submit", path);
  assert.equal(large.code, 1);
  assert.match(large.stderr, /^plinth: The body is larger than 268435456 bytes/);
});

test("what is called wrongly has an exit code of its own, and the way out", async () => {
  const file = bench.file("fine.jsonl", lines(request("a")));
  const cases: [args: string[], more: Record<string, string>, code: number, sentence: RegExp][] = [
    [["submti", file], {}, 2, /unknown command 'submti'\n\(Did you mean submit\?\)/],
    [["submit", file, "--wacht"], {}, 2, /\(Did you mean --watch\?\)/],
    [["submit"], {}, 2, /missing required argument 'file'/],
    [["submit", `${file}.not`], {}, 2, /fine\.jsonl\.not: There is no such file/],
    [["submit", bench.workshop.directory], {}, 2, /is a folder/],
    [["submit", file], { PLINTH_API_KEY: "" }, 3, /Set PLINTH_API_KEY/],
    [["submit", file], { PLINTH_API_KEY: "sk-plinth-nobody" }, 3, /key .*\(request req_\w+\)/],
    [["submit", file, "--url", "http://127.0.0.1:1"], {}, 1, /does not answer/],
  ];
  for (const [args, more, code, sentence] of cases) {
    const env = { ...bench.env, ...more };
    const result = await runInProcess(["batch", ...args], env);
    assert.equal(result.code, code, `${args.join(" ")}: ${result.stderr}`);
    assert.match(result.stderr, sentence);
    assert.doesNotMatch(result.stderr, /\n\s+at /);
    assert.equal(result.stdout, "");
  }
});

/** Some megabytes: more than goes out at once. */
const many = () =>
  lines(...Array.from({ length: 2_000 }, (_, at) => request(`${at}`, "x".repeat(4_000))));

async function onScreen(file: string, flags: SubmitFlags, more: Partial<Terminal> = {}) {
  const screen = openScreen(bench.env, more);
  await submit(screen.terminal, file, flags);
  return screen.text();
}

test("a person sees a bar while a file is checked and sent; a log has a line for each tenth", async () => {
  const file = bench.file("many.jsonl", many());
  const screen = await onScreen(file, {});
  assert.match(screen, /^↺█+░+ +\d+% {2}Checking \S+many\.jsonl/);
  assert.match(screen, /↺█+░* +\d+% {2}Sent [\d.]+ [KM]B of 8\.\d MB/);
  assert.match(screen, /100% {2}Sent 8\.\d MB of 8\.\d MB↺msgbatch_\w+\n<Submitted 2,000 /);
  for (const more of [
    { columns: () => 0 },
    { isPerson: { input: false, output: false, notes: false } },
  ]) {
    const log = await onScreen(file, {}, more);
    const told = log.match(/^Sent \d\.\d MB of 8\.\d MB$/gm) ?? [];
    assert.ok(told.length >= 5 && told.length <= 10, log);
    assert.doesNotMatch(log, /↺|Checking/);
  }
  assert.match(await onScreen(file, { quiet: true }), idLine);
});

test("Ctrl-C and a file that changes on the way submit nothing", async () => {
  const file = bench.file("many.jsonl", many());
  const before = await bench.batches();
  const refused = async (onNote: (text: string, interrupt: () => void) => void) => {
    const screen = openScreen(bench.env);
    const note = (text: string) => onNote(text, screen.interrupt);
    const error = await submit({ ...screen.terminal, note }, file, {}).catch((error) => error);
    assert.ok(error instanceof CliError, String(error));
    return error;
  };
  for (const word of ["Checking", "Sent"]) {
    const stopped = await refused((text, interrupt) => {
      if (text.includes(word)) interrupt();
      assert.ok(!text.includes(`100%  ${word}`), "it went on");
    });
    assert.equal(stopped.exitCode, 130);
    assert.equal(stopped.message, "Stopped. Nothing was submitted.");
  }
  let isChanged = false;
  const changed = await refused((text) => {
    // Not sooner: one that grows while it is checked is checked, and sent, with what was added.
    if (isChanged || !text.includes("Sent")) return;
    isChanged = true;
    appendFileSync(file, lines(request("late")));
  });
  assert.match(changed.message, /many\.jsonl changed while it was sent\. Nothing was submitted/);
  assert.equal(await bench.batches(), before);
  bench.house.expectErrors();
});

test("a connection that breaks says whether the batch may have been made", async () => {
  const file = bench.file("many.jsonl", many());
  for (const [share, sentence] of [
    [0.1, /^plinth: The connection broke\. Nothing was submitted; send it again\.\n$(?![^])/m],
    [1, /^plinth: The connection broke\. Whether the batch was made shows in: plinth batch list/m],
  ] as const) {
    let heard = "";
    const server = createServer((socket) => {
      socket
        .on("error", () => {})
        .on("data", (chunk) => {
          heard += chunk.toString("latin1");
          const length = Number(/^content-length: (\d+)\r$/im.exec(heard.slice(0, 2_000))?.[1]);
          const sent = heard.length - heard.indexOf("\r\n\r\n") - 4;
          if (sent >= share * length) socket.destroy();
        });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stderr, stdout } = await bench.batch("submit", file, "--url", url);
    server.close();
    assert.equal(code, 1);
    assert.match(stderr, sentence);
    assert.equal(stdout, "");
  }
});
