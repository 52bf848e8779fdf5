// `plinth agents`: for people, for pipes and for programs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { archive } from "../../cli/agents/write.ts";
import { CliError } from "../../cli/terminal.ts";
import type { Agent, AgentToolset } from "../../contract/types.ts";
import { custom, server, toolset, toolsetOf } from "../rules/agents-house.ts";
import { folder, skillsOf } from "../rules/skills-house.ts";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let agents: WorkspaceCommands;
before(async () => {
  agents = await openWorkspaceCommands("agents");
});
after(async () => {
  await agents?.[Symbol.asyncDispose]();
});

const helper = ["create", "--name", "Helper", "--model", "sim-large"];
const make = async (...more: string[]) => (await agents.said(...helper, ...more)).trim();
const read = (id: string) => agents.api("GET", `/${id}`);
const isEnabled = (config: { enabled: boolean }) => config.enabled;
const nameOf = ({ name }: { name: string }) => name;

test("create takes simple fields as flags, and prints the id; --json is the agent of the API", async () => {
  const words = ["--effort", "low", "--system", "Be brief.", "--description", "Helps"];
  const id = await make(...words, "--tools", "bash,read", "--metadata", "team=a=b");
  assert.match(id, /^agent_\w+$/);
  const made = await read(id);
  assert.deepEqual(
    [made.name, made.system, made.description, made.metadata],
    ["Helper", "Be brief.", "Helps", { team: "a=b" }],
  );
  assert.deepEqual(made.model, { id: "sim-large", effort: { type: "low" }, speed: "standard" });
  assert.equal(made.tools[0].default_config.enabled, false);
  assert.deepEqual(made.tools[0].configs.filter(isEnabled).map(nameOf), ["bash", "read"]);
  const json = await agents.parsed(...helper, "--tools", "all");
  assert.deepEqual(json, await read(json.id));
  assert.deepEqual([json.tools[0].default_config.enabled, json.tools[0].configs], [true, []]);
  const nameless = await agents.run("create", "--model", "sim-large");
  expectSentence(nameless, 2, /An agent needs a name and a model: --name Helper/);
  const unknown = await agents.run("create", "--name", "a", "--model", "no-such");
  expectSentence(unknown, 1, /model: there is no model "no-such"; .* \(request req_\w+\)\n$/);
});

test("a file of JSON says all of it, also from a pipe; flags go over it", async () => {
  const mcp = server("docs");
  const tools = [toolsetOf("docs"), custom("ask_us")];
  const body = { name: "Of a file", model: "sim-large", mcp_servers: [mcp], tools };
  const piped = await agents.piped(
    JSON.stringify(body),
    "create",
    "--file",
    "-",
    "--name",
    "Of a pipe",
  );
  assert.equal(piped.code, 0, piped.stderr);
  const made = await read(piped.stdout.trim());
  assert.deepEqual([made.name, made.mcp_servers], ["Of a pipe", [mcp]]);
  assert.deepEqual(
    made.tools.map((tool: { type: string }) => tool.type),
    ["mcp_toolset", "custom"],
  );
  const refused = async (content: string, sentence: RegExp) => {
    const file = agents.file("wrong.json", content);
    const result = await agents.run("create", "--file", file);
    expectSentence(result, 2, sentence);
  };
  await refused("name: yaml", /wrong\.json is not JSON: /);
  await refused("[1]", /wrong\.json must hold one JSON object/);
  const none = await agents.run("create", "--file", "none.json");
  expectSentence(none, 2, /There is no such file/);
});

test("flags go over a file field by field", async () => {
  const model = { id: "sim-large", effort: "low", inference_geo: "us" };
  const body = { name: "a", model, system_prompt: "Old", metadata: { a: "1", b: "1" } };
  const file = agents.file("whole.json", JSON.stringify(body));
  const words = ["--model", "sim-medium", "--system", "New", "--metadata", "b=2"];
  const made = await agents.parsed("create", "--file", file, ...words);
  assert.deepEqual(made.model, {
    ...model,
    id: "sim-medium",
    effort: { type: "low" },
    speed: "standard",
  });
  assert.deepEqual([made.system, made.metadata], ["New", { a: "1", b: "2" }]);
});

