// `plinth message` against a running server: what it prints where, and what it ends with.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { message as ask } from "../../cli/message.ts";
import { openHouse, type House } from "../house.ts";
import { until } from "../rules/support.ts";
import { openScreen } from "./screen.ts";
import { executable, openCommandRunner, type Result, type CommandRunner } from "./plinth.ts";
import { queryPosted } from "../posted.ts";

let house: House;
let runner: CommandRunner;
let env: Record<string, string>;
before(async () => {
  runner = openCommandRunner();
  house = await openHouse();
  const { api_key } = house.organizations.platform;
  env = { PLINTH_API_KEY: api_key, PLINTH_BASE_URL: house.url };
});
after(async () => {
  await runner?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const message = (args: string[], more: Record<string, string> = {}): Promise<Result> =>
  runner.run(["message", ...args], { env: { ...env, ...more } });

test("the answer is on standard output alone, the counts beside it", async () => {
  const { code, stdout, stderr } = await message(['[[say "Good day."]]', "--model", "sim-small"]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "Good day.\n");
  assert.match(stderr, /^sim-small: \d+ tokens in, \d+ out, end_turn, msg_\w+\n$/);
});

test("a fallback is a line on standard error, and does not break the answer", async () => {
  const text = "A long story [[refuse category=cyber after=5]] [[tokens 20]]";
  const { code, stdout, stderr } = await message([text, "--fallbacks", "sim-medium,sim-small"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^--- sim-large refused \(cyber\); sim-medium goes on ---$/m);
  assert.match(stderr, /^sim-medium: /m);
  assert.equal(stdout.trimEnd().split("\n").length, 1, stdout);
});

test("the text may come from standard input, with a system prompt, as JSON", async () => {
  const { code, stdout, stderr } = await runner.run(
    [
      "-c",
      `printf 'first line\\nsecond line\\n' | "$0" message - --json --system Terse --effort low --max-tokens 9`,
      executable,
    ],
    { command: "sh", env },
  );
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  assert.equal(stdout.trimEnd().split("\n").length, 1);
  const answer = JSON.parse(stdout) as { type: string; usage: { output_tokens: number } };
  assert.equal(answer.type, "message");
  assert.ok(answer.usage.output_tokens <= 9);
});

test("what goes wrong has an exit code of its own, and a sentence", async () => {
  const cases: [args: string[], more: Record<string, string>, code: number, sentence: RegExp][] = [
    [["x", "--max-tokens", "0"], {}, 2, /whole number from 1/],
    [["x", "--effort", "hardest"], {}, 2, /Allowed choices are low/],
    [["  "], {}, 2, /nothing to ask/],
    [[], {}, 2, /missing required argument 'text'/],
    [["x"], { PLINTH_API_KEY: "" }, 3, /Set PLINTH_API_KEY/],
    [["x"], { PLINTH_API_KEY: "sk-plinth-nobody" }, 3, /key .*\(request req_\w+\)/],
    [["x", "--model", "none"], {}, 1, /none.*\(request req_\w+\)/],
    [["x", "--url", "http://127.0.0.1:1"], {}, 1, /does not answer/],
    [["[[refuse category=bio]]"], {}, 1, /sim-large refused \(bio\)/],
    [["[[fail after=3]] [[tokens 9]]"], {}, 1, /\(request req_\w+\)|broke in the middle/],
  ];
  for (const [args, more, code, sentence] of cases) {
    const result = await message(args, more);
    assert.equal(result.code, code, `${args.join(" ")}: ${result.stderr}`);
    assert.match(result.stderr, sentence);
    assert.doesNotMatch(result.stderr, /\n\s+at /);
  }
  house.expectErrors();
});

test("Ctrl-C stops the request on the server, and ends with 130", async () => {
  const child = spawn(executable, ["message", "[[tokens 5000]] [[rate 40]]"], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += String(text)));
  const closed = once(child, "close");
  await once(child.stdout, "data");
  child.kill("SIGINT");
  const [code] = await closed;
  assert.equal(code, 130, stderr);
  assert.match(stderr, /plinth: Stopped\./);
  await until(async () => {
    const rows = await queryPosted<{ tokens: number }>(house.world.db, {
      text: "select output_tokens::int as tokens from ledger where outcome = 'cut'",
      values: [],
    });
    return rows.some(({ tokens }) => tokens < 2_000);
  }, "the request to be cut");
});

/** What a person at a screen sees: both streams in one, thinking between marks. */
async function onScreen(text: string, flags: Partial<Parameters<typeof ask>[2]>): Promise<string> {
  const screen = openScreen(env);
  await ask(screen.terminal, text, { model: "sim-large", maxTokens: 100, ...flags });
  return screen.text();
}

test("what a terminal would obey is shown to a person, and piped on as it came", async () => {
  const words = "\u001b]52;c;aGk=\u0007 red\u009b31m\r\nline\ttab\u007f";
  const text = `[[say ${JSON.stringify(words)}]]`;
  assert.match(await onScreen(text, {}), /^␛\]52;c;aGk=␇ red␡31m\nline\ttab␡\n/);
  const { stdout } = await message([text]);
  assert.equal(stdout, `${words}\n`);
});

test("a person sees thinking dimmed, and each boundary on a line of its own", async () => {
  const text = '[[think 6]] [[say "One two three four five six."]] [[refuse category=bio after=9]]';
  const screen = await onScreen(text, { thinking: "adaptive", fallbacks: "default" });
  assert.match(screen, /^<[^>]+>/, "thinking comes first");
  assert.match(screen, /\n<--- sim-large refused \(bio\); sim-medium goes on --->\n/);
  assert.match(screen, /\n<sim-medium: [^>]+>\n$/);
});
