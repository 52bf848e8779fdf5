// `plinth org`, `workspaces` and `keys`: for people, for pipes and for programs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as change from "../../cli/keys/change.ts";
import { CliError } from "../../cli/terminal.ts";
import { archive } from "../../cli/workspaces/write.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { makeKey } from "../rules/support.ts";
import { makePerson, workspacesOf } from "../rules/workspaces-house.ts";
import { runInProcess } from "./in-process.ts";
import { expectRefusal, type Result } from "./plinth.ts";
import { openScreen } from "./screen.ts";

let house: House;
let platform: Tenant;
let w: ReturnType<typeof workspacesOf>;
let env: Record<string, string>;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  w = workspacesOf(house);
  env = { PLINTH_ADMIN_KEY: platform.admin_api_key, PLINTH_BASE_URL: house.url };
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
});

const run = (...args: string[]): Promise<Result> => runInProcess(args, env);
const said = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  assert.equal(code, 0, stderr);
  return stdout;
};
const parsed = async (...args: string[]) => JSON.parse(await said(...args, "--json"));
const found = async (id: string) => (await w.overApi(platform, "GET", `/${id}`)).body;
const keyStatus = async (id: string) => {
  const key = platform.admin_api_key;
  return (await house.ask("GET", `/v1/organizations/api_keys/${id}`, { key })).body.status;
};

test("org says whose key it is", async () => {
  assert.match(await said("org"), /^id +org_\w+\nname +platform of the house\n$/);
  const { id, type } = await parsed("org");
  assert.deepEqual([id, type], [platform.organization_id, "organization"]);
  const wrong = await runInProcess(["org"], { ...env, PLINTH_ADMIN_KEY: "sk-plinth-no" });
  assert.match(wrong.stderr, /^plinth: The key is damaged/);
  assert.equal(wrong.code, 3);
});

test("org says what the API has of a platform_cloud organization, whoami what a key of it is", async () => {
  const env = {
    PLINTH_ADMIN_KEY: house.organizations.cloud.admin_api_key,
    PLINTH_BASE_URL: house.url,
  };
  const { code, stdout, stderr } = await runInProcess(["org"], env);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.ok(stderr.includes("platform_cloud organization has its workspaces only"), stderr);
  assert.ok(stderr.includes("plinth workspaces"), stderr);
  assert.ok(stderr.includes(`${house.url}/console`), stderr);
  const who = await runInProcess(["whoami"], env);
  assert.match(who.stdout, /^kind +admin key$.*^type +platform_cloud$/ms);
  const listed = await runInProcess(["workspaces", "list"], env);
  assert.equal(listed.code, 0, listed.stderr);
});

test("workspaces are made, listed page by page, shown and changed", async () => {
  const words = ["Search", "--tag", "team=relevance", "--tag", "a=b=c", "--color", "#0e8a6a"];
  const id = (await said("workspaces", "create", ...words, "--allow", "us")).trim();
  const made = await found(id);
  assert.deepEqual(made.tags, { team: "relevance", a: "b=c" });
  assert.equal(made.display_color, "#0E8A6A");
  assert.deepEqual(made.data_residency, {
    allowed_inference_geos: ["us"],
    default_inference_geo: "us",
    workspace_geo: "us",
  });
  assert.match(
    await said("workspaces", "show", id),
    /^id +wrkspc_\w+\nname +Search\ncolour +#0E8A6A/,
  );
  const changed = await parsed(
    "workspaces",
    "update",
    id,
    "--name",
    "Find",
    "--untag",
    "team",
    "a",
  );
  assert.deepEqual([changed.name, changed.tags], ["Find", {}]);
  await said("workspaces", "update", id, "--allow", "any", "--default-geo", "global");
  assert.equal((await found(id)).data_residency.allowed_inference_geos, "unrestricted");
  const nothing = await run("workspaces", "update", id);
  expectRefusal(nothing, /Say what to change/);
  assert.equal(nothing.code, 2);
  const first = await run("workspaces", "list", "--limit", "1");
  assert.match(
    first.stdout,
    /^ID +NAME +TAGS +INFERENCE +CREATED +ARCHIVED\nwrkspc_\w+ +Find +- +any +\d/,
  );
  const [, next] = /plinth workspaces list --limit 1 --after (\w+)/.exec(first.stderr) ?? [];
  assert.equal(next, id);
  assert.match(await said("workspaces", "list", "--after", id), / Default /);
  const page = await parsed("workspaces", "list", "--limit", "1");
  assert.deepEqual([page.data[0].id, page.has_more], [id, true]);
});

