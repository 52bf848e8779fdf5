// `plinth sessions run`: what it prints where, whom it asks, and what it ends with.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { run } from "../../cli/sessions/run.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import { custom, toolset } from "../rules/agents-house.ts";
import { toLoopback, withServers } from "../rules/mcp-house.ts";
import { openMcpServer, words } from "../rules/mcp-server.ts";
import { until } from "../rules/support.ts";
import { openFlakyProxy } from "./flaky-proxy.ts";
import { expectSentence } from "./memory.ts";
import { executable } from "./plinth.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let sessions: WorkspaceCommands;
before(async () => {
  sessions = await openWorkspaceCommands("sessions", { sections: { network: toLoopback } });
});
after(async () => {
  await sessions?.[Symbol.asyncDispose]();
});

interface Event {
  id: string;
  type: string;
  [field: string]: unknown;
}

const makeAgent = async (name: string, more: object = {}): Promise<string> =>
  (await sessions.ask("POST", "/v1/agents", { name, model: "sim-large", ...more })).id;
const eventsOf = async (id: string): Promise<Event[]> =>
  (await sessions.api("GET", `/${id}/events?limit=1000`)).data;
const ofType = (events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type);
const idIn = (text: string) => /sesn_\w+/.exec(text)?.[0] ?? assert.fail(text);
const say = (text: string) => `[[say ${JSON.stringify(text)}]]`;
const asking = {
  tools: [
    custom("look_up"),
    { type: toolset, default_config: { permission_policy: { type: "always_ask" } } },
  ],
};
const twoCalls = '[[tools look_up {"key":"a"} | bash {"command":"ls"}]]';

test("an environment is named, unless there is one alone", async () => {
  await makeAgent("Helper");
  const none = await sessions.run("run", "Helper", "x");
  expectSentence(none, 2, /there is none here\. Make one: plinth environments create --name lab/);
  const config = { type: "self_hosted" };
  const lab = await sessions.ask("POST", "/v1/environments", { name: "lab", config });
  const alone = await sessions.run("run", "Helper", say("Good day."));
  assert.equal(alone.code, 0, alone.stderr);
  assert.equal(alone.stdout, "Good day.\n");
  const other = await sessions.ask("POST", "/v1/environments", { name: "other", config });
  const several = await sessions.run("run", "Helper", "x");
  assert.equal(several.code, 2);
  assert.match(several.stderr, /Say which environment with --environment:\n/);
  assert.match(several.stderr, new RegExp(`${other.id} +self_hosted +other\n`));
  assert.match(several.stderr, new RegExp(`${lab.id} +self_hosted +lab\n`));
  const named = await sessions.run("run", "Helper", say("Here."), "--environment", other.id);
  const made = await sessions.api("GET", `/${idIn(named.stderr)}`);
  assert.equal(made.environment_id, other.id);
  await sessions.ask("POST", `/v1/environments/${other.id}/archive`);
  assert.equal((await sessions.run("run", "Helper", say("Again."))).code, 0);
});

test("the agent's words are standard output, what it cost and the id stand beside it", async () => {
  const store = await sessions.ask("POST", "/v1/memory_stores", { name: "n", description: "d" });
  const agent = await makeAgent("By id");
  const vault = await sessions.ask("POST", "/v1/vaults", { display_name: "Wiki" });
  const flags = ["--title", "Week 48", "--budget", "2.5", "--store", `${store.id}:read_only`];
  flags.push("--vault", "Wiki");
  const { code, stdout, stderr } = await sessions.run("run", agent, say("One\ttwo."), ...flags);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "One\ttwo.\n");
  assert.match(
    stderr,
    /^By id: end_turn, [1-9]\d* tokens in, [1-9]\d* out, \$0\.01 in all, sesn_\w+\n$/,
  );
  const session = await sessions.api("GET", `/${idIn(stderr)}`);
  assert.deepEqual([session.title, session.agent.id], ["Week 48", agent]);
  assert.deepEqual(session.budget.max_list_cost, { amount: "250", currency: "USD" });
  assert.deepEqual(
    [session.resources[0].memory_store_id, session.resources[0].access],
    [store.id, "read_only"],
  );
  assert.deepEqual(session.vault_ids, [vault.id]);
  const told = await sessions.said("show", session.id);
  assert.match(told, new RegExp(`\nvault +Wiki \\(${vault.id}\\)\n`));
  const more = await sessions.run("run", "--session", session.id, say("Three."));
  assert.equal(more.stdout, "Three.\n");
  assert.equal(idIn(more.stderr), session.id);
});