test("of a prompt that show prints under two names, the one that was changed counts", async () => {
  const id = await make("--system", "Old");
  const change = async (field: string) => {
    const shown = await agents.said("show", id, "--json");
    const file = agents.file("prompt.json", shown.replace(`"${field}":"`, `"${field}":"New `));
    return (await agents.parsed("update", id, "--file", file)).system;
  };
  assert.equal(await change("system"), "New Old");
  assert.equal(await change("system_prompt"), "New New Old");
  const both = agents.file("both.json", JSON.stringify({ system: "a", system_prompt: "b" }));
  const refused = await agents.run("update", id, "--file", both);
  expectSentence(refused, 1, /system_prompt: is another name of system/);
});

test("what was worked out from an agent is refused where another one changes it meanwhile", async () => {
  const id = await make();
  const between = createServer(async (request, response) => {
    const { method = "", headers } = request;
    if (method === "POST") await agents.api("POST", `/${id}`, { model: "sim-medium" });
    const sent = method === "POST" ? await text(request) : undefined;
    const reply = await fetch(`${agents.house.url}${request.url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(sent !== undefined && { body: sent }),
    });
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(await reply.text());
  });
  await new Promise<void>((resolve) => void between.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  try {
    const stale = await agents.run("update", id, "--effort", "low", "--url", url);
    expectSentence(stale, 1, /is at version 2 by now, not 1/);
    assert.equal((await read(id)).model.id, "sim-medium");
    await agents.api("POST", `/${id}`, { model: "sim-large" });
    assert.equal((await agents.run("update", id, "--name", "b", "--url", url)).code, 0);
    assert.equal((await read(id)).model.id, "sim-medium");
  } finally {
    between.closeAllConnections();
    between.close();
  }
});

test("what show printed can be changed and sent back, once", async () => {
  const id = await make("--metadata", "a=1");
  const shown = await agents.said("show", id, "--json");
  assert.deepEqual(JSON.parse(shown), await read(id));
  const file = agents.file("agent.json", shown);
  assert.equal(
    await agents.said("update", id, "--file", file),
    `nothing changed: ${id} is at version 1\n`,
  );
  agents.file("agent.json", shown.replace('"Helper"', '"Changed"'));
  assert.equal(await agents.said("update", id, "--file", file), `updated ${id} to version 2\n`);
  assert.equal((await read(id)).name, "Changed");
  const again = await agents.run("update", id, "--file", file);
  expectSentence(again, 1, /is at version 2 by now, not 1/);
  const copy = await agents.parsed("create", "--file", file, "--name", "Copy");
  assert.deepEqual([copy.version, copy.metadata], [1, { a: "1" }]);
  const other = await agents.run("update", copy.id, "--file", file);
  expectSentence(
    other,
    2,
    new RegExp(`agent\\.json holds ${id}, not ${copy.id}\\. Take its id out`),
  );
  assert.equal(JSON.parse(readFileSync(file, "utf8")).id, id);
});

test("update sends what is named alone, and says where nothing changed", async () => {
  const id = await make("--system", "Old", "--effort", "low", "--metadata", "a=1");
  const nothing = await agents.run("update", id);
  expectSentence(nothing, 2, /Say what to change: --name, --model/);
  const changed = await agents.parsed("update", id, "--description", "New", "--metadata", "b=2");
  assert.deepEqual(
    [changed.version, changed.system, changed.description, changed.metadata],
    [2, "Old", "New", { a: "1", b: "2" }],
  );
  const same = await agents.said("update", id, "--description", "New");
  assert.equal(same, `nothing changed: ${id} is at version 2\n`);
  const cleared = await agents.parsed("update", id, "--system", "", "--metadata", "a=");
  assert.deepEqual([cleared.system, cleared.metadata], [null, { b: "2" }]);
  const harder = await agents.parsed("update", id, "--effort", "high");
  assert.deepEqual(harder.model, { id: "sim-large", effort: { type: "high" }, speed: "standard" });
  const stale = await agents.run("update", id, "--name", "Late", "--version", "1");
  expectSentence(stale, 1, /is at version 4 by now, not 1; .* \(request req_\w+\)\n$/);
  assert.equal((await read(id)).name, "Helper");
  await agents.said("update", id, "--name", "In time", "--version", "4");
  assert.equal((await read(id)).name, "In time");
});

test("another model keeps what it takes of the one before: its region, and its effort", async () => {
  const model = { id: "sim-large", effort: "low", inference_geo: "us" };
  const { id } = await agents.api("POST", "", { name: "a", model });
  const moved = await agents.parsed("update", id, "--model", "sim-medium");
  assert.deepEqual(moved.model, {
    id: "sim-medium",
    effort: { type: "low" },
    speed: "standard",
    inference_geo: "us",
  });
});

test("--tools is about the agent's computer: other tools, and what is configured, stay", async () => {
  const policy = { permission_policy: { type: "always_ask" } };
  const configs = [
    { name: "bash", ...policy },
    { name: "web_fetch", blocked_domains: ["a.example"] },
  ];
  const tools = [custom("ask_us"), { type: toolset, configs }];
  const { id } = await agents.api("POST", "", { name: "a", model: "sim-large", tools });
  const fewer = await agents.parsed("update", id, "--tools", "bash, read");
  const [first, computer] = fewer.tools;
  assert.equal(first.name, "ask_us");
  assert.equal(computer.default_config.enabled, false);
  const summary = (computer as AgentToolset).configs.map((one) => [
    one.name,
    one.enabled,
    one.permission_policy.type,
  ]);
  assert.deepEqual(summary, [
    ["bash", true, "always_ask"],
    ["web_fetch", false, "always_allow"],
    ["read", true, "always_allow"],
  ]);
  assert.deepEqual(computer.configs[1].blocked_domains, ["a.example"]);
  const all = await agents.parsed("update", id, "--tools", "all");
  assert.ok(all.tools[1].configs.every(isEnabled));
  assert.equal(all.tools[1].default_config.enabled, true);
  assert.equal(all.tools[1].configs[0].permission_policy.type, "always_ask");
  const none = await agents.parsed("update", id, "--tools", "none");
  assert.deepEqual(none.tools, [first]);
  const unknown = await agents.run("update", id, "--tools", "hammer");
  expectSentence(unknown, 1, /configs\.0\.name: must be one of "bash"/);
});

test("--skills names all of them: at the latest version, or at one that is pinned", async () => {
  const skills = skillsOf(() => agents.house);
  const one = await skills.upload(folder());
  const other = await skills.upload(folder({}, "csv"));
  await skills.addVersion(one.id, folder({ "pdf-forms/a": "b" }));
  const { latest_version_id: latest } = await skills.read(one.id);
  const id = await make("--skills", `${other.id}, ${one.id}@${one.latest_version_id}`);
  const kept = async () => (await read(id)).skills;
  const skill = (skill_id: string, version: string) => ({ type: "custom", skill_id, version });
  const pinned = skill(one.id, one.latest_version_id);
  assert.deepEqual(await kept(), [skill(other.id, other.latest_version_id), pinned]);
  await agents.said("update", id, "--skills", one.id);
  assert.deepEqual(await kept(), [skill(one.id, latest)]);
  assert.match(await agents.said("show", id), new RegExp(`\nskill +${one.id}@${latest}\n`));
  await agents.said("update", id, "--skills", "none");
  assert.deepEqual(await kept(), []);
  const empty = await agents.run("update", id, "--skills", ",");
  assert.equal(empty.code, 2);
  assert.match(empty.stderr, /It must be none, or ids such as skill_01m7…\./);
});

test("list and versions are tables that lead on; show tells an agent in words", async () => {
  const id = await make("--system", "Be\u001b[2J brief.\nAlways.", "--tools", "bash");
  await agents.said("update", id, "--name", "Renamed", "--effort", "low");
  await agents.said("update", id, "--tools", "none");
  const list = await agents.run("list", "--limit", "1");
  assert.match(
    list.stdout,
    new RegExp(
      `^ID +NAME +MODEL +VERSION +CHANGED +ARCHIVED\n${id} +Renamed +sim-large low +3 +\\d{4}-\\d\\d-\\d\\d +-\n$`,
    ),
  );
  const [, page = ""] =
    /^There are more: plinth agents list --limit 1 --page (\S+)\n$/.exec(list.stderr) ?? [];
  const rest = await agents.parsed("list", "--page", page, "--limit", "100");
  assert.ok(rest.data.length > 0 && rest.data.every((one: Agent) => one.id !== id));
  assert.equal(rest.next_page, null);
  const versions = await agents.run("versions", id, "--limit", "2");
  const [titles, ...rows] = versions.stdout.trimEnd().split("\n");
  assert.match(titles ?? "", /^VERSION +MADE +MODEL +CHANGED$/);
  assert.match(rows[0] ?? "", /^3 +\S+Z +sim-large low +tools$/);
  assert.match(rows[1] ?? "", /^2 +\S+Z +sim-large low +name, model$/);
  assert.equal(rows.length, 2);
  const [, older = ""] =
    /plinth agents versions agent_\w+ --limit 2 --page (\S+)/.exec(versions.stderr) ?? [];
  assert.match(await agents.said("versions", id, "--page", older), /\n1 +\S+Z +\S+ \w+ +-\n$/);
  const json = await agents.parsed("versions", id);
  assert.deepEqual(json, await agents.api("GET", `/${id}/versions`));
  const shown = await agents.said("show", id, "--version", "1");
  assert.match(shown, new RegExp(`^id +${id}\nname +Helper\ndescription +-\nversion +1\n`));
  assert.match(shown, /\ntools +bash\n/);
  assert.ok(shown.endsWith("\n\nBe␛[2J brief.\nAlways.\n"), shown);
  const ninth = await agents.run("show", id, "--version", "9");
  expectSentence(ninth, 1, /version 9 of the agent/);
  assert.equal((await agents.run("show", "../x")).code, 2);
});

test("show names servers, skills, members and who asks first", async () => {
  const member = await make();
  const tools = [
    { type: toolset, default_config: { permission_policy: { type: "always_ask" } } },
    { ...toolsetOf("docs"), configs: [{ name: "find", enabled: false }] },
    custom("ask_us"),
  ];
  const multiagent = { type: "coordinator", agents: [member] };
  const body = { name: "a", model: "sim-large", mcp_servers: [server("docs")], tools, multiagent };
  const { id } = await agents.api("POST", "", body);
  const shown = await agents.said("show", id);
  assert.match(
    shown,
    /\ntools +bash \(always_ask\), .*all of docs \(always_ask\), ask_us \(custom\)\n/,
  );
  assert.doesNotMatch(shown, /docs\/find/);
  assert.match(shown, /\nMCP server +docs: https:\/\/docs\.example\/mcp\n/);
  assert.match(shown, new RegExp(`\nmember +${member}@1\n`));
});

test("an agent is archived by who says yes", async () => {
  const id = await make();
  const no = agents.screen({ readLine: async () => "n" });
  await assert.rejects(archive(no.terminal, id, {}), new CliError("Nothing was archived."));
  assert.match(no.text(), /^Helper \(agent_\w+\)\nIt can be read, and no longer changed or used\./);
  const alone = await agents.run("archive", id);
  assert.equal(alone.code, 2);
  assert.match(alone.stderr, /Say it with --yes\.\n$/);
  assert.equal((await read(id)).archived_at, null);
  const yes = agents.screen({ readLine: async () => "y" });
  await archive(yes.terminal, id, {});
  assert.match(yes.text(), new RegExp(`archived ${id}\n$`));
  assert.ok((await read(id)).archived_at);
  const late = await agents.run("update", id, "--name", "b");
  expectSentence(late, 1, /is archived: it is changed no more/);
  assert.ok(!(await agents.said("list")).includes(id));
  assert.ok((await agents.said("list", "--archived")).includes(id));
  assert.equal((await agents.parsed("archive", id, "--yes")).id, id);
});