test("a workspace is archived by who writes its name, or says --yes", async () => {
  const id = await w.make(platform, { name: "Old" });
  const asked = (answer: string) => {
    const screen = openScreen(env, { readLine: async () => `${answer}\n` });
    return { screen, done: archive(screen.terminal, id, {}) };
  };
  const no = asked("old");
  await assert.rejects(no.done, new CliError("Nothing was archived."));
  assert.match(no.screen.text(), /API keys stop working at once/);
  assert.equal((await found(id)).archived_at, null);
  const alone = await run("workspaces", "archive", id);
  assert.equal(alone.code, 2);
  assert.match(alone.stderr, /Say it with --yes/);
  const yes = asked("Old");
  await yes.done;
  assert.match(yes.screen.text(), new RegExp(`archived ${id}`));
  assert.ok((await found(id)).archived_at);
  assert.equal(await said("workspaces", "archive", id, "--yes"), `archived ${id}\n`);
  assert.ok(!(await said("workspaces", "list")).includes(id));
  assert.ok((await said("workspaces", "list", "--archived")).includes(id));
});

test("members are added with a role, listed, given another, removed", async () => {
  const id = await w.make(platform);
  const person = await makePerson(house, platform);
  const members = (...args: string[]) => said("workspaces", "members", ...args);
  const empty = await run("workspaces", "members", "list", id);
  assert.match(empty.stderr, /No member was added/);
  await members("add", id, person.id, "--role", "restricted-developer");
  const [titles, line] = (await members("list", id, "--ids")).split("\n");
  assert.match(titles ?? "", /^USER +ROLE$/);
  assert.equal(line, `${person.id}  workspace_restricted_developer`);
  await members("update", id, person.id, "--role", "workspace_billing");
  const { data } = await parsed("workspaces", "members", "list", id);
  assert.equal(data[0].workspace_role, "workspace_billing");
  const other = await makePerson(house, platform);
  const billing = await run("workspaces", "members", "add", id, other.id, "--role", "billing");
  expectRefusal(billing, /given to a member: add them first/);
  const wrong = await run("workspaces", "members", "add", id, other.id, "--role", "boss");
  assert.match(wrong.stderr, /must be one of user, developer/);
  assert.equal((await run("workspaces", "members", "remove", id, person.id)).code, 2);
  assert.equal(await members("remove", id, person.id, "--yes"), `removed ${person.id}\n`);
});

test("keys are listed by workspace and status, renamed, put to sleep and woken", async () => {
  const workspace_id = await w.make(platform);
  const { id } = await makeKey(house, platform, { kind: "api", workspace_id, name: "Backend" });
  const beside = await makeKey(house, platform, { kind: "api", workspace_id, name: "Beside" });
  const list = await said("keys", "list", "--workspace", workspace_id);
  assert.match(
    list,
    /^ID +NAME +STATUS +WORKSPACE +KEY +CREATED +LAST USED +EXPIRES\n.* Beside .*\n.* Backend /,
  );
  assert.match(list, / never +-\n/);
  const unused = await run("keys", "list", "--workspace", workspace_id, "--unused");
  assert.match(unused.stderr, /There are no such keys/);
  const { data: old } = await parsed("keys", "list", "--unused", "3650");
  assert.deepEqual(old, []);
  const more = await run("keys", "list", "--workspace", workspace_id, "--limit", "1");
  assert.match(
    more.stderr,
    new RegExp(`plinth keys list --workspace ${workspace_id} --limit 1 --after ${beside.id}`),
  );
  assert.match(await said("keys", "rename", id, "Front end"), /name +Front end/);
  assert.equal((await run("keys", "deactivate", id)).code, 2);
  assert.equal(await said("keys", "deactivate", id, "--yes"), `deactivated ${id}\n`);
  const asleep = await parsed("keys", "list", "--workspace", workspace_id, "--status", "inactive");
  assert.deepEqual(
    asleep.data.map((key: { id: string }) => key.id),
    [id],
  );
  assert.equal(await said("keys", "activate", id), `activated ${id}\n`);
  assert.equal(await keyStatus(id), "active");
  assert.match(await said("keys", "show", id), new RegExp(`workspace +.* \\(${workspace_id}\\)`));
});

test("archiving a key asks for its name; no command makes one, and it says where that is done", async () => {
  const { id } = await makeKey(house, platform, { kind: "api", name: "Retired" });
  const screen = openScreen(env, { readLine: async () => "Retire\n" });
  await assert.rejects(
    change.setStatus(screen.terminal, id, "archived", {}),
    new CliError("Nothing was changed."),
  );
  assert.match(screen.text(), /Retired .*\nEvery program that uses it is refused/);
  assert.equal(await keyStatus(id), "active");
  const right = openScreen(env, { readLine: async () => "Retired\n" });
  await change.setStatus(right.terminal, id, "archived", {});
  assert.equal(await keyStatus(id), "archived");
  const made = await run("keys", "create", "New", "--kind", "api");
  expectRefusal(made, /Keys are made in the console.*\/console\/keys\?new=api/);
});