test("a text may come from a pipe; what cannot be run is refused in a sentence", async () => {
  const piped = await sessions.piped(`${say("Piped.")}\n`, "run", "Helper", "-");
  assert.deepEqual([piped.code, piped.stdout], [0, "Piped.\n"], piped.stderr);
  await Promise.all([makeAgent("Twin"), makeAgent("Twin")]);
  const cases: [args: string[], code: number, sentence: RegExp][] = [
    [["Twin", "x"], 2, /2 agents are called "Twin"\. Name one by its id: agent_\w+, agent_\w+/],
    [["Nobody", "x"], 2, /No agent is called "Nobody"\. .* plinth agents list/],
    [["agent_01m7none", "x"], 1, /agent_01m7none.*\(request req_\w+\)/],
    [["Helper", "x", "--vault", "None"], 2, /No vault is called "None"/],
    [["--session", "sesn_1", "--vault", "None"], 2, /keeps its agent, environment, stores, vaults/],
    [["Helper"], 2, /Name an agent and say what it is to do/],
    [["Helper", " "], 2, /There is nothing to say/],
    [["--session", "sesn_1", "x", "--title", "y"], 2, /with --session, say the text alone/],
    [["--session", "sesn_1", "Helper", "x"], 2, /with --session, say the text alone/],
    [["--session", "sesn_1", "x"], 1, /sesn_1.*\(request req_\w+\)/],
  ];
  for (const [args, code, sentence] of cases)
    expectSentence(await sessions.run("run", ...args), code, sentence);
  for (const budget of ["0", "0.00", "1.234", "-1", "much"]) {
    const { code, stderr } = await sessions.run("run", "Helper", "x", `--budget=${budget}`);
    assert.equal(code, 2);
    assert.match(stderr, /It must be an amount of dollars, such as 2\.50\./);
  }
  const { code, stderr } = await sessions.run("run", "Helper", "x", "--store", "memstore_1:none");
  assert.equal(code, 2);
  assert.match(stderr, /:read_only behind it/);
});

test("--json is the session, each event once and in order, and the session at its end", async () => {
  const { code, stdout, stderr } = await sessions.run("run", "Helper", say("x"), "--json");
  assert.deepEqual([code, stderr], [0, ""]);
  const [first, ...events] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const last = events.pop();
  assert.deepEqual([first.type, last.type, first.id], ["session", "session", last.id]);
  assert.deepEqual([first.usage.output_tokens, last.usage.output_tokens > 0], [0, true]);
  const listed = await eventsOf(first.id);
  assert.deepEqual(
    events.map(({ id }) => id),
    listed.map(({ id }) => id),
  );
});

test("without a terminal it ends with 4, and says how each call is answered", async () => {
  await makeAgent("Asker", asking);
  const stopped = await sessions.run("run", "Asker", `${twoCalls} ${say("Done.")}`);
  assert.equal(stopped.code, 4, stopped.stderr);
  const id = idIn(stopped.stderr);
  assert.match(stopped.stderr, /^look_up \{"key":"a"\}\nbash \{"command":"ls"\}\n/);
  assert.match(stopped.stderr, /plinth: 2 calls of sesn_\w+ must be answered first\./);
  const commands = [...stopped.stderr.matchAll(/^ {2}plinth sessions (.+)$/gm)].map(
    ([, words = ""]) => words.split(" "),
  );
  const [answer = [], confirm = []] = commands;
  assert.deepEqual([answer[0], confirm[0]], ["answer", "confirm"]);
  assert.match(await sessions.said(...answer), /^answered sevt_\w+\n$/);
  // A process of its own: what it leaves open would keep it alive.
  const half = await sessions.piped("More", "run", "--session", id, "-");
  assert.equal(half.code, 4);
  assert.match(half.stderr, /plinth: 1 call of/);
  const why = ["deny", "--why", "Not here."];
  assert.match(await sessions.said(...confirm.slice(0, 3), ...why), /^denied sevt_\w+\n$/);
  const done = await sessions.run("run", "--session", id);
  assert.equal(done.code, 0, done.stderr);
  const events = await eventsOf(id);
  const [result] = ofType(events, "user.custom_tool_result");
  assert.deepEqual(result?.["content"], [{ type: "text", text: "TEXT" }]);
  assert.equal(ofType(events, "user.tool_confirmation")[0]?.["deny_message"], "Not here.");
});

