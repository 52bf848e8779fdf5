// A program that is killed in message requests with MCP servers: what is charged, and how often a tool is called.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { checkBooks } from "../books.ts";
import { until } from "../kernel/sql-harness.ts";
import { openRoundsHouse, passing, roundNano, type Place, type RoundsHouse } from "./mcp-rounds.ts";

const places = ["first-round", "call", "second-round", "ending"] as const;
const beta = "mcp-client-2025-11-20";

/** Which rounds are in the ledger, and which of them were under way. */
const outcomes: Readonly<Record<Place, readonly string[]>> = {
  "first-round": ["lost"],
  call: ["served"],
  "second-round": ["served", "lost"],
  ending: ["served", "lost"],
  nowhere: ["served", "served"],
};

const isReached = (house: RoundsHouse, models: readonly string[]) =>
  until("all requests are where they stop", () => models.every((each) => house.reached.has(each)));

test("[MCM25] rounds of a killed program are charged once: those that ended as they were, one under way as lost", async () => {
  const cases = Object.fromEntries(
    places.flatMap((place) => ["whole", "streamed"].map((how) => [`${place}-${how}`, place])),
  );
  const models = Object.keys(cases);
  await using house = await openRoundsHouse(cases);
  const { messages } = house.client().beta;
  const heard = new Map<string, string>();
  const ends = models.map(async (model) => {
    const asked = { ...house.asking(model), betas: [beta] };
    if (!model.endsWith("streamed")) return messages.create(asked);
    const stream = messages.stream(asked);
    stream.on("text", (_delta, text) => heard.set(model, text));
    return stream.finalMessage();
  });
  const settled = Promise.allSettled(ends);
  await isReached(house, models);
  for (const [model, place] of Object.entries(cases))
    if (model.endsWith("streamed"))
      await until(`${model} is heard`, () =>
        place === "first-round" || place === "call"
          ? heard.get(model) === "Let me look."
          : heard.get(model) === "That is all.",
      );
  await house.killed();
  for (const { status } of await settled) assert.equal(status, "rejected");
  house.goOn();
  await house.started();

  await until("no reservation is left", async () => {
    const open = await house.db.query(sql`select id from ledger_opens`);
    return open.length === 0;
  });
  const rows = Map.groupBy(await house.rows(), ({ model }) => model);
  for (const [model, place] of Object.entries(cases)) {
    const mine = rows.get(model) ?? [];
    assert.deepEqual(
      mine.map(({ outcome }) => outcome),
      outcomes[place],
      model,
    );
    for (const { outcome, nano, reserve } of mine)
      assert.equal(nano, outcome === "lost" ? reserve : roundNano, model);
    const calls = house.called.filter((each) => each === model).length;
    assert.equal(calls, place === "first-round" ? 0 : 1, model);
  }
  await checkBooks(house.db);

  const [first = ""] = models;
  const { stop_reason } = await house
    .client()
    .beta.messages.create({ ...house.asking(first), betas: [beta] });
  assert.equal(stop_reason, "end_turn");
  const again = (await house.rows()).filter(({ model }) => model === first);
  assert.deepEqual(
    again.map(({ outcome }) => outcome),
    ["lost", "served", "served"],
  );
});

for (const how of ["killed", "stopped"] as const)
  test(`[MCM26] [MCM27] a batch calls no tool again that was called before its process was ${how}, and begins the rest anew`, async () => {
    const cases = {
      first: "first-round",
      call: "call",
      second: "second-round",
      canceled: "call",
      [passing]: "first-round",
    } as const;
    await using house = await openRoundsHouse(cases);
    const { batches } = house.client().beta.messages;
    const begin = async (...models: readonly string[]) => {
      const requests = models.map((model) => ({ custom_id: model, params: house.asking(model) }));
      return (await batches.create({ requests, betas: [beta] })).id;
    };
    const worked = await begin("first", "call", "second", passing);
    const canceled = await begin("canceled");
    await isReached(house, Object.keys(cases));
    await batches.cancel(canceled);
    await house[how]();
    house.goOn();
    await house.started();

    const { batches: anew } = house.client().beta.messages;
    const results = new Map<string, string>();
    for (const id of [worked, canceled]) {
      await until(`${id} has ended`, async () => {
        const { processing_status: status } = await anew.retrieve(id);
        return status === "ended";
      });
      for await (const { custom_id, result } of await anew.results(id)) {
        results.set(custom_id, result.type);
        if (result.type !== "errored") continue;
        const { error } = result.error;
        assert.equal(error.type, "api_error");
        assert.match(error.message, /^The process .+ are not called a second time: .+ new batch/);
      }
    }
    assert.deepEqual(Object.fromEntries(results), {
      first: "succeeded",
      call: "errored",
      second: "errored",
      canceled: "errored",
      [passing]: "succeeded",
    });
    assert.deepEqual(house.called.toSorted(), ["call", "canceled", "first", "second"]);
    const rows = (await house.rows()).map(({ model, kind, outcome, nano }) =>
      [model, kind, outcome, nano].join(" "),
    );
    const round = (model: string) => `${model} batch served ${roundNano / 2}`;
    assert.deepEqual(rows.toSorted(), [round("first"), round("first"), round(passing)]);
    await checkBooks(house.db);
  });
