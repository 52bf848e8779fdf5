// `plinth sessions run` where an MCP server asks: field by field on a terminal, and as a command without one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inputRequired } from "@modelcontextprotocol/server";
import { run } from "../../cli/sessions/run.ts";
import { CliError } from "../../cli/terminal.ts";
import { resultsOf, toLoopback, withServers } from "../rules/mcp-house.ts";
import { asksFirst } from "../rules/mcp-questions-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "../rules/mcp-server.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let sessions: WorkspaceCommands;
let server: TestServer;
before(async () => {
  [sessions, server] = await Promise.all([
    openWorkspaceCommands("sessions", { sections: { network: toLoopback } }),
    openMcpServer(tools),
  ]);
  await sessions.ask("POST", "/v1/environments", { name: "lab", config: { type: "self_hosted" } });
  const body = { name: "Booker", model: "sim-small", ...withServers({ url: server.url }) };
  await sessions.ask("POST", "/v1/agents", body);
});
after(async () => {
  await sessions?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const form = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, title: "Name", description: "As on the door", minLength: 2 },
    seats: { type: "integer" as const, default: 2 },
    room: { type: "string" as const, enum: ["hall", "garden"] },
    dishes: {
      type: "array" as const,
      items: { type: "string" as const, enum: ["soup", "fish", "cake"] },
    },
    quiet: { type: "boolean" as const, default: true },
    note: { type: "string" as const },
  },
  required: ["name", "room"],
};
const who = inputRequired.elicit({ message: "For\u001b[31m whom?", requestedSchema: form });
const page = inputRequired.elicitUrl({ message: "Pay.", url: "https://pay.example.com/a" });
const tools: Tools = {
  book: asksFirst({ who }, (answers) => answers["who"]),
  pay: asksFirst({ page }, (answers) => answers["page"]),
};
const calling = (tool: string) => `[[tool mcp__docs__${tool} {}]] [[say "Done."]]`;

async function onScreen(
  tool: string,
  lines: (string | Promise<string>)[],
  { openBrowser = async () => true, agent = "Booker" } = {},
) {
  const screen = sessions.screen({ readLine: async () => lines.shift() ?? "", openBrowser });
  const end = await run(screen.terminal, agent, calling(tool), {}).catch((error: unknown) => error);
  return { text: screen.text(), end, left: lines };
}

/** The answers are shown as they go, and then what the server made of them. */
const given = (text: string): unknown =>
  JSON.parse([...text.matchAll(/= (\{.*\})>?\n/g)].at(-1)?.[1] ?? assert.fail(text));

test("a form is asked field by field, and what is refused is asked again", async () => {
  const first = ["", "y", "A", "", "attic", "2", "fish, 1", "perhaps", "n", ""];
  const second = ["y", "", "Ada", "four", "3", "garden", "", "", "By the window"];
  const { text, end, left } = await onScreen("book", [...first, ...second]);
  assert.equal(end, undefined);
  assert.deepEqual(left, []);
  assert.ok(!text.includes("\u001b[31m"), "a server has no colours on a terminal");
  assert.match(text, /The MCP server docs asks, for its tool book:/);
  assert.match(text, /Answer it\? \[y, d to decline, c to cancel\]/);
  assert.match(text, /Name \(As on the door\): /);
  assert.match(text, /"attic" is none of the choices/);
  assert.match(text, /Say y or n/);
  assert.match(text, /who\.content\.name: must have at least 2 characters/);
  assert.match(text, /This is required/);
  assert.match(text, /This must be a number/);
  assert.deepEqual(given(text), {
    action: "accept",
    content: { name: "Ada", seats: 3, room: "garden", quiet: true, note: "By the window" },
  });
});

test("a form is declined, an address is opened, and a person who says nothing leaves the question open", async () => {
  assert.deepEqual(given((await onScreen("book", ["d"])).text), { action: "decline" });
  let opened = 0;
  const open = async () => (opened += 1) > 0;
  const paid = await onScreen("pay", ["o", "y"], { openBrowser: open });
  assert.match(paid.text, /At pay\.example\.com:\n {2}https:\/\/pay\.example\.com\/a\n/);
  assert.deepEqual([given(paid.text), opened], [{ action: "accept" }, 1]);
  const silent = await onScreen("book", []);
  assert.ok(silent.end instanceof CliError);
  assert.deepEqual(
    [silent.end.exitCode, silent.end.message],
    [4, "Nothing was answered: the question stays open."],
  );
});

