// Rules MDL1 to MDL3 of names: which model a client's name leads to, and what the settings file changes of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { simulatorModels } from "../../server/models/catalog/built-in.ts";
import { catalogOf } from "../../server/models/module.ts";
import { catalogOfEntries } from "../../server/models/catalog/catalog.ts";
import {
  assembleCatalog,
  noSettings,
  type ModelSettings,
} from "../../server/models/catalog/settings.ts";
import { openHouse, type House } from "../house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const model = async (id: string) => {
  const { api_key: key } = house.organizations.platform;
  return (await house.ask("GET", `/v1/models/${id}`, { key })).body;
};

test("[MDL1] the seven models of the simulator differ in what they take", async () => {
  const seen: Record<string, unknown> = {};
  for (const { id } of simulatorModels) {
    const { capabilities, max_tokens } = await model(id);
    const on = (group: object) =>
      Object.entries(group).flatMap(([name, value]) => (value?.supported === true ? [name] : []));
    seen[id] = [
      on(capabilities.effort).join(),
      on(capabilities.thinking.types).sort().join(),
      max_tokens,
    ];
  }
  assert.deepEqual(seen, {
    "sim-large": ["low,medium,high,max,xhigh", "adaptive,between_tools,disabled", 128_000],
    "sim-medium": ["low,medium,high,max", "adaptive,disabled", 128_000],
    "sim-small": ["", "disabled", 64_000],
    "sim-adaptive-small": ["low,medium,high,max", "adaptive,disabled", 128_000],
    "sim-classic-large": ["low,medium,high,max", "disabled,enabled", 128_000],
    "sim-classic": ["low,medium,high,max", "disabled,enabled", 128_000],
    "sim-classic-small": ["", "disabled,enabled", 128_000],
  });
  const catalog = catalogOf(house.world);
  const routes = (id: string) => {
    const found = catalog.resolve(id);
    return [
      found?.allowedFallbackModels,
      found?.fallbackRouting.none,
      found?.fallbackRouting.frontier_llm,
    ];
  };
  const classics = ["sim-classic-large", "sim-classic", "sim-classic-small"];
  const fromLarge = ["sim-medium", "sim-small", "sim-adaptive-small", ...classics];
  assert.deepEqual(routes("sim-large"), [fromLarge, "sim-medium", undefined]);
  const fromMedium = ["sim-small", "sim-adaptive-small", "sim-classic", "sim-classic-small"];
  assert.deepEqual(routes("sim-medium"), [fromMedium, "sim-small", undefined]);
  assert.deepEqual(routes("sim-small"), [[], undefined, undefined]);
  assert.equal(routes("sim-classic-large")[1], "sim-classic");
  assert.equal(routes("sim-classic")[1], "sim-classic-small");
  assert.equal(routes("sim-classic-small")[1], "sim-small");
});

test("[MDL1] a budget beside an effort is taken only by models that think in no other way", () => {
  for (const found of simulatorModels) {
    const { id } = found;
    const hasBudget = found.thinking.includes("enabled");
    const isEffortCapable = found.efforts.length > 0;
    assert.equal(found.effortWithBudget, hasBudget && isEffortCapable, id);
    if (isEffortCapable && hasBudget) assert.ok(!found.thinking.includes("adaptive"), id);
  }
});

/** Every name whose clients send a budget, and the price of a million tokens of its class. */
const budgetNames: [string, string, number, number][] = [
  ["claude-3-opus-20240229", "sim-classic-large", 5_000, 25_000],
  ["claude-3-opus-latest", "sim-classic-large", 5_000, 25_000],
  ["claude-opus-4", "sim-classic-large", 5_000, 25_000],
  ["claude-opus-4-0", "sim-classic-large", 5_000, 25_000],
  ["claude-opus-4-20250514", "sim-classic-large", 5_000, 25_000],
  ["claude-4-opus-20250514", "sim-classic-large", 5_000, 25_000],
  ["claude-4-sonnet-20250514", "sim-classic", 3_000, 15_000],
  ["claude-opus-4-1", "sim-classic-large", 5_000, 25_000],
  ["claude-opus-4-1-20250805", "sim-classic-large", 5_000, 25_000],
  ["claude-opus-4-5", "sim-classic-large", 5_000, 25_000],
  ["claude-opus-4-5-20251101", "sim-classic-large", 5_000, 25_000],
  ["claude-3-sonnet-20240229", "sim-classic", 3_000, 15_000],
  ["claude-3-5-sonnet-20241022", "sim-classic", 3_000, 15_000],
  ["claude-3-5-sonnet-latest", "sim-classic", 3_000, 15_000],
  ["claude-3-7-sonnet-20250219", "sim-classic", 3_000, 15_000],
  ["claude-3-7-sonnet-latest", "sim-classic", 3_000, 15_000],
  ["claude-sonnet-4", "sim-classic", 3_000, 15_000],
  ["claude-sonnet-4-0", "sim-classic", 3_000, 15_000],
  ["claude-sonnet-4-20250514", "sim-classic", 3_000, 15_000],
  ["claude-sonnet-4-5", "sim-classic", 3_000, 15_000],
  ["claude-sonnet-4-5-20250929", "sim-classic", 3_000, 15_000],
  ["claude-3-haiku-20240307", "sim-classic-small", 1_000, 5_000],
  ["claude-3-5-haiku-latest", "sim-classic-small", 1_000, 5_000],
  ["claude-haiku-4-5", "sim-classic-small", 1_000, 5_000],
  ["claude-haiku-4-5-20251001", "sim-classic-small", 1_000, 5_000],
  ["claude-3-5-haiku-20241022", "sim-classic-small", 1_000, 5_000],
];

