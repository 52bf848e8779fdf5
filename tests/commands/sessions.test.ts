// `plinth sessions` beside `run`: tables, events, what is sent, changed, archived and deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { events as followEvents } from "../../cli/sessions/read.ts";
import { archive } from "../../cli/sessions/write.ts";
import { CliError } from "../../cli/terminal.ts";
import { custom } from "../rules/agents-house.ts";
import { until } from "../rules/support.ts";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let sessions: WorkspaceCommands;
let agent: string;
let environment: string;
before(async () => {
  sessions = await openWorkspaceCommands("sessions");
  const config = { type: "self_hosted" };
  const tools = [custom("look_up")];
  const body = { name: "Helper", model: "sim-large", tools };
  agent = (await sessions.ask("POST", "/v1/agents", body)).id;
  environment = (await sessions.ask("POST", "/v1/environments", { name: "lab", config })).id;
});
after(async () => {
  await sessions?.[Symbol.asyncDispose]();
});

const begin = async (more: object = {}): Promise<string> =>
  (await sessions.api("POST", "", { agent, environment_id: environment, ...more })).id;
const read = (id: string) => sessions.api("GET", `/${id}`);
const eventsOf = async (
  id: string,
): Promise<{ id: string; type: string; processed_at: string }[]> =>
  (await sessions.api("GET", `/${id}/events?limit=1000`)).data;
const said = (text: string) => ({
  events: [{ type: "user.message", content: [{ type: "text", text }] }],
});
const untilIt = (id: string, status: string) =>
  until(async () => (await read(id)).status === status, `the session to be ${status}`);

test("list is a table with filters that lead on; show tells a session in words", async () => {
  const budget = { type: "limit", max_list_cost: { amount: "250", currency: "USD" } };
  const id = await begin({ title: "Week\u001b[2J 48", budget, metadata: { team: "search" } });
  const other = await begin();
  await sessions.said("archive", other, "--yes");
  const list = await sessions.said("list");
  const titles = "ID +TITLE +AGENT +STATUS +COST +CREATED +ARCHIVED";
  const row = `${id} +Week␛\\[2J 48 +Helper +idle +\\$0\\.00 +\\d{4}-\\d\\d-\\d\\d +-`;
  assert.match(list, new RegExp(`^${titles}\n${row}\n$`));
  const ended = await sessions.parsed("list", "--archived", "--status", "terminated");
  assert.deepEqual(
    ended,
    await sessions.api("GET", "?include_archived=true&statuses[]=terminated"),
  );
  assert.deepEqual(
    ended.data.map((each: { id: string }) => each.id),
    [other],
  );
  const filters = ["--agent", agent, "--archived"];
  const first = await sessions.run("list", ...filters, "--limit", "1");
  const [, more = ""] = /^There are more: plinth sessions (.+)\n$/.exec(first.stderr) ?? [];
  assert.match(more, new RegExp(`^list --agent ${agent} --archived --limit 1 --page \\S+$`));
  assert.match(await sessions.said(...more.split(" ")), new RegExp(`\n${id} `));
  const none = await sessions.run("list", "--agent", "agent_01m7none");
  assert.deepEqual([none.stdout, none.stderr], ["", "There are no sessions here.\n"]);
  assert.deepEqual(await sessions.parsed("list", "--status", "terminated"), ended);
  const shown = await sessions.said("show", id);
  assert.match(shown, new RegExp(`^id +${id}\ntitle +Week␛\\[2J 48\nstatus +idle\n`));
  assert.match(shown, new RegExp(`\nagent +Helper \\(${agent}, version 1\\)\n`));
  assert.match(shown, /\nmetadata +team=search\n/);
  assert.match(shown, /\ncost +\$0\.00\nbudget +\$2\.50\n/);
  assert.equal((await sessions.parsed("show", id)).id, id);
  assert.equal((await sessions.run("show", "../x")).code, 2);
});

