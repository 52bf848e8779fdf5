// promptfoo: an evaluation with assertions over several names, one with a tool and one that thinks.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, flow, folder } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/.bin/promptfoo");

async function evaluate(providers, tests) {
  const cwd = folder("eval");
  const settings = { prompts: ["{{question}}"], providers, tests };
  writeFileSync(join(cwd, "promptfooconfig.json"), JSON.stringify(settings));
  const args = [
    "eval",
    "-c",
    "promptfooconfig.json",
    "-o",
    "result.json",
    "--no-cache",
    "--no-table",
  ];
  const { stdout, stderr } = await command(program, args, { cwd });
  try {
    const { results } = JSON.parse(readFileSync(join(cwd, "result.json"), "utf8"));
    return results;
  } catch {
    return assert.fail(`${stdout}${stderr}`);
  }
}

function expectPassed({ stats, results }, count) {
  const errors = results.map(({ error }) => error).filter(Boolean);
  assert.deepEqual([stats.successes, stats.failures, stats.errors, errors], [count, 0, 0, []]);
}

await flow("an evaluation over three names", async () => {
  const names = ["claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-6"];
  const providers = names.map((name) => `anthropic:messages:${name}`);
  const results = await evaluate(providers, [
    {
      vars: { question: '[[say "Good day."]]' },
      assert: [
        { type: "equals", value: "Good day." },
        { type: "cost", threshold: 1 },
      ],
    },
    { vars: { question: "Hello there" }, assert: [{ type: "contains", value: "Hello there" }] },
  ]);
  expectPassed(results, 6);
  assert.ok(results.results.every(({ response }) => response.tokenUsage.total > 0));
});

await flow("a tool's call", async () => {
  const input_schema = { type: "object", properties: { city: { type: "string" } } };
  const tools = [{ name: "weather", description: "The weather.", input_schema }];
  const provider = { id: "anthropic:messages:claude-sonnet-4-5", config: { tools } };
  const results = await evaluate(
    [provider],
    [
      {
        vars: { question: '[[tool weather {"city":"Oslo"}]]' },
        assert: [{ type: "contains-all", value: ["tool_use", "weather", "Oslo"] }],
      },
    ],
  );
  expectPassed(results, 1);
});

await flow("thinking with a budget", async () => {
  const thinking = { type: "enabled", budget_tokens: 1024 };
  const config = { max_tokens: 4096, thinking, showThinking: false };
  const provider = { id: "anthropic:messages:claude-3-7-sonnet-20250219", config };
  const vars = { question: '[[think 20]] [[say "Thought."]]' };
  expectPassed(
    await evaluate([provider], [{ vars, assert: [{ type: "equals", value: "Thought." }] }]),
    1,
  );
});
