// What the playground gives to paste is run as it stands: in a shell, with the official client, with our own CLI.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { firstAgent } from "../../console/agents/agent-snippets.ts";
import { firstBatch } from "../../console/batches/batch-snippets.ts";
import { firstEnvironment } from "../../console/environments/environment-snippets.ts";
import { firstUpload, messageWith } from "../../console/files/file-snippets.ts";
import { asAdministrator } from "../../console/kit/value/snippets.ts";
import { firstServer } from "../../console/mcp-servers/mcp-server-snippets.ts";
import { firstMemory } from "../../console/memory/stores/store-snippets.ts";
import { messageSnippets } from "../../console/playground/message-snippets.ts";
import { firstSession } from "../../console/sessions/session-snippets.ts";
import { firstSkill } from "../../console/skills/skill-snippets.ts";
import type { MessageRequest } from "../../console/messages/conversation.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf } from "../rules/files-house.ts";
import { sessionsOf, wordsOf } from "../rules/sessions-house.ts";
import { waitUntilEnded, waitForJobs } from "./batches.ts";
import { pdf, png } from "./files.ts";

const root = join(import.meta.dirname, "../..");
// Inside the project, so that the packages that the code names are found.
mkdirSync(join(root, "build"), { recursive: true });
const directory = mkdtempSync(join(root, "build/snippets-"));
const run = promisify(execFile);

let house: House;
before(async () => {
  house = await openHouse();
  symlinkSync(join(root, "plinth"), join(directory, "plinth"));
});
after(async () => {
  rmSync(directory, { recursive: true, force: true });
  await waitForJobs(house);
  await house[Symbol.asyncDispose]();
});

const said = (content: string): MessageRequest["messages"] => [{ role: "user", content }];
const awkward = 'It\'s a $HOME `test` "quoted" \\ back\nnew line é 😀 \u2028 ${x} %s </script>';

const requests: Record<string, MessageRequest> = {
  "every kind of quote": { model: "sim-large", max_tokens: 90, messages: said(awkward) },
  "a text like an option": { model: "sim-large", max_tokens: 90, messages: said("--help") },
  "a stream that thinks": {
    model: "sim-large",
    max_tokens: 200,
    system: "Be 'kind'",
    messages: said("Hello"),
    thinking: { type: "adaptive" },
    output_config: { effort: "max" },
    stream: true,
  },
  "more tokens than ten minutes are long": {
    model: "sim-large",
    max_tokens: 64_000,
    messages: said("Hello"),
  },
  "a fallback in the middle": {
    model: "sim-large",
    max_tokens: 200,
    fallbacks: [{ model: "sim-medium" }],
    messages: said("Hello [[refuse category=cyber after=3]] [[tokens 20]]"),
    stream: true,
  },
  "results of tools": {
    model: "sim-large",
    max_tokens: 200,
    tools: [{ name: "look", description: "It's", input_schema: { type: "object" } }],
    messages: [
      ...said('Look [[tool look {"at":"O\'Hara"}]]'),
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "toolu_1", name: "look", input: { at: null, far: true } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] },
    ],
  },
};

async function outputOf(label: string, code: string, more: object = {}): Promise<string> {
  const env = {
    PATH: `${directory}:${process.env["PATH"]}`,
    HOME: directory,
    PLINTH_API_KEY: house.organizations.platform.api_key,
    ...more,
  };
  const file = join(directory, "snippet.ts");
  if (label === "TypeScript") writeFileSync(file, code);
  const [program, args] =
    label === "TypeScript" ? [process.execPath, [file]] : ["sh", ["-c", code]];
  const { stdout, stderr } = await run(program, args, { env, cwd: directory, timeout: 120_000 });
  return stdout + stderr;
}

for (const [name, request] of Object.entries(requests)) {
  for (const label of ["curl", "TypeScript", "CLI"]) {
    // The CLI says of itself that it has one turn.
    if (label === "CLI" && request.messages.length > 1) continue;
    test(`${label}: ${name}`, async () => {
      const found = messageSnippets(house.url, request).find((each) => each.label === label);
      const output = await outputOf(label, found?.code ?? assert.fail(label));
      const isFallen = request.fallbacks !== undefined;
      assert.match(output, isFallen ? /sim-medium/ : /end_turn|max_tokens/, output);
      if (name === "every kind of quote" && label !== "TypeScript")
        assert.ok(output.includes("It's a $HOME `test`"), output);
    });
  }
}

for (const label of ["CLI", "curl", "TypeScript"]) {
  test(`${label}: a first batch`, async () => {
    const code = firstBatch(house.url).find((each) => each.label === label)?.code ?? assert.fail();
    // Whoever pastes it puts a key there.
    const output = await outputOf(label, code.replace(/^export .*$/m, ""));
    const [id] = /msgbatch_\w+/.exec(output) ?? assert.fail(output);
    await waitUntilEnded({ house }, id);
    const { cookie } = house.organizations.platform;
    const { body } = await house.ask("GET", `/v1/messages/batches/${id}`, { cookie });
    assert.equal(body.request_counts.succeeded, 2);
  });
}

