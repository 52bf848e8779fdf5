// The line of a request and the numbers of /metrics are made by hand, and stand there as if they were not.
import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { test } from "node:test";
import fc from "fast-check";
import { Counter, Histogram, Registry } from "prom-client";
import { makeManualClock } from "../../kernel/base/clock.ts";
import { Failure } from "../../kernel/base/failure.ts";
import type { Principal } from "../../kernel/context.ts";
import type { AnsweredRequest } from "../../kernel/http/exchange/exchange.ts";
import { openLogger } from "../../kernel/observe/logger.ts";
import { openMetrics } from "../../kernel/observe/metrics.ts";
import { JsonFields } from "../../kernel/observe/redact.ts";
import type { AnswerInShort } from "../../server/requests/module.ts";
import { requestFields } from "../../server/operations/request-log.ts";

const secret = "sk-plinth-api-Zq7Zq7Zq7Zq7Zq7Zq7";
const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  fc.constantFrom('"', "\\", "\n", "\u0000", "\u2028", "\ud800", "\udc00\ud800", "é", "\u007f"),
  fc.constantFrom(
    "?token=",
    'password"\t: "hush-hush',
    "Bearer ",
    "://a:b@c",
    "cookie: a=b",
    secret,
  ),
  fc.constantFrom("/v1/messages", "x".repeat(2_000), "y ".repeat(9_000)),
);
const outside = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
const idOf = (prefix: string) =>
  fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/).map((text) => prefix + text);

const failure = fc
  .record({
    message: outside,
    status: fc.constantFrom(400, 401, 404, 429, 500, 503, 504, 529),
    logged: fc.option(outside, { nil: undefined }),
    cause: fc.option(
      outside.map((text) => new Error(text)),
      { nil: undefined },
    ),
  })
  .map(({ message, status, logged, cause }) => {
    const more = { ...(logged !== undefined && { logged }), ...(cause && { cause }) };
    return new Failure("api_error", message, { status, ...more });
  });

const answered: fc.Arbitrary<AnsweredRequest> = fc
  .record({
    requestId: idOf("req_"),
    operation: fc.constantFrom("none", "messages.create", "keys.list", "scim.tokens.create"),
    method: fc.constantFrom(...METHODS),
    path: outside,
    seconds: fc.double({ min: 0, max: 1e9, noNaN: true }),
    who: fc.option(fc.record({ organizationId: idOf("org_"), credentialId: idOf("apikey_") }), {
      nil: undefined,
    }),
    address: outside,
    failure: fc.option(failure, { nil: undefined }),
  })
  .map(({ who, ...facts }) => ({
    ...facts,
    notes: {},
    status: facts.failure?.status ?? 200,
    who: who as Principal | undefined,
  }));

const answer: fc.Arbitrary<AnswerInShort | undefined> = fc.option(
  fc.record({
    model: fc.oneof(outside, fc.constantFrom("sim-large", "sim-small")),
    tokens: fc.option(fc.record({ input: fc.nat(), output: fc.nat() })),
  }),
  { nil: undefined },
);

/** What the line says, one field after the other. */
function plainFields(facts: AnsweredRequest, told: AnswerInShort | undefined): object {
  const { status, failure: failed, who } = facts;
  return {
    request_id: facts.requestId,
    operation: facts.operation,
    method: facts.method,
    path: facts.path,
    status,
    ms: Math.round(facts.seconds * 1e5) / 100,
    address: facts.address,
    ...(who && { organization_id: who.organizationId, credential_id: who.credentialId }),
    ...(told && { model: told.model }),
    ...(told?.tokens && { input_tokens: told.tokens.input, output_tokens: told.tokens.output }),
    ...(failed && { error: failed.options.logged ?? failed.message }),
    ...(status >= 500 && failed?.cause !== undefined && { cause: failed.cause }),
  };
}