test("a tool of an MCP server is named with its server, and confirmed as others are", async () => {
  await using server = await openMcpServer({ search: { call: () => words("three pages") } });
  const { url } = server;
  await makeAgent("Reader", withServers({ url, policy: "always_ask" }));
  const find = '[[tool mcp__docs__search {"text":"it"}]]';
  const stopped = await sessions.run("run", "Reader", `${find} ${say("Found.")}`);
  assert.equal(stopped.code, 4, stopped.stderr);
  assert.match(stopped.stderr, /^docs: search \{"text":"it"\}\n/);
  const id = idIn(stopped.stderr);
  const [use] = ofType(await eventsOf(id), "agent.mcp_tool_use");
  assert.match(await sessions.said("confirm", id, use?.id ?? "", "allow"), /^allowed sevt_\w+\n$/);
  const done = await sessions.run("run", "--session", id);
  assert.equal(done.code, 0, done.stderr);
  assert.match(await sessions.said("events", id), /= three pages\n/);
  await makeAgent("Lonely", withServers({ url: `${url}?none` }));
  server.before = (_request, response) => {
    response.writeHead(401).end();
    return true;
  };
  const refused = await sessions.run("run", "Lonely", say("Alone."));
  assert.deepEqual([refused.code, refused.stdout], [0, "Alone.\n"]);
  assert.match(refused.stderr, /error: The MCP server "docs" refused .* 401/);
});

/** What a person sees and types, and the error that it ends with. */
async function onScreen(
  text: string,
  {
    agent = "Helper",
    lines = [],
    ...more
  }: { agent?: string; lines?: string[] } & Partial<Terminal>,
) {
  const screen = sessions.screen({ readLine: async () => lines.shift() ?? "", ...more });
  const end = await run(screen.terminal, agent, text, {}).catch((error: unknown) => error);
  return { screen, text: screen.text(), end };
}

test("a person is asked for what may not run by itself, and for results", async () => {
  const lines = ["[1, 2]", "n, not in production"];
  const asked = await onScreen(`${twoCalls} ${say("Done.")}`, { agent: "Asker", lines });
  assert.equal(asked.end, undefined);
  assert.match(asked.text, /\nResult of look_up \(a line of text, or content as JSON\): /);
  assert.match(asked.text, /Allow bash\? \[y, or n and why\] /);
  assert.match(
    asked.text,
    /<error The call was denied: not in production>\nDone\.\n<Asker: end_turn/,
  );
  const [result] = ofType(await eventsOf(idIn(asked.text)), "user.custom_tool_result");
  assert.deepEqual(result?.["content"], [{ type: "text", text: "[1, 2]" }]);
  const blocks = [{ type: "text", text: "a block" }];
  const call = '[[tool look_up {"key":"a"}]]';
  const other = await onScreen(call, { agent: "Asker", lines: [JSON.stringify(blocks)] });
  const [taken] = ofType(await eventsOf(idIn(other.text)), "user.custom_tool_result");
  assert.deepEqual(taken?.["content"], blocks);
});

test("a person sees how far a call of an MCP server is, without what a terminal would obey", async () => {
  let isSeen = false;
  await using server = await openMcpServer({
    count: {
      call: async (_input, _signal, { progress }) => {
        await progress({ progress: 3, total: 1_000, message: "Reads \u001b[2J three" });
        await until(async () => isSeen, "it is shown");
        return words("all of them");
      },
    },
  });
  await makeAgent("Counter", withServers({ url: server.url }));
  const screen = sessions.screen({});
  const text = `[[tool mcp__docs__count {}]] ${say("Done.")}`;
  const running = run(screen.terminal, "Counter", text, {});
  await until(async () => screen.text().includes("3 of 1,000: Reads ␛[2J three"), "the progress");
  isSeen = true;
  await running;
  assert.match(screen.text(), /3 of 1,000: .*[^]*= all of them[^]*Done\./);
});

test("what is allowed waits for a worker, whose result is shown", async () => {
  let id = "";
  const lines = ["yes"];
  const screen = sessions.screen({
    readLine: async () => lines.shift() ?? assert.fail("asked twice"),
  });
  const bash = `[[tool bash {"command":"ls"}]] ${say("Done.")}`;
  const running = run(screen.terminal, "Asker", bash, {});
  await until(async () => screen.text().includes("Waiting for a worker"), "the worker's turn");
  const [newest] = (await sessions.api("GET", "?limit=1")).data;
  id = newest.id;
  const [call] = ofType(await eventsOf(id), "agent.tool_use");
  const content = [{ type: "text", text: "a.txt\nb.txt" }];
  await sessions.api("POST", `/${id}/events`, {
    events: [{ type: "user.tool_result", tool_use_id: call?.id, content }],
  });
  await running;
  assert.match(screen.text(), /<bash \{"command":"ls"\}>\n.*<= a\.txt b\.txt>\nDone\.\n<Asker/s);
});

test("a person sees the text while it is written, and once", async () => {
  const screen = sessions.screen();
  const running = run(screen.terminal, "Helper", "[[tokens 60]] [[rate 60]]", {});
  await until(async () => screen.text().length > 20, "the first words");
  assert.doesNotMatch(screen.text(), /end_turn/);
  await running;
  const [text = "", end] = screen.text().split("\n");
  const [message] = ofType(await eventsOf(idIn(screen.text())), "agent.message");
  assert.deepEqual(message?.["content"], [{ type: "text", text }]);
  assert.match(end ?? "", /^<Helper: end_turn/);
});