test("without a terminal it ends with 4, with a command that declines", async () => {
  const stopped = await sessions.run("run", "Booker", calling("book"));
  assert.equal(stopped.code, 4, stopped.stderr);
  const [, session = "", event = "", json = ""] =
    /plinth sessions answer (\S+) (\S+) '(.*)'/.exec(stopped.stderr) ?? assert.fail(stopped.stderr);
  assert.equal(json, '{"who":{"action":"decline"}}');
  assert.match(await sessions.said("answer", session, event, json), /^answered sevt_\w+\n$/);
  const done = await sessions.run("run", "--session", session);
  assert.equal(done.code, 0, done.stderr);
  // The turn may have ended before it was followed.
  const { data } = await sessions.ask("GET", `/v1/sessions/${session}/events`);
  assert.deepEqual(resultsOf(data), ['{"action":"decline"}']);
});

test("[MCP45] what a server of an older revision asks over its call is asked one after the other", async () => {
  const requestedSchema = {
    type: "object",
    properties: { name: { type: "string", minLength: 2 } },
  };
  await using old = await openMcpServer(
    {
      book: {
        call: async (_input, _signal, { ask }) => {
          const answers: unknown[] = [];
          for (const message of ["For whom?", "And who comes along?", "Anyone else?"])
            answers.push(await ask("elicitation/create", { message, requestedSchema }));
          return words(JSON.stringify({ answers }));
        },
      },
    },
    "legacy",
  );
  const body = { name: "Old booker", model: "sim-small", ...withServers({ url: old.url }) };
  await sessions.ask("POST", "/v1/agents", body);
  const lines = ["y", "A", "y", "Ada", "d", "c"];
  const { text, end, left } = await onScreen("book", lines, { agent: "Old booker" });
  assert.equal(end, undefined);
  assert.deepEqual(left, []);
  assert.match(text, /answer\.content\.name: must have at least 2 characters/);
  assert.deepEqual(given(text), {
    answers: [
      { action: "accept", content: { name: "Ada" } },
      { action: "decline" },
      { action: "cancel" },
    ],
  });
  const stopped = await sessions.run("run", "Old booker", calling("book"));
  assert.equal(stopped.code, 4, stopped.stderr);
  const [, session = "", event = ""] =
    /plinth sessions answer (\S+) (\S+) /.exec(stopped.stderr) ?? assert.fail(stopped.stderr);
  const accept = '{"answer":{"action":"accept","content":{"name":"Ada"}}}';
  await sessions.said("answer", session, event, accept);
  const again = await sessions.run("run", "--session", session);
  assert.equal(again.code, 4, again.stderr);
  assert.match(again.stderr, new RegExp(`plinth sessions answer ${session} (?!${event})`));
});

test("[MCP47] an address that its server is done with while a person thinks ends the question", async () => {
  const shown = Promise.withResolvers<void>();
  const told = Promise.withResolvers<string>();
  const params = {
    mode: "url",
    message: "Pay.",
    url: "https://pay.example.com/a",
    elicitationId: "deposit",
  };
  await using old = await openMcpServer(
    {
      pay: {
        call: async (_input, _signal, { ask, complete }) => {
          const answer = ask("elicitation/create", params);
          await shown.promise;
          await complete("deposit");
          const given = words(JSON.stringify(await answer));
          told.resolve("y");
          return given;
        },
      },
    },
    "legacy",
  );
  const body = { name: "Old payer", model: "sim-small", ...withServers({ url: old.url }) };
  await sessions.ask("POST", "/v1/agents", body);
  const openBrowser = async () => {
    shown.resolve();
    return true;
  };
  const { text, end } = await onScreen("pay", ["o", told.promise], {
    agent: "Old payer",
    openBrowser,
  });
  assert.equal(end, undefined);
  assert.match(
    text,
    /No answer is waited for any more: it came from elsewhere, or the server went/,
  );
  assert.deepEqual(given(text), { action: "accept" });
});