test("a request's line is byte for byte that of its fields", () => {
  const lines: string[] = [];
  const clock = makeManualClock(new Date("2026-03-01T12:00:00.125Z"));
  const destination = { write: (line: string) => lines.push(line) };
  const logger = openLogger({ format: "json", level: "info", destination, clock });
  let written = 0;
  fc.assert(
    fc.property(answered, answer, (facts, told) => {
      const fields = requestFields(facts, told);
      if (fields instanceof JsonFields) written += 1;
      logger.info(fields, "request");
      logger.info(plainFields(facts, told), "request");
      const [line, plain] = lines.splice(0);
      assert.equal(line, plain);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(written > 100, `only ${written} lines were written by template`);
});

test("no secret from outside is in a request's line", () => {
  const facts = {
    requestId: "req_1",
    notes: {},
    operation: "messages.create",
    method: "POST",
    path: "/v1/messages",
    status: 400,
    seconds: 1,
    who: undefined,
    address: "127.0.0.1",
    failure: undefined,
  };
  assert.ok(requestFields(facts) instanceof JsonFields);
  for (const leaky of [
    { ...facts, path: `/v1/messages?x=${secret}` },
    { ...facts, address: secret },
    { ...facts, failure: new Failure("api_error", `the key ${secret} is none`) },
  ])
    assert.ok(!(requestFields(leaky) instanceof JsonFields), JSON.stringify(leaky));
  const told = { model: secret, tokens: null };
  assert.ok(!(requestFields(facts, told) instanceof JsonFields));
});

test("a line's time is that of toISOString", () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  let at = new Date(0);
  const clock = { ...makeManualClock(at), now: () => at };
  const logger = openLogger({ format: "json", level: "info", destination, clock });
  const near = fc.integer({ min: -3_000, max: 3_000 }).map((ms) => new Date(ms));
  fc.assert(
    fc.property(fc.array(fc.oneof(near, fc.date({ noInvalidDate: true }))), (times) => {
      for (at of times) {
        logger.info({}, "m");
        const { time } = JSON.parse(lines.pop() ?? "") as { time: string };
        assert.equal(time, at.toISOString());
      }
    }),
  );
});

const buckets = [0.001, 0.5, 1, 10];
const label = fc.constantFrom("messages.create", "200", "", 'quo"te', "back\\slash\n", "le");
const step = fc.oneof(
  fc.record({
    kind: fc.constant("count" as const),
    labels: fc.tuple(label, label),
    by: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("observe" as const),
    labels: fc.tuple(label),
    by: fc.oneof(fc.constantFrom(...buckets), fc.double({ min: -5, max: 20, noNaN: true })),
  }),
);

test("counters and histograms stand in /metrics as prom-client's own do", async () => {
  const counter = { name: "t_total", help: "c\nd" };
  const histogram = { name: "t_seconds", help: "h" };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const metrics = openMetrics();
      const count = metrics.counter({ ...counter, labels: ["a", "b"] });
      const seconds = metrics.histogram({ ...histogram, labels: ["op"], buckets });
      metrics.counter({ name: "alone_total", help: "x", labels: [] }).with();
      metrics.histogram({ name: "alone_seconds", help: "x", labels: [], buckets });
      const registry = new Registry();
      const registers = [registry];
      const theirCount = new Counter({ ...counter, labelNames: ["a", "b"], registers });
      const theirSeconds = new Histogram({ ...histogram, labelNames: ["op"], buckets, registers });
      const none: Registry[] = [];
      registry.registerMetric(new Counter({ name: "alone_total", help: "x", registers: none }));
      const alone = { name: "alone_seconds", help: "x", buckets, registers: none };
      registry.registerMetric(new Histogram(alone));
      for (const { kind, labels, by } of steps)
        if (kind === "count") {
          count.with(...labels).inc(by);
          theirCount.labels(...labels).inc(by);
        } else {
          seconds.with(...labels).observe(by);
          theirSeconds.labels(...labels).observe(by);
        }
      assert.equal(await metrics.text(), await registry.metrics());
    }),
  );
});
