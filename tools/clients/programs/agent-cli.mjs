// The agent CLI as people start it in a terminal or a script:
// prompts, sessions, tools, subagents, both small and large names.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, flow, folder } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/.bin/claude");
const run = (cwd, ...args) => command(program, ["-p", ...args], { cwd });

async function answer(cwd, ...args) {
  const { code, stdout, stderr } = await run(cwd, ...args);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout.trim();
}

await flow("`-p`", async () => {
  assert.equal(await answer(folder("p"), 'Hello [[say "Good day."]]'), "Good day.");
});

for (const model of ["haiku", "sonnet", "opus"])
  await flow(`\`--model ${model}\``, async () => {
    const said = await answer(folder(model), `[[say "I am ${model}."]]`, "--model", model);
    assert.equal(said, `I am ${model}.`);
  });

await flow("`--continue`", async () => {
  const cwd = folder("continue");
  assert.equal(await answer(cwd, '[[think 20]] [[say "First."]]'), "First.");
  assert.equal(await answer(cwd, "--continue", '[[say "Second."]]'), "Second.");
  // The simulator quotes what it is asked: the third prompt of one session, not the first of another.
  const told = await answer(
    cwd,
    "--continue",
    "[[tokens 40]] A third prompt",
    "--output-format",
    "json",
  );
  assert.ok(JSON.parse(told).usage.cache_read_input_tokens > 0, told);
});

await flow("`--output-format json`", async () => {
  const told = await answer(folder("json"), '[[say "One two three."]]', "--output-format", "json");
  const { result, is_error, num_turns, usage, total_cost_usd } = JSON.parse(told);
  assert.deepEqual([result, is_error, num_turns], ["One two three.", false, 1]);
  assert.ok(usage.output_tokens >= 4 && total_cost_usd > 0, told);
});

await flow("`--output-format stream-json`", async () => {
  const flags = ["--output-format", "stream-json", "--verbose", "--include-partial-messages"];
  const told = await answer(folder("stream"), '[[think 12]] [[say "One two three."]]', ...flags);
  const lines = told.split("\n").map((line) => JSON.parse(line));
  const deltas = lines.flatMap(({ event }) => event?.delta?.text ?? []);
  assert.equal(deltas.join(""), "One two three.");
  assert.ok(deltas.length >= 3, `${deltas.length} deltas`);
  assert.ok(lines.some(({ event }) => event?.delta?.type === "thinking_delta"));
  assert.equal(lines.at(-1).result, "One two three.");
});

await flow("tools: a command, a file read and changed", async () => {
  const cwd = folder("tools");
  writeFileSync(join(cwd, "note.txt"), "grey\n");
  const read = `[[tool Read {"file_path":${JSON.stringify(join(cwd, "note.txt"))}}]]`;
  const change = { file_path: join(cwd, "note.txt"), old_string: "grey", new_string: "green" };
  const edit = `[[tool Edit ${JSON.stringify(change)}]]`;
  const shell = `[[tool Bash {"command":"cat note.txt > copy.txt","description":"Copy it"}]]`;
  const prompt = `${read} ${edit} ${shell} [[say "Done."]]`;
  const allowed = ["--allowedTools", "Read,Edit,Bash"];
  assert.equal(await answer(cwd, prompt, ...allowed), "Done.");
  assert.equal(readFileSync(join(cwd, "copy.txt"), "utf8"), "green\n");
});

await flow("a tool that fails", async () => {
  const call = '[[tool Bash {"command":"exit 3","description":"Fail"}]]';
  assert.match(await answer(folder("failing"), call, "--allowedTools", "Bash"), /Bash failed/);
});

await flow("subagents", async () => {
  const shell = '[[tool Bash {"command":"echo from-below > below.txt","description":"Write"}]]';
  const input = { description: "Below", prompt: shell, subagent_type: "general-purpose" };
  const cwd = folder("subagent");
  const said = await answer(
    cwd,
    `[[tool Agent ${JSON.stringify(input)}]]`,
    "--allowedTools",
    "Bash,Agent",
  );
  assert.match(said, /Agent answered: "Bash answered/);
  assert.equal(readFileSync(join(cwd, "below.txt"), "utf8"), "from-below\n");
});

await flow("a subagent on haiku", async () => {
  const prompt = '[[say "From the small one."]]';
  const input = { description: "Small", prompt, subagent_type: "Explore", model: "haiku" };
  const said = await answer(folder("small"), `[[tool Agent ${JSON.stringify(input)}]]`);
  assert.match(said, /From the small one\./);
});

await flow("`--json-schema`", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const flags = ["--json-schema", JSON.stringify(schema), "--output-format", "json"];
  const told = await answer(
    folder("schema"),
    '[[tool StructuredOutput {"city":"Oslo"}]]',
    ...flags,
  );
  assert.deepEqual(JSON.parse(told).structured_output, { city: "Oslo" });
});

await flow("`--effort low`, `--append-system-prompt`, `--fallback-model`", async () => {
  const flags = [
    "--effort",
    "low",
    "--append-system-prompt",
    "Be short.",
    "--fallback-model",
    "haiku",
  ];
  assert.equal(await answer(folder("flags"), '[[say "Short."]]', ...flags), "Short.");
});

await flow("an overloaded model is asked again", async () => {
  assert.equal(await answer(folder("again"), '[[fail times=1]] [[say "Now."]]'), "Now.");
});

await flow("a refusal is told", async () => {
  const { code, stdout } = await run(folder("refusal"), "[[refuse category=cyber models=*]]");
  assert.notEqual(code, 0);
  assert.match(stdout, /flagged|refus|unable/i);
});
