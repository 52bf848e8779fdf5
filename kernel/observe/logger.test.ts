// No secret reaches the log in any form; errors are logged once.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { makeManualClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { newSecret, secretHint } from "../secret/token.ts";
import { openLogger, type LogFormat } from "./logger.ts";
import { redactText } from "./redact.ts";

const clock = makeManualClock(new Date("2026-03-01T12:00:00.125Z"));

function capture(format: LogFormat = "json") {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = openLogger({ format, level: "debug", destination, clock });
  const last = () => JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>;
  return { logger, lines, last };
}

const marker = "Zq7Zq7Zq7Zq7Zq7Zq7";
const pem = `-----BEGIN PRIVATE KEY-----\n${marker}\n${marker}\n-----END PRIVATE KEY-----`;
const secretTexts = [
  `sk-plinth-api-${marker}`,
  `sk-plinth-ort-${marker}`,
  `sk-plinth-api-${marker}...`,
  `sk-ant-api03-${marker}`,
  `sk-proj-${marker}`,
  `Bearer ${marker}`,
  `authorization: bearer ${marker}`,
  `http://127.0.0.1:8787/setup#token=${marker}`,
  `/cb?state=1&access_token=${marker}&x=1`,
  `Cookie: a=${marker}; b=${marker}`,
  `set-cookie: plinth=${marker}; HttpOnly`,
  `postgres://plinth:${marker}@db:5432/plinth`,
  `postgresql://u:p@${marker}@db/plinth`,
  `redis://:${marker}@cache`,
  `host=db password=${marker} user=x`,
  `{"client_secret": "${marker}"}`,
  `{'password':'${marker}'}`,
  pem,
  pem.slice(0, -10),
  `eyJhbGciOiJI.${marker}.${marker}`,
  `whsec_${marker}`,
  `whsec_a+b/${marker}=`,
];

test("[OBS1] no secret reaches the log, wherever it stands", () => {
  for (const secret of secretTexts) {
    const error = new Error(`failed with ${secret}`, { cause: new TypeError(secret) });
    Object.assign(error, { detail: `Key (${secret})` });
    const shapes: object[] = [
      { text: secret },
      { text: `before ${secret} after` },
      { deep: { list: [1, [secret], { more: secret }] } },
      { [secret]: 1 },
      { error },
      { error: new AggregateError([new Error(secret)], secret) },
      error,
      { long: "x".repeat(16_380) + secret },
      { long: "x ".repeat(8_190) + secret + " y".repeat(100_000) },
      { map: new Map([["k", secret]]), set: new Set([secret]) },
      { url: URL.canParse(secret) ? new URL(secret) : secret },
      { json: JSON.stringify({ a: [secret] }) },
    ];
    for (const format of ["json", "pretty"] as const)
      for (const shape of shapes) {
        const { logger, lines } = capture(format);
        logger.info(shape, `message ${secret}`);
        logger.child(shape).error({}, secret);
        assert.equal(lines.length, 2);
        assert.ok(!lines.join("").includes("Zq7"), `${secret} in ${lines.join("").slice(0, 600)}`);
      }
  }
});

test("[OBS1] a text that is cut in the middle of a secret shows nothing of it", () => {
  for (const secret of secretTexts)
    for (let shown = 1; shown < secret.length; shown++) {
      const cut = redactText(`${" ".repeat(16 * 1024 - shown)}${secret}${" ".repeat(100)}`);
      assert.ok(!cut.includes("Zq7"), `${secret} cut at ${shown}`);
    }
});

test("[OBS1] fields with a telling name lose their value, headers in a flat list as well", () => {
  const { logger, last } = capture();
  const headers = { Cookie: "a=b", "x-api-key": "k", Authorization: ["Basic x"], accept: "*/*" };
  logger.info(
    { headers, raw: ["Cookie", "a=b", "Accept", "*/*"], password: null, token: true },
    "m",
  );
  assert.deepEqual(last()["headers"], {
    Cookie: "[redacted]",
    "x-api-key": "[redacted]",
    Authorization: "[redacted]",
    accept: "*/*",
  });
  assert.deepEqual(last()["raw"], ["Cookie", "[redacted]", "Accept", "*/*"]);
  assert.equal(last()["password"], null);
  assert.equal(last()["token"], true);
});

test("[OBS1] what is no secret stays as it is", () => {
  const hint = secretHint(newSecret("sk-plinth-api-", systemRandom));
  const plain = [
    hint,
    `key ${hint} was used`,
    "disk-encryption-at-rest-enabled",
    "http://127.0.0.1:8787/setup",
    "postgres://db:5432/plinth",
    "max_tokens=500 output_tokens: 12",
    "the bearer of this key",
    "a cookie and a token",
    "wrkspc_01k5x3mzv8e9rj6d2w4t7yhqna",
  ];
  for (const text of plain) assert.equal(redactText(text), text);
});

test("[OBS3] an error is told with its chain of causes, each once, also in a circle", () => {
  const { logger, lines, last } = capture();
  const root = Object.assign(new TypeError("root"), { code: "E_ROOT" });
  const middle = new Error("middle", { cause: root });
  const top = new Error("top", { cause: middle });
  Object.assign(root, { cause: top });
  logger.error({ error: top, request: "req_1" }, "it failed");
  const error = last()["error"] as Record<string, unknown>;
  assert.equal(error["message"], "top");
  assert.deepEqual(
    (error["causes"] as Record<string, unknown>[]).map((each) => [each["type"], each["message"]]),
    [
      ["Error", "middle"],
      ["TypeError", "root"],
    ],
  );
  assert.equal((error["causes"] as Record<string, unknown>[])[1]?.["code"], "E_ROOT");
  for (const name of ["Error: top", "Error: middle", "TypeError: root"])
    assert.equal(lines[0]?.split(`${name}\\n`).length, 2, name);
});

