// Batches as the unchanged client makes, polls, reads, cancels, lists and deletes them, in both namespaces.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openBatchHouse, type BatchHouse } from "../rules/batches-house.ts";
import { until } from "../rules/support.ts";
import type { House } from "../house.ts";
import { failing, listeningClient, textOf } from "./messages-client.ts";

let opened: BatchHouse;
let house: House;
before(async () => {
  opened = await openBatchHouse();
  ({ house } = opened);
});
after(() => opened[Symbol.asyncDispose]());

/** What both namespaces have in common. */
type Batches = Anthropic["messages"]["batches"];

const params = (content: string) => ({
  model: "sim-small",
  max_tokens: 200,
  messages: [{ role: "user" as const, content }],
});
const requests = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ custom_id: `text-${index}`, params: params(text) }));

async function ended(batches: Batches, id: string) {
  return until(async () => {
    const batch = await batches.retrieve(id);
    return batch.processing_status === "ended" && batch;
  }, `the end of ${id}`);
}

const namespaces: Record<string, (client: Anthropic) => Batches> = {
  "client.messages.batches": (client) => client.messages.batches,
  "client.beta.messages.batches": (client) => client.beta.messages.batches as unknown as Batches,
};

for (const [name, of] of Object.entries(namespaces)) {
  test(`${name}: create, poll, results, delete`, async () => {
    const { client, seen } = listeningClient(house);
    const batches = of(client);
    const made = await batches.create({
      requests: requests(
        '[[say "Blue."]]',
        "[[fail status=400]]",
        "[[refuse category=cyber models=*]]",
      ),
    });
    assert.match(made.id, /^msgbatch_/);
    assert.equal(made.type, "message_batch");
    assert.equal(made.processing_status, "in_progress");
    // As this version of the client knows it: all of them are processing until the batch has ended.
    const none = { succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    assert.deepEqual(made.request_counts, { processing: 3, ...none });
    const day = Date.parse(made.expires_at) - Date.parse(made.created_at);
    assert.equal(day, 24 * 60 * 60 * 1000);
    const done = await ended(batches, made.id);
    assert.deepEqual(done.request_counts, { ...none, processing: 0, succeeded: 2, errored: 1 });
    assert.equal(done.results_url, `${house.url}/v1/messages/batches/${made.id}/results`);

    const byId = new Map<string, Anthropic.Messages.MessageBatchIndividualResponse["result"]>();
    for await (const { custom_id, result } of await batches.results(made.id))
      byId.set(custom_id, result);
    assert.deepEqual([...byId.keys()].sort(), ["text-0", "text-1", "text-2"]);
    const [said, wrong, refused] = ["text-0", "text-1", "text-2"].map((id) => byId.get(id));
    assert.ok(said?.type === "succeeded");
    assert.equal(textOf(said.message.content), "Blue.");
    assert.equal(said.message.usage.service_tier, "batch");
    const [block] = said.message.content;
    assert.ok(block?.type === "text" && block.citations === null, "this version wants its nulls");
    assert.ok(wrong?.type === "errored");
    assert.equal(wrong.error.type, "error");
    assert.equal(wrong.error.error.type, "invalid_request_error");
    assert.ok(refused?.type === "succeeded");
    assert.equal(refused.message.stop_reason, "refusal");
    assert.deepEqual(refused.message.content, []);

    assert.deepEqual(await batches.delete(made.id), {
      id: made.id,
      type: "message_batch_deleted",
    });
    await failing(Anthropic.NotFoundError, batches.retrieve(made.id));
    const accepts = seen.filter(({ path }) => path.endsWith("/results"));
    assert.equal(accepts[0]?.headers.get("accept"), "application/binary");
  });

  test(`${name}: cancel, and what cannot be done`, async () => {
    const { client } = listeningClient(house);
    const batches = of(client);
    const made = await batches.create({
      requests: requests(...Array.from({ length: 30 }, () => "[[tokens 4]] [[rate 4]]")),
    });
    await failing(Anthropic.BadRequestError, batches.delete(made.id));
    await assert.rejects(batches.results(made.id), /results/i);
    const canceling = await batches.cancel(made.id);
    assert.ok(["canceling", "ended"].includes(canceling.processing_status));
    assert.notEqual(canceling.cancel_initiated_at, null);
    const { request_counts: counts } = await ended(batches, made.id);
    assert.equal(counts.succeeded + counts.canceled, 30);
    assert.ok(counts.canceled > 0);
    const error = await failing(Anthropic.BadRequestError, batches.cancel(made.id));
    assert.match(error.message, /has ended/);
    assert.match(String(error.requestID), /^req_/);
  });
}

test("list: every batch once, newest first, over pages in both directions", async () => {
  const { client } = listeningClient(house, { apiKey: house.organizations.other.api_key });
  const { batches } = client.messages;
  const made: string[] = [];
  for (let count = 0; count < 7; count++)
    made.push((await batches.create({ requests: requests("Hello") })).id);
  const listed: string[] = [];
  for await (const { id } of batches.list({ limit: 3 })) listed.push(id);
  assert.deepEqual(listed, made.toReversed());
  const page = await batches.list({ limit: 2, before_id: made[1] ?? "" });
  assert.deepEqual(
    page.data.map(({ id }) => id),
    [made[3], made[2]],
  );
  assert.ok(page.hasNextPage());
  const next = await page.getNextPage();
  assert.deepEqual(
    next.data.map(({ id }) => id),
    [made[5], made[4]],
  );
  for (const id of made) await ended(batches, id);
});

test("errors of the body have their class, and name the place", async () => {
  const { client } = listeningClient(house);
  const { batches } = client.messages;
  const twice = await failing(
    Anthropic.BadRequestError,
    batches.create({ requests: [...requests("a"), ...requests("b")] }),
  );
  assert.match(twice.message, /requests\.1\.custom_id/);
  await failing(Anthropic.BadRequestError, batches.create({ requests: [] }));
  const strange = { custom_id: "not plain!", params: params("Hello") };
  await failing(Anthropic.BadRequestError, batches.create({ requests: [strange] }));
  await failing(Anthropic.NotFoundError, batches.retrieve("msgbatch_that_is_not_there"));
});

const bodyBytesMax = 268_435_456;
const pieceBytes = 1024 * 1024;

test("a body that is too long has its class too, and leaves no batch", async () => {
  const { api_key: apiKey } = house.organizations.enterprise;
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  // What the client would have made of it: it is not held in memory here.
  const longer: typeof fetch = (input) => {
    const pieces = async function* () {
      for (let sent = 0; sent <= bodyBytesMax; sent += pieceBytes)
        yield Buffer.alloc(pieceBytes, " ");
    };
    const body = ReadableStream.from(pieces());
    return fetch(input, { method: "POST", headers, body, duplex: "half" });
  };
  const options = { baseURL: house.url, apiKey, maxRetries: 0, logLevel: "off" as const };
  const { batches } = new Anthropic({ ...options, fetch: longer }).messages;
  const error = await failing(
    Anthropic.ContentTooLargeError,
    batches.create({ requests: requests("Hello") }),
  );
  assert.equal(error.status, 413);
  assert.match(error.message, /268435456/);
  const { data } = await new Anthropic(options).messages.batches.list();
  assert.deepEqual(data, []);
});

test("only as many results are read as are wanted", async () => {
  const { client } = listeningClient(house);
  const { batches } = client.messages;
  const texts = Array.from({ length: 500 }, (_, index) => `Say ${index}`);
  const { id } = await batches.create({ requests: requests(...texts) });
  await ended(batches, id);
  const results = await batches.results(id);
  for await (const { custom_id } of results) {
    assert.match(custom_id, /^text-\d+$/);
    break;
  }
  assert.equal((await batches.retrieve(id)).processing_status, "ended");
});

interface Line {
  custom_id: string;
  result: { message: { content: object[] } };
}

/**
 * As tools of the years before send it, the Python client among them: the older version header, the beta of then, and
 * parameters with nulls.
 */
test("a batch as older tools send it", async () => {
  const key = house.organizations.platform.api_key;
  const headers = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "message-batches-2024-09-24,prompt-caching-2024-07-31",
    "x-stainless-lang": "python",
    "user-agent": "Anthropic/Python 0.39.0",
    accept: "application/json",
  };
  const system = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
  const body = {
    requests: [
      { custom_id: "task-1", params: { ...params('[[say "Yes."]]'), system, temperature: 0 } },
      { custom_id: "task-2", params: { ...params('[[say "No."]]'), stop_sequences: [] } },
    ],
  };
  const path = "/v1/messages/batches";
  const made = await house.ask("POST", `${path}?beta=true`, { key, headers, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const batch = await until(async () => {
    const { body: now } = await house.ask("GET", `${path}/${made.body.id}?beta=true`, {
      key,
      headers,
    });
    return now.processing_status === "ended" && now;
  }, "its end");
  const got = await fetch(batch.results_url, { headers: { ...headers, "x-api-key": key } });
  const lines = (await got.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
    .sort((a, b) => (a.custom_id < b.custom_id ? -1 : 1));
  assert.deepEqual(
    lines.map(({ custom_id }) => custom_id),
    ["task-1", "task-2"],
  );
  // The older client's text has no citations that are null.
  assert.deepEqual(lines[0]?.result.message.content, [{ type: "text", text: "Yes." }]);
});