for (const label of ["CLI", "curl", "TypeScript"]) {
  test(`${label}: a first upload`, async () => {
    const code = firstUpload(house.url).find((each) => each.label === label)?.code ?? assert.fail();
    const output = await outputOf(label, code.replace(/^export .*$/m, ""));
    const [id] = /file_\w+/.exec(output) ?? assert.fail(output);
    const { status, body } = await filesOf(house).call("GET", `/${id}`);
    assert.deepEqual([status, body.filename], [200, "note.txt"], output);
  });
}

for (const label of ["CLI", "curl", "TypeScript"]) {
  test(`${label}: a first memory store`, async () => {
    const code = firstMemory(house.url).find((each) => each.label === label)?.code;
    const output = await outputOf(
      label,
      (code ?? assert.fail()).replace(/^export PLINTH_API_KEY.*$/m, ""),
    );
    const [id] = /memstore_\w+/.exec(output) ?? assert.fail(output);
    const { api_key: key } = house.organizations.platform;
    const headers = { "vendor-beta": "agent-memory-2026-07-22" };
    const { body } = await house.ask("GET", `/v1/memory_stores/${id}`, { key, headers });
    assert.equal(body.name, "notes");
    await house.ask("DELETE", `/v1/memory_stores/${id}`, { key, headers });
  });
}

for (const [noun, snippetsOf, pattern, name] of [
  ["agents", firstAgent, /agent_\w+/, "Helper"],
  ["environments", firstEnvironment, /env_\w+/, "python"],
  ["skills", firstSkill, /skill_\w+/, "house-style"],
  ["mcp_servers", firstServer, /mcpsrv_\w+/, "docs"],
] as const)
  for (const { label, code } of snippetsOf("http://127.0.0.1"))
    test(`${label}: the first of ${noun}`, async () => {
      const own = code.replaceAll("http://127.0.0.1", house.url);
      const output = await outputOf(label, own.replace(/^export PLINTH_API_KEY.*$/m, ""));
      const [id] = pattern.exec(output) ?? assert.fail(output);
      const { api_key: key } = house.organizations.platform;
      const headers = { "vendor-beta": "managed-agents-2026-04-01" };
      const { body } = await house.ask("GET", `/v1/${noun}/${id}`, { key, headers });
      assert.equal(body.name ?? body.display_name, name);
    });

for (const label of ["CLI", "curl", "TypeScript"])
  test(`${label}: a first session`, async () => {
    const calls = sessionsOf(() => house);
    const { agent, environment_id: environment } = await calls.bodyOf();
    const found = firstSession(house.url).find((each) => each.label === label);
    // Whoever pastes it puts their key and these two there.
    const names = { AGENT: agent, ENVIRONMENT: environment };
    const code = (found?.code ?? assert.fail(label))
      .replace(/^export PLINTH_API_KEY.*$/m, "")
      .replace('"agent_..."', `"${agent}"`)
      .replace('"env_..."', `"${environment}"`);
    const output = await outputOf(label, code, names);
    if (label !== "curl") assert.match(output, /You said: "Good morning"/);
    const { data } = await calls.good<{ data: { id: string }[] }>("GET", `?agent_id=${agent}`);
    const [session, ...others] = data;
    assert.deepEqual(others, []);
    const events = await calls.idle(session?.id ?? assert.fail(output));
    assert.match(wordsOf(events).join(), /You said: "Good morning"/);
  });

for (const [path, body, made] of [
  ["rbac_groups", { name: "Research" }, /"name":"Research"/],
  ["invites", { email: "new@example.com", role: "user" }, /"email":"new@example.com"/],
] as const)
  test(`curl as an administrator: ${path}`, async () => {
    const { admin_api_key: key } = house.organizations.enterprise;
    const [snippet] = asAdministrator(house.url, path, body);
    const code = (snippet?.code ?? assert.fail()).replace(/"\.\.\.".*/, `"${key}"`);
    assert.match(await outputOf("curl", code), made);
  });

for (const [block, filename, content] of [
  ["image", "dot.png", png(8, 8)],
  ["document", "plan.txt", "The plan is to wait."],
  ["document", "plan.pdf", pdf],
] as const)
  for (const label of ["curl", "TypeScript"]) {
    test(`${label}: a message with ${filename}`, async () => {
      const { id } = await filesOf(house).upload({ filename, content });
      const found = messageWith(house.url, id, block).find((each) => each.label === label);
      const code = (found?.code ?? assert.fail(label)).replace(/^export .*$/m, "");
      assert.match(await outputOf(label, code), label === "curl" ? /end_turn/ : /type: 'text'/);
    });
  }

test("Python: literals, a long wait where it is needed, and betas", () => {
  const pythonOf = (request: MessageRequest) =>
    messageSnippets("http://h", request).find(({ label }) => label === "Python")?.code ?? "";
  const tools = pythonOf(requests["results of tools"] ?? assert.fail());
  assert.match(tools, /"at": None,\n\s+"far": True,/);
  assert.match(
    pythonOf(requests["more tokens than ten minutes are long"] ?? assert.fail()),
    /timeout=3600,\n\)\)/,
  );
  assert.doesNotMatch(tools, /timeout/);
  assert.match(
    pythonOf(requests["a fallback in the middle"] ?? assert.fail()),
    /client\.beta\.messages\.stream\([^]*betas=\[\n\s+"server-side-fallback-2026-07-01",/,
  );
});
