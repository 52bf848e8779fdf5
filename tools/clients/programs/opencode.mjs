// opencode as people start it in a terminal:
// prompts, a session that goes on, tools, small and large names, variants that think.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, flow, folder, url } from "./flows.mjs";

const program = join(import.meta.dirname, "node_modules/.bin/opencode");
const options = { baseURL: `${url}/v1`, apiKey: "{env:ANTHROPIC_API_KEY}" };
const settings = { provider: { anthropic: { options } }, autoupdate: false, share: "disabled" };

/** An empty directory of work that knows the address. */
function place(name) {
  const cwd = folder(name);
  writeFileSync(join(cwd, "opencode.json"), JSON.stringify(settings));
  return cwd;
}

async function events(cwd, prompt, { model = "claude-sonnet-4-5", args = [] } = {}) {
  const named = ["--model", `anthropic/${model}`, ...args];
  const flags = ["run", "--format", "json", "--auto", "--title", "A title", ...named];
  const { code, stdout, stderr } = await command(program, flags, { cwd, input: prompt });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const told = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const failed = told.find(({ type }) => type === "error");
  assert.equal(failed, undefined, JSON.stringify(failed));
  return told;
}

async function answer(...asked) {
  const told = await events(...asked);
  return told.flatMap(({ part }) => (part?.type === "text" ? part.text : [])).at(-1);
}

await flow("`run`", async () => {
  assert.equal(await answer(place("run"), '[[say "Good day."]]'), "Good day.");
});

for (const model of ["claude-haiku-4-5", "claude-opus-4-5", "claude-opus-4-6", "claude-sonnet-4-6"])
  await flow(`\`--model anthropic/${model}\``, async () => {
    const said = await answer(place("model"), '[[say "Here."]]', { model });
    assert.equal(said, "Here.");
  });

await flow("`--continue`", async () => {
  const cwd = place("continue");
  assert.equal(await answer(cwd, '[[say "First."]]'), "First.");
  assert.equal(await answer(cwd, '[[say "Second."]]', { args: ["--continue"] }), "Second.");
});

await flow("tools: a file written, a command", async () => {
  const cwd = place("tools");
  const file = { filePath: join(cwd, "note.txt"), content: "green" };
  const write = `[[tool write ${JSON.stringify(file)}]]`;
  const shell = '[[tool bash {"command":"cp note.txt copy.txt","description":"Copy it"}]]';
  assert.equal(await answer(cwd, `${write} ${shell} [[say "Done."]]`), "Done.");
  assert.equal(readFileSync(join(cwd, "copy.txt"), "utf8"), "green");
});

await flow("a subagent", async () => {
  const input = { description: "Below", prompt: '[[say "From below."]]', subagent_type: "general" };
  const said = await answer(place("subagent"), `[[tool task ${JSON.stringify(input)}]]`);
  assert.match(said, /From below\./);
});

for (const model of ["claude-sonnet-4-5", "claude-opus-4-6"])
  await flow(`\`--variant high\`, ${model}`, async () => {
    const cwd = place("variant");
    const args = ["--variant", "high"];
    const said = await answer(cwd, '[[think 20]] [[say "Thought."]]', { model, args });
    assert.equal(said, "Thought.");
    const asked = { model, args: [...args, "--continue"] };
    assert.equal(await answer(cwd, '[[say "Again."]]', asked), "Again.");
  });
