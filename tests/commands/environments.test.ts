// `plinth environments` and the keys of their workers: for people, for pipes and for programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { revokeKey } from "../../cli/environments/keys.ts";
import { archive, remove } from "../../cli/environments/write.ts";
import { CliError, type Terminal } from "../../cli/terminal.ts";
import type { Environment } from "../../contract/types.ts";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let environments: WorkspaceCommands;
before(async () => {
  environments = await openWorkspaceCommands("environments");
});
after(async () => {
  await environments?.[Symbol.asyncDispose]();
});

const make = async (name: string, ...more: string[]) =>
  (await environments.said("create", "--name", name, ...more)).trim();
const read = (id: string) => environments.api("GET", `/${id}`);
const refused = async (code: number, sentence: RegExp, ...words: string[]) =>
  expectSentence(await environments.run(...words), code, sentence);

test("create makes what flags say, and prints the id; --json is the environment of the API", async () => {
  const plain = await environments.parsed("create", "--name", "plain");
  assert.deepEqual(plain, await read(plain.id));
  assert.deepEqual([plain.config.type, plain.config.networking.type], ["cloud", "unrestricted"]);
  const facts = ["--description", "For data", "--metadata", "team=a=b"];
  const packages = [
    "--pip",
    "numpy>=2,<3",
    "pandas",
    "--apt",
    "ffmpeg",
    "--allow-package-managers",
  ];
  const hosts = ["--hosts", "api.example.com", "*.example.org"];
  const made = await read(await make("data", ...facts, ...packages, ...hosts));
  assert.deepEqual([made.description, made.metadata], ["For data", { team: "a=b" }]);
  assert.deepEqual(made.config.networking, {
    type: "limited",
    allowed_hosts: ["api.example.com", "*.example.org"],
    allow_mcp_servers: false,
    allow_package_managers: true,
  });
  assert.deepEqual(
    [made.config.packages.pip, made.config.packages.apt, made.config.packages.npm],
    [["numpy>=2,<3", "pandas"], ["ffmpeg"], []],
  );
  const ours = await read(await make("ours", "--self-hosted"));
  assert.deepEqual(ours.config, { type: "self_hosted" });
  await refused(2, /An environment needs a name: --name python/, "create");
  await refused(1, /config\.networking\.allowed_hosts/, "create", "--name", "a", "--hosts", "a/b");
  await refused(
    2,
    /leave networking, hosts and packages out/,
    "create",
    "--self-hosted",
    "--pip",
    "a",
  );
});

test("what is allowed never takes away by itself what an environment reaches", async () => {
  const id = await make("open");
  await refused(2, /say --networking limited with it/, "update", id, "--allow-mcp-servers");
  const words = ["--networking", "unrestricted", "--hosts", "a.example"];
  await refused(2, /reaches everything: what is allowed/, "update", id, ...words);
  assert.equal((await read(id)).config.networking.type, "unrestricted");
  await environments.said("update", id, "--networking", "limited", "--allow-mcp-servers");
  const { networking } = (await read(id)).config;
  assert.deepEqual([networking.allow_mcp_servers, networking.allowed_hosts], [true, []]);
  await environments.said("update", id, "--hosts", "a.example");
  await environments.said("update", id, "--networking", "limited", "--no-allow-mcp-servers");
  const after = (await read(id)).config.networking;
  assert.deepEqual([after.allow_mcp_servers, after.allowed_hosts], [false, ["a.example"]]);
});

test("update sends what is named alone, and says where nothing changed", async () => {
  const id = await make("a", "--pip", "numpy", "--npm", "left-pad", "--metadata", "a=1");
  await refused(2, /Say what to change: --name/, "update", id);
  assert.equal(await environments.said("update", id, "--name", "b"), `updated ${id}\n`);
  assert.equal(await environments.said("update", id, "--name", "b"), `nothing changed: ${id}\n`);
  const words = ["--pip", "", "--metadata", "a=", "--metadata", "b=2", "--description", "New"];
  const changed = await environments.parsed("update", id, ...words);
  assert.deepEqual(changed, await read(id));
  assert.deepEqual([changed.name, changed.description, changed.metadata], ["b", "New", { b: "2" }]);
  assert.deepEqual([changed.config.packages.pip, changed.config.packages.npm], [[], ["left-pad"]]);
  const cleared = await environments.parsed("update", id, "--description", "");
  assert.equal(cleared.description, null);
});

test("what show printed can be changed and sent back; a pipe and a file say all of it", async () => {
  const id = await make("a", "--hosts", "a.example");
  const shown = await environments.said("show", id, "--json");
  assert.deepEqual(JSON.parse(shown), await read(id));
  const file = environments.file("environment.json", shown.replace("a.example", "b.example"));
  assert.equal(await environments.said("update", id, "--file", file), `updated ${id}\n`);
  assert.deepEqual((await read(id)).config.networking.allowed_hosts, ["b.example"]);
  const copy = ["create", "--file", "-", "--name", "Copy", "--go", "golang.org/x/tools"];
  const piped = await environments.piped(shown, ...copy, "--allow-package-managers");
  assert.equal(piped.code, 0, piped.stderr);
  const made: Environment = await read(piped.stdout.trim());
  assert.ok(made.config.type === "cloud" && made.config.networking.type === "limited");
  assert.deepEqual(made.config.networking.allowed_hosts, ["a.example"]);
  assert.deepEqual([made.name, made.config.packages.go], ["Copy", ["golang.org/x/tools"]]);
  await refused(
    2,
    /environment\.json holds env_\w+, not env_\w+\./,
    "update",
    made.id,
    "--file",
    file,
  );
});