test("list takes an agent by its name, also one that is archived, and no name that is none's", async () => {
  const [own, other] = [await begin(), await begin()];
  const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);
  const byName = await sessions.parsed("list", "--agent", "Helper");
  assert.deepEqual(idsOf(byName).slice(0, 2), [other, own]);
  const old = await sessions.ask("POST", "/v1/agents", { name: "Old hand", model: "sim-small" });
  const theirs = await begin({ agent: old.id });
  await sessions.ask("POST", `/v1/agents/${old.id}/archive`);
  assert.deepEqual(idsOf(await sessions.parsed("list", "--agent", "Old hand")), [theirs]);
  const first = await sessions.run("list", "--agent", "Helper", "--limit", "1");
  assert.match(first.stderr, /plinth sessions list --agent Helper --limit 1 --page \S+\n$/);
  const nobody = await sessions.run("list", "--agent", "Nobody");
  assert.deepEqual([nobody.code, nobody.stdout], [2, ""]);
  assert.match(nobody.stderr, /No agent is called "Nobody"/);
});

test("send says it and leaves, or with --wait prints what comes of it", async () => {
  const id = await begin();
  assert.equal(await sessions.said("send", id, "Hello"), `sent to ${id}\n`);
  await untilIt(id, "idle");
  const waited = await sessions.run("send", id, '[[say "Good day."]]', "--wait");
  assert.deepEqual([waited.code, waited.stdout], [0, "Good day.\n"], waited.stderr);
  const event = await sessions.parsed("send", id, "Again");
  assert.equal(event.type, "user.message");
  await untilIt(id, "idle");
  const lines = (await sessions.said("send", id, "x", "--wait", "--json")).trimEnd().split("\n");
  assert.equal(JSON.parse(lines.at(-1) ?? "").type, "session");
  const call = await sessions.run("send", id, '[[tool look_up {"key":"a"}]]', "--wait");
  assert.equal(call.code, 4, call.stderr);
  const empty = await sessions.run("send", id, " ");
  expectSentence(empty, 2, /There is nothing to say/);
});

test("a message waits for the turn before it, and --wait for the message's own", async () => {
  const id = await begin();
  await sessions.api("POST", `/${id}/events`, said("[[tokens 30]] [[rate 30]]"));
  const waited = await sessions.run("send", id, '[[say "Second."]]', "--wait");
  assert.equal(waited.code, 0, waited.stderr);
  assert.ok(waited.stdout.endsWith("\nSecond.\n"), waited.stdout);
});

test("answer takes a text, content as JSON and a failure; a second one is refused", async () => {
  const id = await begin();
  const calls = '[[tools look_up {"key":"a"} | look_up {"key":"b"}]]';
  await sessions.run("send", id, calls, "--wait");
  const waiting = (await eventsOf(id)).filter(({ type }) => type === "agent.custom_tool_use");
  const [first, second] = waiting.map((event) => event.id);
  const content = [{ type: "text", text: "a block" }];
  const taken = await sessions.parsed("answer", id, first ?? "", JSON.stringify(content));
  assert.deepEqual([taken.content, taken.is_error], [content, undefined]);
  const again = await sessions.run("answer", id, first ?? "", "x");
  expectSentence(again, 1, /it is unknown or has been answered/);
  const failed = await sessions.parsed("answer", id, second ?? "", "Out of order.", "--error");
  assert.equal(failed.is_error, true);
  const allowed = await sessions.run("confirm", id, second ?? "", "allow", "--why", "x");
  expectSentence(allowed, 2, /Only what is denied has a reason/);
});

test("interrupt ends what runs, for send --wait as well", async () => {
  const id = await begin();
  const waiting = sessions.run("send", id, "[[tokens 5000]] [[rate 40]]", "--wait");
  await untilIt(id, "running");
  assert.equal(await sessions.said("interrupt", id), `interrupted ${id}\n`);
  const waited = await waiting;
  assert.equal(waited.code, 0, waited.stderr);
  assert.equal((await read(id)).status, "idle");
});