test("[MDL2] names whose clients send a budget lead to models that take one, as dear as their class", async () => {
  const { api_key: key } = house.organizations.platform;
  const catalog = catalogOf(house.world);
  for (const [name, id, input, output] of budgetNames) {
    const found = catalog.resolve(name);
    assert.deepEqual([found?.id, found?.prices.input, found?.prices.output], [id, input, output]);
    const format = { type: "json_schema", schema: { type: "object" } };
    const body = {
      model: name,
      max_tokens: 128_000,
      thinking: { type: "enabled", budget_tokens: 1_024 },
      output_config: { format },
      messages: [{ role: "user", content: "Hello" }],
    };
    const answer = await house.ask("POST", "/v1/messages", { key, body });
    const kinds = answer.body.content?.map(({ type }: { type: string }) => type);
    assert.deepEqual([answer.status, kinds], [200, ["thinking", "text"]], name);
  }
  const newer = {
    "claude-opus-4-6": "sim-large",
    "claude-opus-4-8": "sim-large",
    "claude-opus-5": "sim-large",
    "claude-opus-5-5": "sim-large",
    "claude-fable-5-2": "sim-large",
    "claude-mythos-preview": "sim-large",
    "claude-sonnet-4-6": "sim-medium",
    "claude-sonnet-5": "sim-medium",
    "claude-sonnet-5-5": "sim-medium",
    "claude-haiku-5": "sim-adaptive-small",
    "claude-haiku-5-5": "sim-adaptive-small",
  };
  for (const [name, id] of Object.entries(newer)) assert.equal(catalog.resolve(name)?.id, id, name);
});

test("[MDL2] a name leads to its class and version, however clients spell it", () => {
  const { named } = assembled([]);
  const ids = {
    "sim-classic-large": [
      "claude-opus-3",
      "claude-opus-3-latest",
      "claude-opus-4-latest",
      "claude-4-opus",
      "claude-4.1-opus",
      "claude-opus-4.1",
      "claude-opus-4.5",
      "claude-opus-4-1@20250805",
      "claude-opus-4@20250514",
      "anthropic/claude-opus-4",
      "anthropic/claude-opus-4.1",
      "claude-opus-4-5[1m]",
    ],
    "sim-classic": [
      "claude-3.5-sonnet",
      "claude-3.7-sonnet",
      "claude-sonnet-3-5",
      "claude-sonnet-3.7",
      "claude-sonnet-4.5",
      "claude-4.5-sonnet",
      "claude-sonnet-4-latest",
      "claude-3-5-latest",
      "anthropic/claude-sonnet-4.5",
      "anthropic/claude-3.7-sonnet:thinking",
    ],
    "sim-classic-small": [
      "claude-haiku-3-5",
      "claude-haiku-3.5",
      "claude-haiku-3",
      "claude-haiku-4.5",
      "claude-3.5-haiku",
      "anthropic/claude-haiku-4.5",
      "anthropic/claude-3-haiku:beta",
      "claude-haiku-4-5@20251001",
    ],
    "sim-large": [
      "claude-opus-4-10",
      "claude-opus-4.10",
      "claude-opus-4-50",
      "claude-opus-4-6@20260205",
      "claude-opus-4.6",
      "anthropic/claude-opus-4.6",
      "claude-opus",
      "claude-opus-latest",
      "claude-2.1",
      "claude-opus-30",
      "claude-opus-4-10-20260101",
    ],
    "sim-medium": [
      "claude-sonnet-4-10",
      "claude-sonnet-4.6",
      "claude-sonnet",
      "claude-sonnet-latest",
      "claude-4.6-sonnet",
      "anthropic/claude-sonnet-5",
    ],
    "sim-adaptive-small": [
      "claude-haiku-4-10",
      "claude-haiku-4.6",
      "claude-haiku",
      "claude-haiku-5.5",
    ],
  };
  const found = Object.values(ids)
    .flat()
    .map((name) => [name, named(name).id]);
  assert.deepEqual(
    Object.fromEntries(found),
    Object.fromEntries(
      Object.entries(ids).flatMap(([id, names]) => names.map((name) => [name, id])),
    ),
  );
  assert.equal(assembled([]).resolve("anthropic/sim-large"), undefined);
  const own = assembled([
    { id: "mine", upstream: "simulator", aliases: ["claude-sonnet-4-5"] },
    { id: "dotted", upstream: "simulator", aliases: ["claude-opus-4.1", "anthropic/*"] },
  ]);
  assert.equal(own.named("claude-sonnet-4.5").id, "mine");
  assert.equal(own.named("claude-opus-4.1").id, "dotted");
  assert.equal(own.named("claude-opus-4-1").id, "sim-classic-large");
  const all = assembled([{ id: "mine", upstream: "simulator", aliases: ["claude-*"] }]);
  for (const name of Object.values(ids).flat()) assert.equal(all.named(name).id, "mine", name);
  assert.equal(own.named("anthropic/claude-haiku-4.5").id, "dotted");
});

