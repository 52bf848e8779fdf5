// A command that meets a limit says what it waits for and how long, and goes on by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { list } from "../../cli/models/read.ts";
import { clientOf } from "../../cli/server-calls.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { openScreen } from "./screen.ts";

const page = { data: [], has_more: false, first_id: null, last_id: null };
const sentence = "The limit of 50 requests a minute is used up.";
const refusal = (headers: Record<string, string> = {}) =>
  Response.json(
    { type: "error", error: { type: "rate_limit_error", message: sentence } },
    { status: 429, headers: { "retry-after": "12", ...headers } },
  );
const env = { PLINTH_API_KEY: "sk-plinth-api-x", PLINTH_BASE_URL: "http://127.0.0.1:9" };
const flags = { limit: 1, call: [] };

/** A server that answers so, one after the other, and a clock that only notes what it is asked to wait. */
function against(answers: Response[], more: Partial<Terminal> = {}) {
  const slept: number[] = [];
  const screen = openScreen(env, {
    fetch: async (_input, init) => {
      init?.signal?.throwIfAborted();
      return answers.shift() ?? Response.json(page);
    },
    clock: { ...systemClock, monotonicMs: () => 0, sleep: async (ms) => (slept.push(ms), true) },
    ...more,
  });
  return { slept, screen, left: () => answers.length };
}

test("it waits as long as it is told, says so, and asks again", async () => {
  const { slept, screen } = against([refusal(), refusal({ "retry-after": "100" })]);
  await list(screen.terminal, flags);
  assert.deepEqual(slept, [12_000, 100_000]);
  assert.equal(
    screen.text(),
    `↺<${sentence} Waiting 12 s, then asking again.>\n` +
      `↺<${sentence} Waiting 100 s, then asking again.>\n` +
      "There are no such models.\n",
  );
});

test("it does not wait where that is no use, or too long, or where nothing says how long", async () => {
  for (const headers of [
    { "x-should-retry": "false" },
    { "retry-after": "121" },
    { "retry-after": "soon" },
  ]) {
    const { slept, screen } = against([refusal(headers)]);
    await assert.rejects(list(screen.terminal, flags), CliError);
    assert.deepEqual([slept, screen.text()], [[], ""]);
  }
});

test("it gives up after five waits", async () => {
  const { slept, screen, left } = against(Array.from({ length: 9 }, () => refusal()));
  await assert.rejects(list(screen.terminal, flags), { message: new RegExp(sentence) });
  assert.deepEqual([slept.length, left()], [5, 3]);
});

test("requests that wait for the same are told of once", async () => {
  const { screen } = against([refusal(), refusal(), refusal()]);
  const client = clientOf(screen.terminal, undefined, ["PLINTH_API_KEY"]);
  await Promise.all([1, 2, 3].map(() => client.models.list()));
  assert.equal(screen.text().split("Waiting 12 s").length, 2);
});

test("an interrupt ends the wait and the request", async () => {
  const leaving = new AbortController();
  const interrupted = async () => (leaving.abort(), false);
  const { screen } = against([refusal()], { clock: { ...systemClock, sleep: interrupted } });
  const client = clientOf(screen.terminal, undefined, ["PLINTH_API_KEY"]);
  await assert.rejects(client.models.list({ signal: leaving.signal }), { name: "AbortError" });
});

test("what was sent as a stream is not sent again", async () => {
  const { slept, screen } = against([refusal()]);
  const client = clientOf(screen.terminal, undefined, ["PLINTH_API_KEY"]);
  const body = new Blob(["{}"]).stream();
  await assert.rejects(client.messages.batches.create({ body }), { status: 429 });
  assert.deepEqual(slept, []);
});