test("[OBS2] a line is JSON with time, level and message, whatever is thrown at it", () => {
  const { logger, lines, last } = capture();
  logger.info({ a: 1 }, "hello");
  assert.deepEqual(last(), {
    level: "info",
    time: "2026-03-01T12:00:00.125Z",
    pid: process.pid,
    a: 1,
    message: "hello",
  });
  fc.assert(
    fc.property(fc.object({ withBigInt: true, withDate: true, withMap: true }), (fields) => {
      logger.child({ bound: fields }).warn(fields, "any");
      assert.equal(last()["level"], "warn");
      assert.equal(last()["message"], "any");
    }),
  );
  const circle: Record<string, unknown> = { list: [] };
  (circle["list"] as unknown[]).push(circle);
  logger.info(circle, "m");
  assert.deepEqual(last()["list"], ["[circular]"]);
  const trap = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error(`sk-plinth-api-${marker}`);
    },
  });
  logger.info(trap, "trapped");
  assert.match(String(last()["unloggable"]), /sk-plinth-api-\[redacted\]/);
  logger.info({ huge: "y".repeat(3_000_000), many: Array.from({ length: 5_000 }) }, "m");
  assert.ok((lines.at(-1) ?? "").length < 40_000);
});

test("[OBS2] texts made to be slow are not", () => {
  for (const part of [
    "://a:",
    "sk-plinth-",
    "token=",
    '"token":"',
    "Bearer ",
    "-----BEGIN A-----",
    "eyJaaaaaaaa.",
  ]) {
    const startMs = performance.now();
    redactText(part.repeat(200_000));
    assert.ok(performance.now() - startMs < 500, part);
  }
});

test("[OBS5] levels below the set one write nothing", () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = openLogger({ format: "json", level: "warn", destination });
  logger.info({}, "no");
  logger.child({ a: 1 }).debug({}, "no");
  logger.child({ a: 1 }).warn({}, "yes");
  assert.equal(lines.length, 1);
});

test("the pretty form has the fields in the line and the stack below", () => {
  const { logger, lines } = capture("pretty");
  logger.warn({ port: 8787, note: "two words" }, "listening");
  assert.equal(lines[0], '12:00:00.125 warn  listening port=8787 note="two words"\n');
  logger.error({ error: new Error("top", { cause: new Error("below") }) }, "failed");
  assert.match(lines[1] ?? "", /^12:00:00.125 error failed\n {4}error: Error: top\n {4,}at /);
  assert.match(lines[1] ?? "", /\n {4}because: Error: below\n/);
});

test("[OBS11] the pretty line of a request is what a person reads along", () => {
  const { logger, lines } = capture("pretty");
  const request = {
    request_id: "req_1",
    operation: "messages.create",
    method: "POST",
    path: "/v1/messages",
    status: 200,
    ms: 12.34,
    address: "127.0.0.1",
    organization_id: "org_1",
    credential_id: "apikey_1",
    model: "sim-large",
    input_tokens: 5,
    output_tokens: 47,
  };
  logger.info(request, "request");
  const { model: _, input_tokens: __, output_tokens: ___, ...bare } = request;
  logger.info({ ...bare, method: "GET", path: "/healthz", ms: 0.42 }, "request");
  logger.warn({ ...bare, status: 529, error: "It is busy." }, "request failed");
  logger.info({ ...bare, model: "sim-large", status: 499 }, "request");
  assert.deepEqual(lines, [
    "12:00:00.125 info  POST /v1/messages 200 12 ms sim-large 5→47\n",
    "12:00:00.125 info  GET /healthz 200 0.4 ms\n",
    '12:00:00.125 warn  POST /v1/messages 529 12 ms request_id=req_1 error="It is busy."\n',
    "12:00:00.125 info  POST /v1/messages 499 12 ms sim-large request_id=req_1\n",
  ]);
});

/** How many lines a process has written that logs 500 of them and then ends as `ending` says. */
function linesOf(level: "info" | "error", ending: string): number {
  const script = `
    import { openLogger } from ${JSON.stringify(`${import.meta.dirname}/logger.ts`)};
    const logger = openLogger({ format: "json", level: "info" });
    for (let i = 0; i < 500; i++) logger.${level}({ i, pad: "x".repeat(500) }, "line");
    ${ending}`;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    maxBuffer: 10_000_000,
  });
  return run.stderr.trimEnd().split("\n").length;
}

test("[OBS4] an error that was logged is there, even when the process is killed in the same breath", () => {
  assert.equal(linesOf("error", 'process.kill(process.pid, "SIGKILL");'), 500);
});

test("[OBS4] what was logged is there when the process is killed a turn later, or exits", () => {
  const aTurnLater = 'setImmediate(() => process.kill(process.pid, "SIGKILL"));';
  assert.equal(linesOf("info", aTurnLater), 500);
  assert.equal(linesOf("info", "process.exit(1);"), 500);
});
