// The unchanged official client when things go wrong: retries, error classes, aborts, streams that break.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { until } from "../rules/support.ts";
import {
  failing,
  ledgerOf,
  listeningClient,
  opensOf,
  textOf,
  type LedgerRow,
} from "./messages-client.ts";
import { queryPosted } from "../posted.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(async () => {
  // What the simulator was told to do is logged as what it is: an error of 500 and more.
  for (const { status } of house.expectErrors()) assert.ok(Number(status) >= 500);
  await house[Symbol.asyncDispose]();
});

const body = (content: string) => ({
  model: "sim-large",
  max_tokens: 300,
  messages: [{ role: "user" as const, content }],
});

for (const stream of [false, true])
  test(`a 529 is asked again after its retry-after and answered, ${stream ? "as a stream" : "whole"}`, async () => {
    const { client, seen } = listeningClient(house, { maxRetries: 2 });
    const asked = body(
      `Again ${stream}. [[fail status=529 times=1 retry_after=1]] [[say "Now it is."]]`,
    );
    const started = performance.now();
    const message = stream
      ? await client.messages.stream(asked).finalMessage()
      : await client.messages.create(asked);
    assert.equal(textOf(message.content), "Now it is.");
    assert.deepEqual(
      seen.map(({ status }) => status),
      [529, 200],
    );
    assert.ok(performance.now() - started > 990, "retry-after was not waited for");
    assert.equal(seen[1]?.headers.get("x-stainless-retry-count"), "1");
  });

test("errors of an upstream arrive as the client's own classes, with type and request id", async () => {
  const { client } = listeningClient(house);
  const cases = [
    [400, Anthropic.BadRequestError, "invalid_request_error"],
    [402, Anthropic.PaymentRequiredError, "billing_error"],
    [404, Anthropic.NotFoundError, "not_found_error"],
    [413, Anthropic.ContentTooLargeError, "invalid_request_error"],
    [429, Anthropic.RateLimitError, "rate_limit_error"],
    [500, Anthropic.InternalServerError, "api_error"],
    [503, Anthropic.ServiceUnavailableError, "api_error"],
    [529, Anthropic.OverloadedError, "overloaded_error"],
  ] as const;
  for (const [status, kind, type] of cases) {
    const asked = body(`[[fail status=${status} retry_after=7]]`);
    for (const work of [
      () => client.messages.create(asked),
      () => client.messages.stream(asked).finalMessage(),
    ]) {
      const error: InstanceType<typeof Anthropic.APIError> = await failing(
        kind as typeof Anthropic.BadRequestError,
        work(),
      );
      assert.equal(error.status, status);
      assert.equal(error.type, type);
      assert.match(String(error.requestID), /^req_/);
      assert.equal(error.workspaceID, house.organizations.platform.workspace_id);
      assert.equal(error.headers?.get("retry-after"), "7");
      // An attempt that gave no output is in the ledger and costs nothing.
      const rows = await ledgerOf(house, error.requestID);
      assert.deepEqual(
        rows.map(({ outcome, nano }) => [outcome, nano]),
        [["failed", 0]],
      );
    }
  }
  assert.equal(await opensOf(house), 0);
});

test("errors of ours name what is wrong, and nothing is opened for them", async () => {
  const { client, seen } = listeningClient(house, { maxRetries: 2 });
  const unknown = await failing(
    Anthropic.NotFoundError,
    client.messages.create({ ...body("Hello."), model: "gpt-none" }),
  );
  assert.match(unknown.message, /gpt-none.*sim-large/);
  const effort = await failing(
    Anthropic.BadRequestError,
    client.messages.create({
      ...body("Hello."),
      model: "sim-small",
      output_config: { effort: "high" },
    }),
  );
  assert.match(effort.message, /output_config\.effort: is not taken by sim-small/);
  const role = await failing(
    Anthropic.BadRequestError,
    client.messages.create({
      ...body("Hello."),
      messages: [{ role: "user", content: [{ type: "image", source: "here" } as never] }],
    }),
  );
  assert.match(role.message, /messages\.0\.content\.0\.source/);
  const { client: admin } = listeningClient(house, {
    apiKey: house.organizations.platform.admin_api_key,
  });
  await failing(Anthropic.PermissionDeniedError, admin.messages.create(body("Hello.")));
  const { client: nobody } = listeningClient(house, { apiKey: "sk-plinth-nobody" });
  await failing(Anthropic.AuthenticationError, nobody.messages.create(body("Hello.")));
  assert.equal(seen.length, 3, "an error of the caller's was asked again");
  for (const { requestID } of [unknown, effort, role])
    assert.deepEqual(await ledgerOf(house, requestID), []);
});

test("a stream that breaks is an error event, and what was streamed is paid as estimated", async () => {
  const { client } = listeningClient(house);
  const stream = client.messages.stream(body("[[fail status=529 after=5]] [[tokens 50]]"));
  let deltas = 0;
  stream.on("text", () => (deltas += 1));
  const error = await failing(Anthropic.APIError, stream.finalMessage());
  assert.equal(error.type, "overloaded_error");
  assert.equal(deltas, 5);
  const [row, more] = await ledgerOf(house, stream.request_id);
  assert.equal(more, undefined);
  assert.deepEqual([row?.outcome, row?.estimated, row?.output], ["failed", true, 5]);
  assert.equal(row?.nano, (row?.input ?? 0) * 5_000 + 5 * 25_000);
});

test("a client that goes away is charged for what it got, and nothing stays open", async () => {
  const { client } = listeningClient(house);
  // 300 tokens at 100 a second: nobody waits for the end.
  const stream = client.messages.stream(body("Slowly. [[rate 100]] [[tokens 300]]"));
  let deltas = 0;
  stream.on("text", () => {
    deltas += 1;
    if (deltas === 10) stream.abort();
  });
  await failing(Anthropic.APIUserAbortError, stream.finalMessage());
  const row = await until(async () => {
    const [settled] = await ledgerOf(house, stream.request_id);
    return settled;
  }, "the cut stream is settled");
  assert.deepEqual([row.outcome, row.estimated], ["cut", true]);
  assert.ok(row.output >= 10 && row.output < 200, `${row.output} tokens were charged`);
  assert.equal(row.nano, row.input * 5_000 + row.output * 25_000);
  assert.equal(await opensOf(house), 0);
});

test("a client that does not wait for a whole answer frees what it held", async () => {
  const { client } = listeningClient(house);
  const gone = new AbortController();
  const answer = client.messages.create(body("Slowly. [[rate 10]] [[tokens 300]]"), {
    signal: gone.signal,
  });
  await until(async () => (await opensOf(house)) === 1, "the attempt is open");
  gone.abort();
  await failing(Anthropic.APIUserAbortError, answer);
  await until(async () => (await opensOf(house)) === 0, "the attempt is settled");
  const [left] = await queryPosted<LedgerRow>(
    house.world.db,
    sql`
    select outcome, estimated, input_tokens as input, amount_nano as nano
    from ledger order by at desc limit 1`,
  );
  assert.deepEqual([left?.outcome, left?.estimated], ["cut", true]);
  assert.ok(left !== undefined && left.input > 0 && left.nano >= left.input * 5_000);
  const short = listeningClient(house, { timeout: 300 }).client;
  await failing(
    Anthropic.APIConnectionTimeoutError,
    short.messages.create(body("Slowly. [[rate 10]] [[tokens 300]]")),
  );
  await until(async () => (await opensOf(house)) === 0, "the attempt is settled");
});