test("events are lines, by types and time; --follow goes on until the session's end", async () => {
  const id = await begin();
  await sessions.run("send", id, '[[say "One."]]', "--wait");
  const listed = await eventsOf(id);
  const json = (await sessions.said("events", id, "--json")).trimEnd().split("\n");
  assert.deepEqual(
    json.map((line) => JSON.parse(line)),
    listed,
  );
  const messages = await sessions.said("events", id, "--types", "agent.message, user.message");
  assert.match(
    messages,
    /^sevt_\w+ {2}\S+ {2}user\.message {2}.+\nsevt_\w+ {2}\S+ {2}agent\.message {2}One\.\n$/,
  );
  const at = listed.at(-1)?.processed_at ?? "";
  const since = await sessions.said("events", id, "--since", at, "--json");
  assert.deepEqual(
    since
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id),
    listed.filter(({ processed_at }) => processed_at >= at).map((event) => event.id),
  );
  const unknown = await sessions.run("events", id, "--types", "none");
  expectSentence(unknown, 1, /types/);
  const screen = sessions.screen();
  const types = ["agent.message", "session.status_terminated"];
  const following = followEvents(screen.terminal, id, { follow: true, types });
  await until(async () => screen.text().includes("One."), "what there was");
  await sessions.run("send", id, '[[say "Two."]]', "--wait");
  await sessions.said("archive", id, "--yes");
  await following;
  assert.match(
    screen.text(),
    /^\S+ .*agent\.message {2}One\.\n\S+ .*agent\.message {2}Two\.\n\S+ .*session\.status_terminated\n$/,
  );
});

test("Ctrl-C ends --follow with 130", async () => {
  const id = await begin();
  await sessions.run("send", id, '[[say "One."]]', "--wait");
  const screen = sessions.screen();
  const end = followEvents(screen.terminal, id, { follow: true }).catch((error: unknown) => error);
  await until(async () => screen.text().includes("session.status_idle"), "what there was");
  screen.interrupt();
  const error = await end;
  assert.ok(error instanceof CliError && error.exitCode === 130);
});

test("update changes what is named, and says where nothing changed", async () => {
  const budget = { type: "limit", max_list_cost: { amount: "250", currency: "USD" } };
  const id = await begin({ budget, metadata: { a: "1" } });
  const changes = ["--title", "New", "--budget", "$5", "--metadata", "b=2", "--metadata", "a="];
  assert.equal(await sessions.said("update", id, ...changes), `updated ${id}\n`);
  const changed = await read(id);
  assert.deepEqual([changed.title, changed.metadata], ["New", { b: "2" }]);
  assert.equal(changed.budget.max_list_cost.amount, "500");
  assert.equal(await sessions.said("update", id, "--title", "New"), `nothing changed: ${id}\n`);
  const cleared = await sessions.parsed("update", id, "--title", "", "--budget", "none");
  assert.deepEqual([cleared.title, cleared.budget], [null, null]);
  const late = await sessions.run("update", id, "--budget", "9");
  expectSentence(late, 1, /gets one when it is made, and none later/);
  expectSentence(await sessions.run("update", id), 2, /Say what to change: --title, --budget/);
});

test("a budget that is used up ends with 1 and names the way on", async () => {
  const budget = { type: "limit", max_list_cost: { amount: "1", currency: "USD" } };
  const id = await begin({ budget });
  await sessions.run("send", id, "[[tokens 4000]]", "--wait");
  const over = await sessions.run("send", id, "More", "--wait");
  assert.equal(over.code, 1, over.stderr);
  assert.match(
    over.stderr,
    new RegExp(`The budget is used up\\. .* plinth sessions update ${id} --budget`),
  );
  await sessions.said("update", id, "--budget", "10");
  const on = await sessions.run("run", "--session", id);
  assert.equal(on.code, 0, on.stderr);
});

test("archive and delete ask first, or want --yes", async () => {
  const id = await begin({ title: "Old" });
  const nobody = await sessions.run("delete", id);
  assert.equal(nobody.code, 2);
  assert.match(nobody.stderr, /^Old \(sesn_\w+\), idle\nIt goes with all of its events\. /);
  const screen = sessions.screen({ readLine: async () => "n" });
  await assert.rejects(archive(screen.terminal, id, {}), /Nothing was archived\./);
  assert.equal((await read(id)).archived_at, null);
  const agreed = sessions.screen({ readLine: async () => "y" });
  await archive(agreed.terminal, id, {});
  assert.match(agreed.text(), /Archive\? \[y\/N\] archived sesn_\w+\n$/);
  const ended = await sessions.run("run", "--session", id);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /The session has ended for good\.\n$/);
  assert.equal(await sessions.said("delete", id, "--yes"), `deleted ${id}\n`);
  expectSentence(await sessions.run("show", id), 1, new RegExp(id));
});
