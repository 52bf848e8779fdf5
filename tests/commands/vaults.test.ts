// `plinth vaults` and the credentials in them: for people, for pipes and for programs. No secret is printed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let vaults: WorkspaceCommands;
before(async () => {
  vaults = await openWorkspaceCommands("vaults");
});
after(async () => {
  await vaults?.[Symbol.asyncDispose]();
});

const make = async (name: string, ...more: string[]) =>
  (await vaults.said("create", "--name", name, ...more)).trim();
const read = (id: string) => vaults.ask("GET", `/v1/vaults/${id}`);
const credential = (vault: string, id: string) =>
  vaults.ask("GET", `/v1/vaults/${vault}/credentials/${id}`);
const refused = async (code: number, sentence: RegExp, ...words: string[]) =>
  expectSentence(await vaults.run(...words), code, sentence);
const server = "https://mcp.example.com/mcp";

test("a vault is made, shown, listed, changed, archived and deleted", async () => {
  const id = await make("Support", "--metadata", "team=red");
  assert.deepEqual(await vaults.parsed("show", id), await read(id));
  assert.match(await vaults.said("show", id), /^id +vlt_\w+\nname +Support\nmetadata +team=red\n/);
  assert.match(await vaults.said("list"), /Support/);
  assert.equal(await vaults.said("update", id, "--name", "Help"), `updated ${id}\n`);
  assert.equal(await vaults.said("update", id, "--name", "Help"), `nothing changed: ${id}\n`);
  await vaults.said("update", id, "--metadata", "team=");
  assert.deepEqual((await read(id)).metadata, {});
  await refused(2, /A vault needs a name/, "create");
  await refused(2, /Say what to change/, "update", id);
  await refused(2, /Say it with --yes/, "archive", id);
  assert.equal(await vaults.said("archive", id, "--yes"), `archived ${id}\n`);
  assert.doesNotMatch(await vaults.said("list"), /Help/);
  assert.match(await vaults.said("list", "--archived"), /Help/);
  assert.equal(await vaults.said("delete", id, "--yes"), `deleted ${id}\n`);
  await refused(1, /There is no vault/, "show", id);
});

test("secrets come from files and standard input alone, and are never printed", async () => {
  const vault = await make("Secrets");
  const file = vaults.file("token.txt", "planted-token\n");
  const words = ["credentials", "add", vault, "--bearer", server, "--secret-file", file];
  const id = (await vaults.said(...words, "--name", "Wiki")).trim();
  const made = await credential(vault, id);
  assert.deepEqual(made.auth, { type: "static_bearer", mcp_server_url: server });
  const piped = await vaults.piped(
    "planted value\n",
    "credentials",
    "add",
    vault,
    "--variable",
    "API_KEY",
    "--secret-file",
    "-",
    "--hosts",
    "api.example.com",
    "*.example.org",
  );
  assert.equal(piped.code, 0, piped.stderr);
  const held = await credential(vault, piped.stdout.trim());
  assert.deepEqual(held.auth.networking.allowed_hosts, ["api.example.com", "*.example.org"]);
  const whole = vaults.file(
    "oauth.json",
    JSON.stringify({
      display_name: "Tracker",
      auth: {
        type: "mcp_oauth",
        access_token: "planted-access",
        mcp_server_url: "https://tracker.example.com",
        refresh: {
          client_id: "client",
          refresh_token: "planted-refresh",
          token_endpoint: "https://auth.example.com/token",
          token_endpoint_auth: { type: "none" },
        },
      },
    }),
  );
  const oauth = (await vaults.said("credentials", "add", vault, "--file", whole)).trim();
  const screens = [
    await vaults.said("credentials", "list", vault),
    await vaults.said("credentials", "list", vault, "--json"),
    await vaults.said("credentials", "show", vault, oauth),
    await vaults.said("credentials", "show", vault, id, "--json"),
    await vaults.said("credentials", "update", vault, id, "--secret-file", file, "--json"),
  ];
  assert.match(screens[0] ?? "", /Tracker +mcp_oauth +https:\/\/tracker\.example\.com/);
  assert.match(screens[2] ?? "", /renewed at +https:\/\/auth\.example\.com\/token/);
  assert.doesNotMatch(screens.join(), /planted/);
  const add = ["credentials", "add", vault];
  await refused(2, /Say what it is for/, ...add);
  await refused(2, /Say where the value may go/, ...add, "--variable", "B", "--secret-file", file);
  await refused(2, /cannot be used with/, ...add, "--variable", "B", "--bearer", server);
  await refused(1, /already/, ...add, "--bearer", server, "--secret-file", file);
  await refused(1, /auth\.token: is required/, ...add, "--bearer", "https://b.example.com");
});

test("a credential is changed, tried, archived and deleted", async () => {
  const vault = await make("Acts");
  const file = vaults.file("other.txt", "token");
  // Its name leads to this machine, where nothing secret goes.
  const address = "https://localhost/mcp";
  const words = ["credentials", "add", vault, "--bearer", address, "--secret-file", file];
  const id = (await vaults.said(...words)).trim();
  const named = ["credentials", "update", vault, id, "--name", "Local"];
  assert.equal(await vaults.said(...named), `updated ${id}\n`);
  assert.equal(await vaults.said(...named), `nothing changed: ${id}\n`);
  await refused(2, /Say what to change/, "credentials", "update", vault, id);
  const tried = await vaults.run("credentials", "test", vault, id);
  assert.equal(tried.code, 1);
  assert.match(tried.stdout, /^status +unknown\n/);
  assert.match(tried.stderr, /The token of vcrd_\w+ is unknown\./);
  const archive = ["credentials", "archive", vault, id];
  await refused(2, /Say it with --yes/, ...archive);
  assert.equal(await vaults.said(...archive, "--yes"), `archived ${id}\n`);
  assert.equal(await vaults.said("credentials", "list", vault), "");
  assert.match(await vaults.said("credentials", "list", vault, "--archived"), /Local/);
  assert.equal(await vaults.said("credentials", "delete", vault, id, "--yes"), `deleted ${id}\n`);
});