test("other agents' work is marked, failures and refusals are lines", async () => {
  const member = await makeAgent("Researcher", { tools: [custom("look_up")] });
  const multiagent = { type: "coordinator", agents: [member] };
  await makeAgent("Lead", { multiagent });
  const task = `Find it. [[tool look_up {"key":"b"}]] ${say("Found.")}`;
  const send = `[[tool send_to_agent ${JSON.stringify({ agent: "Researcher", message: task })}]]`;
  const led = await onScreen(`${send} ${say("All done.")}`, { agent: "Lead", lines: ["here"] });
  assert.match(led.text, /^<to Researcher: Find it\./);
  assert.match(led.text, /\n< {2}Researcher: look_up \{"key":"b"\}>\n/);
  assert.match(led.text, /\n< {2}Researcher: Found\.>\nAll done\.\n<Lead: end_turn/);
  const late = await onScreen(`[[fail status=529 times=1]] ${say("Late.")}`, {});
  assert.match(late.text, /^<error, trying again: .*529.*>\nLate\.\n/);
  const refused = await onScreen("[[refuse category=bio]]", {});
  assert.match(refused.text, /<refused: bio.*>\n<Helper: refusal/);
  assert.ok(refused.end instanceof CliError && refused.end.exitCode === 1);
  sessions.house.expectErrors();
});

test("a line that breaks is opened again, and shows each event once", async () => {
  await using proxy = await openFlakyProxy(sessions.house.url);
  const screen = sessions.screen();
  const flags = { json: true, url: proxy.url };
  const running = run(screen.terminal, "Helper", "[[tokens 120]] [[rate 60]]", flags);
  await until(async () => screen.text().includes("span.model_request_start"), "the first events");
  const began = proxy.connections();
  proxy.beAway(true);
  const id = idIn(screen.text());
  await sessions.api("POST", `/${id}`, { title: "Told meanwhile" });
  await until(async () => proxy.connections() > began + 1, "another try");
  proxy.beAway(false);
  await running;
  const away = "<The server does not answer; waiting for it.>\n";
  assert.ok(screen.text().includes(away), screen.text());
  const lines = screen.text().replace(away, "").trimEnd().split("\n");
  const shown = lines.slice(1, -1).map((line) => (JSON.parse(line) as Event).id);
  const listed = await eventsOf(id);
  assert.deepEqual(
    shown,
    listed.map((event) => event.id),
  );
  assert.equal(ofType(listed, "session.updated").length, 1);
});

test("Ctrl-C interrupts the session and waits for its end; the process ends with 130", async () => {
  const child = spawn(
    executable,
    ["sessions", "run", "Helper", "[[tokens 5000]] [[rate 40]]", "--json"],
    {
      env: { PATH: process.env["PATH"], ...sessions.env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += String(text)));
  child.stderr.on("data", (text) => (stderr += String(text)));
  const closed = once(child, "close");
  await until(async () => stdout.includes("span.model_request_start"), "the model to be asked");
  child.kill("SIGINT");
  const [code] = await closed;
  assert.equal(code, 130, stderr);
  assert.match(stderr, /Ctrl-C again leaves at once\.\nplinth: Interrupted\.\n$/);
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  assert.deepEqual([last.type, last.status], ["session", "idle"]);
  assert.equal(ofType(await eventsOf(last.id), "user.interrupt").length, 1);
});

test("Ctrl-C while a person is asked interrupts too; a second one leaves at once", async () => {
  let press = () => {};
  const readLine = (signal?: AbortSignal) =>
    new Promise<string>((resolve) => {
      signal?.addEventListener("abort", () => resolve(""));
      press();
    });
  const screen = sessions.screen({ readLine });
  press = screen.interrupt;
  const asked = await run(screen.terminal, "Asker", twoCalls, {}).catch((error: unknown) => error);
  assert.ok(asked instanceof CliError && asked.exitCode === 130);
  assert.equal(asked.message, "Interrupted.");
  assert.match(screen.text(), /<Asker: end_turn/);
  const slow = sessions.screen();
  const running = run(slow.terminal, "Helper", "[[tokens 5000]] [[rate 40]]", {});
  const end = running.catch((error: unknown) => error);
  await until(async () => slow.text() !== "", "the first words");
  slow.interrupt();
  slow.interrupt();
  const left = await end;
  assert.ok(left instanceof CliError && left.exitCode === 130);
  assert.match(
    left.message,
    /^The session may run on\. See it again: plinth sessions run --session /,
  );
});