test("list is a table that leads on; show tells an environment in words", async () => {
  const hosts = ["--hosts", "a.example", "--allow-mcp-servers"];
  const id = await make(
    "Shown",
    ...hosts,
    "--metadata",
    "team=a",
    "--description",
    "a\nb\u001b[2J",
  );
  await environments.said(
    "update",
    id,
    "--pip",
    "b",
    "a",
    "--hosts",
    "a.example",
    "--allow-package-managers",
  );
  const list = await environments.run("list", "--limit", "1");
  assert.match(
    list.stdout,
    /^ID +NAME +TYPE +NETWORKING +PACKAGES +CREATED +ARCHIVED\nenv_\w+ +Shown +cloud +limited +pip +\d{4}-\d\d-\d\d +-\n$/,
  );
  const [, page = ""] =
    /^There are more: plinth environments list --limit 1 --page (\S+)\n$/.exec(list.stderr) ?? [];
  const rest = await environments.parsed("list", "--page", page, "--limit", "100");
  assert.ok(rest.data.length > 0 && rest.data.every((one: Environment) => one.id !== id));
  const shown = await environments.said("show", id);
  assert.match(shown, new RegExp(`^id +${id}\nname +Shown\ndescription +a b␛\\[2J\ntype +cloud\n`));
  assert.match(
    shown,
    /\nnetworking +limited\nnetworking +a\.example\nnetworking +MCP servers of agents\nnetworking +package managers\npip +b a\nmetadata +team=a\n/,
  );
  await refused(1, /env_none/, "show", "env_none");
  assert.equal((await environments.run("show", "../x")).code, 2);
});

/** Of a person who is asked: the answer no first, which must keep all, then yes. */
async function afterYes(
  act: (terminal: Terminal) => Promise<void>,
  declined: string,
  question: RegExp,
): Promise<string> {
  const no = environments.screen({ readLine: async () => "n" });
  await assert.rejects(act(no.terminal), new CliError(declined));
  assert.match(no.text(), question);
  const yes = environments.screen({ readLine: async () => "y" });
  await act(yes.terminal);
  return yes.text();
}

test("an environment is archived, and deleted, by who says yes", async () => {
  const id = await make("Old");
  for (const command of ["archive", "delete"])
    await refused(2, /Say it with --yes\.\n$/, command, id);
  const archived = await afterYes(
    (terminal) => archive(terminal, id, {}),
    "Nothing was archived.",
    /^Old \(env_\w+\)\nNo session begins in it any more, .*\nArchive\? \[y\/N\] $/,
  );
  assert.match(archived, new RegExp(`archived ${id}\n$`));
  assert.ok((await read(id)).archived_at);
  assert.ok(!(await environments.said("list")).includes(id));
  assert.ok((await environments.said("list", "--archived")).includes(id));
  await refused(1, /is archived/, "update", id, "--name", "b");
  const deleted = await afterYes(
    (terminal) => remove(terminal, id, {}),
    "Nothing was deleted.",
    /It goes with its keys: .*\nDelete\? \[y\/N\] $/,
  );
  assert.match(deleted, new RegExp(`deleted ${id}\n$`));
  await refused(1, /There is no environment/, "show", id);
  const other = await make("Other");
  assert.deepEqual(await environments.parsed("delete", other, "--yes"), {
    id: other,
    type: "environment_deleted",
  });
});

test("a key's secret is printed once; keys are listed, and revoked by who says yes", async () => {
  const id = await make("ours", "--self-hosted");
  const made = await environments.run("keys", "create", id, "--name", "worker 1");
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^sk-plinth-env-\S+\n$/);
  const [, first = ""] =
    /^(envkey_\w+): it is shown this once; keep it safe\.\n$/.exec(made.stderr) ?? [];
  const { environment_key: secret, ...facts } = await environments.parsed("keys", "create", id);
  assert.match(secret, /^sk-plinth-env-/);
  assert.equal(facts.secret, undefined);
  const { data } = await environments.api("GET", `/${id}/keys`);
  assert.deepEqual([data[0], data[1].id], [facts, first]);
  const list = await environments.run("keys", "list", id, "--limit", "1");
  assert.match(
    list.stdout,
    new RegExp(`^ID +NAME +KEY +CREATED +REVOKED\n${facts.id} +- +\\S+ +\\S+ +-\n$`),
  );
  const [, page = ""] =
    /plinth environments keys list env_\w+ --limit 1 --page (\S+)\n$/.exec(list.stderr) ?? [];
  assert.match(
    await environments.said("keys", "list", id, "--page", page),
    /\nenvkey_\w+ +worker 1 /,
  );
  assert.deepEqual(
    await environments.parsed("keys", "list", id),
    await environments.api("GET", `/${id}/keys`),
  );
  await refused(2, /Say it with --yes\.\n$/, "keys", "revoke", id, first);
  const revoked = await afterYes(
    (terminal) => revokeKey(terminal, id, first, {}),
    "Nothing was revoked.",
    /Workers that use it are refused within a second\./,
  );
  assert.match(revoked, new RegExp(`revoked ${first}\n$`));
  const after = await environments.api("GET", `/${id}/keys`);
  assert.deepEqual(
    after.data.map((key: { revoked_at: string | null }) => key.revoked_at !== null),
    [false, true],
  );
  const cloud = await make("cloud");
  await refused(1, /is a cloud environment: this server runs its tools/, "keys", "create", cloud);
  const empty = await environments.run("keys", "list", cloud);
  assert.deepEqual([empty.stdout, empty.stderr], ["", "The environment has no keys.\n"]);
});
