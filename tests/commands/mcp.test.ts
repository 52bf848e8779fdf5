// `plinth mcp`: servers of the workspace by their names, for people, for pipes and for programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "../../cli/mcp/mcp.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { connectOf, openAuthorizationServer } from "../rules/mcp-connect-house.ts";
import { toLoopback } from "../rules/mcp-house.ts";
import { openMcpServer, words } from "../rules/mcp-server.ts";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let mcp: WorkspaceCommands;
before(async () => {
  mcp = await openWorkspaceCommands("mcp", { sections: { network: toLoopback } });
});
after(async () => {
  await mcp?.[Symbol.asyncDispose]();
});

const refused = async (code: number, sentence: RegExp, ...said: string[]) =>
  expectSentence(await mcp.run(...said), code, sentence);

test("a server is added, asked, called and removed", async () => {
  await using server = await openMcpServer({
    echo: { call: ({ text }) => words(`heard ${String(text)}\nand more`) },
    wrong: { call: () => ({ ...words("no such page"), isError: true }) },
  });
  const vault = await mcp.ask("POST", "/v1/vaults", { display_name: "Support" });
  const id = (await mcp.said("add", "docs", server.url, "--vault", "Support")).trim();
  const made = await mcp.ask("GET", `/v1/mcp_servers/${id}`);
  assert.deepEqual([made.name, made.url, made.vault_id], ["docs", server.url, vault.id]);
  assert.match(await mcp.said("list"), /docs +unknown +never/);
  assert.match(await mcp.said("tools", "docs"), /^TOOL +DESCRIPTION\necho +Does echo\nwrong /);
  assert.match(await mcp.said("list"), /docs +connected +2 /);
  const looked = await mcp.parsed("tools", id);
  assert.deepEqual(looked.changes, { added: [], changed: [], removed: [] });
  server.tools = { echo: { ...server.tools["echo"], description: "Does more" }, fresh: {} };
  const again = await mcp.run("tools", "docs");
  assert.match(again.stderr, /^new: fresh\nchanged: echo\ngone: wrong\n$/);
  server.tools["wrong"] = { call: () => ({ ...words("no such page"), isError: true }) };
  assert.equal(await mcp.said("call", "docs", "echo", '{"text": "a"}'), "heard a\nand more\n");
  const piped = await mcp.piped('{"text": "b"}', "call", "docs", "echo", "-");
  assert.deepEqual([piped.code, piped.stdout], [0, "heard b\nand more\n"]);
  const wrong = await mcp.run("call", "docs", "wrong");
  assert.deepEqual([wrong.code, wrong.stdout], [1, "no such page\n"]);
  await refused(2, /the input is not JSON/, "call", "docs", "echo", "{");
  await refused(2, /No MCP server is called "none".*plinth mcp list/, "tools", "none");
  await refused(1, /has this name already/, "add", "docs", server.url);
  await refused(2, /Say it with --yes/, "remove", "docs");
  assert.equal(await mcp.said("remove", "docs", "--yes"), `removed ${id}\n`);
  await refused(2, /No MCP server is called/, "tools", id.replace("mcpsrv_", "x"));
});

test("a server that does not answer is a sentence and the exit code 1", async () => {
  await mcp.said("add", "away", "http://127.0.0.1:9/mcp");
  await refused(1, /The MCP server "away" cannot be reached/, "tools", "away");
  await refused(1, /The tool was not run\. The MCP server "away" cannot/, "call", "away", "echo");
  assert.match(await mcp.said("list"), /away +failed/);
});

test("a server that wants a token says how to connect it, and is connected in the browser", async () => {
  await using server = await openAuthorizationServer();
  const url = `${server.url}/mcp`;
  const vault = await mcp.ask("POST", "/v1/vaults", { display_name: "Tokens" });
  const added = await mcp.run("add", "private", url);
  assert.match(added.stderr, /plinth mcp connect private --vault VAULT/);
  await refused(2, /private has no vault yet.*--vault.*plinth vaults create/, "connect", "private");
  const wayIn = /asked without any\. To sign in there: plinth mcp connect private --vault VAULT/;
  await refused(1, wayIn, "tools", "private");
  await refused(1, wayIn, "call", "private", "echo");
  await refused(2, /Add it first: plinth mcp add/, "connect", "https://none.example/mcp");
  const { answer } = connectOf(() => mcp.house);
  const { platform } = mcp.house.organizations;
  /** The person decides while the command waits. */
  const connected = async (decide: (address: string) => Record<string, string>) => {
    const sleep = async () => {
      const [address = ""] = /http\S+authorize\?\S+/.exec(screen.text()) ?? [];
      assert.equal((await answer(decide(address), platform)).status, 200);
      return true;
    };
    const screen = mcp.screen({ clock: { ...systemClock, sleep } });
    await connect(screen.terminal, url, { vault: "Tokens" });
    return screen.text();
  };
  const denied = connected((address) => ({
    state: server.allow(address)["state"] ?? "",
    error: "access_denied",
  }));
  await assert.rejects(denied, /The authorization server gave no access: access_denied\./);
  const said = await connected(server.allow);
  assert.match(said, /^Open this address in a browser, and sign in:\nhttp/);
  assert.match(said, new RegExp(`\nconnected: vcrd_\\w+ in ${vault.id}\n$`));
  assert.doesNotMatch(said, /acc-of-oauth/);
  // This server takes no token for its tools.
  const again = /it does not take the credentials that it was given.* To sign in there: plinth mcp/;
  await refused(1, again, "tools", "private");
});