test("[MDL2] newer names of every class think adaptively beside an effort, also one that a turn sets", async () => {
  const { api_key: key } = house.organizations.platform;
  for (const model of ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]) {
    const output_config = { effort: "medium" };
    const turn = { role: "system", content: [{ type: "text", text: "Briefly." }], output_config };
    const body = {
      model,
      max_tokens: 128_000,
      thinking: { type: "adaptive", display: "updates" },
      output_config,
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      messages: [{ role: "user", content: "Hello" }, turn],
    };
    const { status, body: reply } = await house.ask("POST", "/v1/messages", { key, body });
    assert.deepEqual([status, reply.stop_reason], [200, "end_turn"], JSON.stringify(reply));
  }
});

test("[MDL2] a name of the classic family may be the fallback of a newer one", async () => {
  const { api_key: key } = house.organizations.platform;
  const ask = (model: string, fallback: string) =>
    house.ask("POST", "/v1/messages", {
      key,
      headers: { "anthropic-beta": "server-side-fallback-2026-07-01" },
      body: {
        model,
        max_tokens: 256,
        messages: [
          { role: "user", content: "Hello [[refuse]] [[refuse models=sim-classic-large]]" },
        ],
        fallbacks: [{ model: fallback }],
      },
    });
  for (const [model, fallback, id] of [
    ["claude-opus-5", "claude-haiku-4-5", "sim-classic-small"],
    ["claude-opus-5", "claude-sonnet-4-5", "sim-classic"],
    ["claude-opus-4-5", "claude-sonnet-4-5", "sim-classic"],
    ["claude-opus-4-5", "claude-haiku-4-5", "sim-classic-small"],
    ["claude-opus-4-5", "claude-sonnet-5", "sim-medium"],
  ] as const) {
    const { status, body } = await ask(model, fallback);
    assert.deepEqual([status, body.model, body.stop_reason], [200, id, "end_turn"], model);
  }
});

/** What the settings file's models mean, put together with the built-in ones. */
function assembled(models: ModelSettings["models"], stored: ModelSettings["models"] = []) {
  const { entries, problems } = assembleCatalog(
    { ...noSettings, models },
    { ...noSettings, models: stored },
  );
  assert.deepEqual(problems, []);
  const { resolve } = catalogOfEntries(entries, () => assert.fail("nothing is asked"));
  return { resolve, named: (name: string) => resolve(name) ?? assert.fail(name) };
}

test("[MDL2] a built-in model that the settings file names keeps its names at their rank", () => {
  const { named } = assembled([
    { id: "sim-large", display_name: "Ours" },
    { id: "mine", upstream: "simulator", aliases: ["claude-opus-*"] },
  ]);
  assert.equal(named("sim-large").displayName, "Ours");
  assert.equal(named("claude-opus-5").id, "mine");
  assert.equal(named("claude-sonnet-5").id, "sim-medium", "claude-* draws no others to itself");
  assert.equal(named("claude-haiku-4-5").id, "sim-classic-small");
  assert.equal(named("claude-fable-5").id, "sim-large");
  const own = assembled([{ id: "sim-small", aliases: ["claude-*"] }]);
  assert.equal(own.named("claude-opus-5").id, "sim-small", "a name of its own takes them over");
  const both = assembled(
    [{ id: "mine", upstream: "simulator", aliases: ["claude-opus-4"] }],
    [{ id: "sim-classic-large", display_name: "Console" }],
  );
  assert.equal(both.named("claude-opus-4").id, "mine");
});

test("[MDL3] what a built-in model passes it keeps, and an entry adds to it", () => {
  const before = simulatorModels[0]?.pass ?? [];
  const { named } = assembled([{ id: "sim-large", pass: ["mcp_servers"] }]);
  assert.deepEqual(named("sim-large").pass, [...before, "mcp_servers"]);
  assert.ok(before.includes("bash_20250124"));
});
